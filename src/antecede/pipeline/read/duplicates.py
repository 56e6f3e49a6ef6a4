"""Find the rows of whole runs that contradict an earlier row: an index that is taken, a message that was sent before.

Of several rows with the same run, process and index, the first in input order stays. Of several sends of one message
among those that stay, the first stays too. The order of the input is that of files, then lines.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antecede.judge.events import QUARANTINED_CHARS_MAX, Event, to_json
from antecede.pipeline import schema
from antecede.pipeline.arrow import Flags, Longs, codes, fill_table, kind_codes, text_ranks
from antecede.pipeline.read.rows import to_events

DUPLICATE_INDEX = "duplicate index: an earlier row has this run, process and index"
DUPLICATE_MESSAGE = "duplicate message id: an earlier send has this run and message"


def remove_duplicates(events: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the events of whole runs that do not contradict an earlier event, and the others as refused rows."""
    order = _input_order(events)
    run, process = (codes(events[name])[0] for name in ("run", "process"))
    taken = _repeats(order, run, process, events["index"].to_numpy())
    sends = (kind_codes(events["kind"], ("send",)) == 0) & ~taken
    resent = np.zeros(len(taken), np.bool_)
    at = order[sends[order]]
    message, _ = codes(events["message"].take(pa.array(at)))
    resent[at] = _repeats(np.arange(len(at)), run[at], message)
    if not (taken.any() or resent.any()):
        return events, schema.QUARANTINE.empty_table()
    refused = pa.concat_tables([_refuse(events, taken, DUPLICATE_INDEX), _refuse(events, resent, DUPLICATE_MESSAGE)])
    return events.filter(pa.array(~(taken | resent))), refused


def remove_repeated_indices(events: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the events of whole processes whose index is not taken, and the others as refused rows."""
    run, process = (codes(events[name])[0] for name in ("run", "process"))
    taken = _repeats(_input_order(events), run, process, events["index"].to_numpy())
    return events.filter(pa.array(~taken)), _refuse(events, taken, DUPLICATE_INDEX)


def _input_order(events: pa.Table) -> Longs:
    """Return the numbers of the rows in the order of the input."""
    return np.lexsort((events["line"].to_numpy(), text_ranks(events["file"])))


def _repeats(order: Longs, *keys: Longs) -> Flags:
    """Return for each row whether an earlier row has the same keys. `order` has the rows, the earliest first."""
    found = np.zeros(len(order), np.bool_)
    by_key = order[np.lexsort([key[order] for key in reversed(keys)])]  # stable, so equal keys stay in order
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for key in keys:
        same &= key[by_key[1:]] == key[by_key[:-1]]
    found[by_key[1:][same]] = True
    return found


def _refuse(events: pa.Table, refused: Flags, reason: str) -> pa.Table:
    rows = events.filter(pa.array(refused))
    return fill_table(
        schema.QUARANTINE,
        rows.num_rows,
        file=rows["file"].cast(pa.string()),
        line=rows["line"],
        reason=pa.repeat(pa.scalar(reason), rows.num_rows),
        row=[to_json(event)[:QUARANTINED_CHARS_MAX] for event in to_events(rows, Event)],
    )
