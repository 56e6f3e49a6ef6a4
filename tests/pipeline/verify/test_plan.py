"""How runs are judged, from sizes alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read.blocks import Block, RowGroups
from antecede.pipeline.verify.plan import TASKS_MIN, Plan, plan_row_groups, plan_spans, plan_text


def block(name: str) -> Block:
    return Block(path=name, name=name, version=None)


def file_of(*groups: dict[str, int], name: str = "a") -> RowGroups:
    return RowGroups(block(name), [sum(group.values()) for group in groups], groups)


def parts_of(plan: Plan) -> list[int]:
    numbers = sorted({part for part, _ in plan.blocks})
    assert numbers == list(range(len(numbers)))
    return numbers


# Text


def test_a_small_text_is_read_and_judged_by_one_task() -> None:
    blocks = [block(name) for name in "abc"]
    plan = plan_text(blocks, [10, 20, 30], cores=4, limits=LIMITS)
    assert plan.blocks == tuple((0, one) for one in blocks)
    assert (plan.dealt_to, plan.why) == (0, "60 bytes: one task reads and judges all of it")


def test_rows_that_are_gathered_first_are_planned_as_such() -> None:
    plan = plan_text([block("a"), block("b")], [9 << 20, 9 << 20], cores=1, limits=LIMITS, is_gathered=True)
    assert plan.why == (
        "18,874,368 bytes of text: 2 tasks read it, one task gathers its rows and deals them to 1 task by run"
    )


def test_spans_stay_in_one_task_until_they_are_many() -> None:
    limits = Limits(in_place_bytes=100, block_bytes=100, span_bytes=10, gathered_spans=40, run_events_max=100)
    blocks = [block(name) for name in "abcd"]

    def plan_of(size: int, windows: int | None = None) -> Plan:
        return plan_spans(blocks, [size] * 4, cores=1, limits=limits, windows=windows)

    small, gathered, parted, large = (plan_of(size) for size in (25, 100, 101, 501))
    assert (parts_of(small), small.dealt_to, small.span_parts) == ([0], 0, 1)
    assert small.why == "100 bytes of spans: one task reads and judges all of them"
    assert (parts_of(gathered), gathered.dealt_to, gathered.span_parts) == ([0, 1, 2, 3], 0, 1)
    assert gathered.why == (
        "400 bytes of spans: 4 tasks read them, and one task finds the message of each and judges all of them"
    )
    assert (parted.dealt_to, parted.span_parts, parted.large) == (1, 2, frozenset())
    assert parted.why == (
        "404 bytes of spans: 4 tasks read them, 2 tasks find the message of each, and one task judges all of them, "
        "unless they are too many"
    )
    assert (large.dealt_to, large.span_parts, large.large) == (1, 6, frozenset([""]))
    assert large.why.endswith("6 tasks find the message of each, and they are cut into windows")
    assert plan_of(101, windows=2).large == {""}


def test_a_large_text_is_dealt_out_by_run() -> None:
    limits = Limits(in_place_bytes=100, block_bytes=50, row_bytes=10, dealt_rows=8)
    blocks = [block(str(number)) for number in range(20)]
    plan = plan_text(blocks, [50] * 20, cores=2, limits=limits)
    assert [one for _, one in plan.blocks] == blocks
    assert plan.dealt_to == 13  # a hundred rows, eight to a task
    shares = Counter(part for part, _ in plan.blocks)
    assert len(shares) <= 2 * 4 + 2
    assert max(shares.values()) * 50 <= 1_000 // 8 + 50
    assert plan.why == f"1,000 bytes of text: {len(shares)} tasks read it, and its rows are dealt to 13 tasks by run"


def test_a_block_that_is_large_by_itself_is_a_task() -> None:
    limits = Limits(in_place_bytes=10, block_bytes=10)
    plan = plan_text([block(name) for name in "abc"], [5, 1_000, 5], cores=1, limits=limits)
    assert len(parts_of(plan)) >= 2


# Parquet, whose row groups are known


def test_runs_side_by_side_share_a_task_up_to_its_size() -> None:
    file = file_of({"a": 4, "b": 2}, {"b": 4, "c": 7}, {"c": 2})
    plan = plan_row_groups([file], limits=Limits(task_rows_max=10))
    assert [(part, one.start, one.before, one.runs, one.tells_refused) for part, one in plan.blocks] == [
        (0, 0, 0, None, True),
        (0, 1, 6, ("b",), True),
        (1, 1, 6, ("c",), False),
        (1, 2, 17, None, True),
    ]
    assert all(one.end == one.start + 1 for _, one in plan.blocks)
    assert (plan.dealt_to, plan.why) == (0, "19 rows in 3 runs: 2 tasks read and judge whole runs")


@pytest.mark.parametrize(("rows", "tasks"), [(100, TASKS_MIN), (3, 6)])  # three runs of 3 make a task of at most 10
def test_rows_that_few_tasks_could_hold_are_given_to_more_of_them(rows: int, tasks: int) -> None:
    file = file_of(*({f"run {number}": rows} for number in range(16)))
    assert len(parts_of(plan_row_groups([file], limits=Limits(task_rows_min=10)))) == tasks


def test_tasks_are_larger_if_smaller_ones_would_share_a_row_group() -> None:
    file = file_of({f"run {number}": 10 for number in range(10)})
    plan = plan_row_groups([file], limits=Limits(task_rows_min=10))
    assert (len(parts_of(plan)), plan.dealt_to) == (1, 0)


MIXED = {f"run {number}": 5 for number in range(20)}


@pytest.mark.parametrize(
    ("files", "windows"),
    [
        ([file_of(MIXED, MIXED)], None),  # each task would read every row group
        ([RowGroups(block("a"), [1], None)], None),  # the runs are too many to list
        ([file_of({"a": 1}), RowGroups(block("b"), [], None)], None),  # a damaged file
        ([file_of({"a": 1})], 3),  # every run is to be cut
        ([file_of({f"run {number}": 1 for number in range(10_001)})], None),
    ],
    ids=["mixed", "unlisted", "damaged", "windows", "many"],
)
def test_rows_are_dealt_out_if_they_cannot_be_judged_in_place(files: list[RowGroups], windows: int | None) -> None:
    plan = plan_row_groups(files, limits=Limits(task_rows_max=10), windows=windows)
    assert plan.dealt_to >= 1
    assert {one.path for _, one in plan.blocks} == {file.file.path for file in files}
    assert all((one.runs, one.tells_refused) == (None, True) for _, one in plan.blocks)


def test_of_large_runs_only_counts_are_dealt() -> None:
    limits = Limits(run_events_max=50, dealt_rows=20)
    plan = plan_row_groups([file_of({"large": 60, "small": 10}, {"large": 10})], limits=limits)
    assert (plan.large, plan.dealt_to) == (frozenset({"large"}), 1)
    assert plan.why == ("80 rows: 2 tasks read and deal them to 1 task by run, and 1 run is cut into windows")


def test_a_damaged_file_is_one_block_that_somebody_reads() -> None:
    plan = plan_row_groups([RowGroups(block("a"), [], None)], limits=LIMITS)
    assert [(part, one.is_whole) for part, one in plan.blocks] == [(0, True)]
    assert plan.dealt_to == 1


def test_nothing_is_planned_for_files_without_rows() -> None:
    plan = plan_row_groups([file_of()], limits=LIMITS)
    assert (plan.dealt_to, plan.large) == (0, frozenset())
    assert plan_row_groups([], limits=LIMITS).blocks == ()


def random_files(rng: random.Random, runs: int) -> list[RowGroups]:
    """Return files whose runs come one after the other, with some of them in several row groups."""
    left = [(f"run {number}", rng.randint(1, 30)) for number in range(runs)]
    files = []
    for name in range(rng.randint(1, 3)):
        groups: list[dict[str, int]] = []
        for run, rows in left:
            if not groups or rng.random() < 0.3:
                groups.append({})
            groups[-1][run] = groups[-1].get(run, 0) + rows
        files.append(file_of(*groups, name=f"file {name}"))
    return files


@pytest.mark.parametrize("seed", range(50))
def test_every_row_is_read_once_and_told_of_once(seed: int) -> None:
    rng = random.Random(seed)
    files = random_files(rng, rng.randint(1, 20))
    limits = Limits(task_rows_max=rng.choice((5, 40, 10**6)), task_rows_min=rng.choice((1, 20)), dealt_rows=25)
    plan = plan_row_groups(files, limits=limits)
    parts_of(plan)
    read: Counter[tuple[str, int, str]] = Counter()
    told: Counter[tuple[str, int]] = Counter()
    homes: dict[str, set[int]] = {}
    for part, one in plan.blocks:
        file = next(file for file in files if file.file.path == one.path)
        assert file.runs is not None
        assert one.before == sum(file.rows[: one.start])
        for group in range(one.start, one.end):
            told[one.path, group] += one.tells_refused
            for run in one.runs if one.runs is not None else file.runs[group]:
                read[one.path, group, run] += 1
                homes.setdefault(run, set()).add(part)
    assert set(read) == _all_runs(files)
    assert set(read.values()) == {1}
    assert set(told.values()) == {1}
    if not plan.dealt_to:
        assert all(len(parts) == 1 for parts in homes.values())


def _all_runs(files: Sequence[RowGroups]) -> set[tuple[str, int, str]]:
    return {(file.file.path, at, run) for file in files for at, group in enumerate(file.runs or ()) for run in group}


@pytest.mark.parametrize("seed", range(20))
def test_no_task_that_deals_rows_out_holds_many(seed: int) -> None:
    rng = random.Random(seed)
    sizes = (1, 5_000, LIMITS.dealt_rows, 3 * LIMITS.dealt_rows)
    files = [
        RowGroups(block(f"f{number}"), [rng.choice(sizes) for _ in range(rng.randint(1, 30))], None)
        for number in range(20)
    ]
    plan = plan_row_groups(files, limits=LIMITS)
    held: dict[int, list[int]] = {}
    for part, one in plan.blocks:
        rows = next(file.rows for file in files if file.file.path == one.path)
        held.setdefault(part, []).extend(rows[one.start : one.end])
    assert sum(len(rows) for rows in held.values()) == sum(len(file.rows) for file in files)
    assert all(sum(rows) <= LIMITS.dealt_rows or len(rows) == 1 for rows in held.values())
