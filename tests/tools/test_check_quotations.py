"""Quotations are looked up in the papers without what an edition of a text changes, and in the section they name."""

from pathlib import Path

import pytest

from tests.errata.erratum import Quotation
from tests.errata.page import CHAPTERS
from tools import check_quotations

PAPER = """\
It is about merging.

## 4.3 Merging

The test  $l_{s,t'} \\notin LOG_j$  is *never* true of a mes-
sage that h\\_RECD<sub>h</sub> counts.

1. Initialize it.

# 4.4 An Example

All of it can be “deleted”.
"""


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("§4.3", "The test l_{s,t'} ∉ LOG_j is never true"),
        ("§4.3", "of a message that h_RECD_h counts."),
        ("§4.3", "The test [...] counts. 1. Initialize it."),
        ("§4.4", 'All of it can be "deleted".'),
        ("§4.4, footnote 1", "All of it can be"),
        ("Table 1", "All of it can be"),
        ("abstract", "It is about merging."),
    ],
)
def test_what_is_there_is_found(section: str, words: str) -> None:
    assert check_quotations.is_quoted(Quotation(section, words), PAPER)


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("§4.3", "The test l_{s,t'} ∈ LOG_j"),
        ("§4.3", "counts. [...] The test"),
        ("§4.4", "The test"),
        ("§4.5", "All of it can be"),
        ("§4.3", "Initialize it. All of it"),
        ("§4.4", "All of it can not be"),
    ],
)
def test_what_is_not_there_or_elsewhere_is_not(section: str, words: str) -> None:
    assert not check_quotations.is_quoted(Quotation(section, words), PAPER)


def test_a_folder_without_the_papers_is_named_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_quotations.main([str(tmp_path)]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said == [f"{tmp_path} has no file for paper {chapter.paper.number}" for chapter in CHAPTERS]


def test_quotations_that_are_not_in_a_paper_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for chapter in CHAPTERS:
        (tmp_path / f"{chapter.paper.number}.txt").write_text(PAPER)
    assert check_quotations.main([str(tmp_path)]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == sum(1 + len(chapter.quotations()) for chapter in CHAPTERS)
    assert said[0].startswith("000 is not called 'An Adaptive")
    assert said[1].startswith('000 §5.1: "We assume')
