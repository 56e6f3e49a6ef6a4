"""Judge whole runs that are in memory: a table of events goes in, and findings come out.

First the rules of a trace as a whole are applied: an index is taken once, and a message is sent once. Then destinations
are inferred if the source does not name them. Then the kernel judges the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antecede.pipeline import schema
from antecede.pipeline.arrow import CODED_KINDS, code_kinds
from antecede.pipeline.kernel import findings
from antecede.pipeline.kernel.counts import COUNTED, count_by_process
from antecede.pipeline.kernel.encode import Encoded, encode
from antecede.pipeline.kernel.layout import lay_out
from antecede.pipeline.kernel.pair import paired_runs
from antecede.pipeline.kernel.stamp import stamp_runs
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.destinations import infer_destinations
from antecede.pipeline.read.duplicates import remove_duplicates
from antecede.pipeline.read.indexes import number_events
from antecede.pipeline.tables.measures import conform, fill_zeros
from antecede.pipeline.verify.orders import witnesses_in_runs


@dataclass(frozen=True, slots=True)
class JudgedRuns:
    """The findings on whole runs.

    `events` are the events that stay. Duplicates, and events that cannot be numbered, are `refused`. `messages` and
    `deliveries` are None unless they were asked for. `worst` has the violating delivers that overtook the most.
    """

    events: pa.Table
    counts: pa.Table  # by process, as `kernel.counts.COUNTS`
    runs: pa.Table  # as `RUN_COUNTS`
    witnesses: pa.Table  # as `ORDER_WITNESSES`
    first_violations: pa.Table  # as `FIRST_VIOLATIONS`
    skew: pa.Table
    worst: pa.Table
    refused: pa.Table
    inferred: int = 0
    notes: tuple[str, ...] = ()
    messages: pa.Table | None = None
    deliveries: pa.Table | None = None


def judge_runs(events: pa.Table, *, worst: int, detail: bool, limits: Limits) -> JudgedRuns:
    """Judge whole runs. `worst` is how many violating delivers are listed.

    If `detail`, the result has a row for each message and each deliver too.
    """
    events, unnumbered, notes = number_events(events.unify_dictionaries().combine_chunks())
    counts, has_repeats = count_by_process(events)
    refused = schema.QUARANTINE.empty_table()
    encoded = None if has_repeats else _encode(events)
    if encoded is None or np.any(np.bincount(encoded.message[encoded.sent]) > 1):
        events, refused = remove_duplicates(events)
        counts, _ = count_by_process(events)
        encoded = _encode(events)
    inferred = 0
    if encoded.table["dests"].filter(pa.array(encoded.sent)).null_count:
        events, inferred = infer_destinations(events)
        encoded = _encode(events)
    paired = paired_runs(encoded)
    layout = lay_out(paired.rows)
    stamped = stamp_runs(paired.rows, layout, vector_entries_max=limits.vector_entries_max)
    return JudgedRuns(
        events=events,
        counts=counts,
        runs=add_up_runs(findings.tallies(paired, stamped), counts),
        witnesses=witnesses_in_runs(paired, layout),
        first_violations=findings.first_violations(paired, stamped),
        skew=findings.skewed_links(paired),
        worst=findings.worst_deliveries(paired, stamped, worst),
        refused=pa.concat_tables([unnumbered, refused]),
        notes=notes,
        inferred=inferred,
        messages=findings.message_rows(paired) if detail else None,
        deliveries=findings.all_deliveries(paired, stamped) if detail else None,
    )


def add_up_runs(tallies: pa.Table, counts: pa.Table) -> pa.Table:
    """Return all counts of each run, as `RUN_COUNTS`, from the tallies of its tasks and the counts of its processes.

    A run without messages may have no tally.
    """
    sized = counts.group_by("run").aggregate([*((name, "sum") for name in COUNTED), ("process", "count")])
    sized = sized.rename_columns(["run", *COUNTED, "processes"])
    found = tallies.group_by("run").aggregate([(name, "max" if name == "cyclic" else "sum") for name in findings.TALLY])
    runs = sized.join(found.rename_columns(["run", *findings.TALLY]), "run", join_type="left outer")
    return conform(fill_zeros(runs, findings.TALLY), findings.RUN_COUNTS)


def _encode(events: pa.Table) -> Encoded:
    """Return the sends and arrivals among the events, in the form that the kernel needs."""
    return encode(code_kinds(events, CODED_KINDS))
