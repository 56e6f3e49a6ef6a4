"""Every declaration is whole: what is claimed can be measured, and what is measured is drawn."""

import json

import pytest

from antecede.lab.claims import judge_claims
from antecede.lab.draw import chart_lines
from antecede.lab.experiment import canonical_json
from antecede.lab.experiments import UnknownExperiment, experiment_names, find_experiment
from antecede.lab.results import Measurement, Results

SERIES_MAX = 6
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


@pytest.mark.parametrize("name", experiment_names())
@pytest.mark.parametrize("quick", [False, True])
def test_every_claim_finds_its_points_and_every_chart_its_lines(name: str, quick: bool) -> None:
    """With numbers that mean nothing, but are where the real ones would be."""
    declared = find_experiment(name)
    names_of_numbers = declared.measure(declared.quick[0], 1).keys()
    found = Results(
        tuple(
            Measurement(
                number, json.loads(canonical_json(point)), seed, dict.fromkeys(names_of_numbers, 1.0 + seed + number)
            )
            for number, point in enumerate(declared.points(quick))
            for seed in (1, 2)
        )
    )
    missing = [entry["words"] for entry in judge_claims(declared, found) if entry["outcome"] == "not measured"]
    assert not missing
    assert any(chart_lines(chart, found) for chart in declared.charts)
    crowded = {
        chart.title: len(lines) for chart in declared.charts if len(lines := chart_lines(chart, found)) > SERIES_MAX
    }
    assert not crowded, "nobody can read that"


def test_measuring_twice_gives_the_same() -> None:
    for name in CHEAP:
        declared = find_experiment(name)
        cheapest = min(declared.quick, key=declared.cost)
        assert declared.measure(cheapest, 2) == declared.measure(cheapest, 2)


def test_an_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(UnknownExperiment, match=r"no experiment 'prs-fg4'; did you mean prs-fig4"):
        find_experiment("prs-fg4")
