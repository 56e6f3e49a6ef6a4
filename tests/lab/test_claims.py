"""From numbers to verdicts: intervals, claims, and what becomes of a claim whose point is missing."""

from dataclasses import replace

import pytest

from antecede.lab.claims import (
    at,
    at_most,
    difference,
    ever,
    explanation,
    in_all,
    judge_claims,
    largest,
    ratio,
    smallest,
    spreads_within,
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
    assert (kept.outcome, kept.holds, kept.is_bound) == (Outcome.QUALITATIVE, True, True)
    assert at_most(values, 0.2)(found).outcome is Outcome.UNDECIDED
    exceeded = at_most(values, 0.1)(found)
    assert (exceeded.outcome, exceeded.is_bound) == (Outcome.NOT_REPRODUCED, False)


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


@pytest.mark.parametrize(
    ("values", "outcome", "holds"),
    [
        ([0.9346, 0.949, 0.9632], Outcome.UNDECIDED, False),
        ([0.98, 0.985, 0.99], Outcome.QUALITATIVE, True),
        ([0.90, 0.905, 0.91], Outcome.QUALITATIVE, False),
    ],
)
def test_no_difference_is_judged_by_the_whole_interval(values: list[float], outcome: Outcome, holds: bool) -> None:
    """0.96 to 1.04 is not perceptible, and an interval from 0.913 to 0.984 has values of both sides."""
    found = trend(at("y", name="a"), above=0.96, below=1.04)(results(a=values))
    assert (found.outcome, found.holds) == (outcome, holds)


def test_runs_of_a_point_are_within_a_share_of_their_mean_or_of_the_whole() -> None:
    near, far = results(a=[1.0, 1.02, 1.03]), results(a=[1.0, 1.02, 1.03], b=[1.0, 1.1, 1.05])
    assert spreads_within("y", 0.04)(near).outcome is Outcome.REPRODUCED
    found = spreads_within("y", 0.04)(far)
    assert found.outcome is Outcome.NOT_REPRODUCED
    assert found.measured is not None
    assert found.measured.mean == pytest.approx(0.1 / 1.05)
    assert "1 of 2 are within" in found.words
    small = spreads_within("y", 0.04)(results(a=[0.20, 0.21, 0.22]))
    assert (small.outcome, small.holds) == (Outcome.UNDECIDED, False), (
        "a tenth of the mean, and a fiftieth of the whole"
    )
    with pytest.raises(MissingResult):
        spreads_within("y", 0.04)(results(a=[1.0]))


def test_a_claim_about_several_settings_is_decided_if_they_agree() -> None:
    found = results(a=[1.0, 1.1, 0.9], b=[2.0, 2.1, 1.9], c=[-1.0, 3.0, 1.0])
    judges = {name: trend(at("y", name=name), above=0.0) for name in "abc"}
    agreed = in_all({name: judges[name] for name in "ab"})(found)
    assert (agreed.outcome, agreed.holds, agreed.words) == (Outcome.QUALITATIVE, True, "so: a, b")
    split = in_all(judges)(found)
    assert (split.outcome, split.holds, split.words) == (Outcome.UNDECIDED, False, "so: a, b; undecided: c")
    refuted = in_all({name: within(at("y", name=name), 9.0) for name in "ab"})(found)
    assert (refuted.outcome, refuted.holds) == (Outcome.NOT_REPRODUCED, False)
    against = in_all({"a": within(at("y", name="a"), 1.0, tolerance=1.0), "b": within(at("y", name="b"), 9.0)})(found)
    assert (against.outcome, against.words) == (Outcome.UNDECIDED, "so: a; not so: b")


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


def test_values_are_paired_by_seed_even_if_other_seeds_failed() -> None:
    """With seed 1 of a and seed 3 of b gone, two values are left of each, and only seed 2 has both."""
    rows = results(a=[10.0, 20.0, 30.0], b=[1.0, 2.0, 3.0]).rows
    kept = Results(tuple(row for row in rows if (row.point, row.seed) not in {(0, 1), (1, 3)}))
    assert difference(at("y", name="a"), at("y", name="b"))(kept.pair_by_seed()) == [18.0]
    claim = Claim("one", "says", "where", "18", within(difference(at("y", name="a"), at("y", name="b")), 18.0))
    (entry,) = judge_claims(replace(find_experiment("prs-fig4"), claims=[claim]), kept)
    assert (entry["outcome"], entry["seeds"]) == ("reproduced", 1)


def test_what_can_happen_holds_if_it_happened_once() -> None:
    found = results(a=[0.0, 0.0, 3.0], b=[0.0, 0.0, 0.0])
    assert ever(at("y", name="a"))(found).holds
    never = ever(at("y", name="b"))(found)
    assert (never.outcome, never.holds) == (Outcome.UNDECIDED, False), "it may still happen"
