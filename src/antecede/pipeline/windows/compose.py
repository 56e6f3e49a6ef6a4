"""Choose where to cut one huge run into windows, summarise the windows, and compose the summaries.

A cut by time is consistent if no deliver precedes its send on the clocks used. `shifts` moves the clocks of the
processes until this is so: it solves x[receiver] - x[sender] + slack >= 0 for every link, by Bellman-Ford.

A window has *ends*: the last state of each lane, and the messages that leave the window. The knowledge at an end is the
entrywise maximum of the window's own sends and of some vectors from before the window. So a window can be summarised
without knowing these vectors. Its summary says for each end what the end has reached: the latest send that it knows of
each process, and the processes whose entry into the window it knows. If an end does not know the entry of a process,
the latest send that it knows of this process was in flight. This send stands for all earlier ones, because the stamps
of a sender only grow. `Composition` puts the summaries together, window after window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from antecede.pipeline.arrow import SEND, Flags, Longs
from antecede.pipeline.kernel.layout import CROSSING, Layout, Rows, lay_out, line_up_channels
from antecede.pipeline.kernel.linear_order import LinearOrder
from antecede.pipeline.kernel.vector_walk import DueChannels

NOTHING = -1


@dataclass(frozen=True, slots=True)
class Ends:
    """What the ends of some groups have reached. An end is the last state of a process, or a message that leaves.

    `sends` and `entries` are vectors, one after the other, each as long as the run has processes. `sends` has the index
    of the latest send that is known of each process, or NOTHING. `entries` says whether the entry of the process into
    the group is known.
    """

    group: Longs
    process: Longs  # whose last state it is, or who sent the message
    sent_index: Longs  # the index of the send; NOTHING for a last state
    reached: Sequence[Sequence[int]]  # the windows in which the message is delivered
    sends: Longs
    entries: Flags
    cyclic: Flags  # by group: whether it has a cycle
    spans: Longs  # by last state: its group, process, first index and last index


@dataclass(frozen=True, slots=True)
class End:
    """One of `Ends`, of the window that is composed next. `reached_windows` are those where a message is delivered."""

    process: int
    sent_index: int
    sends: Longs
    entries: Flags
    reached_windows: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """A vector of what is known when `process` enters `window`, or by a message of `process` that is delivered there.

    `sent_index` is the index of the send of this message, or NOTHING. `known` has the index of the latest send that is
    known of each process.
    """

    window: int
    process: int
    sent_index: int
    known: Longs


def shifts(processes: int, sender: Longs, receiver: Longs, slack: Longs) -> Longs | None:
    """Return a number to add to the clock of each process, so that no deliver precedes its send, or None.

    `slack` is the least difference of deliver and send on each link, from `sender` to `receiver`. The result is None if
    no such numbers exist.
    """
    shift = np.zeros(processes, np.int64)
    for _ in range(processes + 1):
        before = shift.copy()
        np.minimum.at(shift, sender, shift[receiver] + slack)
        if np.array_equal(before, shift):
            return shift
    return None


def thresholds(tick: Longs, counts: Longs, windows: int) -> Longs:
    """Return the ticks at which to cut into at most `windows` windows, which are about even.

    `counts` has the number of events at each `tick`.
    """
    order = np.argsort(tick)
    tick, window = tick[order], spread(counts[order], windows)
    return np.unique(tick[1:][np.diff(window) > 0])


def spread(counts: Longs, windows: int) -> Longs:
    """Return the window of each bucket of time. There are at most `windows` windows, about even, in order.

    `counts` has the number of events in each bucket.
    """
    before = np.cumsum(counts) - counts
    window = np.minimum(before * windows // max(int(counts.sum()), 1), windows - 1)
    return np.unique(window, return_inverse=True)[1].astype(np.int64)


def summarise(rows: Rows, reached: Longs) -> Ends:
    """Walk windows from unknown states, and return what each end has reached. The order is not verified.

    `reached` has for each row the window that its message gets to.
    """
    rows = replace(rows, addressed=np.zeros_like(rows.addressed))
    layout = lay_out(rows)
    channels, _ = line_up_channels(rows, layout)
    leaving, gets_to = _leaving(layout, rows, reached)
    readers = layout.lanes.readers.copy()
    readers[leaving] += 1  # their stamps must still be there at the end
    lanes = layout.lanes._replace(readers=readers)
    order = layout.kernels.linearise(lanes, layout.flights, len(rows.widths))
    known, slots = _unknown(layout, channels, order, rows.widths)
    layout.kernels.walk_vectors(lanes, channels, order, known, slots)

    last = np.flatnonzero(np.diff(lanes.start))
    lane = np.concatenate([last, lanes.lane_of[leaving]]).astype(np.int64)
    group = lanes.group[lane].astype(np.int64)
    width = rows.widths[group]
    column = np.arange(int(width.sum())) - np.repeat(np.cumsum(width) - width, width)
    end = np.repeat(np.arange(len(lane)), width)
    of_state = end < len(last)
    ranks = np.empty(len(column), np.int64)
    ranks[of_state] = known[channels.base[lane[end[of_state]]] + column[of_state]]
    ranks[~of_state] = slots[np.maximum(order.slot[leaving], 0)[end[~of_state] - len(last)], column[~of_state]]
    sends, entries = _indices(layout, rows, np.repeat(layout.lane_base[group], width) + column, ranks)
    index = np.concatenate([np.full(len(last), NOTHING), rows.index[layout.event_row[leaving]]])
    process = lane - layout.lane_base[group]
    first, final = layout.event_row[lanes.start[last]], layout.event_row[lanes.start[last + 1] - 1]
    spans = np.stack([group[: len(last)], process[: len(last)], rows.index[first], rows.index[final]])
    nowhere: list[list[int]] = [[]] * len(last)
    return Ends(group, process, index, nowhere + gets_to, sends, entries, order.cyclic, spans)


class Composition:
    """The states of one run at the start of the next window, composed from the ends of the windows before it."""

    def __init__(self, processes: int) -> None:
        self._states = np.full((processes, processes), NOTHING, np.int64)
        self._flights: dict[tuple[int, int], Longs] = {}
        self._until: dict[int, list[tuple[int, int]]] = {}  # by window: the messages whose last deliver is in it

    def compose(self, window: int, ends: Iterable[End]) -> Iterator[Known]:
        """Take in the ends of the next window. Yield what is known at its entries, and by the messages that leave it.

        The knowledge of a message is yielded for each window where the message is delivered.
        """
        states = self._states.copy()
        leaving: dict[tuple[int, int], Longs] = {}
        for end in ends:
            if end.sent_index == NOTHING:
                yield Known(window, end.process, NOTHING, self._states[end.process])
                states[end.process] = self._known(end)
            else:
                leaving[end.process, end.sent_index] = known = self._known(end)
                self._until.setdefault(max(end.reached_windows), []).append((end.process, end.sent_index))
                yield from (Known(reached, end.process, end.sent_index, known) for reached in end.reached_windows)
        self._states = states
        self._flights.update(leaving)
        for message in self._until.pop(window, ()):
            del self._flights[message]

    def _known(self, end: End) -> Longs:
        parts = [end.sends]
        if end.entries.any():
            parts.append(self._states[end.entries].max(axis=0))
        flown = np.flatnonzero(~end.entries & (end.sends != NOTHING)).tolist()
        parts += [self._flights[process, int(end.sends[process])] for process in flown]
        return np.maximum.reduce(parts)


def _leaving(layout: Layout, rows: Rows, reached: Longs) -> tuple[Longs, list[list[int]]]:
    """Return the sends of the messages that leave the window they were sent in, and the windows that each gets to.

    The sends are events of `layout`.
    """
    crossing = np.flatnonzero(rows.role == CROSSING)
    lane = layout.lane_base[rows.group[crossing]] + rows.sender[crossing]
    event = np.empty(len(crossing), np.int64)
    layout.kernels.locate_events(
        layout.lanes.start, rows.index[layout.event_row], lane, rows.sent_index[crossing], event
    )
    here = event >= 0  # the other messages were sent in an earlier window, and leave from there
    pairs = np.unique(np.stack([event[here], reached[crossing[here]]]), axis=1)
    leaving, starts = np.unique(pairs[0], return_index=True)
    return leaving, [part.tolist() for part in np.split(pairs[1], starts[1:])] if len(leaving) else []


def _unknown(
    layout: Layout, channels: DueChannels, order: LinearOrder, widths: Longs
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the vectors of the lanes and the slots of the flights, if nothing before the windows is known.

    Each lane knows its own entry, and each message in flight knows itself.
    """
    lanes, lane = layout.lanes, np.arange(len(layout.lanes.group))
    own = lane - layout.lane_base[lanes.group]
    known = np.zeros(channels.base[-1], np.int32)
    known[channels.base[:-1] + own] = np.diff(layout.flight_start) + 1
    slots = np.zeros((order.slots, int(widths.max(initial=0))), np.int32)
    number = np.arange(layout.flights)
    slots[number, own[layout.flight_lane]] = number - layout.flight_start[layout.flight_lane] + 1
    return known, slots


def _indices(layout: Layout, rows: Rows, lane: Longs, rank: Longs) -> tuple[Longs, Flags]:
    """Return for each rank the index of its send, and whether it includes the entry of its lane.

    `lane` is the lane that each rank is about.
    """
    sent = rows.role[layout.event_row] == SEND
    send_index = rows.index[layout.event_row[sent]]
    sends_before = np.concatenate([[0], np.cumsum(sent)])[layout.lanes.start]
    flights = np.diff(layout.flight_start)[lane]
    entered = rank > flights
    index = np.full(len(rank), NOTHING, np.int64)
    flown = (rank > 0) & ~entered
    index[flown] = layout.flight_index[layout.flight_start[lane[flown]] + rank[flown] - 1]
    here = rank > flights + 1
    index[here] = send_index[sends_before[lane[here]] + rank[here] - flights[here] - 2]
    return index, entered
