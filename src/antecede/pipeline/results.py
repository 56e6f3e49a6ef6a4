"""Define the tables that the tasks of a check tell the driver. They are few and small, however much a task judged.

Every table travels as one dealt value, with its name beside it. The driver puts the tables of one name together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from antecede.pipeline import schema
from antecede.pipeline.arrow import fill_table
from antecede.pipeline.dealing import deal_value, gather
from antecede.pipeline.kernel import findings
from antecede.pipeline.kernel.counts import LARGE

FILES = pa.schema([("file", pa.string()), ("events", pa.int64()), ("refused", pa.int64()), ("is_damaged", pa.bool_())])
REASONS = pa.schema([("reason", pa.string()), ("rows", pa.int64())])
NOTES = pa.schema([("note", pa.string())])
INFERRED = pa.schema([("sends", pa.int64())])
UNNAMED = pa.schema([("arrivals", pa.int64())])
RESENT = pa.schema([("run", pa.string()), ("process", pa.string()), ("sends", pa.int64())])
EXPLAINED = pa.schema(
    [
        *(("run", pa.string()), ("process", pa.string()), ("index", pa.int64())),
        ("explanation", pa.string()),  # a `report.model.ExplainedViolation` as JSON
    ]
)
MEANS = ("delay_s", "hold_s", "control_bytes")
FIGURES = pa.schema(
    [
        ("measure", pa.string()),
        ("what", pa.int8()),
        ("exponent", pa.int32()),  # the width of a bin is two to the power of this
        ("place", pa.int64()),  # the number of a bin or a size
        ("count", pa.int64()),
        ("violations", pa.int64()),
        ("sum", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        *((f"{name}_{what}", kind) for name in MEANS for what, kind in (("sum", pa.float64()), ("count", pa.int64()))),
    ]
)
"""The numbers from which histograms and the time line of a report are drawn: see `tables.figures`."""
WRITTEN = pa.schema([("table", pa.string()), ("path", pa.string()), ("rows", pa.int64())])
TOLD: Mapping[str, pa.Schema] = {
    "runs": findings.RUN_ROWS,
    "parts": findings.TALLIES,
    "worst": findings.DELIVERY_FINDINGS,
    "explained": EXPLAINED,
    "orders": findings.ORDER_WITNESSES,
    "causal": findings.FIRST_VIOLATIONS,
    "skew": findings.SKEW,
    "files": FILES,
    "refused": schema.QUARANTINE,
    "reasons": REASONS,
    "notes": NOTES,
    "inferred": INFERRED,
    "unnamed": UNNAMED,
    "written": WRITTEN,
    "figures": FIGURES,
    "late": schema.LOCATED_LATE_RECEIVES,
    "large": LARGE,
    "resent": RESENT,
    "left_out": pa.schema([("file", pa.string()), ("line", pa.int64())]),
}
"""The tables that a task may tell, by name.

runs      whole runs with their verdicts
parts     the counts of parts of runs, to be added up
worst     the violating delivers that overtook the most
explained explanations of some of the worst delivers
orders    how runs that are cut into windows break other orders than causal order
causal    the first violation of causal order in each part of a run that is cut into windows
skew      links on which delivers came before their sends by the clocks of the source
files     how many rows of each file are events, and how many are not
refused   some of the rows that are not events
reasons   how many rows are refused for which reason
notes     sentences for people
written   files of tables that a task wrote
figures   the numbers from which histograms and the time line are drawn
late      receives that came late by the vector clocks of a run without message ids, at most as many as are explained
inferred  the number of sends whose destinations were inferred
unnamed   the number of arrivals at consumers whose message nothing names
large     the processes of runs that are too large for one task, and were not judged
resent    the sends of large runs that were counted, and then refused because their message was sent before
left_out  the lines of large runs that are left out because their index is taken
"""


Told = Iterator[pa.RecordBatch]


def tell(name: str, table: pa.Table) -> Told:
    """Yield a table of `TOLD` as a dealt value, unless it is empty."""
    if table.num_rows:
        yield deal_value(name, table.select(TOLD[name].names).cast(TOLD[name]))


def put_together(results: pa.Table) -> dict[str, pa.Table]:
    """Return the tables that all tasks told, by name. A table that nobody told is empty."""
    told = {}
    for name, fields in TOLD.items():
        together = gather(results.to_batches(), name)
        told[name] = fill_table(fields, 0) if together is None else together
    return told
