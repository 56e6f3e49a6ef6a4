"""Stamp and verify the rows of one task: some whole runs, or some windows with the states they are entered in.

The answer for each row is how many messages a deliver overtook, and the row of one of them. The answer for each group
is whether happened-before has a cycle; then nothing in the group counts. As many groups as fit are walked together.

Windows are judged with vectors. Whole runs are judged with bit masks, unless vectors are estimated to be faster:
`mask_blocks` and `vector_walk` say what each costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from antecede.pipeline.arrow import Doubles, Flags, Ints, Longs
from antecede.pipeline.kernel.layout import Layout, Rows, lay_out, line_up_channels
from antecede.pipeline.kernel.linear_order import LinearOrder
from antecede.pipeline.kernel.loops import kernels
from antecede.pipeline.kernel.mask_blocks import BlockPlan, find_overtakable, lay_out_masks, plan_blocks
from antecede.pipeline.kernel.vector_walk import DueChannels

VECTOR_EVENT_NS, VECTOR_ENTRY_NS = (
    150.0,
    1.0,
)  # the time for an event with vectors, and for each process of its run in addition


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors that say what was known before a group began, one vector after the other.

    A vector has an entry for each process: the index of its last send that was known, or -1. Each vector belongs to a
    process of a group: to the entry of the process into the group or, if `sent_index` is not -1, to its message in
    flight with this index.
    """

    group: Longs
    process: Longs
    sent_index: Longs
    known: Longs  # the entries of all vectors, as many for each as its run has processes

    @staticmethod
    def none() -> Vectors:
        return Vectors(*(np.empty(0, np.int64) for _ in range(4)))


@dataclass(frozen=True, slots=True)
class Stamped:
    """The result of a walk."""

    overtaken: Longs  # by row: how many messages a deliver overtook
    witness: Longs  # by row: the row of the first of them, or -1
    cyclic: Flags  # by group: whether it has a cycle

    def without(self, cyclic: Flags, group: Longs) -> Stamped:
        """Return the same result, in which the groups that are `cyclic` have a cycle too, and nothing overtaken.

        Such a group may share a cycle with the rest of its run. `group` is the group of each row.
        """
        counts = ~cyclic[group]
        return Stamped(self.overtaken * counts, np.where(counts, self.witness, -1), self.cyclic | cyclic)


def stamp(rows: Rows, entered: Vectors | None = None) -> Stamped:
    """Judge every group with vectors. `entered` has the states in which groups are entered; None means from nothing."""
    layout = lay_out(rows)
    order = layout.kernels.linearise(layout.lanes, layout.flights, len(rows.widths))
    return _walk_vectors(rows, layout, order, entered or Vectors.none())


def stamp_runs(rows: Rows, layout: Layout, *, vector_entries_max: int) -> Stamped:
    """Judge whole runs, each with masks or with vectors, whichever is estimated to be faster.

    `layout` is the layout of the rows. Runs that are walked together have at most `vector_entries_max` entries of 4
    bytes in their vectors. A run that needs more by itself is judged with masks. The masks take at most as much memory
    as the vectors.
    """
    order = layout.kernels.linearise(layout.lanes, 0, len(rows.widths))
    lanes, positions = len(layout.lanes.group), len(order.event)
    words_max = max(1, vector_entries_max // 2 // max(2 * lanes + order.slots, 1))
    plan = plan_blocks(find_overtakable(rows, layout, order), positions, words_max)
    group = layout.lanes.group[layout.lanes.lane_of[plan.pairs.send]]
    mask_ns = np.bincount(group, plan.pair_ns, len(rows.widths)).astype(np.float64)
    with_vectors = _faster_with_vectors(rows, mask_ns, order, vector_entries_max)
    batches = list(_batches(rows.widths, np.flatnonzero(with_vectors), vector_entries_max))
    if with_vectors.all() and len(batches) == 1:
        return _walk_vectors(rows, layout, order, Vectors.none())
    if with_vectors.any():
        plan = plan_blocks(plan.pairs.take(~with_vectors[group]), positions, words_max)
    result = _walk_masks(rows, layout, order, plan)
    for groups in batches:
        chosen = np.flatnonzero(np.isin(rows.group, groups))
        part = stamp(_part(rows, chosen, groups))
        result.overtaken[chosen] = part.overtaken
        result.witness[chosen] = np.where(part.witness >= 0, chosen[part.witness], -1)
    return result


def _faster_with_vectors(rows: Rows, mask_ns: Doubles, order: LinearOrder, vector_entries_max: int) -> Flags:
    """Return for each group whether vectors should take less time than `mask_ns`, and not too much memory."""
    events, widths = np.bincount(rows.group, minlength=len(rows.widths)), rows.widths
    vector_ns = events * (VECTOR_EVENT_NS + VECTOR_ENTRY_NS * widths) + VECTOR_ENTRY_NS * widths * widths
    return (vector_ns < mask_ns) & (widths * (widths + order.slots) <= vector_entries_max)


def _walk_masks(rows: Rows, layout: Layout, order: LinearOrder, plan: BlockPlan) -> Stamped:
    """Judge with masks the groups whose pairs are in the plan. In the other groups nothing is overtaken."""
    result = Stamped(np.zeros(len(rows.group), np.int64), np.full(len(rows.group), -1, np.int64), order.cyclic)
    if len(plan.words):
        steps, blocks, deliver = lay_out_masks(rows, layout, order, plan)
        overtaken, witness = kernels(plan.steps).walk_masks(steps, blocks, len(layout.lanes.group), order.slots)
        some = np.flatnonzero(overtaken)
        row = layout.event_row[order.event[some]]
        result.overtaken[row] = overtaken[some]
        result.witness[row] = layout.event_row[deliver[witness[some]]]
    return result


def _walk_vectors(rows: Rows, layout: Layout, order: LinearOrder, entered: Vectors) -> Stamped:
    """Judge all groups with vectors, from the states in which they are entered."""
    channels, entry_row = line_up_channels(rows, layout)
    known, slots = starting_state(layout, channels, order, rows.widths, entered)
    run = kernels(len(layout.event_row) * (8 + int(rows.widths.max(initial=0))))
    overtaken, witness = run.walk_vectors(layout.lanes, channels, order, known, slots)
    result = Stamped(np.zeros(len(rows.group), np.int64), np.full(len(rows.group), -1, np.int64), order.cyclic)
    some = np.flatnonzero(overtaken)
    result.overtaken[layout.event_row[some]] = overtaken[some]
    result.witness[layout.event_row[some]] = entry_row[witness[some]]
    return result


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
    layout.kernels.locate_events(layout.flight_start, layout.flight_index, lane, entered.sent_index, flight)
    is_read = np.repeat((entered.sent_index >= 0) & (flight >= 0), width)
    slots[np.repeat(flight, width)[is_read], column[is_read]] = ranks[is_read]
    return known, slots


def _ranks(layout: Layout, widths: Longs, entered: Vectors) -> tuple[Ints, Longs]:
    """Return the entries of the vectors as ranks, and the process that each entry is about."""
    width = widths[entered.group]
    ends = np.cumsum(width)
    column = np.arange(len(entered.known)) - np.repeat(ends - width, width)
    ranks = np.empty(len(column), np.int32)
    lane = np.repeat(layout.lane_base[entered.group], width) + column
    layout.kernels.rank_known(layout.flight_start, layout.flight_index, lane, entered.known, ranks)
    return ranks, column


def _batches(widths: Longs, groups: Longs, vector_entries_max: int) -> Iterator[Longs]:
    """Yield the groups in parts: the vectors of a part are within the limit together, or it is a single group."""
    start, entries = 0, 0
    for place, width in enumerate(widths[groups].tolist()):
        if place > start and entries + width * width > vector_entries_max:
            yield groups[start:place]
            start, entries = place, 0
        entries += width * width
    if len(groups):
        yield groups[start:]


def _part(rows: Rows, chosen: Longs, groups: Longs) -> Rows:
    """Return the rows that are `chosen`, which are all rows of these groups."""
    assert rows.send is not None
    place = np.full(len(rows.group) + 1, -1, np.int64)  # by row; the last one is for rows without a send, which is -1
    place[chosen] = np.arange(len(chosen))
    columns = ("process", "index", "role", "tick", "sender", "sent_index", "first", "addressed")
    return replace(
        rows,
        group=np.searchsorted(groups, rows.group[chosen]),
        widths=rows.widths[groups],
        send=place[rows.send[chosen]],
        **{name: getattr(rows, name)[chosen] for name in columns},
    )
