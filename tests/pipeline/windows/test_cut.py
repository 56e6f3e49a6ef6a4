"""Where large runs are cut, whether the cuts are consistent, and why a run is not cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from antecede.pipeline.kernel.counts import add_up_counts, count_large_runs
from antecede.pipeline.limits import Limits
from antecede.pipeline.results import put_together
from antecede.pipeline.windows import cut
from antecede.pipeline.windows.cut import Cutting
from tests.pipeline.table_source import TableSource, read_tables, source_of
from tests.pipeline.traces import Row, events, overtaking


def exchange(run: str, messages: int, *, behind: float = 0.0, delay: float = 0.5) -> list[Row]:
    """Return a run in which a and b write to each other in turns. The clock of b may be behind."""
    rows = []
    for number in range(messages):
        sender, taker = ("a", "b") if number % 2 else ("b", "a")
        at = {"a": float(number), "b": number - behind}
        rows.append(Row(run, sender, 2 * number, "send", at[sender], f"m{number}", (taker,)))
        rows.append(Row(run, taker, 2 * number, "deliver", at[taker] + delay, f"m{number}"))
    return rows


def cut_rows(
    rows: Sequence[Row], *, windows: int | None = 5, source: TableSource | None = None, **options: Any
) -> Cutting:
    source = source or source_of(rows, 2)
    large = add_up_counts([count_large_runs(table) for table in source.tables])
    limits = options.pop("limits", Limits(window_events=20))
    return cut.cut(source, large, windows=windows, limits=limits, left_out={}, **options)


def test_a_run_is_cut_into_about_as_many_windows_as_are_wanted() -> None:
    for windows in (1, 5, 17):
        found = cut_rows(exchange("r", 200), windows=windows)
        assert windows * 0.5 <= found.windows["r"] <= windows
        assert (found.uncut, len(found.rounds)) == ({}, 1)


def test_without_a_number_the_size_decides() -> None:
    found = cut_rows([*exchange("long", 200), *exchange("short", 5)], windows=None)
    assert 15 <= found.windows["long"] <= 20
    assert found.windows["short"] == 1


def test_windows_have_about_as_many_events() -> None:
    found = cut_rows(exchange("r", 500), windows=5)
    (cuts,) = (run.cuts for run in found.rounds[0].plan.runs)
    shares = [tick / 2**52 for tick in cuts]
    assert [round(share, 1) for share in shares] == [0.2, 0.4, 0.6, 0.8]


def test_clocks_that_are_behind_are_shifted_and_tried_again() -> None:
    found = cut_rows([*exchange("skewed", 50, behind=100), *exchange("sound", 50)])
    assert [tuple(one.plan.runs[run].name for run in one.good) for one in found.rounds] == [("sound",), ("skewed",)]
    (skewed,) = found.rounds[1].plan.runs
    assert skewed.shifts != (0, 0)
    assert found.uncut == {}
    assert set(found.windows) == {"skewed", "sound"}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([Row("r", "a", 1, "send", None, "m", ("b",)), Row("r", "b", 1, "deliver", 1.0, "m")], cut.NO_TIME),
        ([Row("r", "a", 1, "internal", 1.0), Row("r", "b", 1, "move", 1.0)], "it has no message"),
        ([*overtaking("r"), Row("r", "b", 9, "send", 0.5, "m9", ("a",))], cut.GOES_BACK),
        (
            [
                *(replace(row, time=(row.time or 0) - 100 * (row.process == "b")) for row in overtaking("r")),
                Row("r", "b", 4, "send", 5.0, "m4", ("a",)),
                Row("r", "a", 4, "deliver", 1.0, "m4"),
            ],
            cut.NO_SHIFT,
        ),
    ],
    ids=["untimed", "silent", "back", "circular"],
)
def test_a_run_that_can_not_be_cut_says_why(rows: list[Row], reason: str) -> None:
    found = cut_rows([*rows, *exchange("sound", 50)], windows=3)
    assert found.uncut == {"r": reason}
    assert set(found.windows) == {"sound"}
    assert cut_rows(rows, windows=3).windows == {}


def test_a_receive_without_a_time_hinders_only_a_run_without_delivers() -> None:
    received = Row("r", "b", 999, "receive", None, "m0")
    assert cut_rows([*exchange("r", 20), received]).uncut == {}
    only_received = [replace(row, kind="receive") if row.kind == "deliver" else row for row in exchange("r", 20)]
    assert cut_rows(only_received).windows["r"] > 1
    assert cut_rows([*only_received, received]).uncut == {"r": cut.NO_TIME}


def test_a_process_that_has_only_receives_without_a_time_does_not_hinder_the_cut() -> None:
    rows = exchange("r", 50)
    found = cut_rows([*rows, Row("r", "c", 0, "receive", None, "m1")])
    assert found.windows["r"] == cut_rows(rows).windows["r"]


def test_a_run_of_many_processes_is_not_cut() -> None:
    found = cut_rows(exchange("r", 20), limits=Limits(window_processes_max=1))
    assert found.uncut == {"r": "it has 2 processes, more than 1"}


def test_times_that_are_all_but_the_same_can_be_cut() -> None:
    for later in (0.0, 5e-324):
        rows = [replace(row, time=later if row.kind == "deliver" else 0.0) for row in exchange("r", 20)]
        found = cut_rows(rows)
        assert (found.uncut, list(found.windows)) == ({}, ["r"])


def test_what_the_tasks_tell_of_a_run_is_told_once_though_it_is_tried_twice() -> None:
    """The messages of a skewed run are joined twice, and a message that was sent twice is found both times."""
    again = Row("skewed", "b", 10**6, "send", 9.0, "m0", ("a",))
    found = cut_rows([*exchange("skewed", 50, behind=100), again])
    told = put_together(found.results)
    assert sum(told["files"]["refused"].to_pylist()) == 1
    assert told["resent"].to_pylist() == [{"run": "skewed", "process": "b", "sends": 1}]


def test_lines_that_are_left_out_are_not_part_of_any_window() -> None:
    rows = exchange("r", 20)
    source = read_tables(source_of([]).runner, [events(rows)])
    large = count_large_runs(source.tables[0])
    options: dict[str, Any] = {"windows": 3, "limits": Limits(window_events=20)}
    spoiled = source_of([*rows, Row("r", "a", 39, "send", -1e6, "odd", ("b",))])
    found = cut.cut(spoiled, large, **options, left_out={"file 0": [41]})
    wanted = cut.cut(source, large, **options, left_out={})
    assert found.rounds[0].plan == wanted.rounds[0].plan
    assert found.uncut == {}
