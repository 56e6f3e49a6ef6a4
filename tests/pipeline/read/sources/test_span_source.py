"""Spans that meet in several parts give what they give in one: events, refused rows, and what is counted of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antecede.judge.events import RefusedRow
from antecede.pipeline.check import Checked, check
from antecede.pipeline.limits import LIMITS
from antecede.pipeline.read import doubtful_rows
from antecede.pipeline.read.blocks import Block, table_of
from antecede.pipeline.read.formats import spans
from antecede.pipeline.read.rows import Reader, ReadRows, Wanted, refused_table
from antecede.pipeline.read.source import Source, read_blocks
from antecede.pipeline.read.sources.span_source import open_spans
from antecede.pipeline.runner import Dataset, InProcess
from antecede.pipeline.spark.runner import SparkRunner
from tests.pipeline.read.formats.span_files import link, request, span
from tests.pipeline.written_tables import CheckFiles

ALL = Wanted(all_columns=True)
SEEN = pa.schema([("events", pa.string()), ("refused", pa.string()), ("unnamed", pa.int64())])
Files = dict[str, list[pa.Table]]


def random_files(rng: random.Random) -> Files:
    """Return files of several blocks. Few ids, keys and starts, so that many are equal; lines may have several spans,
    and some spans come twice."""
    keys = [f"k{number}" for number in range(rng.randint(1, 12))]
    processes = ["p", "q", "r", "s", "", None]

    def some(most: int) -> list[str]:
        return [rng.choice(keys) for _ in range(rng.randint(0, most))]

    def one(line: int) -> dict[str, Any]:
        start = rng.randint(1, 8)
        own = rng.choice("abcd")
        return {
            "line": line,
            "span": own,
            "role": rng.choice(spans.ROLES),
            "process": rng.choice(processes),
            "start": start / 1e9,
            "start_order": start,
            "keys": [*some(2), own],
            "arrivals": [some(3) for _ in range(rng.choice([1, 1, 1, 2, 3]))],
            "own_name": rng.choice([None, *keys]),
            "dests": rng.choice([None, ["q"], []]),
            "group": rng.choice([None, "g"]),
            "attributes": [("n", str(rng.random()))],
        }

    files: Files = {}
    for name in rng.sample(["a", "b", "c"], rng.randint(1, 3)):
        blocks, line = [], 1
        for _ in range(rng.randint(1, 3)):
            rows = []
            for _ in range(rng.randint(0, 15)):
                rows.append({**one(line), "file": name})
                if rng.random() < 0.2:
                    rows.append({**rows[-1], "role": rng.choice(spans.ROLES), "attributes": [("twice", "yes")]})
                line += rng.randint(0, 1)
            blocks.append(pa.Table.from_pylist(rows, spans.SPANS))
            line += 1
        files[name] = blocks
    return files


def read_block(files: Files, block: Block) -> Iterator[ReadRows]:
    """Give the spans of a block, and a refused row for every block but the first of its file."""
    refused = [RefusedRow("odd", "x", block.start)] if block.start else []
    table = files[block.name][block.start]
    yield ReadRows(table.slice(0, 4), refused_table(block.name, refused))
    yield ReadRows(table.slice(4))


def cut(files: Files, rng: random.Random) -> pa.Table:
    """Return the blocks, of which neighbours may be read by the same part."""
    part, found = 0, []
    for name in sorted(files):
        for start in range(len(files[name])):
            found.append((part, Block(path=name, name=name, version=None, start=start, end=start + 1)))
            part += rng.randint(0, 1)
    return table_of(found)


def prepare(rows: pa.Table) -> ReadRows:
    events, unnamed = spans.resolve_spans(rows)
    kept, refused = doubtful_rows.refuse_bad_events(events)
    return ReadRows(kept, refused, unnamed=unnamed)


def gather_spans(blocks: pa.Table, read: Reader) -> Source:
    """Return blocks of spans as a source whose spans meet in one part."""
    return Source(InProcess(), InProcess().hand_out(blocks), partial(read_blocks, read=read), prepare)


def see(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
    """A consumer that shows each row."""
    for rows in read:
        assert rows.events.schema.names == ALL.events.names or not rows.events.num_rows
        shown = [[json.dumps(row) for row in table.to_pylist()] for table in (rows.events, rows.refused)]
        length = max(1, *map(len, shown))
        padded = [column + [None] * (length - len(column)) for column in shown]
        yield pa.record_batch([*padded, [rows.unnamed] + [0] * (length - 1)], schema=SEEN)


def look(source: Source) -> tuple[Sequence[str], Sequence[str], int]:
    """Return the events and the refused rows in one order, and the number of arrivals without a name."""
    found = source.map(see, SEEN).collect()
    events, refused = (sorted(found[name].drop_null().to_pylist()) for name in ("events", "refused"))
    return events, refused, sum(found["unnamed"].to_pylist())


@pytest.mark.parametrize("parts", [1, 2, 7])
@pytest.mark.parametrize("is_kept", [False, True])
def test_random_spans_in_any_number_of_parts_give_the_same(parts: int, is_kept: bool) -> None:
    for seed in range(60):
        rng = random.Random(seed)
        files = random_files(rng)
        blocks, read = cut(files, rng), partial(read_block, files)
        gathered = look(gather_spans(blocks, read))
        source = open_spans(InProcess(), blocks, read, ALL, parts=parts, kept=[] if is_kept else None)
        assert look(source) == gathered, f"seed {seed}"
        assert look(source) == gathered, f"seed {seed}, again"


def test_only_wanted_columns_are_given() -> None:
    files = random_files(random.Random(1))
    names: set[tuple[str, ...]] = set()

    def note(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        names.update(tuple(rows.events.column_names) for rows in read)
        yield from ()

    source = open_spans(InProcess(), cut(files, random.Random(1)), partial(read_block, files), Wanted(), parts=3)
    source.map(note, SEEN).collect()
    assert tuple(Wanted().events.names) in names


def test_events_are_computed_once_if_they_are_kept() -> None:
    files = random_files(random.Random(5))
    blocks = cut(files, random.Random(5))
    blocks_read: list[str] = []

    def read(block: Block) -> Iterator[ReadRows]:
        blocks_read.append(block.name)
        return read_block(files, block)

    kept: list[Dataset] = []
    source = open_spans(InProcess(), blocks, read, ALL, parts=2, kept=kept)
    assert look(source) == look(source)
    assert (len(blocks_read), len(kept)) == (blocks.num_rows, 1)
    again = open_spans(InProcess(), blocks, read, ALL, parts=2)
    assert look(again) == look(again)
    assert len(blocks_read) == 3 * blocks.num_rows


def test_spark_gives_the_same(spark: SparkSession) -> None:
    rng = random.Random(11)
    files = random_files(rng)
    blocks, read = cut(files, rng), partial(read_block, files)
    gathered = look(gather_spans(blocks, read))
    kept: list[Dataset] = []
    assert look(open_spans(SparkRunner(spark), blocks, read, ALL, parts=3, kept=kept)) == gathered
    kept[0].release()


# Whole checks.

TINY = replace(LIMITS, in_place_bytes=100, block_bytes=2_000, span_bytes=400, gathered_spans=10)


def write_traffic(write_lines: Callable[[str, Sequence[object]], str]) -> str:
    """Write spans of four services that send each other messages, some of which arrive out of order or are nameless."""
    rng = random.Random(3)
    lines = []
    sent: list[int] = []
    for number in range(1, 120):
        service = f"s{number % 4}"
        if rng.random() < 0.4 or not sent:
            lines.append(request(service, span(number, 4, messaging_operation_type="publish")))
            sent.append(number)
        elif rng.random() < 0.1:
            lines.append(request(service, span(number, 5, messaging_operation_type="process")))
        else:
            links = [link(rng.choice(sent[-6:]))]
            lines.append(request(service, span(number, 5, links=links, messaging_operation_type="process")))
    return write_lines("traffic.jsonl", [*lines, "broken", *lines[:2]])


@pytest.mark.parametrize(
    ("limits", "windows"),
    [(TINY, None), (TINY, 3), (replace(TINY, run_events_max=10, window_events=30), None)],
    ids=["one judge", "windows", "large"],
)
def test_a_check_of_spans_in_parts_says_and_writes_the_same(
    write_lines: Callable[[str, Sequence[object]], str],
    check_files: CheckFiles,
    limits: Any,
    windows: int | None,
) -> None:
    path = write_traffic(write_lines)
    gathered = replace(limits, gathered_spans=1_000_000)
    whole, parted = (check_files(path, limits=one, windows=windows) for one in (gathered, limits))
    assert whole.checked.answer.verdict == "violated"
    for name in ("events", "deliveries", "violations", "quarantine", "messages", "links", "processes"):
        assert parted.rows(name) == whole.rows(name), name


def test_a_check_of_spans_in_parts_has_the_same_notes(
    write_lines: Callable[[str, Sequence[object]], str],
) -> None:
    path = write_traffic(write_lines)
    whole, parted = (check(InProcess(), [path], limits=limits) for limits in (LIMITS, TINY))
    assert (parted.notes, said(parted)) == (whole.notes, said(whole))
    assert any(note.startswith("consumer spans that name no message: ") for note in whole.notes)


def said(checked: Checked) -> Any:
    return checked.as_dict(), [violation.words for violation in checked.explained]
