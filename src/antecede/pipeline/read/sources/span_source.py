"""Read spans in parts: tasks deal spans to each other until each span knows its message.

    read      a block's spans become rows and keys     keys go to the part of their text, rows to that of their process
    answer    find the send that has a key             answers go to the part of the process that asked
    choose    take the best answer to each arrival     names, and the client calls that were answered, go home
    make      give every row its name and its index    all rows of a process are in one part

Rows, refused rows and results pass through `answer` and `choose` unchanged. A task holds one part of the keys, of the
answers or of the rows at a time. Only a process that has more spans than a part makes its part larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pyarrow as pa

from antecede.pipeline.arrow import unpack
from antecede.pipeline.dealing import DEALT, deal_table, deal_value, in_chunks, part_by_text, pass_others, values_in
from antecede.pipeline.read import doubtful_rows
from antecede.pipeline.read.formats import spans
from antecede.pipeline.read.rows import Reader, ReadRows, Wanted
from antecede.pipeline.read.source import DEALT_REFUSED, Source, pack_rows, read_blocks, unpack_rows
from antecede.pipeline.runner import PART, Batches, Dataset, Runner, Task

DEALT_ROWS, DEALT_KEYS, DEALT_ANSWERS, DEALT_NAMES = "span rows", "keys", "answers", "names"
"""The names of dealt values, which say what they hold."""
ROWS_PER_PART_MAX = 1 << 40
"""More rows than any part reads. Rows are numbered in the order of the input: by the part that reads them, and by their
place in it."""


def open_spans(
    runner: Runner, blocks: pa.Table, read: Reader, wanted: Wanted, *, parts: int, kept: list[Dataset] | None = None
) -> Source:
    """Return blocks of files with spans as a source. The spans meet in `parts` parts.

    `read` returns spans as `spans.SPANS` in place of events. If `kept` is given, the events are computed once, to be
    read several times, and added to this list. The owner of the list must release them.
    """
    dealt = runner.hand_out(blocks).map(_deal_spans(read, parts), DEALT).deal(parts)
    answered = dealt.map(_resolve(DEALT_KEYS, spans.answer_keys, DEALT_ANSWERS, parts), DEALT).deal(parts)
    named = answered.map(_resolve(DEALT_ANSWERS, spans.choose_answers, DEALT_NAMES, parts), DEALT).deal(parts)
    make = partial(_make, wanted=wanted)
    if kept is None:
        return Source(runner, named, make)
    kept.append(named.map(lambda batches: pack_rows(make(batches)), DEALT).keep())
    return Source(runner, kept[-1], unpack_rows)


def _deal_spans(read: Reader, parts: int) -> Task:
    """Return a task that reads blocks, and deals out the rows and the keys of their spans."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        own = list(batches)
        numbers = [number for batch in own for number in batch.column(PART).to_pylist()]
        if not numbers:
            return
        refused: list[pa.Table] = []
        next_row = numbers[0] * ROWS_PER_PART_MAX
        for found in in_chunks(_take_refused(read_blocks(own, read), refused)):
            rows, keys = spans.list_rows(found, first_row=next_row, parts=parts)
            next_row += rows.num_rows
            yield from deal_table(keys, part_by_text(keys["key"], parts), parts, DEALT_KEYS)
            yield from deal_table(rows, rows["home"].to_numpy(), parts, DEALT_ROWS)
        for table in refused:
            yield deal_value(DEALT_REFUSED, table, numbers[0] % parts)

    return task


def _take_refused(read: Iterator[ReadRows], refused: list[pa.Table]) -> Iterator[pa.Table]:
    """Yield the spans among the rows, and add the rows that are refused to `refused`."""
    for rows in read:
        if rows.refused.num_rows:
            refused.append(rows.refused)
        yield rows.events


def _resolve(own: str, resolve: Callable[[pa.Table], pa.Table], name: str, parts: int) -> Task:
    """Return a task that calls `resolve` on the table of all values of the name `own`.

    The task deals the rows of the result to the parts of their processes, as values of this `name`. It passes all other
    values on.
    """

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        values: list[pa.Buffer] = []
        yield from pass_others(batches, own, values)
        if values:
            found = resolve(unpack(values))
            yield from deal_table(found, found["home"].to_numpy(), parts, name)

    return task


def _make(batches: Batches, wanted: Wanted) -> Iterator[ReadRows]:
    """Yield the refused rows that were dealt to this part, and then the events of all rows."""
    held: dict[str, list[pa.Buffer]] = {DEALT_ROWS: [], DEALT_NAMES: [], DEALT_REFUSED: []}
    for name, value in values_in(batches):
        held[name].append(value)
    if held[DEALT_REFUSED]:
        yield ReadRows(refused=unpack(held[DEALT_REFUSED]))
    if not held[DEALT_ROWS]:
        return
    rows = unpack(held[DEALT_ROWS]).cast(spans.SPAN_ROWS).unify_dictionaries().combine_chunks()
    named = spans.name_rows(rows, unpack(held[DEALT_NAMES]) if held[DEALT_NAMES] else spans.ROW_NAMES.empty_table())
    events, refused = doubtful_rows.refuse_bad_events(spans.make_events(named).select(wanted.events.names))
    yield ReadRows(events, refused, unnamed=spans.count_unnamed(named))
