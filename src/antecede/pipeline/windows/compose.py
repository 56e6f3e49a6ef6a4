"""One huge run as windows between consistent cuts: where to cut, what a window does, and how windows compose.

A cut by time is consistent if no deliver precedes its send on the clocks used. `shifts` moves the clocks of the
processes until that is so: it solves x[receiver] - x[sender] + slack >= 0 for every link, by Bellman-Ford.

What is known at the end of a window is the greatest of what was known before it, of some parts of that. So a window is
summarised, without knowing anything before it, by what each of its ends has reached: the latest send known of each
process, and of which processes the state they entered in. The ends are the lanes' last states, and the messages
that leave. Of a process whose entry was not reached, the latest send known was in flight, and stands for all
earlier ones: a sender's stamps only grow. `Composition` puts the summaries together, window after window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from antecede.pipeline.arrow import Flags, Longs
from antecede.pipeline.kernel.encode import SEND
from antecede.pipeline.kernel.layout import CROSSING, Layout, Rows, lay_out, line_up_channels
from antecede.pipeline.kernel.linear_order import LinearOrder
from antecede.pipeline.kernel.vector_walk import DueChannels

NOTHING = -1


@dataclass(frozen=True, slots=True)
class Ends:
    """What the ends of some groups have reached: the last state of a process, or a message it sent that leaves.

    `sends` and `entries` are flat, one vector after the other, each as long as its run has processes: the index of the
    latest send known of each process or NOTHING, and whether its entry into the group was reached.
    """

    group: Longs
    process: Longs
    sent_index: Longs  # NOTHING for a last state
    reached: Sequence[Sequence[int]]  # the windows in which the message is delivered
    sends: Longs
    entries: Flags
    cyclic: Flags  # by group
    spans: Longs  # of each last state: its group, process, first index and last index


@dataclass(frozen=True, slots=True)
class End:
    """One of `Ends`, of the window that is composed next. `reached_windows` is where a message is delivered."""

    process: int
    sent_index: int
    sends: Longs
    entries: Flags
    reached_windows: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known, as indices of sends, when `process` enters `window`, or by its message delivered in there."""

    window: int
    process: int
    sent_index: int
    known: Longs


def shifts(processes: int, sender: Longs, receiver: Longs, slack: Longs) -> Longs | None:
    """What to add to each process's clock so that no deliver precedes its send, from the least (deliver - send) of
    each link; None where nothing can do that."""
    shift = np.zeros(processes, np.int64)
    for _ in range(processes + 1):
        before = shift.copy()
        np.minimum.at(shift, sender, shift[receiver] + slack)
        if np.array_equal(before, shift):
            return shift
    return None


def thresholds(tick: Longs, counts: Longs, windows: int) -> Longs:
    """Where to cut, from the events counted at some ticks: at most that many windows, about even."""
    order = np.argsort(tick)
    tick, window = tick[order], spread(counts[order], windows)
    return np.unique(tick[1:][np.diff(window) > 0])


def spread(counts: Longs, windows: int) -> Longs:
    """The window of each bucket of time, from the events in it: at most that many windows, about even, in order."""
    before = np.cumsum(counts) - counts
    window = np.minimum(before * windows // max(int(counts.sum()), 1), windows - 1)
    return np.unique(window, return_inverse=True)[1].astype(np.int64)


def summarise(rows: Rows, reached: Longs) -> Ends:
    """Walk windows from unknown states, and say what each end has reached. Order is not verified here. `reached` is by
    row the window it gets to."""
    rows = replace(rows, addressed=np.zeros_like(rows.addressed))
    layout = lay_out(rows)
    channels, _ = line_up_channels(rows, layout)
    leaving, gets_to = _leaving(layout, rows, reached)
    readers = layout.lanes.readers.copy()
    readers[leaving] += 1  # so that their stamps are still there at the end
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
    """What is known at the start of each window of one run, from the ends of the windows before it."""

    def __init__(self, processes: int) -> None:
        self._states = np.full((processes, processes), NOTHING, np.int64)
        self._flights: dict[tuple[int, int], Longs] = {}
        self._until: dict[int, list[tuple[int, int]]] = {}  # by window: the messages last delivered in it

    def compose(self, window: int, ends: Iterable[End]) -> Iterator[Known]:
        """Take in the next window; what is known at its entries, and by the messages that leave it where they go."""
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
    """The sends, as events, of the messages that leave the window they were sent in, and the windows they get to."""
    crossing = np.flatnonzero(rows.role == CROSSING)
    lane = layout.lane_base[rows.group[crossing]] + rows.sender[crossing]
    event = np.empty(len(crossing), np.int64)
    layout.kernels.located(layout.lanes.start, rows.index[layout.event_row], lane, rows.sent_index[crossing], event)
    here = event >= 0  # others were sent in an earlier window, and leave from there
    pairs = np.unique(np.stack([event[here], reached[crossing[here]]]), axis=1)
    leaving, starts = np.unique(pairs[0], return_index=True)
    return leaving, [part.tolist() for part in np.split(pairs[1], starts[1:])] if len(leaving) else []


def _unknown(
    layout: Layout, channels: DueChannels, order: LinearOrder, widths: Longs
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Each lane knows its own entry, and each message in flight knows itself."""
    lanes, lane = layout.lanes, np.arange(len(layout.lanes.group))
    own = lane - layout.lane_base[lanes.group]
    known = np.zeros(channels.base[-1], np.int32)
    known[channels.base[:-1] + own] = np.diff(layout.flight_start) + 1
    slots = np.zeros((order.slots, int(widths.max(initial=0))), np.int32)
    number = np.arange(layout.flights)
    slots[number, own[layout.flight_lane]] = number - layout.flight_start[layout.flight_lane] + 1
    return known, slots


def _indices(layout: Layout, rows: Rows, lane: Longs, rank: Longs) -> tuple[Longs, Flags]:
    """Ranks back to indices of sends, for each the lane that it is about; and which of them include the entry."""
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
