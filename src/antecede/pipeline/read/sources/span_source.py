"""Spans as the source of a check, in parts: tasks deal spans to each other until each knows its message.

    read      a block's spans become rows and keys     keys go to the part of their text, rows to that of their process
    answer    find the send that has a key             answers go to the part of the process that asked
    choose    take the best answer to each arrival     names, and the client calls that were answered, go home
    make      give every row its name and its index    all rows of a process are in one part

Rows, refused rows and results pass through `answer` and `choose` as they are. What a task holds at a time is one part
of the keys, of the answers or of the rows. Only a process that has more spans than a part makes its part larger.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import pack, unpack
from antecede.pipeline.dealing import DEALT, ROWS, deal_table, in_chunks, part_by_text, values_in
from antecede.pipeline.read.blocks import blocks_in
from antecede.pipeline.read.formats import spans
from antecede.pipeline.read.rows import Reader, ReadRows, Wanted
from antecede.pipeline.read.source import REFUSED, Consumer
from antecede.pipeline.runner import PART, Batches, Dataset, Runner, Task

SPAN_ROWS, KEYS, ANSWERS, NAMES, EVENTS, UNNAMED = "span rows", "keys", "answers", "names", "events", "unnamed"
"""What a dealt value holds."""
ROWS_PER_PART_MAX = 1 << 40
"""Rows are numbered in the order of the input: the part that reads a row comes first, and then its place in it."""


@dataclass(slots=True)
class SpanSource:
    """Blocks of files with spans, which meet in `parts` parts.

    With `is_kept`, the events are computed once for all that is done with them. They are then in `kept` until who owns
    that list releases them.
    """

    runner: Runner
    blocks: pa.Table
    read: Reader  # gives spans as `spans.SPANS` in place of events
    wanted: Wanted
    parts: int
    is_kept: bool = False
    kept: list[Dataset] = field(default_factory=list)
    _events: Dataset | None = None

    def map(self, consume: Consumer, made: pa.Schema) -> Dataset:
        wanted = self.wanted

        def make_and_consume(batches: Batches) -> Iterator[pa.RecordBatch]:
            return consume(_make(batches, wanted))

        def consume_events(batches: Batches) -> Iterator[pa.RecordBatch]:
            return consume(_unpack_events(batches, wanted))

        if not self.is_kept:
            return self._named().map(make_and_consume, made)
        if self._events is None:
            self._events = self._named().map(_pack_events(wanted), DEALT).keep()
            self.kept.append(self._events)
        return self._events.map(consume_events, made)

    def _named(self) -> Dataset:
        """Return the rows of all spans and the names for them, dealt out by process."""
        parts = self.parts
        dealt = self.runner.hand_out(self.blocks).map(_deal_spans(self.read, parts), DEALT).deal(parts)
        return dealt.map(_answer(parts), DEALT).deal(parts).map(_choose(parts), DEALT).deal(parts)


def _deal_spans(read: Reader, parts: int) -> Task:
    """Return a task that reads blocks, and deals out the rows and the keys of their spans."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        own = list(batches)
        numbers = [number for batch in own for number in batch.column(PART).to_pylist()]
        if not numbers:
            return
        refused: list[pa.Table] = []
        next_row = numbers[0] * ROWS_PER_PART_MAX
        for found in in_chunks(_take_refused((rows for block in blocks_in(own) for rows in read(block)), refused)):
            rows, keys = spans.list_rows(found, first_row=next_row, parts=parts)
            next_row += rows.num_rows
            yield from deal_table(keys, part_by_text(keys["key"], parts), parts, name=KEYS)
            yield from deal_table(rows, rows["home"].to_numpy(), parts, name=SPAN_ROWS)
        for table in refused:
            yield _deal_value(numbers[0] % parts, REFUSED, pack(table))

    return task


def _take_refused(read: Iterator[ReadRows], refused: list[pa.Table]) -> Iterator[pa.Table]:
    """Yield the spans of rows, and add the rows that are refused to `refused`."""
    for rows in read:
        if rows.refused.num_rows:
            refused.append(rows.refused)
        yield rows.events


def _answer(parts: int) -> Task:
    """Return a task that answers all keys that were dealt to it."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        keys: list[pa.Buffer] = []
        yield from _pass_others(batches, KEYS, keys)
        table = unpack(keys)
        if table is not None:
            answers = spans.answer_keys(table)
            yield from deal_table(answers, answers["home"].to_numpy(), parts, name=ANSWERS)

    return task


def _choose(parts: int) -> Task:
    """Return a task that chooses among the answers to the rows of some processes."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        answers: list[pa.Buffer] = []
        yield from _pass_others(batches, ANSWERS, answers)
        table = unpack(answers)
        if table is not None:
            names = spans.choose_answers(table)
            yield from deal_table(names, names["home"].to_numpy(), parts, name=NAMES)

    return task


def _pass_others(batches: Batches, own: str, held: list[pa.Buffer]) -> Iterator[pa.RecordBatch]:
    """Put the values with the name `own` into `held`, and yield the others, for the parts that they are for."""
    for batch in batches:
        is_own = pc.equal(batch.column("name"), own)
        held += [value.as_buffer() for value in batch.filter(is_own).column("rows")]
        yield batch.filter(pc.invert(is_own))


def _deal_value(part: int, name: str, value: bytes) -> pa.RecordBatch:
    return pa.record_batch([[part], [ROWS], [name], [value]], schema=DEALT)


def _make(batches: Batches, wanted: Wanted) -> Iterator[ReadRows]:
    """Yield the refused rows that were dealt here, and then the events of all rows."""
    held: dict[str, list[pa.Buffer]] = {SPAN_ROWS: [], NAMES: []}
    for _, name, value in values_in(batches):
        if name == REFUSED:
            yield ReadRows(wanted.events.empty_table(), _unpack_one(value))
        else:
            held[str(name)].append(value)
    rows = unpack(held[SPAN_ROWS])
    if rows is None:
        return
    names = unpack(held[NAMES])
    rows = rows.cast(spans.SPAN_ROWS).unify_dictionaries().combine_chunks()
    named = spans.name_rows(rows, spans.NAMES.empty_table() if names is None else names)
    yield ReadRows(
        spans.make_events(named).select(wanted.events.names),
        schema.QUARANTINE.empty_table(),
        unnamed=spans.count_unnamed(named),
    )


def _pack_events(wanted: Wanted) -> Task:
    """Return a task that makes events, and gives them as values for a later task."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        for rows in _make(batches, wanted):
            if rows.refused.num_rows:
                yield _deal_value(0, REFUSED, pack(rows.refused))
            if rows.events.num_rows:
                yield _deal_value(0, EVENTS, pack(rows.events))
            if rows.unnamed:
                yield _deal_value(0, UNNAMED, pack(pa.table({UNNAMED: [rows.unnamed]})))

    return task


def _unpack_events(batches: Batches, wanted: Wanted) -> Iterator[ReadRows]:
    """Yield what `_pack_events` gave."""
    none, nothing = wanted.events.empty_table(), schema.QUARANTINE.empty_table()
    for _, name, value in values_in(batches):
        table = _unpack_one(value)
        if name == REFUSED:
            yield ReadRows(none, table)
        elif name == EVENTS:
            yield ReadRows(table, nothing)
        else:
            yield ReadRows(none, nothing, unnamed=table[UNNAMED][0].as_py())


def _unpack_one(value: pa.Buffer) -> pa.Table:
    table = unpack([value])
    assert table is not None
    return table
