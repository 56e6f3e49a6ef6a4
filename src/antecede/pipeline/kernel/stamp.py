"""Stamp and verify the rows of one task: some whole runs, or some windows with the states they are entered in.

The answer is by row: how many messages a deliver overtook, and the row of one of them; and by group whether
happened-before has a cycle, in which case nothing in it counts. Groups are walked together, as many as fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from antecede.pipeline.kernel.layout import Layout, Rows, lay_out

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Vectors:
    """What was known before a group began, as indices of sends, -1 for nothing: one vector after the other.

    Each belongs to a process of a group: to its entry, or, where `sent_index` is not -1, to a message in flight.
    """

    group: Longs
    process: Longs
    sent_index: Longs
    known: Longs  # flat: as many entries for each as its run has processes

    @staticmethod
    def none() -> Vectors:
        return Vectors(*(np.empty(0, np.int64) for _ in range(4)))


@dataclass(frozen=True, slots=True)
class Stamped:
    """By row: what it overtook, and the row of the first of that or -1. By group: has it a cycle."""

    overtaken: Longs
    witness: Longs
    cyclic: Flags

    def without(self, cyclic: Flags, group: Longs) -> Stamped:
        """The same, where these groups have a cycle too, or share one with the rest of their run."""
        counts = ~cyclic[group]
        return Stamped(self.overtaken * counts, np.where(counts, self.witness, -1), self.cyclic | cyclic)


def stamp(rows: Rows, entered: Vectors | None = None) -> Stamped:
    """Walk every group, from the states it was entered in or from nothing."""
    layout = lay_out(rows)
    known, slots = starting_state(layout, rows.widths, entered or Vectors.none())
    lanes = layout.lanes
    walked = layout.kernels.walk(lanes, known, slots, layout.flights, len(rows.widths))
    counts = ~walked.cyclic[lanes.group[lanes.lane_of]] & (walked.overtaken > 0)
    overtaken, witness = np.zeros(len(rows.group), np.int64), np.full(len(rows.group), -1, np.int64)
    overtaken[layout.event_row[counts]] = walked.overtaken[counts]
    witness[layout.event_row[counts]] = layout.entry_row[walked.witness[counts]]
    return Stamped(overtaken, witness, walked.cyclic)


def stamp_runs(rows: Rows, wide: Flags, *, vector_entries_max: int) -> Stamped:
    """Walk whole runs, but those too wide, in batches whose vectors have at most so many entries together."""
    result = Stamped(
        np.zeros(len(rows.group), np.int64), np.full(len(rows.group), -1, np.int64), np.zeros(len(wide), np.bool_)
    )
    narrow = ~wide[rows.group]
    widths = np.where(wide, 0, rows.widths)
    for start, end in _batches(widths, vector_entries_max):
        chosen = np.flatnonzero((rows.group >= start) & (rows.group < end) & narrow)
        done = stamp(_part(rows, chosen, start, widths[start:end]))
        result.overtaken[chosen] = done.overtaken
        result.witness[chosen] = np.where(done.witness >= 0, chosen[done.witness], -1)
        result.cyclic[start:end] = done.cyclic
    return result


def starting_state(layout: Layout, widths: Longs, entered: Vectors) -> tuple[Ints, Ints]:
    """The vectors of the lanes, and the slots that begin with the stamps of the flights, both in ranks."""
    lanes = layout.lanes
    known = np.zeros(lanes.base[-1], np.int32)
    slots = np.zeros((layout.flights + 64, int(widths.max(initial=0))), np.int32)
    ranks, column = _ranks(layout, widths, entered)
    width = widths[entered.group]
    lane = layout.lane_base[entered.group] + entered.process
    is_entry = np.repeat(entered.sent_index < 0, width)
    known[(np.repeat(lanes.base[lane], width) + column)[is_entry]] = ranks[is_entry]
    flight = np.empty(len(lane), np.int64)
    layout.kernels.located(layout.flight_start, layout.flight_index, lane, entered.sent_index, flight)
    is_read = np.repeat((entered.sent_index >= 0) & (flight >= 0), width)
    slots[np.repeat(flight, width)[is_read], column[is_read]] = ranks[is_read]
    return known, slots


def _ranks(layout: Layout, widths: Longs, entered: Vectors) -> tuple[Ints, Longs]:
    """The entries of the vectors as ranks, and the process that each entry is about."""
    width = widths[entered.group]
    ends = np.cumsum(width)
    column = np.arange(len(entered.known)) - np.repeat(ends - width, width)
    ranks = np.empty(len(column), np.int32)
    lane = np.repeat(layout.lane_base[entered.group], width) + column
    layout.kernels.ranked(layout.flight_start, layout.flight_index, lane, entered.known, ranks)
    return ranks, column


def _batches(widths: Longs, vector_entries_max: int) -> Iterator[tuple[int, int]]:
    """Ranges of groups, each of one group or within the limit together."""
    start, entries = 0, 0
    for group, width in enumerate(widths.tolist()):
        if group > start and entries + width * width > vector_entries_max:
            yield start, group
            start, entries = group, 0
        entries += width * width
    if len(widths):
        yield start, len(widths)


def _part(rows: Rows, chosen: Longs, start: int, widths: Longs) -> Rows:
    if len(chosen) == len(rows.group):
        return rows
    columns = ("process", "index", "role", "tick", "sender", "sent_index", "first", "addressed")
    return replace(
        rows,
        group=rows.group[chosen] - start,
        widths=widths,
        send=None,
        **{name: getattr(rows, name)[chosen] for name in columns},
    )
