"""Every declaration is whole: what is claimed can be measured, and what is measured is drawn."""

import json

import pytest

from antecede.lab.claims import judge_claims
from antecede.lab.draw import COLOURS, chart_lines, line_number
from antecede.lab.experiment import Experiment, canonical_json
from antecede.lab.experiments import UnknownExperiment, experiment_names, find_experiment
from antecede.lab.results import Measurement, Results

SERIES_MAX = 6
NOT_IN_QUICK_RUNS = {
    "prs-fig5": {"prs-fig5-falls-50", "prs-fig5-selective-50-0.5", "prs-fig5-selective-50-10"},
    "av-fig1": {"av-fig1-10"},
}
"""Claims about sizes that a quick run leaves out, by experiment."""
CHEAP = ("mr-tradeoff", "msv-topologies", "errata")


@pytest.mark.parametrize("name", experiment_names())
def test_points_are_plain_data_and_all_different(name: str) -> None:
    declared = find_experiment(name)
    for quick in (False, True):
        points = [canonical_json(point) for point in declared.points(quick)]
        assert len(set(points)) == len(points)
        assert [json.loads(point) for point in points] == [dict(point) for point in declared.points(quick)]


@pytest.mark.parametrize("name", experiment_names())
def test_a_claim_has_an_id_of_its_own_and_says_where_it_is_made(name: str) -> None:
    claims = find_experiment(name).claims
    assert len({claim.id for claim in claims}) == len(claims) > 0
    assert all(claim.says and claim.where and claim.value for claim in claims)


def results_of_no_meaning(declared: Experiment, quick: bool) -> Results:
    """Return results with numbers that mean nothing, but are where the real ones would be."""
    names_of_numbers = declared.measure(declared.quick[0], 1).keys()
    return Results(
        tuple(
            Measurement(
                number, json.loads(canonical_json(point)), seed, dict.fromkeys(names_of_numbers, 1.0 + seed + number)
            )
            for number, point in enumerate(declared.points(quick))
            for seed in (1, 2)
        )
    )


@pytest.mark.parametrize("name", experiment_names())
@pytest.mark.parametrize("quick", [False, True])
def test_every_claim_finds_its_points_and_every_chart_its_lines(name: str, quick: bool) -> None:
    declared = find_experiment(name)
    found = results_of_no_meaning(declared, quick)
    missing = {entry["id"] for entry in judge_claims(declared, found) if entry["outcome"] == "not measured"}
    assert missing == (NOT_IN_QUICK_RUNS.get(name, set()) if quick else set())
    assert any(chart_lines(chart, found) for chart in declared.charts)
    crowded = {
        chart.title: len(lines) for chart in declared.charts if len(lines := chart_lines(chart, found)) > SERIES_MAX
    }
    assert not crowded, "nobody can read that"
    for chart in declared.charts:
        lines = chart_lines(chart, found)
        colours = {line_number(chart, line, place) % len(COLOURS) for place, line in enumerate(lines)}
        assert len(colours) == len(lines), f"a colour repeats in {chart.title!r}"


@pytest.mark.parametrize("name", experiment_names())
def test_what_a_paper_states_is_written_in_the_unit_of_its_axis(name: str) -> None:
    for chart in find_experiment(name).charts:
        for stated in chart.stated:
            assert not chart.y_percent or f"{100 * stated.low:g} " in stated.label
            assert ("%" in stated.label) is chart.y_percent


def test_measuring_twice_gives_the_same() -> None:
    for name in CHEAP:
        declared = find_experiment(name)
        cheapest = min(declared.quick, key=declared.cost)
        assert declared.measure(cheapest, 2) == declared.measure(cheapest, 2)


def test_an_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(UnknownExperiment, match=r"no experiment 'prs-fg4'; did you mean prs-fig4"):
        find_experiment("prs-fg4")
