"""The results that are kept in docs/reproduction are those of full runs of what is declared now, by the code of now."""

import json

import pytest

from antecede.lab import claims, results
from antecede.lab.experiment import canonical_json
from antecede.lab.experiments import experiment_names, find_experiment
from antecede.lab.results import Results
from tests.paths import ROOT

KEPT = ROOT / "docs" / "reproduction"
NAMES = [name for name in experiment_names() if (KEPT / name).is_dir()]
SHARES = (0.1, 0.25, 0.4, 0.55)
"""Which points are measured again: the places that they have among the points of an experiment, the quickest first."""


@pytest.mark.parametrize("name", NAMES)
def test_kept_results_are_whole_and_of_the_declaration(name: str) -> None:
    declared, table = find_experiment(name), results.read_results(KEPT / name)
    rows = {(row["point"], row["parameters"], row["seed"]) for row in table.to_pylist() if row["error"] is None}
    wanted = {
        (number, canonical_json(point), seed) for number, point in enumerate(declared.grid) for seed in declared.seeds
    }
    assert rows == wanted
    made = json.loads((KEPT / name / "claims.json").read_text())
    assert not made["quick"]
    assert made["claims"] == json.loads(json.dumps(claims.judge_claims(declared, Results.from_table(table))))


def measure_again(name: str, share: float) -> None:
    """Measure one point of an experiment again, and compare it with what was kept. Times are not compared."""
    declared = find_experiment(name)
    by_cost = sorted(range(len(declared.grid)), key=lambda number: (declared.cost(declared.grid[number]), number))
    number, seed = by_cost[int(share * len(by_cost))], declared.seeds[-1]
    table = results.read_results(KEPT / name).to_pylist()
    (kept,) = [dict(row["measurements"]) for row in table if (row["point"], row["seed"]) == (number, seed)]
    again = {key: value for key, value in declared.measure(declared.grid[number], seed).items() if value is not None}
    assert again.keys() == kept.keys()
    lasting = [key for key in kept if key not in declared.timed]
    assert {key: again[key] for key in lasting} == pytest.approx({key: kept[key] for key in lasting}, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_quickest_point_is_measured_as_it_was_kept(name: str) -> None:
    measure_again(name, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", NAMES)
def test_other_points_are_measured_as_they_were_kept(name: str, share: float) -> None:
    measure_again(name, share)
