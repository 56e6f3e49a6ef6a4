"""Where the rows of a check come from: blocks that tasks read, and rows that only mean something together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from antecede.judge.events import RefusedRow
from antecede.pipeline.read.blocks import Block, table_of
from antecede.pipeline.read.rows import Reader, ReadRows, refused_table
from antecede.pipeline.read.source import Prepare, Source, pack_rows, read_blocks, unpack_rows
from antecede.pipeline.runner import InProcess
from tests.pipeline.traces import Row, events

SEEN = pa.schema([("events", pa.int64()), ("refused", pa.int64()), ("notes", pa.string())])
BLOCKS = [
    (part, Block(path=name, name=name, version=None, start=start, end=start + 1))
    for part, name, start in ((0, "a", 1), (0, "a", 0), (2, "b", 0))
]


def source_of(blocks: list[tuple[int, Block]], read: Reader, prepare: Prepare | None = None) -> Source:
    return Source(InProcess(), InProcess().hand_out(table_of(blocks)), partial(read_blocks, read=read), prepare)


def read(block: Block) -> Iterator[ReadRows]:
    """A format of which a block has two events and a refused row, and file b a note."""
    rows = events([Row("r", block.name, 10 * block.start + number, "move") for number in range(2)], block.name)
    refused = refused_table(block.name, [RefusedRow("odd", "x", block.start)])
    yield ReadRows(rows, refused, (f"note of {block.name}",) if block.name == "b" else ())


def see(rows: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
    """A consumer that gives a row for all that it is given."""
    found = list(rows)
    counts = [sum(getattr(one, name).num_rows for one in found) for name in ("events", "refused")]
    notes = ";".join(note for one in found for note in one.notes)
    yield pa.record_batch([[counts[0]], [counts[1]], [notes]], schema=SEEN)


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


def test_each_part_reads_its_own_blocks() -> None:
    source = source_of(BLOCKS, read)
    assert rows_of(source.map(see, SEEN).collect()) == [(4, 2, ""), (0, 0, ""), (2, 1, "note of b")]


def test_the_blocks_of_a_part_are_read_in_the_order_of_the_file() -> None:
    order: list[int] = []

    def note_order(rows: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        order.extend(index for one in rows for index in one.events["index"].to_pylist())
        yield from ()

    source_of(BLOCKS[:2], read).map(note_order, SEEN).collect()
    assert order == [0, 1, 10, 11]


def test_rows_are_gathered_before_they_are_prepared() -> None:
    seen: list[int] = []

    def prepare(rows: pa.Table) -> ReadRows:
        seen.append(rows.num_rows)
        assert rows["process"].num_chunks == 1
        return ReadRows(rows.slice(1), refused_table("z", [RefusedRow("late", "x", 9)]), ("prepared",))

    source = source_of(BLOCKS, read, prepare)
    assert rows_of(source.map(see, SEEN).collect()) == [(5, 4, "note of b;prepared")]
    assert seen == [6]
    one_part = replace(source_of([(0, block) for _, block in BLOCKS], read, prepare), is_one_part=True)
    assert rows_of(one_part.map(see, SEEN).collect()) == [(5, 4, "note of b;prepared")]
    assert seen == [6, 6]


def test_if_there_are_no_rows_nothing_is_prepared() -> None:
    def refuse(block: Block) -> Iterator[ReadRows]:
        yield ReadRows(refused=refused_table(block.name, [RefusedRow("odd", "x", 1)]))

    def prepare(_rows: pa.Table) -> ReadRows:
        raise AssertionError("there are no rows")

    source = source_of(BLOCKS, refuse, prepare)
    assert rows_of(source.map(see, SEEN).collect()) == [(0, 3, "")]


def test_rows_of_different_types_are_gathered_as_one_table() -> None:
    """A reader may keep names as numbers in one block and as texts in another."""

    def read_mixed(block: Block) -> Iterator[ReadRows]:
        rows = events([Row("r", block.name, block.start, "move")], block.name)
        kind = pa.string() if block.name == "b" else rows["process"].type
        place = rows.column_names.index("process")
        yield ReadRows(rows.set_column(place, "process", rows["process"].cast(kind)))

    def prepare(rows: pa.Table) -> ReadRows:
        return ReadRows(rows, notes=(",".join(sorted(rows["process"].to_pylist())),))

    source = source_of(BLOCKS, read_mixed, prepare)
    assert rows_of(source.map(see, SEEN).collect()) == [(3, 0, "a,a,b")]


def test_rows_can_be_packed_and_unpacked() -> None:
    none = ReadRows()
    rows = [*read(BLOCKS[2][1]), ReadRows(events([Row("r", "a", 1, "move")]), notes=("n", "m"), unnamed=3), none]
    found = list(unpack_rows(pack_rows(rows)))
    for name in ("events", "refused"):
        tables = [getattr(one, name) for one in rows], [getattr(one, name) for one in found]
        before, after = ([row for table in some for row in table.to_pylist()] for some in tables)
        assert before == after
    assert [note for one in found for note in one.notes] == ["note of b", "n", "m"]
    assert sum(one.unnamed for one in found) == 3
    assert list(pack_rows([none])) == []
