"""The papers, and how they are cited."""

from antecede.lab.papers import PAPERS, cite


def test_a_number_becomes_authors_and_year() -> None:
    assert cite("000 §7.1") == "Prakash, Raynal, Singhal 1997 §7.1"
    assert cite("003 §2.3 and §5") == "Mostefaoui, Raynal 1993 §2.3 and §5"
    assert cite("beside 000 and 001") == "beside Prakash, Raynal, Singhal 1997 and Alagar, Venkatesan 1994"


def test_another_number_stays() -> None:
    assert cite("10,000 of 1000 messages, registry") == "10,000 of 1000 messages, registry"


def test_a_paper_is_known_by_its_own_number() -> None:
    assert all(paper.number == number for number, paper in PAPERS.items())
