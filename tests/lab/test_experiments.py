"""Every declaration is whole: what is claimed can be measured, and what is measured is drawn."""

import json

import pytest

from antecede.lab.claims import judged
from antecede.lab.draw import lines
from antecede.lab.experiment import canonical
from antecede.lab.experiments import UnknownExperiment, experiment, names
from antecede.lab.results import Results, Row

CHEAP = ("mr-tradeoff", "msv-topologies", "errata")


@pytest.mark.parametrize("name", names())
def test_points_are_plain_data_and_all_different(name: str) -> None:
    declared = experiment(name)
    for quick in (False, True):
        points = [canonical(point) for point in declared.points(quick)]
        assert len(set(points)) == len(points)
        assert [json.loads(point) for point in points] == [dict(point) for point in declared.points(quick)]


@pytest.mark.parametrize("name", names())
def test_a_claim_has_an_id_of_its_own_and_says_where_it_is_made(name: str) -> None:
    claims = experiment(name).claims
    assert len({claim.id for claim in claims}) == len(claims) > 0
    assert all(claim.says and claim.where and claim.value for claim in claims)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("quick", [False, True])
def test_every_claim_finds_its_points_and_every_chart_its_lines(name: str, quick: bool) -> None:
    """With numbers that mean nothing, but are where the real ones would be."""
    declared = experiment(name)
    names_of_numbers = declared.measure(declared.quick[0], 1).keys()
    found = Results(
        tuple(
            Row(number, json.loads(canonical(point)), seed, dict.fromkeys(names_of_numbers, 1.0 + seed + number))
            for number, point in enumerate(declared.points(quick))
            for seed in (1, 2)
        )
    )
    missing = [entry["words"] for entry in judged(declared, found) if entry["outcome"] == "not measured"]
    assert not missing
    assert any(lines(chart, found) for chart in declared.charts)


def test_measuring_twice_gives_the_same() -> None:
    for name in CHEAP:
        declared = experiment(name)
        cheapest = min(declared.quick, key=declared.cost)
        assert declared.measure(cheapest, 2) == declared.measure(cheapest, 2)


def test_an_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(UnknownExperiment, match=r"no experiment 'prs-fg4'; did you mean prs-fig4"):
        experiment("prs-fg4")
