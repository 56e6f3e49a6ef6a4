"""The errata page: which entries it has, in which section, and that each quotes its paper."""

from functools import cache

from tests.errata import page
from tests.errata.erratum import Assumption, Erratum
from tests.errata.refutation import VERDICTS, WITHDRAWN

HEADING = "\n## Assumptions, and what happens outside them\n"


@cache
def errata() -> list[tuple[page.Chapter, Erratum]]:
    """Return all errata. Some are found by random searches, which take seconds: not when pytest collects the tests."""
    return [(chapter, one) for chapter in page.CHAPTERS for one in chapter.errata()]


@cache
def assumptions() -> list[tuple[page.Chapter, Assumption]]:
    return [(chapter, one) for chapter in page.CHAPTERS for one in chapter.assumptions()]


def entries() -> list[Erratum | Assumption]:
    return [*(one for _, one in errata()), *(one for _, one in assumptions())]


def test_the_errata_are_these() -> None:
    """A new one is added here when its paper was found to fail under its own assumptions, and not before."""
    assert [(chapter.paper.number, one.section, one.title) for chapter, one in errata()] == [
        ("000", "§8.2 against §5.1", "Is the sender of a broadcast one of its destinations?"),
        ("000", "§8.1", "A message may carry indirect predecessors"),
        ("000", "§9.1", "The counters of a host stop at the first message for somebody else"),
        ("001", "§5.2, the hand-off", "A stale notification puts the location back"),
        ("001", "§5.2, the hand-off", "A misprint sends handoff_begin to its own sender"),
        ("001", "§1.1 against the abstract and §4.3", "Is Algorithm 1 graceful to disconnections?"),
        ("002", "§4.5, second note", "Looking ahead breaks causal order when the sender prunes (§4.3)"),
        ("002", "§4.3, RCV(4), first test", "A misprint in RCV(4) keeps what is no longer owed"),
        ("002", "§6.2, control information overhead", "The complement halves an entry, not a sender"),
        ("003", "§3.3", "With BS1 as printed, timestamps cannot be inferred"),
        ("003", "§3.4", "Nor, by these rules, the order of arrival"),
        ("003", "§4.3", "No cycle of groups is not enough"),
        ("003", "§4.4.2, case 2", "The proof of liveness waits for the wrong message"),
        ("004", "§4.4, Allocation 4 with Determination 4", "A gateway may hear of a message before the message comes"),
        ("004", "§5, Allocation 5", "The hierarchical triangle's saving gives wrong answers"),
        ("004", "§4.4, Allocations 4 and 5", "Arrival times need FIFO channels"),
        ("004", "§4.4, after Allocation 5", "The receiver must be the gateway, not the sender"),
        ("004", "§4.4, Lemma 8", "A clock may be kept for the sake of another receiver"),
        ("004", "§5, star network, against §4.3", "The star's observation set"),
        ("004", "§4.2, Theorem 6 with Allocation 2", "Simple paths keep the verdicts, not the clock values"),
    ]


def test_the_assumptions_are_these() -> None:
    assert [(chapter.paper.number, one.section, one.title) for chapter, one in assumptions()] == [
        ("000", "§5.1", "The sender is not among its destinations"),
        ("000", "§5.3", "A row contains the latest messages, and may contain more"),
        ("000", "§9.1", "The first message of a station has number 0"),
        ("000", "§9.1", "Messages of one station come in the order of their numbers"),
        ("000", "§9.1", "Delete comes after its message"),
        ("000", "§9.2", "A hand-off moves all that the old station keeps for a host"),
        ("001", "§2", "A registration arrives, though the host has left the cell"),
        ("001", "§2", "A message goes to another host"),
        ("001", "§2", "A message that is dropped counts as delivered"),
        ("001", "§4.1", "What is in the air to a host counts as known to it"),
        ("001", "§4.1, §4.2", "What is sent again after a hand-off is dropped if it came before"),
        ("001", "§5.2, the hand-off", "A broadcast is one causal multicast"),
        ("001", "§5.2", "A host that comes back waits for its earlier hand-off to end"),
        ("002", "§7.1", "FIFO channels, or sequence numbers on others"),
        ("004", "§5, ring network", "The ring goes both ways round"),
        ("004", "§4.4", "Allocation 5 visits gateways in some order"),
        ("004", "§4.2", "Which processes are on an acyclic path is hard to tell"),
    ]


def test_every_entry_quotes_its_paper_with_the_section() -> None:
    for entry in entries():
        assert entry.says, entry.title
        for quotation in entry.says:
            assert quotation.section.startswith(("§", "abstract")), entry.title
            assert quotation.words, entry.title
            assert quotation.words == quotation.words.strip(), entry.title


def test_nothing_is_quoted_that_is_not_checked() -> None:
    """`tools.check_quotations` looks up what is in `says`. Quotation marks anywhere else would escape it."""
    for entry in entries():
        words = [entry.outside] if isinstance(entry, Assumption) else _sentences(entry)
        assert not [text for text in words if '"' in text], entry.title


def _sentences(erratum: Erratum) -> list[str]:
    return [erratum.remark, erratum.why, erratum.repair, erratum.assumes, erratum.defence]


def test_every_erratum_says_what_it_assumes_and_defends_the_paper() -> None:
    for _, erratum in errata():
        assert erratum.assumes.endswith("."), erratum.title
        assert erratum.defence.startswith(("One may read", "One may assume", "One may expect")), erratum.title
        assert "; then" in erratum.defence, f"what comes of it: {erratum.title}"


def test_what_may_be_a_slip_of_our_copy_is_marked_so() -> None:
    marked = [one.title for _, one in errata() if "our copy" in one.remark]
    assert marked == [
        "A misprint sends handoff_begin to its own sender",
        "Is Algorithm 1 graceful to disconnections?",
        "A misprint in RCV(4) keeps what is no longer owed",
        "The receiver must be the gateway, not the sender",
    ]


def test_what_came_of_the_attempt_to_refute_it_is_said_of_every_erratum() -> None:
    assert list(VERDICTS) == [one.title for _, one in errata()]
    text = page.page().partition("\n## An attempt to refute each entry\n")[2]
    for verdict in [*VERDICTS.values(), *(one.verdict for one in WITHDRAWN)]:
        assert f"| {verdict.outcome} | {verdict.decided_by} |" in text


def test_an_assumption_is_in_its_own_section_and_an_erratum_is_not() -> None:
    before, _, after = page.page().partition(HEADING)
    for _, erratum in errata():
        assert f"### {erratum.section}: {erratum.title}\n" in before
    for chapter, assumption in assumptions():
        heading = f"### {chapter.paper.number} {assumption.section}: {assumption.title}\n"
        assert heading in after
        assert heading not in before


def test_what_is_run_for_an_assumption_shows_that_it_matters() -> None:
    for _, assumption in assumptions():
        assert len(assumption.answers) < 2 or len({answer for _, answer in assumption.answers}) > 1, assumption.title


def test_a_quotation_is_shown_with_its_section_and_in_quotation_marks() -> None:
    assert '> §5.1: "We assume that the process sending message M does not belong to destination(M)."\n' in page.page()


def test_the_page_is_the_same_each_time() -> None:
    assert page.page() == page.page()
