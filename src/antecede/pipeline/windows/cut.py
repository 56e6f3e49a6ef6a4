"""Cut large runs into windows between consistent cuts, through a runner.

The cuts are chosen by a sample of times. The tasks find out whether the cuts are consistent as they summarise the
windows: no deliver may precede its send on the clocks used, and no process's clock may go back from one window to an
earlier one. If a run proves skewed, the least slack of each of its links gives the shifts for a second try. If a time
is missing or the second try fails, the run is not cut, and the reason is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isfinite
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import Longs
from antecede.pipeline.dealing import DEALT, ROWS, ChosenRows, gather
from antecede.pipeline.kernel.encode import TICKS_PER_RUN
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.source import Source
from antecede.pipeline.runner import PART, Dataset
from antecede.pipeline.windows.compose import shifts, thresholds
from antecede.pipeline.windows.summaries import DEALT_ENDS, DEALT_LINKS, DEALT_SPANS, LINK, SPAN
from antecede.pipeline.windows.tasks import CutRuns, compose_states, deal_messages, join_messages, summarise_windows
from antecede.pipeline.windows.window_plan import CutRun, WindowPlan

BUCKETS_PER_WINDOW, BUCKETS_MIN, CELLS_MAX = 32, 256, 1_000_000
NO_TIME = "some of its events have no time"
NO_SHIFT = "its clocks are skewed in a way that no shift per process can repair"
GOES_BACK = "the clock of a process goes back"


@dataclass(frozen=True, slots=True)
class Cells:
    """The number of events of one run, by process and by the tick at which a bucket of time begins."""

    process: Longs
    tick: Longs
    events: Longs


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows that `tasks` tasks have summarised. `good` are the runs, by number, whose cuts proved consistent.

    `kept` are the rows of the windows, and their ends.
    """

    plan: WindowPlan
    tasks: int
    kept: Dataset
    good: tuple[int, ...] = ()

    def rows_and_states(self) -> Dataset:
        """Return the rows of all windows, dealt out together with what is known when each window is entered."""
        ends = self.kept.where("name", (DEALT_ENDS,)).where(PART, self.good).deal(len(self.plan.runs))
        states = ends.map(compose_states(self.plan, self.tasks), DEALT)
        return self.kept.where("name", (ROWS,)).and_also(states).deal(self.tasks)


@dataclass(frozen=True, slots=True)
class Cutting:
    """The windows of the runs that are cut, the reasons for the runs that are not, and the results of the tasks."""

    rounds: tuple[Windows, ...] = ()
    uncut: Mapping[str, str] = field(default_factory=dict)
    results: pa.Table = field(default_factory=DEALT.empty_table)

    @property
    def windows(self) -> dict[str, int]:
        """Return the number of windows of each run that is cut."""
        runs = (one.plan.runs[run] for one in self.rounds for run in one.good)
        return {run.name: len(run.cuts) + 1 for run in runs}

    def release(self) -> None:
        for one in self.rounds:
            one.kept.release()


def cut(
    source: Source,
    large: pa.Table,
    *,
    windows: int | None,
    limits: Limits,
    left_out: Mapping[str, Sequence[int]],
    with_receives: bool = False,
) -> Cutting:
    """Cut the runs whose processes are in `large`, rows of `kernel.counts.LARGE`.

    First their own clocks are tried, which are mostly good enough. If they prove skewed, they are shifted, and tried
    again. `windows` is the number of windows for each run; None chooses it by size. If `named`, names and times are
    kept. `left_out` has the lines to leave out, by file. If `with_receives`, delivers know the first receive of their
    message.
    """
    by_run: dict[str, list[dict[str, Any]]] = {}
    for row in large.to_pylist():
        by_run.setdefault(row["run"], []).append(row)
    uncut = {name: reason for name, rows in by_run.items() if (reason := _why_unfit(rows, limits.window_processes_max))}
    fit = {
        name: sorted((row for row in rows if row["with_message"]), key=itemgetter("process"))
        for name, rows in by_run.items()
        if name not in uncut
    }
    if not fit:
        return Cutting(uncut=uncut)
    runs = [_number(name, rows) for name, rows in fit.items()]
    sizes = {name: sum(row["with_message"] for row in rows) for name, rows in fit.items()}
    wanted = {name: windows or ceil(size / limits.window_events) for name, size in sizes.items()}
    cells = {run.name: _count_cells(run, fit[run.name], wanted[run.name], len(large)) for run in runs}
    receiving = frozenset(name for name, rows in fit.items() if not _has_delivers(rows))
    chosen = CutRuns(ChosenRows(frozenset(), left_out), receiving, with_receives)
    trial = _Trial(source, sizes, chosen, limits=limits)
    first, slacks, back = trial.summarise([_cut_run(run, cells, wanted) for run in runs])
    shifted = {run.name: _shift(run, slacks[run.name]) for run in runs if run.name in slacks}
    uncut |= {name: NO_SHIFT for name, run in shifted.items() if run is None}
    uncut |= dict.fromkeys(back, GOES_BACK)
    again = [_cut_run(run, cells, wanted) for run in shifted.values() if run is not None]
    if not again:
        return Cutting((first,), uncut, pa.concat_tables(trial.results))
    second, _, back = trial.summarise(again)
    return Cutting((first, second), uncut | dict.fromkeys(back, GOES_BACK), pa.concat_tables(trial.results))


@dataclass(slots=True)
class _Trial:
    """A try to cut runs, which summarises their windows, and tells whether the cuts are consistent."""

    source: Source
    sizes: Mapping[str, int]
    runs: CutRuns
    limits: Limits
    results: list[pa.Table] = field(default_factory=list)

    def summarise(self, runs: Sequence[CutRun]) -> tuple[Windows, dict[str, list[dict[str, Any]]], list[str]]:
        """Return the windows, the least slack of each link of skewed runs, and the runs in which a clock goes back."""
        plan, total = WindowPlan(tuple(runs)), sum(self.sizes[run.name] for run in runs)
        tasks = min(int(plan.starts[-1]), ceil(2 * total / self.limits.window_events))
        joins = ceil(total / self.limits.window_events)
        names = frozenset(run.name for run in runs)
        chosen = replace(self.runs, rows=replace(self.runs.rows, runs=names))
        kept = (
            self.source.map(deal_messages(joins, chosen), DEALT)
            .deal(joins)
            .map(join_messages(plan, tasks), DEALT)
            .deal(tasks)
            .map(summarise_windows(plan, tasks), DEALT)
            .keep()
        )
        facts = kept.where("name", (DEALT_ENDS, ROWS), are_wanted=False).collect()
        slacks = _skewed(gather(facts.to_batches(), DEALT_LINKS) or LINK.empty_table(), runs)
        back = _going_back(gather(facts.to_batches(), DEALT_SPANS) or SPAN.empty_table(), runs)
        good = tuple(number for number, run in enumerate(runs) if run.name not in slacks and run.name not in back)
        self.results.append(_results(facts, good))
        return Windows(plan, tasks, kept, good), slacks, [name for name in back if name not in slacks]


def _results(facts: pa.Table, good: Sequence[int]) -> pa.Table:
    """Return the results of the tasks on the good runs. The other runs are judged, and told of, in another way."""
    run, _, name = zip(*(name.partition(":") for name in facts["name"].to_pylist()), strict=True)
    told = facts.set_column(facts.column_names.index("name"), "name", pa.array(name))
    return told.filter(pc.is_in(pa.array(run), pa.array([str(number) for number in good], pa.string())))


def _skewed(links: pa.Table, runs: Sequence[CutRun]) -> dict[str, list[dict[str, Any]]]:
    """Return the least slack of every link of each run that has a deliver before its send."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in links.group_by(["run", "sender", "process"]).aggregate([("slack", "min")]).to_pylist():
        found.setdefault(runs[row["run"]].name, []).append(row)
    return {name: rows for name, rows in found.items() if min(row["slack_min"] for row in rows) < 0}


def _going_back(spans: pa.Table, runs: Sequence[CutRun]) -> list[str]:
    """Return the runs in which a process has a greater index in an earlier window than in a later one."""
    highest: dict[tuple[int, int], int] = {}
    back: dict[str, None] = {}
    for row in spans.sort_by("window").to_pylist():
        key = (row["run"], row["process"])
        if highest.get(key, -1) > row["low"]:
            back[runs[row["run"]].name] = None
        highest[key] = max(highest.get(key, -1), row["high"])
    return list(back)


def _why_unfit(rows: Sequence[Mapping[str, Any]], processes_max: int) -> str | None:
    """Return the reason why a run cannot be cut, or None if it can."""
    kind = "untimed" if _has_delivers(rows) else "untimed_receives"
    if any(row[kind] for row in rows):
        return NO_TIME
    if not any(row["with_message"] for row in rows):
        return "it has no message"
    if len(rows) > processes_max:
        return f"it has {len(rows):,} processes, more than {processes_max:,}"
    return None


def _has_delivers(rows: Sequence[Mapping[str, Any]]) -> bool:
    return any(row["delivers"] for row in rows)


def _number(name: str, rows: Sequence[Mapping[str, Any]]) -> CutRun:
    timed = [row for row in rows if row["start"] is not None]  # a process may have only receives without a time
    start, end = min(row["start"] for row in timed), max(row["end"] for row in timed)
    return CutRun(name, tuple(row["process"] for row in rows), start, end, (0,) * len(rows))


def _count_cells(run: CutRun, rows: Sequence[Mapping[str, Any]], windows: int, processes: int) -> Cells:
    """Return about how many events each process has in each bucket of time, from a sample of its times."""
    buckets = max(BUCKETS_PER_WINDOW * windows, BUCKETS_MIN)
    buckets = max(1, min(buckets, CELLS_MAX // max(processes, 1)))
    scale = _scale(buckets, run.end - run.start)
    cells: dict[tuple[int, int], float] = {}
    for process, row in enumerate(rows):
        times = np.array([time for time in row["times"] if time is not None], np.float64)
        weight = row["with_message"] / max(len(times), 1)
        places, counts = np.unique(np.floor((times - run.start) * scale).astype(np.int64), return_counts=True)
        for place, count in zip(places.tolist(), counts.tolist(), strict=True):
            cells[process, place] = cells.get((process, place), 0.0) + weight * count
    found = [(process, round(place / buckets * TICKS_PER_RUN), ceil(n)) for (process, place), n in cells.items()]
    return Cells(*np.array(found, np.int64).reshape(-1, 3).T)


def _scale(buckets: int, span_s: float) -> float:
    """Return the number of buckets in a second, or 0 if the times are too close together for any buckets."""
    scale = buckets / span_s if span_s > 0 else 0.0
    return scale if isfinite(scale) else 0.0


def _cut_run(run: CutRun, cells: Mapping[str, Cells], wanted: Mapping[str, int]) -> CutRun:
    own = cells[run.name]
    tick = own.tick + np.array(run.shifts, np.int64)[own.process]
    return replace(run, cuts=tuple(thresholds(tick, own.events, wanted[run.name]).tolist()))


def _shift(run: CutRun, links: Sequence[Mapping[str, Any]]) -> CutRun | None:
    """Return the run with clocks that are moved until no deliver precedes its send, or None if that is not possible."""
    sender, receiver, slack = (
        np.array([row[name] for row in links], np.int64) for name in ("sender", "process", "slack_min")
    )
    shift = shifts(len(run.processes), sender, receiver, slack)
    return None if shift is None else replace(run, shifts=tuple(shift.tolist()))
