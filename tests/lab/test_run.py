"""Running: rows are measured once, kept as they come, and one that fails is named and does not stop the others."""

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antecede.lab import results
from antecede.lab.experiment import Experiment
from antecede.lab.results import Results, estimate
from antecede.lab.run import Progress, run, slots_of
from tests.lab.tiny import tiny


def test_every_point_is_measured_with_every_seed(spark: SparkSession, tmp_path: Path) -> None:
    ran = run(spark, tiny(), tmp_path, quick=True)
    assert [(row["point"], row["seed"]) for row in results.sort_rows(ran.table).to_pylist()] == [
        (point, seed) for point in range(3) for seed in (1, 2, 3)
    ]
    assert not ran.failures
    found = Results.from_table(ran.table)
    late, soon = (estimate(found.values("of_n_squared", propagation=one)) for one in (3.0, 0.0833))
    assert late.mean > soon.mean


def test_what_is_there_is_not_run_again(spark: SparkSession, tmp_path: Path) -> None:
    experiment = tiny()
    first = run(spark, experiment, tmp_path, quick=True)
    told: list[Progress] = []
    again = run(spark, experiment, tmp_path, quick=True, progress=told.append)
    assert (first.resumed, again.resumed) == (0, 9)
    assert [one.done for one in told] == [9]
    assert results.sort_rows(again.table) == results.sort_rows(first.table), (
        "the seconds each row took are the old ones"
    )


def test_an_interrupted_run_goes_on_where_it_was(spark: SparkSession, tmp_path: Path) -> None:
    """A part that is missing is what an interruption leaves: parts get their names when they are complete."""
    experiment = tiny()
    whole = run(spark, experiment, tmp_path, quick=True)
    parts = sorted((tmp_path / "parts").iterdir())
    lost = results.read_tables(parts[:1]).num_rows
    parts[0].unlink()
    again = run(spark, experiment, tmp_path, quick=True)
    assert again.resumed == 9 - lost
    assert results.split_times(again.table, ())[0] == results.split_times(whole.table, ())[0]


def test_parts_that_were_cut_short_or_are_doubled_do_no_harm(spark: SparkSession, tmp_path: Path) -> None:
    experiment = tiny()
    whole = run(spark, experiment, tmp_path, quick=True)
    parts = sorted((tmp_path / "parts").iterdir())
    digest = experiment.digest(True)
    (tmp_path / "parts" / f"{digest}-zz.parquet").write_bytes(parts[-1].read_bytes())
    parts[0].write_bytes(parts[0].read_bytes()[:100])
    again = run(spark, experiment, tmp_path, quick=True)
    assert results.split_times(again.table, ())[0] == results.split_times(whole.table, ())[0]
    assert again.notes == (f"prs-fig4: {parts[0]} cannot be read, and is measured again",)


def test_another_declaration_starts_anew_and_says_so(spark: SparkSession, tmp_path: Path) -> None:
    experiment = tiny()
    run(spark, experiment, tmp_path, quick=True)
    other = replace(experiment, quick_seeds=(1, 2))
    ran = run(spark, other, tmp_path, quick=True)
    assert ran.resumed == 0
    assert ran.table.num_rows == 6
    assert ran.notes == (
        "prs-fig4: what was kept was declared otherwise, or measured by other code, so it starts anew",
    )


def test_a_point_that_fails_is_named_with_its_seed_and_the_rest_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    experiment = _with_a_bad_point(tiny())
    ran = run(spark, experiment, tmp_path, quick=True)
    assert [(failure.point, failure.seed) for failure in ran.failures] == [(3, 1), (3, 2), (3, 3)]
    assert "Misuse: 1 processes: give from 2 to 10000" in str(ran.failures[0])
    assert '"n": 1' in str(ran.failures[0])
    assert len(Results.from_table(ran.table).rows) == 9


def test_what_failed_is_tried_again(spark: SparkSession, tmp_path: Path) -> None:
    experiment = _with_a_bad_point(tiny())
    run(spark, experiment, tmp_path, quick=True)
    for _ in range(2):  # what did not fail is still there the third time
        again = run(spark, experiment, tmp_path, quick=True)
        assert again.resumed == 9
        assert again.table.num_rows == 12
        assert len(again.failures) == 3


def _with_a_bad_point(experiment: Experiment) -> Experiment:
    return replace(experiment, quick=[*experiment.quick, {**experiment.quick[0], "n": 1}])


@pytest.mark.parametrize(
    ("master", "slots"),
    [("local", 1), ("local[1]", 1), ("local[7]", 7), ("local-cluster[3,2,1024]", 6), ("sc://host:15002", 16)],
)
def test_how_many_tasks_an_address_runs_at_once(master: str, slots: int) -> None:
    assert slots_of(master) == slots
