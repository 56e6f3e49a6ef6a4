"""Verify a trace: read it according to a plan, judge its runs, and put together what the tasks tell."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pyarrow as pa

from antecede.core.errors import Misuse
from antecede.pipeline.dealing import DEALT
from antecede.pipeline.kernel.counts import COUNTED, subtract_sends
from antecede.pipeline.kernel.findings import RUN_COUNTS
from antecede.pipeline.read.source import Source
from antecede.pipeline.results import RESULTS, put_together, table_of_results
from antecede.pipeline.verify.repeats import find_repeats
from antecede.pipeline.verify.run_verdict import judge_each_run, tell_worst
from antecede.pipeline.verify.tasks import JudgeOptions, deal_only, deal_runs, judge_dealt, judge_here
from antecede.pipeline.verify.window_tables import add_up_sums, write_events
from antecede.pipeline.verify.window_tasks import judge_windows
from antecede.pipeline.windows.cut import cut


@dataclass(frozen=True, slots=True)
class Verified:
    """What the tasks told, by name, and how large runs were cut."""

    told: Mapping[str, pa.Table]
    windows: Mapping[str, int] = field(default_factory=dict)
    one_task: Mapping[str, str] = field(default_factory=dict)


def verify(
    source: Source,
    *,
    dealt_to: int,
    large: frozenset[str] = frozenset(),
    windows: int | None = None,
    options: JudgeOptions,
) -> Verified:
    """Judge the runs of a source. `dealt_to` and `large` are those of its plan.

    Runs whose events have no index are judged whole, because only all events of a process show their order. Otherwise,
    with `windows`, every run is cut into about so many, if it can be, and without only runs of more than
    `options.limits.run_events_max` events are.
    """
    if windows is not None and windows < 1:
        raise Misuse(f"windows is {windows}: give 1 or more, or None to decide by the size of each run")
    if not options.has_index:
        large, run_events_max = frozenset(), sys.maxsize
    else:
        run_events_max = options.limits.run_events_max if windows is None else 0
    options = replace(options, run_events_max=run_events_max)
    if dealt_to:
        dealt = source.map(deal_runs(dealt_to, large, options.parts_folder), DEALT).deal(dealt_to)
        results = dealt.map(judge_dealt(options), RESULTS).collect()
    else:
        results = source.map(judge_here(options), RESULTS).collect()
    if not put_together(results)["large"].num_rows:
        return Verified(put_together(results))
    return _judge_large_runs(source, results, windows=windows, options=options)


def _judge_large_runs(source: Source, results: pa.Table, *, windows: int | None, options: JudgeOptions) -> Verified:
    """Judge the runs that were too large for the task that had them: in windows, or, if that cannot be, alone."""
    repeats = find_repeats(source, put_together(results)["large"], options.limits, options.parts_folder)
    cutting = cut(
        source,
        repeats.large,
        windows=windows,
        named=options.worst > 0 or options.parts_folder is not None,
        limits=options.limits,
        left_out=repeats.left_out,
        with_receives=options.parts_folder is not None,
    )
    found = [results, *repeats.results, table_of_results(cutting.results)]
    try:
        for one in cutting.rounds:
            if one.good:
                task = judge_windows(one.plan, one.good, worst=options.worst, folder=options.parts_folder)
                found.append(one.entered().map(task, RESULTS).collect())
    finally:
        cutting.release()
    if cutting.uncut:
        runs = sorted(cutting.uncut)
        whole = replace(options, run_events_max=sys.maxsize)
        dealt = source.map(deal_only(runs, repeats.left_out), DEALT).deal(len(runs))
        found.append(dealt.map(judge_dealt(whole), RESULTS).collect())
    if options.parts_folder is not None and cutting.windows:
        rows = sum(repeats.large["events"].to_pylist())
        found.append(
            write_events(
                source,
                sorted(cutting.windows),
                repeats.left_out,
                rows=rows,
                folder=options.parts_folder,
                limits=options.limits,
            )
        )
    told = put_together(pa.concat_tables(found))
    large = subtract_sends(repeats.large, told["resent"])
    cut_runs = add_up_parts(told["parts"], large)
    if options.parts_folder is not None and cut_runs.num_rows:
        runs = judge_each_run(cut_runs)
        windows_of = [cutting.windows[run] for run in runs["run"].to_pylist()]
        runs = runs.append_column("windows", pa.array(windows_of, pa.int32()))
        more = add_up_sums(source.runner, told["written"], large, runs, options.parts_folder)
        told["written"] = pa.concat_tables([told["written"], put_together(more)["written"]])
    told["runs"] = pa.concat_tables([told["runs"], tell_worst(judge_each_run(cut_runs))])
    return Verified(told, cutting.windows, cutting.uncut)


def add_up_parts(parts: pa.Table, large: pa.Table) -> pa.Table:
    """Return all that is counted of each run that was cut, from its windows and from its processes."""
    names = [name for name in RUN_COUNTS.names if name != "run"]
    rows = {run: dict.fromkeys(names, 0) for run in parts["run"].to_pylist()}
    for row in parts.to_pylist():
        total = rows[row["run"]]
        for name in names:
            total[name] = max(total[name], row[name]) if name == "cyclic" else total[name] + row[name]
    for row in large.to_pylist():
        if row["run"] in rows:
            for name in COUNTED:
                rows[row["run"]][name] += row[name]
            rows[row["run"]]["processes"] += 1
    return pa.Table.from_pylist([{"run": run, **row} for run, row in rows.items()], RUN_COUNTS)
