"""A slice of `tests.fuzz_check`: random traces through the whole of `check` are counted as the judge counts them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antecede.judge.orders import ORDERS
from antecede.judge.rule import HOLDS, VIOLATED
from antecede.pipeline.check import check
from antecede.pipeline.runner import InProcess
from antecede.pipeline.spark.runner import SparkRunner
from tests.fuzz_check import BATCH, LIMITS, differences, fuzz, fuzz_on, make_events, write


@pytest.mark.parametrize("windows", [None, 1, 3, 17])
def test_the_counts_are_the_judges(windows: int | None) -> None:
    found = list(fuzz_on("in-process", InProcess(), traces=300, seed=1, windows=[windows]))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("seed", "windows"), [(5_300, 3), (5_300, 17), (6_500, 17)])
def test_a_cycle_in_one_run_is_not_found_in_another(tmp_path: Path, seed: int, windows: int) -> None:
    """A run with a cycle had a window without rows, and the next window, of another run, was taken for it."""
    runs = {f"run {one}": events for one in range(seed, seed + BATCH) if (events := make_events(one))}
    broken = write(list(runs.values()), tmp_path, seed, "parquet")
    checked = check(InProcess(), [str(tmp_path)], windows=windows, limits=LIMITS[1])
    assert list(differences(checked, runs, broken, LIMITS[1])) == []


def test_synchronous_order_may_be_unknown_only_above_the_limit_of_the_check(tmp_path: Path) -> None:
    runs = {f"run {one}": events for one in range(600, 640) if (events := make_events(one))}
    broken = write(list(runs.values()), tmp_path, 600, "parquet")
    checked = check(InProcess(), [str(tmp_path)], windows=3, limits=LIMITS[2])
    assert list(differences(checked, runs, broken, LIMITS[2])) == []
    found = [words for _, words in differences(checked, runs, broken, LIMITS[1])]
    assert found
    assert all(words.startswith("synchronous order: not computed and not ") for words in found)


def test_a_verdict_on_another_order_and_a_witness_that_is_not_true_are_differences(tmp_path: Path) -> None:
    runs = {f"run {one}": events for one in range(600, 640) if (events := make_events(one))}
    broken = write(list(runs.values()), tmp_path, 600, "parquet")
    for order in ORDERS:
        checked = check(InProcess(), [str(tmp_path)], require=order)
        assert checked.answer.required == order
        assert list(differences(checked, runs, broken, LIMITS[0])) == []
        swapped = replace(checked, answer=replace(checked.answer, verdict=HOLDS))
        assert any("'verdict': 'holds'" in words for _, words in differences(swapped, runs, broken, LIMITS[0]))
        answers = [
            replace(one, **{f"{order}_witness": getattr(one, f"{order}_witness").replace("m", "x")})
            if (one.verdict if order == "causal" else getattr(one, order)) == VIOLATED
            else one
            for one in checked.answer.runs
        ]
        lying = replace(checked, answer=replace(checked.answer, runs=tuple(answers)))
        found = [words for run, words in differences(lying, runs, broken, LIMITS[0]) if run != "in all"]
        assert found
        assert all(words.startswith(f"{order} order: ") for words in found)


def test_they_are_the_same_on_spark(spark: SparkSession) -> None:
    found = list(fuzz_on("local[2]", SparkRunner(spark), traces=200, seed=4_000, windows=[None, 3]))
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("master", "traces"), [("in-process", 2_000), ("local-cluster[2,1,1024]", 60), ("connect", 60)]
)
def test_they_are_the_same_on_every_runner(master: str, traces: int) -> None:
    failures = fuzz(traces, 5_000, [master])
    assert not failures, "\n".join(failures)
