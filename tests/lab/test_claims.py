"""From numbers to verdicts: intervals, claims, and what becomes of a claim whose point is missing."""

import pytest

from antecede.lab.claims import at, at_most, difference, ever, judged, largest, ratio, smallest, trend, tried, within
from antecede.lab.experiment import Outcome
from antecede.lab.experiments import experiment
from antecede.lab.results import Missing, Results, Row
from antecede.lab.statistics import estimate


def results(**values: list[float]) -> Results:
    """A point for each name, a seed for each value."""
    return Results(
        tuple(
            Row(point, {"name": name}, seed, {"y": value})
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


def test_a_stated_range_is_met_by_the_mean_within_the_tolerance() -> None:
    found = results(a=[0.18, 0.20])
    assert within(at("y", name="a"), 0.2, 0.4, tolerance=0.01)(found).outcome is Outcome.REPRODUCED
    assert within(at("y", name="a"), 0.2, 0.4)(found).outcome is Outcome.NOT_REPRODUCED
    assert at_most(at("y", name="a"), 0.18)(found).outcome is Outcome.NOT_REPRODUCED


def test_a_trend_holds_only_with_its_whole_interval() -> None:
    found = results(a=[1.0, 1.1, 0.9], b=[2.0, 2.1, 1.9], c=[0.0, 4.0, 2.0])
    assert trend(difference(at("y", name="b"), at("y", name="a")), above=0.0)(found).holds
    assert not trend(difference(at("y", name="c"), at("y", name="a")), above=0.0)(found).holds
    assert trend(ratio(at("y", name="b"), at("y", name="a")), above=1.7, below=2.3)(found).holds


def test_an_explanation_that_meets_the_paper_reproduces_nothing() -> None:
    found = results(a=[0.6, 0.64])
    met, missed = (tried(at("y", name="a"), stated, tolerance=0.01)(found) for stated in (0.62, 0.7))
    assert met.outcome is missed.outcome is Outcome.TRIED
    assert (met.holds, missed.holds) == (True, False)


def test_the_largest_is_the_point_of_the_largest_mean() -> None:
    found = results(a=[1.0, 1.0], b=[0.0, 9.0], c=[3.0, 3.0])
    assert largest("y")(found) == [0.0, 9.0]
    assert smallest("y")(found) == [1.0, 1.0]


def test_a_claim_about_a_point_that_is_not_there_is_not_measured() -> None:
    with pytest.raises(Missing):
        results(a=[1.0]).values("y", name="b")
    entries = judged(experiment("prs-fig4"), results(a=[1.0]))
    assert {entry["outcome"] for entry in entries} == {"not measured"}


def test_what_can_happen_holds_if_it_happened_once() -> None:
    found = results(a=[0.0, 0.0, 3.0], b=[0.0, 0.0, 0.0])
    assert ever(at("y", name="a"))(found).holds
    assert not ever(at("y", name="b"))(found).holds
