"""Where the rows of a check come from. Whoever consumes them need not know.

A source runs a consumer on each part of the input: a function from the rows that were read to Arrow batches. The
consumer runs in the same task as the reading, so that rows are not written out between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from antecede.pipeline.read.blocks import blocks_in
from antecede.pipeline.read.rows import Reader, ReadRows
from antecede.pipeline.runner import Batches, Dataset, Runner

Consumer = Callable[[Iterator[ReadRows]], Iterator[pa.RecordBatch]]


class Source(Protocol):
    """Rows of the input in parts."""

    def map(self, consume: Consumer, schema: pa.Schema) -> Dataset:
        """Read every part, and run the consumer on its rows."""


@dataclass(frozen=True, slots=True)
class BlockSource:
    """Blocks of files, each read by the task that gets it."""

    runner: Runner
    blocks: pa.Table  # as `read.blocks.BLOCKS`
    read: Reader

    def map(self, consume: Consumer, schema: pa.Schema) -> Dataset:
        read = self.read

        def task(batches: Batches) -> Iterator[pa.RecordBatch]:
            return consume(rows for block in blocks_in(batches) for rows in read(block))

        return self.runner.hand_out(self.blocks).map(task, schema)
