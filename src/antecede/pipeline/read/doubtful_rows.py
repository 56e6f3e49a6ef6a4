"""Find the rows of a table that may not be events. The judge's own parser then decides on each of them.

`find_doubtful` looks at whole columns at once and may doubt without need. There is no second set of rules: a row that
it does not doubt is an event for `antecede.judge.events.parse`, and a row that it doubts is given to that function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.judge.events import KINDS, QUARANTINED_CHARS_MAX, WITH_MESSAGE, parse
from antecede.judge.row_refusals import FIELD_CHARS_MAX
from antecede.judge.times import SIZE_MAX
from antecede.pipeline import schema
from antecede.pipeline.arrow import Flags, Longs, fill_table
from antecede.pipeline.read.rows import NEEDED

TEXT_COLUMNS = ("run", "process", "kind", "message", "group")


def find_doubtful(table: pa.Table, *, needs_dests: bool = True) -> Flags:
    """Return for each row whether it may break a rule of the trace.

    The columns have the types of a trace. Texts may be in a dictionary. Unless `needs_dests`, a send may lack `dests`.
    """
    kind, dests = table["kind"], table["dests"]
    with_message = _apply(kind, _is_one_of(WITH_MESSAGE))
    is_send = _apply(kind, _is_one_of(("send",)))
    found = ~_apply(kind, _is_one_of(KINDS)) | _apply(table["process"], _is_blank)
    found |= pc.less(pc.fill_null(table["index"], -1), 0).to_numpy()
    found |= with_message & _apply(table["message"], _is_blank)
    if needs_dests:
        found |= is_send & pc.is_null(dests).to_numpy()
    found |= ~pc.fill_null(pc.less_equal(pc.abs(table["time"]), SIZE_MAX), True).to_numpy()
    for name in TEXT_COLUMNS:
        if name in table.column_names:
            found |= _apply(table[name], _is_long)
    found[_rows_with_odd_dest(dests)] = True
    return found


def name_runs(table: pa.Table) -> pa.Table:
    """Return the table with an empty name for runs that are null."""
    if not table["run"].null_count:
        return table
    return table.set_column(table.column_names.index("run"), "run", pc.fill_null(table["run"], ""))


Test = Callable[[pa.Array], Flags]


def _apply(texts: pa.ChunkedArray, test: Test) -> Flags:
    """Return the result of a test for each text. In a dictionary, each text is tested once."""
    return np.concatenate([np.zeros(0, np.bool_), *(_apply_to_chunk(chunk, test) for chunk in texts.chunks)])


def _apply_to_chunk(texts: pa.Array, test: Test) -> Flags:
    if not pa.types.is_dictionary(texts.type):
        return test(texts)
    by_value = np.append(test(texts.dictionary), test(pa.nulls(1, texts.type.value_type)))
    return by_value[pc.fill_null(texts.indices, len(by_value) - 1).to_numpy()]


def _is_one_of(values: Sequence[str]) -> Test:
    wanted = pa.array(values)
    return lambda texts: pc.is_in(texts, wanted).to_numpy(zero_copy_only=False)


def _lengths(texts: pa.Array) -> Longs:
    """Return the length of each text in bytes, and 0 for null. It is at least the length in characters."""
    return pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False)


def _is_blank(texts: pa.Array) -> Flags:
    return _lengths(texts) == 0


def _is_long(texts: pa.Array) -> Flags:
    return _lengths(texts) > FIELD_CHARS_MAX


def _is_odd_dest(texts: pa.Array) -> Flags:
    return _is_blank(texts) | _is_long(texts)


def _rows_with_odd_dest(dests: pa.ChunkedArray) -> Longs:
    """Return the rows with a destination that is null, empty or too long."""
    odd = _apply(pc.list_flatten(dests), _is_odd_dest)
    return pc.list_parent_indices(dests).to_numpy()[odd] if odd.any() else np.empty(0, np.int64)


def refuse_bad_events(events: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the events that keep the rules of a trace, and the others as refused rows.

    Sends may lack destinations, which are inferred later. Only the columns that decide the verdict are looked at, so
    that the verdict does not depend on which other columns are wanted.
    """
    asked = events.select(NEEDED)
    doubtful = np.flatnonzero(find_doubtful(asked, needs_dests=False))
    rows = asked.take(pa.array(doubtful)).to_pylist()
    reasons = [parse({**row, "dests": row["dests"] or []}) for row in rows]
    bad = [at for at, reason in enumerate(reasons) if isinstance(reason, str)]
    where = events.select(["file", "line"]).take(pa.array(doubtful[bad]))
    refused = fill_table(
        schema.QUARANTINE,
        len(bad),
        file=where["file"].cast(schema.TEXT),
        line=where["line"],
        reason=[reasons[at] for at in bad],
        row=[str(rows[at])[:QUARANTINED_CHARS_MAX] for at in bad],
    )
    kept = np.ones(events.num_rows, np.bool_)
    kept[doubtful[bad]] = False
    return (events.filter(pa.array(kept)) if bad else events), refused
