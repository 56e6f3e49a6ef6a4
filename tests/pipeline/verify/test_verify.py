"""Runs are judged as the definition says, for any number of windows and parts, and however rows are dealt out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antecede.core.errors import Misuse
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.rows import Wanted
from antecede.pipeline.verify.judge import add_up_runs
from antecede.pipeline.verify.tasks import JudgeOptions
from antecede.pipeline.verify.verify import Verified, verify
from antecede.pipeline.windows import cut
from tests.pipeline.oracle import assert_found, expected
from tests.pipeline.table_source import source_of
from tests.pipeline.traces import Row, overtaking, trace

TRACES = [rows for seed in range(300) if (rows := trace(seed))]
EVERY = JudgeOptions(worst=10**6)


def verify_rows(
    rows: Sequence[Row], *, windows: int | None = None, parts: int = 1, options: JudgeOptions = EVERY
) -> Verified:
    """Judge rows that are read in so many parts. With more than one part they are dealt out by run."""
    dealt_to = 0 if parts == 1 else parts + 1
    source = source_of(rows, parts, wanted=Wanted(all_columns=options.parts_folder is not None))
    return verify(source, dealt_to=dealt_to, windows=windows, options=options)


def by_run(found: Verified) -> dict[str, dict[str, Any]]:
    return {row["run"]: row for row in found.told["runs"].to_pylist()}


@pytest.mark.parametrize(("windows", "parts"), [(None, 1), (None, 4), (1, 2), (3, 5), (17, 3)])
def test_random_traces_count_what_the_definition_counts(windows: int | None, parts: int) -> None:
    found = verify_rows([row for rows in TRACES for row in rows], windows=windows, parts=parts)
    runs = by_run(found)
    assert len(runs) == len(TRACES)
    violations: dict[str, list[dict[str, Any]]] = {}
    for row in found.told["worst"].to_pylist():
        violations.setdefault(row["run"], []).append(row)
    for rows in TRACES:
        wanted, run = expected(rows), runs[rows[0].run]
        assert {name: run[name] for name in wanted.counts} == wanted.counts
        assert run["verdict"] == wanted.verdict
        assert (run["reason"] is not None) == (wanted.verdict == "undecidable")
        assert_found(run, violations.get(run["run"], []), wanted)
        assert run["causal_witness"] in (wanted.witnesses or {None})


def test_the_witness_of_causal_order_is_the_same_however_runs_are_judged_and_whether_others_are_told() -> None:
    rows = [row for one in TRACES for row in one]
    options = (EVERY, replace(EVERY, worst=0), replace(EVERY, worst=0, limits=Limits(window_events=20)))
    ways = [(None, 1), (None, 4), (1, 2), (3, 5), (17, 3)]
    found = [
        {
            name: run["causal_witness"]
            for name, run in by_run(verify_rows(rows, windows=n, parts=p, options=one)).items()
        }
        for one in options
        for n, p in ways
    ]
    assert all(one == found[0] for one in found)
    assert sum(words is not None for words in found[0].values()) > 50


def test_the_skew_is_the_same_for_any_number_of_windows() -> None:
    skewed = 0
    for rows in TRACES[:100]:
        one, three = (_links(verify_rows(rows, windows=windows)) for windows in (None, 3))
        assert one == three
        skewed += bool(one)
    assert skewed > 10


def _links(found: Verified) -> dict[tuple[str, str], tuple[int, float]]:
    """Return how often, and by how much at most, delivers came before their sends on each link."""
    links: dict[tuple[str, str], tuple[int, float]] = {}
    for row in found.told["skew"].to_pylist():
        early, worst = links.get((row["sender"], row["process"]), (0, 0.0))
        links[row["sender"], row["process"]] = early + row["early"], max(worst, row["worst_s"])
    return links


def test_with_tables_or_without_the_runs_are_the_same(tmp_path: Path) -> None:
    rows = [row for one in TRACES for row in one]
    plain = verify_rows(rows, parts=3)
    written = verify_rows(rows, parts=3, options=replace(EVERY, parts_folder=str(tmp_path)))
    assert by_run(plain) == by_run(written)
    assert plain.told["written"].num_rows == 0
    assert set(written.told["written"]["table"].to_pylist()) >= {"events", "messages", "deliveries", "summary"}


def test_a_large_run_is_cut_and_small_ones_beside_it_are_not() -> None:
    large = [
        Row("large", process, 2 * number, kind, float(2 * number + late), f"m{number}", ("b",))
        for number in range(80)
        for process, kind, late in (("a", "send", 0), ("b", "deliver", 3))
    ]
    options = replace(EVERY, limits=Limits(run_events_max=100, window_events=20))
    for parts in (1, 3):
        found = verify_rows([*large, *overtaking("small")], parts=parts, options=options)
        assert found.windows["large"] > 4
        assert ("small" in found.windows, dict(found.one_task)) == (False, {})
        runs = by_run(found)
        assert (runs["large"]["verdict"], runs["small"]["verdict"]) == ("holds", "violated")


def test_of_a_run_that_is_known_to_be_large_only_counts_are_dealt() -> None:
    rows = [row for number in range(9) for row in overtaking(f"run {number}")]
    options = replace(EVERY, limits=Limits(run_events_max=100, window_events=2))
    found = verify(source_of(rows, 4), dealt_to=3, large=frozenset({"run 3", "run 5"}), options=options)
    assert sorted(found.windows) == ["run 3", "run 5"]
    assert {run["violations"] for run in by_run(found).values()} == {1}
    assert len(by_run(found)) == 9


def late_by(seconds: float, run: str) -> list[Row]:
    """Return a run like `overtaking` in which the clock of b is behind, and b answers."""
    behind = [replace(row, time=(row.time or 0) - seconds * (row.process == "b")) for row in overtaking(run)]
    return [
        *behind,
        Row(run, "b", 3, "send", 5 - seconds, "m3", ("a",)),
        Row(run, "a", 3, "deliver", 6.0, "m3"),
    ]


def test_skew_is_reported_by_link_and_repaired_if_a_shift_can() -> None:
    found = verify_rows(late_by(100, "r"), windows=3)
    run = by_run(found)["r"]
    assert (run["verdict"], run["early"], dict(found.windows), dict(found.one_task)) == ("violated", 2, {"r": 3}, {})
    assert _links(found) == {("a", "b"): (2, 99.0)}


def test_a_run_that_can_not_be_cut_is_one_task_and_says_why() -> None:
    untimed = [Row("untimed", "a", 1, "send", None, "m", ("b",)), Row("untimed", "b", 1, "deliver", 1.0, "m")]
    circular = [
        *late_by(100, "circular"),
        Row("circular", "b", 4, "send", 5.0, "m4", ("a",)),
        Row("circular", "a", 4, "deliver", 1.0, "m4"),
    ]
    back = [*late_by(0, "back"), Row("back", "b", 9, "send", 0.5, "m9", ("a",))]
    wide = [Row("wide", name, 1, "send", 1.0, name, ()) for name in "abcde"]
    options = replace(EVERY, limits=Limits(window_processes_max=4))
    for parts in (1, 2):
        found = verify_rows([*untimed, *circular, *back, *wide], windows=3, parts=parts, options=options)
        assert found.one_task == {
            "untimed": cut.NO_TIME,
            "circular": cut.NO_SHIFT,
            "back": cut.GOES_BACK,
            "wide": "it has 5 processes, more than 4",
        }
        runs = by_run(found)
        verdicts = [runs[name]["verdict"] for name in ("untimed", "circular", "back", "wide")]
        assert verdicts == ["holds", "violated", "violated", "undecidable"]


def test_a_trace_without_messages_is_undecidable_and_an_empty_one_has_no_runs() -> None:
    for kind in ("internal", "move"):
        for windows in (None, 3):
            runs = by_run(verify_rows([Row("r", "a", 1, kind)], windows=windows))
            assert [run["verdict"] for run in runs.values()] == ["undecidable"]
    for windows in (None, 3):
        for parts in (1, 2):
            empty = verify_rows([], windows=windows, parts=parts)
            assert empty.told["runs"].num_rows == empty.told["worst"].num_rows == 0


@pytest.mark.parametrize("windows", [0, -1])
def test_no_windows_at_all_can_not_be_asked_for(windows: int) -> None:
    with pytest.raises(Misuse, match="give 1 or more"):
        verify_rows([], windows=windows)


def test_the_counts_of_windows_and_of_processes_are_added_up() -> None:
    rows = late_by(100, "r")
    told = verify_rows([*rows, Row("r", "c", 1, "internal", 1.0)], windows=3).told
    (run,) = add_up_runs(told["parts"], told["large"]).to_pylist()
    counted = {name: run[name] for name in ("events", "processes", "with_message", "sends", "delivers", "internals")}
    assert counted == {"events": 7, "processes": 3, "with_message": 6, "sends": 3, "delivers": 3, "internals": 1}
    assert (run["messages"], run["violations"], run["early"], run["cyclic"]) == (3, 1, 2, 0)
