"""The tasks of runs that are cut: messages dealt out and joined, windows summarised, states composed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antecede.pipeline.arrow import DELIVER, RECEIVE, SEND
from antecede.pipeline.dealing import DEALT, ROWS, ChosenRows, gather, values_in
from antecede.pipeline.results import put_together
from antecede.pipeline.windows.summaries import DEALT_ENDS, DEALT_LINKS, DEALT_SPANS, DEALT_STATES
from antecede.pipeline.windows.tasks import (
    CutRuns,
    add_receipts,
    compose_states,
    deal_messages,
    group_by_window,
    join_messages,
    prepare_messages,
    summarise_windows,
)
from antecede.pipeline.windows.window_plan import CutRun, WindowPlan
from tests.pipeline.chain import dealt, uncut
from tests.pipeline.table_source import source_of
from tests.pipeline.traces import Row, coded, events, overtaking, trace


def deal(rows: Sequence[Row], runs: CutRuns, parts: int = 3) -> list[pa.RecordBatch]:
    found: list[pa.RecordBatch] = []

    def keep(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found.extend(batches)
        yield from ()

    source = source_of(rows, 2)
    source.map(lambda read: keep(deal_messages(parts, runs)(read)), DEALT).collect()
    return found


def plan_of(rows: Sequence[Row], *cuts: int) -> WindowPlan:
    return WindowPlan((replace(uncut(rows), cuts=cuts),))


HALF = 2**51  # of the ticks of a run


# Dealing and joining messages


def test_all_rows_of_a_message_go_to_one_part() -> None:
    rows = [row for seed in range(30) for row in trace(seed)]
    names = frozenset(row.run for row in rows if row.run != "run 3")
    homes: dict[tuple[str, str], set[int]] = {}
    count = 0
    for batch in deal(rows, CutRuns(ChosenRows(names))):
        table = gather([batch])
        assert table is not None
        for row in table.to_pylist():
            assert row["kind"] in (SEND, DELIVER)
            homes.setdefault((row["run"], row["message"]), set()).add(batch.column("part")[0].as_py())
            count += 1
    assert all(len(parts) == 1 for parts in homes.values())
    assert count == sum(row.kind in ("send", "deliver") for row in rows if row.run in names)


def test_receives_stand_for_delivers_or_go_along_if_they_are_wanted() -> None:
    rows = [*overtaking("r"), Row("r", "b", 9, "receive", 5.0, "m1"), Row("s", "b", 9, "receive", 5.0, "m1")]
    kinds = {
        "none": CutRuns(ChosenRows(frozenset("rs"))),
        "standing": CutRuns(ChosenRows(frozenset("rs")), receiving=frozenset("s")),
        "along": CutRuns(ChosenRows(frozenset("rs")), with_receives=True),
    }
    found = {}
    for name, runs in kinds.items():
        table = gather(deal(rows, runs, 1))
        assert table is not None
        found[name] = sorted(zip(table["run"].to_pylist(), table["kind"].to_pylist(), strict=True))
    plain = [("r", SEND), ("r", SEND), ("r", DELIVER), ("r", DELIVER)]
    assert found["none"] == plain
    assert found["standing"] == [*plain, ("s", DELIVER)]
    assert found["along"] == [*plain, ("r", RECEIVE), ("s", RECEIVE)]


def test_delivers_know_the_first_receive_of_their_message() -> None:
    rows = [
        *overtaking("r"),
        Row("r", "b", 7, "receive", 7.0, "m1"),
        Row("r", "b", 0, "receive", 0.5, "m1"),
        Row("r", "c", 0, "receive", 0.1, "m2"),
    ]
    table = add_receipts(coded(rows))
    assert table.num_rows == 4
    known = {(row["kind"], row["message"]): (row["received_index"], row["received_time"]) for row in table.to_pylist()}
    assert known == {
        (SEND, "m1"): (None, None),
        (SEND, "m2"): (None, None),
        (DELIVER, "m1"): (0, 0.5),
        (DELIVER, "m2"): (None, None),
    }
    assert add_receipts(coded(overtaking("r"))).column_names == coded([]).column_names


def test_repeated_sends_are_left_out_and_destinations_are_inferred() -> None:
    rows = [*overtaking("r"), Row("r", "c", 1, "send", 9.0, "m1", ("b",))]
    table = _coded(events(rows))
    place = table.column_names.index("dests")
    dests = table["dests"].to_pylist()
    dests[1] = None
    table = table.set_column(place, "dests", pa.array(dests, pa.list_(pa.string())).cast(table["dests"].type))
    kept, told = prepare_messages(table, plan_of(rows))
    assert kept.num_rows == 4
    sends = {row["message"]: row["dests"] for row in kept.to_pylist() if row["kind"] == SEND}
    assert sends == {"m1": ["b"], "m2": ["b"]}
    found = put_together(without_prefix(told, "0:"))
    assert found["reasons"]["reason"].to_pylist() == ["duplicate message id: an earlier send has this run and message"]
    assert found["inferred"]["sends"].to_pylist() == [1]
    assert found["resent"].to_pylist() == [{"run": "r", "process": "c", "sends": 1}]


def without_prefix(told: Sequence[pa.RecordBatch], prefix: str) -> pa.Table:
    table = pa.Table.from_batches(told, DEALT)
    names = table["name"].to_pylist()
    assert all(name.startswith(prefix) for name in names)
    return table.set_column(1, "name", pa.array([name.removeprefix(prefix) for name in names]))


def _coded(table: pa.Table) -> pa.Table:
    kinds = {"send": SEND, "deliver": DELIVER}
    codes = pa.array([kinds[kind] for kind in table["kind"].to_pylist()], pa.int8())
    return table.set_column(table.column_names.index("kind"), "kind", codes)


def test_joined_rows_are_dealt_by_window_and_messages_in_flight_cross_it() -> None:
    rows = overtaking("r")  # times 1, 2 | 3, 4
    batches = list(join_messages(plan_of(rows, HALF), 2)(dealt(coded(rows)).to_batches()))
    found = {batch.column("part")[0].as_py(): gather([batch]) for batch in batches}
    counts = {part: table.num_rows for part, table in found.items() if table is not None}
    assert counts == {0: 4, 1: 2}  # two sends, and both messages cross out of the first window


# Windows


def summarise(rows: Sequence[Row], *cuts: int, tasks: int = 2) -> list[pa.RecordBatch]:
    plan = plan_of(rows, *cuts)
    joined = list(join_messages(plan, tasks)(dealt(coded(rows)).to_batches()))
    found = []
    for task in range(tasks):
        own = [batch for batch in joined if batch.column("part")[0].as_py() == task]
        found += [batch for batch in summarise_windows(plan, tasks)(own) if batch.num_rows]
    return found


def rows_in(batches: Sequence[pa.RecordBatch], name: str) -> list[dict[str, Any]]:
    table = gather(batches, name)
    return [] if table is None else table.to_pylist()


def test_a_task_tells_ends_links_spans_and_the_rows_of_its_windows() -> None:
    found = summarise(overtaking("r"), HALF)
    assert {name: len(rows_in(found, name)) for name, _ in values_in(found)} == {
        DEALT_ENDS: 4,
        DEALT_LINKS: 1,
        DEALT_SPANS: 2,
        ROWS: 6,
    }
    assert sum(name == ROWS for name, _ in values_in(found)) == 2
    (link,) = rows_in(found, DEALT_LINKS)
    assert (link["sender"], link["process"]) == (0, 1)
    assert link["slack"] > 0
    spans = [(row["window"], row["process"], row["low"], row["high"]) for row in rows_in(found, DEALT_SPANS)]
    assert sorted(spans) == [(0, 0, 1, 2), (1, 1, 1, 2)]
    leaving = [
        (row["process"], row["sent_index"], row["reached"]) for row in rows_in(found, DEALT_ENDS) if row["reached"]
    ]
    assert sorted(leaving) == [(0, 1, [1]), (0, 2, [1])]


def test_results_pass_through_a_task_with_the_number_of_their_run() -> None:
    rows = [*overtaking("r"), Row("r", "c", 1, "send", 9.0, "m1", ("b",))]
    plan = plan_of(rows, HALF)
    table = dealt(_coded(events(rows)))
    joined = list(join_messages(plan, 1)(table.to_batches()))
    wanted = {"0:files", "0:refused", "0:reasons", "0:resent"}
    assert {name for name, _ in values_in(joined)} == {*wanted, ROWS}
    assert {name for name, _ in values_in(summarise_windows(plan, 1)(joined))} == {
        *wanted,
        DEALT_ENDS,
        DEALT_LINKS,
        DEALT_SPANS,
        ROWS,
    }


def test_what_is_known_is_told_to_the_windows_that_need_it() -> None:
    rows = overtaking("r")
    windows = summarise(rows, HALF)
    plan = plan_of(rows, HALF)
    batches = list(compose_states(plan, 2)(windows))
    states = rows_in(batches, DEALT_STATES)
    known = {
        (row["window"], row["process"], row["sent_index"]): np.frombuffer(row["known"], np.int64).tolist()
        for row in states
    }
    assert known[0, 0, -1] == [-1, -1]  # nothing, at the start
    assert known[1, 0, 1] == [1, -1]  # by the first message of a: itself
    assert known[1, 0, 2] == [2, -1]
    assert known[1, 1, -1] == [-1, -1]  # b enters the second window and has heard of nothing
    for batch in batches:
        assert {row["window"] % 2 for row in rows_in([batch], DEALT_STATES)} == set(batch.column("part").to_pylist())
    assert list(compose_states(plan, 2)([])) == []


def test_a_cycle_in_one_window_is_told_to_all_of_its_run() -> None:
    cycle = [
        Row("r", "x", 1, "deliver", 2.0, "n2"),
        Row("r", "x", 2, "send", 2.0, "n1", ("y",)),
        Row("r", "y", 1, "deliver", 2.0, "n1"),
        Row("r", "y", 2, "send", 2.0, "n2", ("x",)),
    ]
    rows = [*overtaking("r"), *cycle]
    windows = summarise(rows, HALF)
    assert sum(row["sends"] is None for row in rows_in(windows, DEALT_ENDS)) == 1
    states = rows_in(list(compose_states(plan_of(rows, HALF), 2)(windows)), DEALT_STATES)
    assert sorted(row["window"] for row in states if row["known"] is None) == [0, 1]


@pytest.mark.parametrize("windows", [[3], [3, 3], [5, 3, 5, 9]])
def test_rows_are_grouped_by_window(windows: list[int]) -> None:
    number, group = group_by_window(pa.table({"window": pa.array(windows, pa.int8())}))
    assert number.tolist() == sorted(set(windows))
    assert number[group].tolist() == windows


def test_who_was_dealt_nothing_gives_nothing() -> None:
    plan = WindowPlan((CutRun("r", ("a",), 0.0, 1.0, (0,)),))
    assert list(join_messages(plan, 1)([])) == []
    assert list(summarise_windows(plan, 1)([])) == []
