"""The rule that makes a verdict of what was found and of how much could be read."""

import pytest

from antecede.core.errors import Misuse
from antecede.judge.judge import judge
from antecede.judge.rule import Coverage, combine_verdicts
from tests.judge.script import TRIANGLE, script


def test_refused_rows_alone_are_no_trace_to_judge() -> None:
    found = judge([], quarantined=1_000)
    assert (found.verdict, found.quarantined) == ("undecidable", 1_000)
    assert found.reasons == ("no row could be read as an event: all 1,000 are in quarantine",)
    assert judge([], quarantined=1, listed_max=0).reasons == ()


PAIRS = "\n".join(f"a send m{number} > b \n b deliver m{number}" for number in range(50))


@pytest.mark.parametrize(("refused", "verdict"), [(0, "holds"), (1, "holds"), (2, "undecidable"), (700, "undecidable")])
def test_more_refused_rows_than_one_per_cent_make_a_trace_undecidable(refused: int, verdict: str) -> None:
    found = judge(script(PAIRS), quarantined=refused)
    assert (found.verdict, found.complete, found.quarantined) == (verdict, refused == 0, refused)
    assert bool(found.reasons) == (verdict == "undecidable")


def test_the_share_of_rows_that_may_be_refused_is_an_argument() -> None:
    assert judge(script(PAIRS), quarantined=100, quarantine_max=0.5).verdict == "holds"
    assert judge(script(PAIRS), quarantined=101, quarantine_max=0.5).verdict == "undecidable"
    assert judge(script(PAIRS), quarantined=1, quarantine_max=0).verdict == "undecidable"
    assert judge(script(PAIRS), quarantine_max=0).verdict == "holds"
    with pytest.raises(Misuse, match="a share between 0 and 1"):
        judge([], quarantine_max=5)


def test_a_violation_wins_over_rows_that_could_not_be_read() -> None:
    found = judge(script(TRIANGLE), quarantined=1_000)
    assert (found.verdict, found.complete, found.violations) == ("violated", False, 1)
    assert found.reasons == (
        "1,000 of 1,006 rows could not be read as events, more than the 1 % that quarantine-max allows",
    )


def test_one_violated_run_makes_a_violated_trace_and_one_undecidable_run_an_undecidable_one() -> None:
    assert combine_verdicts(["holds", "undecidable", "violated"], too_little="why") == "violated"
    assert combine_verdicts(["holds", "undecidable"], too_little=None) == "undecidable"
    assert combine_verdicts(["holds"], too_little="why") == "undecidable"
    assert combine_verdicts(["holds"], too_little=None) == "holds"


def test_files_that_could_not_be_read_count_by_their_bytes() -> None:
    assert Coverage(99, 1, unread_share=0.01).why_too_little(0.01) is None
    assert Coverage(99, 1, unread_share=0.05).why_too_little(0.01) == (
        "files that could not be read hold 5 % of the input's bytes, more than the 1 % that quarantine-max allows"
    )


def test_an_input_is_complete_if_no_row_was_refused() -> None:
    assert Coverage(99, 0, unread_share=0.5).complete
    assert not Coverage(99, 1).complete
    assert (Coverage(99, 0).rows, Coverage(99, 1).rows) == (99, 100)
