"""Stamp and verify the rows of one task: some whole runs, or some windows with the states they are entered in.

The answer is by row: how many messages a deliver overtook, and the row of one of them; and by group whether
happened-before has a cycle, in which case nothing in it counts. Groups are walked together, as many as fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from antecede.pipeline.kernel.layout import Layout, Rows, lay_out, line_up_channels
from antecede.pipeline.kernel.linear_order import LinearOrder
from antecede.pipeline.kernel.loops import kernels
from antecede.pipeline.kernel.mask_blocks import find_overtakable, lay_out_masks, plan_blocks
from antecede.pipeline.kernel.vector_walk import DueChannels

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

VECTOR_PROCESSES = 256
VECTOR_ENTRY_NS = 0.3  # what an event takes for each process of its run, if it is judged with vectors
STEPS_PER_EVENT = 16  # to put it in order and to find what can overtake it


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

    def fill(self, chosen: Longs, part: Stamped) -> None:
        """Write the answers for some rows, of which `part` has these alone."""
        self.overtaken[chosen] = part.overtaken
        self.witness[chosen] = np.where(part.witness >= 0, chosen[part.witness], -1)


def stamp(rows: Rows, entered: Vectors | None = None) -> Stamped:
    """Judge every group with vectors, from the states it was entered in or from nothing."""
    layout = lay_out(rows, 8 + int(rows.widths.max(initial=0)))
    channels, entry_row = line_up_channels(rows, layout)
    order = layout.kernels.linearise(layout.lanes, layout.flights, len(rows.widths))
    known, slots = starting_state(layout, channels, order, rows.widths, entered or Vectors.none())
    by_event, by_entry = layout.kernels.walk_vectors(layout.lanes, channels, order, known, slots)
    overtaken, witness = np.zeros(len(rows.group), np.int64), np.full(len(rows.group), -1, np.int64)
    some = by_event > 0
    overtaken[layout.event_row[some]] = by_event[some]
    witness[layout.event_row[some]] = entry_row[by_entry[some]]
    return Stamped(overtaken, witness, order.cyclic)


def stamp_runs(rows: Rows, *, vector_entries_max: int, vector_processes: int = VECTOR_PROCESSES) -> Stamped:
    """Judge whole runs, each with vectors or with masks, whichever is estimated to be faster.

    Runs of at most `vector_processes` processes are judged with vectors, without an estimate. Runs are walked together
    as long as their vectors have at most `vector_entries_max` entries of 4 bytes. Masks are given as much memory.
    """
    result = Stamped(
        np.zeros(len(rows.group), np.int64),
        np.full(len(rows.group), -1, np.int64),
        np.zeros(len(rows.widths), np.bool_),
    )
    wide = rows.widths > vector_processes
    if wide.any():
        wide = _stamp_wide(rows, wide, result, vector_entries_max)
    widths = np.where(wide, 0, rows.widths)
    for start, end in _batches(widths, vector_entries_max):
        chosen = np.flatnonzero((rows.group >= start) & (rows.group < end) & ~wide[rows.group])
        if len(chosen):
            done = stamp(_part(rows, chosen, start, widths[start:end]))
            result.fill(chosen, done)
            result.cyclic[start:end] |= done.cyclic
    return result


def _stamp_wide(rows: Rows, wide: Flags, result: Stamped, vector_entries_max: int) -> Flags:
    """Judge these groups with masks, but those that are faster with vectors. Return the groups that are judged."""
    chosen, widths = np.flatnonzero(wide[rows.group]), np.where(wide, rows.widths, 0)
    part = _part(rows, chosen, 0, widths)
    layout = lay_out(part, STEPS_PER_EVENT)
    order = layout.kernels.linearise(layout.lanes, 0, len(widths))
    lanes, slots, positions = len(layout.lanes.group), order.slots, len(order.event)
    words_max = max(1, vector_entries_max // 2 // (2 * lanes + slots))
    plan = plan_blocks(find_overtakable(part, layout, order), positions, words_max)

    group = layout.lanes.group[layout.lanes.lane_of[plan.pairs.send]]
    mask_ns = np.bincount(group, plan.pair_ns, len(widths))
    events = np.bincount(part.group, minlength=len(widths))
    vector_ns = VECTOR_ENTRY_NS * widths * (events + widths)
    with_vectors = (vector_ns < mask_ns) & (widths * (widths + slots) <= vector_entries_max)
    if with_vectors.any():
        plan = plan_blocks(plan.pairs.take(~with_vectors[group]), positions, words_max)

    if len(plan.words):
        steps, blocks, delivers = lay_out_masks(part, layout, order, plan)
        overtaken, witness = kernels(plan.steps).walk_masks(steps, blocks, lanes, slots)
        some = np.flatnonzero(overtaken)
        row = chosen[layout.event_row[order.event[some]]]
        result.overtaken[row] = overtaken[some]
        result.witness[row] = chosen[layout.event_row[delivers[witness[some]]]]
    result.cyclic[:] |= order.cyclic
    return wide & ~with_vectors


def starting_state(
    layout: Layout, channels: DueChannels, order: LinearOrder, widths: Longs, entered: Vectors
) -> tuple[Ints, Ints]:
    """Return the vectors of the lanes, and the slots that begin with the stamps of the flights, both in ranks."""
    known = np.zeros(channels.base[-1], np.int32)
    slots = np.zeros((order.slots, int(widths.max(initial=0))), np.int32)
    ranks, column = _ranks(layout, widths, entered)
    width = widths[entered.group]
    lane = layout.lane_base[entered.group] + entered.process
    is_entry = np.repeat(entered.sent_index < 0, width)
    known[(np.repeat(channels.base[lane], width) + column)[is_entry]] = ranks[is_entry]
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
    """Return the chosen rows, which are all rows of some groups. The first group that is in `widths` is `start`."""
    if len(chosen) == len(rows.group) and len(widths) == len(rows.widths):
        return rows
    assert rows.send is not None
    place = np.full(len(rows.group) + 1, -1, np.int64)  # one more, for the send that does not exist
    place[chosen] = np.arange(len(chosen))
    columns = ("process", "index", "role", "tick", "sender", "sent_index", "first", "addressed")
    return replace(
        rows,
        group=rows.group[chosen] - start,
        widths=widths,
        send=place[rows.send[chosen]],
        **{name: getattr(rows, name)[chosen] for name in columns},
    )
