"""Apply the rules of ShiViz logs that need all rows: clocks step by one, and some files together are one run.

The files do not say whether they are one execution. They are taken for one unless two of them have the same event: the
same host at the same clock value. In that case, each file is an execution of its own, named after the file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import Flags, Longs, codes, fill_table
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.formats.expressions import SearchBudget, SearchStopped, compile_expression

ARRIVALS = ("deliver", "receive")
"""The kinds that may mark a receive. The second kind counts in a run that has no event of the first."""


def find_clock_gaps(events: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the events of whole runs whose predecessor is in the table too, and the others as refused rows.

    A host counts its events from 1 by 1, so an event whose predecessor is missing cannot be trusted.
    """
    order, run, process = _order_by_host(events)
    index = events["index"].to_numpy()
    same_host = (run[order[1:]] == run[order[:-1]]) & (process[order[1:]] == process[order[:-1]])
    before = np.zeros(len(order), np.int64)
    before[order[1:][same_host]] = index[order[:-1][same_host]]
    gaps = index - before > 1
    return events.filter(pa.array(~gaps)), _refuse(events.filter(pa.array(gaps)), before[gaps])


def shares_events(events: pa.Table) -> bool:
    """Return whether two files have the same event: the same run, process and index.

    All rows of each host in each run must be in the table, from all files.
    """
    order, run, process = _order_by_host(events)
    index, file = events["index"].to_numpy(), codes(events["file"])[0]
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for key in (run, process, index):
        same &= key[order[1:]] == key[order[:-1]]
    return bool(np.any(same & (file[order[1:]] != file[order[:-1]])))


def name_runs_after_files(events: pa.Table, files: Sequence[str]) -> pa.Table:
    """Return the events with the name of their file before the name of their run.

    `files` are the names of all files of the input. As much of each path is used as is needed to tell them apart.
    """
    short = _shorten(files)
    file, names = codes(events["file"])
    run, runs = codes(events["run"])
    pairs, place = np.unique(file * max(len(runs), 1) + run, return_inverse=True)
    texts = [
        " ".join(filter(None, (short[names[pair // len(runs)].as_py()], runs[pair % len(runs)].as_py())))
        for pair in pairs.tolist()
    ]
    named = pa.DictionaryArray.from_arrays(pa.array(place.astype(np.int32)), pa.array(texts, pa.string()))
    return events.set_column(events.column_names.index("run"), "run", named)


def clock_events(events: pa.Table, receives: str | None = None) -> pa.Table:
    """Return the clocks of events that carry one, as `schema.CLOCK_EVENTS`, for `kernel.clock_receives`.

    If `receives` is given, the receives are the events whose text matches this expression. Otherwise they are the
    events that the group `kind` of the log's expression calls deliver, or receive if the run has no deliver.
    """
    attributes = events["attributes"]
    text, clock, kind = (pc.map_lookup(attributes, name, "first") for name in ("event", "clock", "kind"))
    has_clock = pc.is_valid(clock)
    marked = _mark_by_kind(events["run"], kind) if receives is None else _mark_by_text(text, receives)
    is_send = pc.fill_null(pc.equal(kind, "send"), False).to_numpy()
    kinds = np.where(marked, "receive", np.where(is_send, "send", "internal"))
    clocks = [None if one is None else list(json.loads(one).items()) for one in clock.to_pylist()]
    return fill_table(
        schema.CLOCK_EVENTS,
        events.num_rows,
        run=events["run"].cast(pa.string()),
        process=events["process"].cast(pa.string()),
        index=events["index"],
        kind=kinds.tolist(),
        clock=clocks,
    ).filter(has_clock)


def _mark_by_kind(runs: pa.ChunkedArray, kind: pa.ChunkedArray) -> Flags:
    """Return for each event whether it is a deliver, or, in a run that has no deliver, a receive."""
    run, names = codes(runs)
    is_deliver, is_receive = (pc.fill_null(pc.equal(kind, name), False).to_numpy() for name in ARRIVALS)
    has_deliver = np.bincount(run[is_deliver], minlength=len(names)) > 0
    return is_deliver | (is_receive & ~has_deliver[run])


def _mark_by_text(texts: pa.ChunkedArray, expression: str) -> Flags:
    """Return for each text whether it matches an expression. Each different text is searched once."""
    pattern = compile_expression(expression)
    code, found = codes(pc.fill_null(texts, ""))
    values = [text.encode() for text in found.to_pylist()]
    budget = SearchBudget.for_text(sum(map(len, values)))
    try:
        matches = [budget.search(pattern, value, 0, len(value)) is not None for value in values]
    except SearchStopped:
        raise UnreadableInput("the expression of --receives took too long; simplify it") from None
    return np.array(matches, np.bool_)[code]


def _order_by_host(events: pa.Table) -> tuple[Longs, Longs, Longs]:
    """Return the rows by run, host, index and input order, and the number of the run and of the host of each row."""
    run, process = (codes(events[name])[0] for name in ("run", "process"))
    file, names = codes(events["file"])
    rank = np.argsort(np.array(names.to_pylist(), object), kind="stable").argsort()
    order = np.lexsort((events["line"].to_numpy(), rank[file], events["index"].to_numpy(), process, run))
    return order, run, process


def _refuse(rows: pa.Table, before: Longs) -> pa.Table:
    found = rows.select(["run", "process", "index"]).to_pylist()
    reasons = [
        f"the clock of {row['process']} steps from {last} to {row['index']}"
        for row, last in zip(found, before.tolist(), strict=True)
    ]
    return fill_table(
        schema.QUARANTINE,
        rows.num_rows,
        file=rows["file"].cast(pa.string()),
        line=rows["line"],
        reason=reasons,
        row=[json.dumps(row) for row in found],
    )


def _shorten(files: Sequence[str]) -> dict[str, str]:
    """Return for each path the shortest end of it by which it differs from the others."""
    parts = [file.split("/") for file in files]
    for count in range(1, max(map(len, parts), default=0) + 1):
        short = ["/".join(one[-count:]) for one in parts]
        if len(set(short)) == len(set(files)):
            return dict(zip(files, short, strict=True))
    return {file: file for file in files}
