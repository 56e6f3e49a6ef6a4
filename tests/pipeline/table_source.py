"""Tables of events as the source of a check, for tests that need no files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from antecede.pipeline import schema
from antecede.pipeline.read.rows import ReadRows, Wanted
from antecede.pipeline.read.source import Consumer
from antecede.pipeline.runner import PART, Batches, Dataset, InProcess, Runner
from tests.pipeline.traces import NEEDED, Row, events

PARTS = pa.schema([(PART, pa.int32())])


@dataclass(frozen=True, slots=True)
class TableSource:
    """Tables as `ReadRows` has them. Each of them is what one part reads."""

    runner: Runner
    tables: Sequence[pa.Table]

    def map(self, consume: Consumer, made: pa.Schema) -> Dataset:
        tables = self.tables

        def task(batches: Batches) -> Iterator[pa.RecordBatch]:
            parts = [part for batch in batches for part in batch.column(PART).to_pylist()]
            return consume(ReadRows(tables[part], schema.QUARANTINE.empty_table()) for part in parts)

        return self.runner.hand_out(pa.table([range(len(tables))], schema=PARTS)).map(task, made)


def source_of(
    rows: Sequence[Row], parts: int = 1, *, runner: Runner | None = None, wanted: Wanted = NEEDED
) -> TableSource:
    """Return rows as a source. Each part has one of the first rows, and then every row that is so many further on."""
    tables = [events(rows[part::parts], f"file {part}", wanted=wanted) for part in range(parts)]
    return TableSource(runner or InProcess(), tables)
