"""Every order that a trace breaks has a witness, whichever order is required, and wherever the check runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from antecede.judge.orders import ORDERS
from antecede.pipeline.check import check
from antecede.pipeline.runner import InProcess
from antecede.pipeline.spark.runner import SparkRunner
from antecede.web.report import render
from tests.pipeline.written_tables import WrittenTables, check_and_write

WITNESSES = {
    "fifo": "b delivered m2 before m1, which the same sender had sent earlier",
    "causal": "b delivered m2 before m1: m1 was sent by a, then a sent m2",
    "agreed": "b delivered m2 before m1, and c delivered m1 before m2",
    "synchronous": "m1 and m2 cannot both be instantaneous: each has an event before an event of the other",
}
FIRST_VIOLATION = "b delivered m2 before m1, which may have caused it"
OTHERS = [order for order in ORDERS if order != "causal"]
RUNS = ("r", "s")


def write_trace(folder: Path, runs: Sequence[str] = RUNS[:1]) -> Path:
    """Write runs in which b delivers m2 before m1, c the other way round, and messages follow that are in order."""
    rows: list[dict[str, Any]] = []
    dests = ["b", "c"]
    for run in runs:
        last = range(3, 20)
        sends = [{"message": f"m{n}", "kind": "send", "dests": dests, "time": float(n)} for n in (1, 2, *last)]
        of_process = {"a": sends, "b": _deliver([2, 1, *last]), "c": _deliver([1, 2, *last])}
        rows += [
            {"run": run, "process": process, "index": index, **event}
            for process, events in of_process.items()
            for index, event in enumerate(events)
        ]
    path = folder / "trace.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _deliver(numbers: Sequence[int]) -> list[dict[str, Any]]:
    return [{"message": f"m{n}", "kind": "deliver", "time": at + 2.5} for at, n in enumerate(numbers)]


def check_witnesses(found: WrittenTables, required: str) -> None:
    """Assert that every order has its witness, in the answer, in the tables and in the report."""
    checked = found.checked
    assert (checked.answer.required, checked.answer.verdict) == (required, "violated")
    assert {one.order: one.words for one in checked.answer.orders} == WITNESSES
    said = checked.as_dict()
    assert {order: said[f"{order}_witness"] for order in ORDERS} == WITNESSES
    assert [one.words for one in checked.explained] == [WITNESSES["causal"]]
    assert [(row["rank"], row["words"]) for row in found.rows("violations")] == [(1, WITNESSES["causal"])]
    (row,) = found.rows("summary")
    assert {order: row[f"{order}_witness"] for order in ORDERS} == WITNESSES | {"causal": FIRST_VIOLATION}
    page = render(checked)
    assert all(words in page for words in WITNESSES.values())


@pytest.mark.parametrize("windows", [None, 3])
@pytest.mark.parametrize("required", ORDERS)
def test_every_order_has_its_witness(tmp_path: Path, required: str, windows: int | None) -> None:
    found = check_and_write(tmp_path, [write_trace(tmp_path)], require=required, windows=windows)
    assert (found.checked.answer.runs[0].windows > 1) == (windows is not None)
    check_witnesses(found, required)


@pytest.mark.parametrize("windows", [None, 3])
@pytest.mark.parametrize("required", OTHERS)
def test_every_order_has_its_witness_on_spark(
    spark: SparkSession, tmp_path: Path, required: str, windows: int | None
) -> None:
    runner = SparkRunner(spark)
    check_witnesses(
        check_and_write(tmp_path, [write_trace(tmp_path)], runner, require=required, windows=windows), required
    )


def test_a_witness_names_its_run_if_there_are_several(tmp_path: Path) -> None:
    found = check_and_write(tmp_path, [write_trace(tmp_path, RUNS)], require="agreed").checked.answer
    assert {one.order: one.words for one in found.orders} == {
        order: f"run 'r': {words}" for order, words in WITNESSES.items()
    }


def test_a_causal_violation_is_explained_although_the_required_order_holds(
    write_lines: Callable[[str, Sequence[object]], str], tmp_path: Path
) -> None:
    chain: list[dict[str, Any]] = [
        {"process": "a", "index": 0, "kind": "send", "message": "m1", "dests": ["b", "c"]},
        {"process": "b", "index": 0, "kind": "deliver", "message": "m1"},
        {"process": "b", "index": 1, "kind": "send", "message": "m2", "dests": ["c"]},
        {"process": "c", "index": 0, "kind": "deliver", "message": "m2"},
        {"process": "c", "index": 1, "kind": "deliver", "message": "m1"},
    ]
    found = check_and_write(tmp_path, [write_lines("log/chain.jsonl", chain)], require="fifo").checked
    words = "c delivered m2 before m1: m1 was sent by a, b delivered m1 and sent m2"
    assert (found.answer.verdict, found.answer.reason) == ("holds", "3 deliveries keep FIFO order.")
    assert found.answer.witness_of("causal") == words
    assert found.answer.witness_of("fifo") is None
    page = render(found)
    assert page.index('id="orders"') < page.index("The violation of causal order</h2>")


@pytest.mark.parametrize("windows", [None, 3])
def test_if_nothing_is_to_be_explained_causal_order_has_the_witness_of_the_summary(
    tmp_path: Path, windows: int | None
) -> None:
    found = check_and_write(tmp_path, [write_trace(tmp_path)], require="fifo", worst=0, windows=windows)
    assert found.checked.explained == ()
    assert found.checked.answer.witness_of("causal") == FIRST_VIOLATION
    assert found.checked.answer.witness_of("fifo") == WITNESSES["fifo"]
    (row,) = found.rows("summary")
    assert row["causal_witness"] == FIRST_VIOLATION
    without_tables = check(InProcess(), [str(tmp_path / "trace.jsonl")], worst=0, windows=windows)
    assert without_tables.as_dict()["causal_witness"] == FIRST_VIOLATION
