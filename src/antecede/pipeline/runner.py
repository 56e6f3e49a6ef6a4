"""Run tasks. A task is a function from Arrow batches to Arrow batches that does not know who runs it.

    rows with a column `part`          part 0   part 1   part 2      `hand_out` gives every part its rows
                                          |        |        |
    map(task)                          task     task     task        each part goes through the task by itself
                                          |\\      /|\\      /|
    deal(n)                            part 0   part 1  ...          rows go to the part that their column names
                                          |        |
    collect()                          one table

A `Runner` starts the first step, and a `Dataset` is the result of a step. Nothing is computed before `collect`; after
`keep`, nothing is computed more than once. `InProcess` runs everything in the calling process, one part after the
other. `antecede.pipeline.spark.runner` has the runner on Spark. Both runners give the same rows; only the order of the
parts in a collected table may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.errors import UnreadableInput

Batches = Iterable[pa.RecordBatch]
Task = Callable[[Batches], Iterator[pa.RecordBatch]]
PART = "part"
"""The column that says which part a row is for."""
LINE = "antecede line"
"""The column that numbers the rows of a `Frame`."""


LISTED_FILES = pa.schema([("path", pa.string()), ("bytes", pa.int64()), ("version", pa.string())])
CONTENTS = pa.schema([("path", pa.string()), ("content", pa.binary())])


class Dataset(Protocol):
    """The rows that a step gives, in several parts."""

    def map(self, task: Task, schema: pa.Schema) -> Dataset:
        """Run `task` on every part. `schema` is the schema of the rows that the task yields."""

    def deal(self, parts: int) -> Dataset:
        """Give each row to the part that its column `part` names. There are `parts` of them."""

    def where(self, name: str, values: Sequence[str | int], *, are_wanted: bool = True) -> Dataset:
        """Return the rows whose value in column `name` is one of `values`, or the others if `are_wanted` is false."""

    def and_also(self, other: Dataset) -> Dataset:
        """Return the rows of this and another dataset, with the same schema. The next step must be `deal`."""

    def keep(self) -> Dataset:
        """Compute the rows once, to collect or map them several times. Call `release` afterwards."""

    def release(self) -> None:
        """Release the rows that `keep` holds."""

    def collect(self) -> pa.Table:
        """Compute all rows and return them. They must be few."""


class Runner(Protocol):
    """An engine that runs tasks."""

    @property
    def cores(self) -> int:
        """Return about how many tasks run at the same time."""

    def hand_out(self, rows: pa.Table) -> Dataset:
        """Give each row to the part that its column `part` names."""

    def call(self, task: Task, rows: pa.Table, schema: pa.Schema) -> pa.Table:
        """Run one small task on `rows`, in the place where tasks run, and return the rows that it yields.

        `schema` is the schema of these rows.
        """

    def list_files(self, paths: Sequence[str]) -> pa.Table:
        """Return the files of paths that Arrow cannot open, as `LISTED_FILES`. Empty files may be left out."""

    def read_files(self, paths: Sequence[str]) -> Dataset:
        """Return the content of files that Arrow cannot open, as `CONTENTS`."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of a DataFrame of the caller, with columns `names`. Each row has a number of its own in `LINE`."""

    rows: Dataset
    names: tuple[str, ...]


class InProcess:
    """A runner that runs every task in the calling process, one after the other."""

    @property
    def cores(self) -> int:
        return 1

    def hand_out(self, rows: pa.Table) -> Dataset:
        return _Parts(lambda: _deal(rows.to_batches(), rows.schema, _part_count(rows)), rows.schema)

    def call(self, task: Task, rows: pa.Table, schema: pa.Schema) -> pa.Table:
        return pa.Table.from_batches(task(rows.to_batches()), schema)

    def list_files(self, paths: Sequence[str]) -> pa.Table:
        raise UnreadableInput(
            f"{', '.join(paths)}: Arrow cannot open this path; Spark may: leave out --master in-process, or copy the "
            "files to this machine"
        )

    def read_files(self, paths: Sequence[str]) -> Dataset:
        raise UnreadableInput(f"{', '.join(paths)}: only Spark hands out the content of files")


class _Parts:
    """The batches of each part, or the step that computes them."""

    def __init__(self, compute: Callable[[], Iterable[Batches]], schema: pa.Schema) -> None:
        self._compute = compute
        self._schema = schema
        self._kept: Sequence[Sequence[pa.RecordBatch]] | None = None

    def map(self, task: Task, schema: pa.Schema) -> Dataset:
        return _Parts(lambda: (task(batches) for batches in self._parts()), schema)

    def deal(self, parts: int) -> Dataset:
        def compute() -> Iterable[Batches]:
            return _deal([batch for batches in self._parts() for batch in batches], self._schema, parts)

        return _Parts(compute, self._schema)

    def where(self, name: str, values: Sequence[str | int], *, are_wanted: bool = True) -> Dataset:
        def choose(batches: Batches) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                found = pc.is_in(batch.column(name), pa.array(values, batch.schema.field(name).type))
                yield batch.filter(found if are_wanted else pc.invert(found))

        return self.map(choose, self._schema)

    def and_also(self, other: Dataset) -> Dataset:
        assert isinstance(other, _Parts)
        return _Parts(lambda: [*self._parts(), *other._parts()], self._schema)

    def keep(self) -> Dataset:
        self._kept = [list(batches) for batches in self._parts()]
        return self

    def release(self) -> None:
        self._kept = None

    def collect(self) -> pa.Table:
        return pa.Table.from_batches([batch for batches in self._parts() for batch in batches], self._schema)

    def _parts(self) -> Iterable[Batches]:
        return self._compute() if self._kept is None else self._kept


def _part_count(rows: pa.Table) -> int:
    return int(rows[PART].to_numpy().max(initial=-1)) + 1


def _deal(batches: Sequence[pa.RecordBatch], schema: pa.Schema, parts: int) -> list[list[pa.RecordBatch]]:
    """Return the rows of each part in the order in which they came. A part may be empty."""
    if not batches:
        return [[] for _ in range(parts)]
    table = pa.Table.from_batches(batches, schema)
    part = table[PART].to_numpy()
    return [table.take(pa.array(np.flatnonzero(part == number))).to_batches() for number in range(parts)]
