"""Verify a trace: read it according to a plan, judge its runs, and put together the results of the tasks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from antecede.core.errors import Misuse
from antecede.pipeline.dealing import DEALT, ChosenRows
from antecede.pipeline.kernel.counts import subtract_sends
from antecede.pipeline.read.source import Source
from antecede.pipeline.results import put_together
from antecede.pipeline.verify.judge import add_up_runs
from antecede.pipeline.verify.order_tasks import judge_cut_orders
from antecede.pipeline.verify.repeats import find_repeats
from antecede.pipeline.verify.run_verdict import judge_each_run, tell_worst
from antecede.pipeline.verify.tasks import JudgeOptions, deal_chosen, deal_runs, judge_dealt, judge_here
from antecede.pipeline.verify.window_tasks import add_up_sums, judge_windows, write_events
from antecede.pipeline.windows.cut import cut


@dataclass(frozen=True, slots=True)
class Verified:
    """The results of the tasks, by name, and how large runs were cut.

    `windows` has the number of windows of each run that was cut, and `one_task` the reason for each that was not.
    """

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

    A run whose events have no index is judged whole, because only all events of a process show their order. Of the
    other runs, those of more than `options.limits.run_events_max` events are cut into windows if `windows` is None. If
    `windows` is a number, every run is cut into about this number of windows, if that is possible.
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
        results = dealt.map(judge_dealt(options), DEALT).collect()
    else:
        results = source.map(judge_here(options), DEALT).collect()
    told = put_together(results)
    if not told["large"].num_rows:
        return Verified(told)
    return _judge_large_runs(source, results, told["large"], windows=windows, options=options)


def _judge_large_runs(
    source: Source, results: pa.Table, large: pa.Table, *, windows: int | None, options: JudgeOptions
) -> Verified:
    """Judge the runs that were too large for the task that had them: in windows, or, if that is not possible, alone.

    `large` are the counts of their processes, and `results` are the results of the tasks before.
    """
    folder = options.parts_folder
    repeats = find_repeats(source, large, options.limits, folder)
    cutting = cut(
        source,
        repeats.large,
        windows=windows,
        limits=options.limits,
        left_out=repeats.left_out,
        with_receives=folder is not None,
    )
    found = [results, repeats.results, cutting.results]
    sizes = _count_events(repeats.large)
    without_synchronous: list[str] = []
    try:
        for one in cutting.rounds:
            if one.good:
                judged, too_large = judge_cut_orders(one, sizes, options.limits)
                found.append(judged)
                without_synchronous += too_large
                task = judge_windows(one.plan, one.good, worst=options.worst, folder=folder)
                found.append(one.rows_and_states().map(task, DEALT).collect())
    finally:
        cutting.release()
    if cutting.uncut:
        chosen = ChosenRows(frozenset(cutting.uncut), repeats.left_out)
        whole = replace(options, run_events_max=sys.maxsize)
        names = pa.array(sorted(cutting.uncut))
        deal = deal_chosen(
            chosen, len(names), lambda events: pc.index_in(events["run"].cast(names.type), names).to_numpy()
        )
        found.append(source.map(deal, DEALT).deal(len(names)).map(judge_dealt(whole), DEALT).collect())
    if folder is not None and cutting.windows:
        chosen = ChosenRows(frozenset(cutting.windows), repeats.left_out)
        rows = sum(repeats.large["events"].to_pylist())
        found.append(write_events(source, chosen, rows=rows, folder=folder, limits=options.limits))
    told = put_together(pa.concat_tables(found))
    counts = subtract_sends(repeats.large, told["resent"])
    counts = counts.filter(pc.is_in(counts["run"], pa.array(list(cutting.windows), pa.string())))
    counted = add_up_runs(told["parts"], counts)
    runs = judge_each_run(
        counted, told["orders"], first_violations=told["causal"], without_synchronous=without_synchronous
    )
    if folder is not None and runs.num_rows:
        windows_of = [cutting.windows[run] for run in runs["run"].to_pylist()]
        cut_runs = runs.append_column("windows", pa.array(windows_of, pa.int32()))
        more = put_together(add_up_sums(source.runner, told["written"], counts, cut_runs, folder))
        told["written"] = pa.concat_tables([told["written"], more["written"]])
    told["runs"] = pa.concat_tables([told["runs"], tell_worst(runs)])
    return Verified(told, cutting.windows, cutting.uncut)


def _count_events(large: pa.Table) -> dict[str, int]:
    """Return how many events with a message each run has, from the counts of its processes."""
    sums = large.group_by("run").aggregate([("with_message", "sum")])
    return dict(zip(sums["run"].to_pylist(), sums["with_message_sum"].to_pylist(), strict=True))
