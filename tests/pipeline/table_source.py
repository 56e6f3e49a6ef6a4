"""Tables of events as the source of a check, for tests that need no files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from antecede.pipeline.read.rows import ReadRows, Wanted
from antecede.pipeline.read.source import Source
from antecede.pipeline.runner import PART, Batches, InProcess, Runner
from tests.pipeline.traces import NEEDED, Row, events

PARTS = pa.schema([(PART, pa.int32())])


@dataclass(frozen=True, slots=True)
class TableSource(Source):
    """A source that reads `tables`, which are as `ReadRows` has them. Each of them is what one part reads."""

    tables: Sequence[pa.Table] = ()


def read_tables(runner: Runner, tables: Sequence[pa.Table]) -> TableSource:
    parts = runner.hand_out(pa.table([range(len(tables))], schema=PARTS))
    return TableSource(runner, parts, partial(_read, tables), tables=tables)


def _read(tables: Sequence[pa.Table], batches: Batches) -> Iterator[ReadRows]:
    for batch in batches:
        yield from (ReadRows(tables[part]) for part in batch.column(PART).to_pylist())


def source_of(
    rows: Sequence[Row], parts: int = 1, *, runner: Runner | None = None, wanted: Wanted = NEEDED
) -> TableSource:
    """Return rows as a source. Each part has one of the first rows, and then every row that is so many further on."""
    tables = [events(rows[part::parts], f"file {part}", wanted=wanted) for part in range(parts)]
    return read_tables(runner or InProcess(), tables)
