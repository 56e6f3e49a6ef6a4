"""The results that are kept in docs/reproduction are those of full runs of what is declared now."""

import json

import pytest

from antecede.lab import claims, results
from antecede.lab.experiment import canonical_json
from antecede.lab.experiments import experiment_names, find_experiment
from antecede.lab.results import Results
from tests.paths import ROOT

KEPT = ROOT / "docs" / "reproduction"


@pytest.mark.parametrize("name", [name for name in experiment_names() if (KEPT / name).is_dir()])
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
