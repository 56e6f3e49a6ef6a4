"""What was found, as rows: one per send, one per deliver, and what to add up by run and by link.

All of it comes out of one pass over the events, so it is one table; `what` says what a row is. The tables of an answer
are selections of it (`antecede.pipeline.verify.verify`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.arrow import Longs, fill_table
from antecede.pipeline.kernel.encode import DELIVER, SEND
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
    "cyclic",
)
FINDINGS = pa.schema(
    [
        ("what", pa.string()),  # message, delivery, tally or link
        ("run", pa.string()),
        ("process", pa.string()),
        ("index", pa.int64()),
        ("time", pa.float64()),
        ("message", pa.string()),
        ("sender", pa.string()),
        ("sent_index", pa.int64()),
        ("sent_time", pa.float64()),
        ("dests", pa.int32()),
        ("delivered", pa.int32()),
        ("first", pa.bool_()),
        ("addressed", pa.bool_()),
        ("overtaken", pa.int64()),
        ("witness", pa.string()),
        ("witness_time", pa.float64()),  # when that was sent
        ("early", pa.int64()),  # of a link: delivers before their send, by the source's clocks
        ("worst_s", pa.float64()),
        ("tally", pa.struct([(name, pa.int64()) for name in TALLY])),
    ]
)


def findings(paired: Paired, stamped: Stamped, *, detail: bool, worst: int = 0) -> pa.Table:
    """The rows for one task. Without `detail`, only what is to be added up, and so many of the worst violations."""
    tables = [_tally(paired, stamped), _links(paired)]
    if detail:
        tables += [_messages(paired), _deliveries(paired, stamped, np.flatnonzero(paired.rows.role == DELIVER))]
    elif worst:
        tables += [_deliveries(paired, stamped, _worst(paired, stamped, worst))]
    return pa.concat_tables(tables)


def _constant(value: str, rows: int) -> pa.Array:
    return pa.repeat(pa.scalar(value), rows)


def _messages(paired: Paired) -> pa.Table:
    at = np.flatnonzero(paired.rows.role == SEND)
    run, process = paired.run[at], paired.rows.process[at]
    assert paired.message is not None
    return fill_table(
        FINDINGS,
        len(at),
        what=_constant("message", len(at)),
        run=paired.names.runs.take(pa.array(run)),
        process=paired.names.process(run, process),
        index=paired.rows.index[at],
        time=_nullable(paired.time[at]),
        message=paired.message.take(pa.array(at)),
        dests=paired.dests[at],
        delivered=paired.delivered[at],
    )


def _worst(paired: Paired, stamped: Stamped, count: int) -> Longs:
    """The rows of the violating delivers that overtook the most, then the earliest, then by run, process and index."""
    at = np.flatnonzero(stamped.overtaken)
    names = paired.names.runs.to_pylist()
    rank = np.empty(len(names), np.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    keys = (paired.rows.index[at], paired.rows.process[at], rank[paired.run[at]], paired.time[at])
    return at[np.lexsort((*keys, -stamped.overtaken[at]))[:count]]


def _deliveries(paired: Paired, stamped: Stamped, at: Longs) -> pa.Table:
    rows = paired.rows
    run, sender, witness = paired.run[at], rows.sender[at], stamped.witness[at]
    assert paired.message is not None
    return fill_table(
        FINDINGS,
        len(at),
        what=_constant("delivery", len(at)),
        run=paired.names.runs.take(pa.array(run)),
        process=paired.names.process(run, rows.process[at]),
        index=rows.index[at],
        time=_nullable(paired.time[at]),
        message=paired.message.take(pa.array(at)),
        sender=paired.names.process(run, sender),
        sent_index=pa.array(rows.sent_index[at], mask=sender < 0),
        sent_time=_nullable(paired.sent_time[at]),
        first=rows.first[at],
        addressed=rows.addressed[at],
        overtaken=stamped.overtaken[at],
        witness=paired.message.take(pa.array(witness, mask=witness < 0)),
        witness_time=_nullable(np.where(witness < 0, np.nan, paired.sent_time[witness])),
    )


def _tally(paired: Paired, stamped: Stamped) -> pa.Table:
    """One row per run that has rows here."""
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
    }
    present = np.flatnonzero(np.bincount(paired.run, minlength=runs))
    columns = {name: _sums(paired.run, value, runs)[present] for name, value in counts.items()}
    columns["cyclic"] = cyclic[present]
    struct = pa.StructArray.from_arrays([pa.array(columns[name], pa.int64()) for name in TALLY], TALLY)
    return fill_table(
        FINDINGS,
        len(present),
        what=_constant("tally", len(present)),
        run=paired.names.runs.take(pa.array(present)),
        tally=struct,
    )


def _links(paired: Paired) -> pa.Table:
    """One row per link on which a deliver precedes its send by the source's clocks."""
    rows = paired.rows
    at = np.flatnonzero((rows.role == DELIVER) & rows.first & (paired.ahead_s > 0))
    keys, place = np.unique(np.stack([paired.run[at], rows.sender[at], rows.process[at]]), axis=1, return_inverse=True)
    worst = np.zeros(keys.shape[1])
    np.maximum.at(worst, place.ravel(), paired.ahead_s[at])
    return fill_table(
        FINDINGS,
        keys.shape[1],
        what=_constant("link", keys.shape[1]),
        run=paired.names.runs.take(pa.array(keys[0])),
        sender=paired.names.process(keys[0], keys[1]),
        process=paired.names.process(keys[0], keys[2]),
        early=np.bincount(place.ravel(), minlength=keys.shape[1]),
        worst_s=worst,
    )


def _sums(run: Longs, value: npt.NDArray[Any], runs: int) -> Longs:
    """Sums by run, exact: `bincount` would add up in floating point."""
    if value.dtype == np.bool_:
        return np.bincount(run[value], minlength=runs)
    total = np.zeros(runs, np.int64)
    some = np.flatnonzero(value)
    np.add.at(total, run[some], value[some])
    return total


def _nullable(values: npt.NDArray[np.float64]) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))
