"""Count the rows of the input while they are read, by file, and refused rows also by reason. Keep some of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline.arrow import codes, fill_table
from antecede.pipeline.read import content
from antecede.pipeline.read.rows import ReadRows
from antecede.pipeline.results import FILES, NOTES, REASONS, UNNAMED, Told, tell

REFUSED_TOLD_MAX = 100


@dataclass(slots=True)
class RowCounts:
    """Counts of the rows that were read so far: events and refused rows by file, reasons of refused rows, and notes.

    `rows` has the first of the refused rows, or all of them if `keeps_all`.
    """

    keeps_all: bool = False

    events: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    damaged: set[str] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)
    rows: list[pa.Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unnamed: int = 0

    def watch(self, read: Iterable[ReadRows]) -> Iterator[pa.Table]:
        """Yield the events of rows, and count them."""
        for rows in read:
            self.take(rows)
            yield rows.events

    def take(self, rows: ReadRows) -> None:
        if rows.events.num_rows:
            file, names = codes(rows.events["file"])
            counts = np.bincount(file, minlength=len(names)).tolist()
            self.events.update(dict(zip(names.to_pylist(), counts, strict=True)))
        self.notes += rows.notes
        self.unnamed += rows.unnamed
        self.refuse(rows.refused)

    def refuse(self, rows: pa.Table) -> None:
        if not rows.num_rows:
            return
        self.refused.update(rows["file"].to_pylist())
        self.reasons.update(rows["reason"].to_pylist())
        damaged = pc.starts_with(rows["reason"], content.DAMAGED)
        self.damaged.update(rows["file"].filter(damaged).to_pylist())
        room = REFUSED_TOLD_MAX - sum(table.num_rows for table in self.rows)
        self.rows.append(rows if self.keeps_all else rows.slice(0, max(room, 0)))

    def tell(self) -> Told:
        names = sorted({*self.events, *self.refused})
        yield from tell(
            "files",
            fill_table(
                FILES,
                len(names),
                file=names,
                events=[self.events[name] for name in names],
                refused=[self.refused[name] for name in names],
                is_damaged=[name in self.damaged for name in names],
            ),
        )
        common = self.reasons.most_common(REFUSED_TOLD_MAX)
        if common:
            yield from tell("refused", pa.concat_tables(self.rows).slice(0, REFUSED_TOLD_MAX))
            reasons, rows = zip(*common, strict=True)
            yield from tell("reasons", fill_table(REASONS, len(common), reason=reasons, rows=rows))
        yield from tell("notes", fill_table(NOTES, len(self.notes), note=self.notes))
        if self.unnamed:
            yield from tell("unnamed", fill_table(UNNAMED, 1, arrivals=[self.unnamed]))
