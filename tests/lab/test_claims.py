"""From numbers to verdicts: intervals, claims, and what becomes of a claim whose point is missing."""

from dataclasses import replace

import pytest

from antecede.lab.claims import (
    at,
    at_most,
    difference,
    ever,
    explanation,
    judge_claims,
    largest,
    ratio,
    report_only,
    smallest,
    trend,
    within,
)
from antecede.lab.experiment import Claim, Outcome
from antecede.lab.experiments import find_experiment
from antecede.lab.results import Measurement, MissingResult, Results, estimate


def results(**values: list[float]) -> Results:
    """A point for each name, a seed for each value."""
    return Results(
        tuple(
            Measurement(point, {"name": name}, seed, {"y": value})
            for point, (name, numbers) in enumerate(values.items())
            for seed, value in enumerate(numbers, start=1)
        )
    )


def test_the_interval_is_student_s() -> None:
    """Five values with standard deviation sqrt(2.5): 2.776 times that by the root of five."""
    found = estimate([1.0, 2.0, 3.0, 4.0, 5.0])
    assert found.mean == 3.0
    assert found.high - found.mean == pytest.approx(2.776 * 2.5**0.5 / 5**0.5)
    assert found.mean - found.low == pytest.approx(found.high - found.mean)


def test_one_value_has_no_interval() -> None:
    assert estimate([2.0]).low == estimate([2.0]).high == 2.0


def test_a_stated_range_is_met_by_the_whole_interval_within_the_tolerance() -> None:
    """The interval of 0.19, 0.20 and 0.21 is 0.175 to 0.225."""
    found, values = results(a=[0.19, 0.20, 0.21]), at("y", name="a")
    assert within(values, 0.2, 0.4, tolerance=0.03)(found).outcome is Outcome.REPRODUCED
    assert within(values, 0.2, 0.4)(found).outcome is Outcome.UNDECIDED
    assert within(values, 0.18, 0.21)(found).outcome is Outcome.UNDECIDED
    assert within(values, 0.3, 0.4)(found).outcome is Outcome.NOT_REPRODUCED
    assert within(values, 0.0, 0.1)(found).outcome is Outcome.NOT_REPRODUCED


def test_an_upper_bound_that_is_not_exceeded_is_kept_and_reproduces_nothing() -> None:
    found, values = results(a=[0.19, 0.20, 0.21]), at("y", name="a")
    kept = at_most(values, 0.3)(found)
    assert (kept.outcome, kept.holds) == (Outcome.BOUND_KEPT, True)
    assert at_most(values, 0.2)(found).outcome is Outcome.UNDECIDED
    assert at_most(values, 0.1)(found).outcome is Outcome.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("values", "outcome", "holds"),
    [
        ([1.0, 1.1, 0.9], Outcome.QUALITATIVE, True),
        ([-1.0, -1.1, -0.9], Outcome.QUALITATIVE, False),
        ([-1.0, 3.0, 1.0], Outcome.UNDECIDED, False),
        ([-3.0, 1.0, -1.0], Outcome.UNDECIDED, False),
        ([0.0, 0.0, 0.0], Outcome.QUALITATIVE, False),
    ],
)
def test_a_trend_whose_interval_has_both_sides_is_undecided(values: list[float], outcome: Outcome, holds: bool) -> None:
    found = results(a=values, b=[-one for one in values])
    for judge in (trend(at("y", name="a"), above=0.0), trend(at("y", name="b"), below=0.0)):
        assert (judge(found).outcome, judge(found).holds) == (outcome, holds)


def test_a_trend_between_two_bounds_is_decided_by_both() -> None:
    found = results(a=[1.0, 1.1, 0.9], b=[2.0, 2.1, 1.9])
    values = ratio(at("y", name="b"), at("y", name="a"))
    assert trend(values, above=1.0, below=3.0)(found).holds
    assert trend(values, above=2.0, below=3.0)(found).outcome is Outcome.UNDECIDED
    assert trend(values, above=1.0, below=2.0)(found).outcome is Outcome.UNDECIDED
    refuted = trend(values, above=3.0, below=4.0)(found)
    assert (refuted.outcome, refuted.holds) == (Outcome.QUALITATIVE, False)
    assert trend(difference(at("y", name="b"), at("y", name="a")), above=0.0)(found).holds


def test_a_claim_that_the_run_does_not_test_counts_for_neither_side() -> None:
    declared = find_experiment("prs-fig4")
    claim = Claim("one", "says", "where", "rises", trend(at("y", name="a"), above=0.0), outside="it is too short")
    (entry,) = judge_claims(replace(declared, claims=[claim]), results(a=[1.0, 1.1, 0.9]))
    assert (entry["outcome"], entry["holds"]) == ("not decided by this run", False)
    assert entry["outside"] == "it is too short"
    assert entry["measured"] == pytest.approx(1.0)


def test_a_number_that_is_only_shown_decides_nothing() -> None:
    found = report_only(at("y", name="a"))(results(a=[1.0, 1.1, 0.9]))
    assert (found.outcome, found.holds) == (Outcome.NOT_TESTED, False)


def test_an_explanation_that_meets_the_paper_reproduces_nothing() -> None:
    found = results(a=[0.6, 0.64])
    met, missed = (explanation(at("y", name="a"), stated, tolerance=0.01)(found) for stated in (0.62, 0.7))
    assert met.outcome is missed.outcome is Outcome.TRIED
    assert (met.holds, missed.holds) == (True, False)


def test_the_largest_is_the_point_of_the_largest_mean() -> None:
    found = results(a=[1.0, 1.0], b=[0.0, 9.0], c=[3.0, 3.0])
    assert largest("y")(found) == [0.0, 9.0]
    assert smallest("y")(found) == [1.0, 1.0]


def test_a_claim_about_a_point_that_is_not_there_is_not_measured() -> None:
    with pytest.raises(MissingResult):
        results(a=[1.0]).values("y", name="b")
    entries = judge_claims(find_experiment("prs-fig4"), results(a=[1.0]))
    assert {entry["outcome"] for entry in entries} == {"not measured"}


def test_what_can_happen_holds_if_it_happened_once() -> None:
    found = results(a=[0.0, 0.0, 3.0], b=[0.0, 0.0, 0.0])
    assert ever(at("y", name="a"))(found).holds
    never = ever(at("y", name="b"))(found)
    assert (never.outcome, never.holds) == (Outcome.UNDECIDED, False), "it may still happen"
