"""Put the findings on some runs or windows into tables: tallies by run, skewed links, messages, deliveries.

The tallies and the links of one run may come from several tasks, and are then added up. The other tables have a row for
each send or deliver.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import DELIVER, SEND, Longs, fill_table, text_ranks
from antecede.pipeline.kernel.counts import COUNTED
from antecede.pipeline.kernel.pair import Paired
from antecede.pipeline.kernel.stamp import Stamped

TALLY = (
    "messages",
    "deliveries",
    "paired",
    "violations",
    "overtaken",
    "lost",
    "duplicates",
    "spurious",
    "early",
    "cyclic",
)
TALLIES = pa.schema([("run", pa.string()), *((name, pa.int64()) for name in TALLY)])
RUN_COUNTS = pa.schema([*TALLIES, *((name, pa.int64()) for name in (*COUNTED, "processes"))])
"""All counts of a run. Counts of parts of a run are added up, except for `processes`."""
OTHER_ORDERS = ("fifo", "agreed", "synchronous")
"""The orders of `antecede.judge.orders` besides causal order."""
RUN_ROWS = pa.schema(
    [
        *RUN_COUNTS,
        *((name, pa.string()) for name in ("verdict", "reason", "basis", "causal_witness")),
        *((name, pa.string()) for order in OTHER_ORDERS for name in (order, f"{order}_witness")),
        ("run_count", pa.int64()),
    ]
)
"""A run with its verdicts; or, if `run_count` is more than 1, the sums of several runs with the same verdicts.

`verdict` is the verdict on causal order. The witness of an order says in words how the order is violated."""
ORDER_WITNESSES = pa.schema([("run", pa.string()), ("order", pa.string()), ("words", pa.string())])
"""A row for each run and each other order that it breaks, with a witness in words."""
FIRST_VIOLATIONS = pa.schema(
    [("run", pa.string()), ("process", pa.string()), ("index", pa.int64()), ("words", pa.string())]
)
"""The first violation of causal order of a run, or of a part of it, by process and index, in words."""
SKEW = pa.schema(
    [
        *(("run", pa.string()), ("sender", pa.string()), ("process", pa.string())),
        ("early", pa.int64()),  # delivers before their send, by the source's clocks
        ("worst_s", pa.float64()),
    ]
)
DELIVERY_FINDINGS = pa.schema([*schema.FOUND, ("witness_time", pa.float64())])
"""The findings on a deliver. `witness_time` is the time when the witness was sent."""


def message_rows(paired: Paired) -> pa.Table:
    """Return a row for each send, as `schema.MESSAGES`."""
    at = np.flatnonzero(paired.rows.role == SEND)
    run, process = paired.run[at], paired.rows.process[at]
    return fill_table(
        schema.MESSAGES,
        len(at),
        run=paired.names.runs.take(pa.array(run)),
        message=paired.message.take(pa.array(at)),
        sender=paired.names.process(run, process),
        index=paired.rows.index[at],
        time=_nullable(paired.time[at]),
        dests=paired.dests[at],
        delivered=paired.delivered[at],
        lost=paired.dests[at] - paired.delivered[at],
    )


def all_deliveries(paired: Paired, stamped: Stamped) -> pa.Table:
    """Return a row for each deliver, as `DELIVERY_FINDINGS`."""
    return _deliveries(paired, stamped, np.flatnonzero(paired.rows.role == DELIVER))


def worst_deliveries(paired: Paired, stamped: Stamped, count: int) -> pa.Table:
    """Return the `count` delivers that overtook the most, then the earliest, as `DELIVERY_FINDINGS`."""
    return _deliveries(paired, stamped, _worst(paired, stamped, count))


def first_violations(paired: Paired, stamped: Stamped) -> pa.Table:
    """Return the first violating deliver of each run that has one here, as `FIRST_VIOLATIONS`.

    Processes are numbered by name, so the first is the same however the rows are dealt out.
    """
    at = np.flatnonzero(stamped.overtaken)
    for value in (paired.rows.process, paired.rows.index):
        least = np.full(len(paired.names.runs), np.iinfo(np.int64).max)
        np.minimum.at(least, paired.run[at], value[at])
        at = at[value[at] == least[paired.run[at]]]
    found = _deliveries(paired, stamped, at)
    names = (found["process"], " delivered ", found["message"], " before ", found["witness"])
    words = pc.binary_join_element_wise(*names, ", which may have caused it", "")
    return found.select(["run", "process", "index"]).append_column("words", words).cast(FIRST_VIOLATIONS)


def _worst(paired: Paired, stamped: Stamped, count: int) -> Longs:
    """Return the rows of the `count` worst delivers among those that violate causal order, the worst first.

    A deliver is worse than another if it overtook more messages. Ties go by time, then by run, process and index.
    """
    at = np.flatnonzero(stamped.overtaken)
    rank = text_ranks(pa.chunked_array([paired.names.runs]))
    keys = (paired.rows.index[at], paired.rows.process[at], rank[paired.run[at]], paired.time[at])
    return at[np.lexsort((*keys, -stamped.overtaken[at]))[:count]]


def _deliveries(paired: Paired, stamped: Stamped, at: Longs) -> pa.Table:
    rows = paired.rows
    run, sender, witness = paired.run[at], rows.sender[at], stamped.witness[at]
    first, addressed = rows.first[at], rows.addressed[at]
    return fill_table(
        DELIVERY_FINDINGS,
        len(at),
        run=paired.names.runs.take(pa.array(run)),
        process=paired.names.process(run, rows.process[at]),
        index=rows.index[at],
        time=_nullable(paired.time[at]),
        message=paired.message.take(pa.array(at)),
        sender=paired.names.process(run, sender),
        sent_index=pa.array(rows.sent_index[at], mask=sender < 0),
        sent_time=_nullable(paired.sent_time[at]),
        first=first,
        addressed=addressed,
        spurious=first & ~addressed,
        duplicate=~first,
        violation=stamped.overtaken[at] > 0,
        overtaken=stamped.overtaken[at],
        witness=paired.message.take(pa.array(witness, mask=witness < 0)),
        witness_time=_nullable(np.where(witness < 0, np.nan, paired.sent_time[witness])),
    )


def tallies(paired: Paired, stamped: Stamped) -> pa.Table:
    """Return the counts of each run that has rows here, as `TALLIES`."""
    rows, runs = paired.rows, len(paired.names.runs)
    sent, deliver = rows.role == SEND, rows.role == DELIVER
    first = deliver & rows.first
    cyclic = np.zeros(runs, np.int64)
    if stamped.cyclic.any():
        cyclic[paired.run[stamped.cyclic[rows.group]]] = 1
    counts = {
        "messages": sent,
        "deliveries": deliver,
        "paired": deliver & (rows.sender >= 0),
        "violations": stamped.overtaken > 0,
        "overtaken": stamped.overtaken,
        "lost": np.where(sent, paired.dests - paired.delivered, 0),
        "duplicates": deliver & ~rows.first,
        "spurious": first & ~rows.addressed,
        "early": first & (paired.ahead_s > 0),
    }
    present = np.flatnonzero(np.bincount(paired.run, minlength=runs))
    columns = {name: _sums(paired.run, value, runs)[present] for name, value in counts.items()}
    columns["cyclic"] = cyclic[present]
    return fill_table(TALLIES, len(present), run=paired.names.runs.take(pa.array(present)), **columns)


def skewed_links(paired: Paired) -> pa.Table:
    """Return, as `SKEW`, the links on which a deliver precedes its send by the source's clocks."""
    rows = paired.rows
    at = np.flatnonzero((rows.role == DELIVER) & rows.first & (paired.ahead_s > 0))
    keys, place = np.unique(np.stack([paired.run[at], rows.sender[at], rows.process[at]]), axis=1, return_inverse=True)
    worst = np.zeros(keys.shape[1])
    np.maximum.at(worst, place.ravel(), paired.ahead_s[at])
    return fill_table(
        SKEW,
        keys.shape[1],
        run=paired.names.runs.take(pa.array(keys[0])),
        sender=paired.names.process(keys[0], keys[1]),
        process=paired.names.process(keys[0], keys[2]),
        early=np.bincount(place.ravel(), minlength=keys.shape[1]),
        worst_s=worst,
    )


def _sums(run: Longs, value: npt.NDArray[Any], runs: int) -> Longs:
    """Return the exact sum of `value` for each run: `bincount` would add up in floating point."""
    if value.dtype == np.bool_:
        return np.bincount(run[value], minlength=runs)
    total = np.zeros(runs, np.int64)
    some = np.flatnonzero(value)
    np.add.at(total, run[some], value[some])
    return total


def _nullable(values: npt.NDArray[np.float64]) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))
