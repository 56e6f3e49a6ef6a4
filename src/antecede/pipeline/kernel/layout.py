"""Paired rows laid out for the kernel: lanes, ranks, channels.

A group is what one walk sees of one run: the whole run, or one window of it. Every process of the run has a lane in
every group, events or none. In a window some messages were sent before it: those are in flight, and known
by (sender, index of the send) alone.

Ranks number what a lane sent, as far as this group can tell: first its messages in flight, in the order of their
sends; then the lane's entry into the group; then its sends here. So one number says how much of a process is known,
and whether that includes the state in which it entered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from antecede.pipeline.kernel.encode import DELIVER, NO_TICK, SEND
from antecede.pipeline.kernel.loops import IN_FLIGHT, SENT, Lanes, kernels

Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ORDERLY_SHARE = 64  # one row in so many may be earlier than the row before it, in rows that come by time
CROSSING = 2  # delivered in a later group: still due at the end of this one


@dataclass(frozen=True, slots=True)
class Rows:
    """Paired rows as columns, and by group the number of processes of its run. Ticks may be NO_TICK."""

    group: Longs
    process: Longs
    index: Longs
    role: Longs
    tick: Longs
    sender: Longs  # -1 where the message was never sent
    sent_index: Longs
    first: Flags
    addressed: Flags
    widths: Longs
    send: Longs | None = None  # by row: the row of its send, where every group has all of its run


@dataclass(frozen=True, slots=True)
class Layout:
    """The lanes, and the way back: the row of each event and entry, the sender and index of each flight."""

    lanes: Lanes
    kernels: Any  # compiled or not, as suits the size
    lane_base: Longs  # by group: the lane of its process 0
    event_row: Longs
    entry_row: Longs
    flight_lane: Longs
    flight_index: Longs
    flight_start: Longs  # by lane, and the end

    @property
    def flights(self) -> int:
        return len(self.flight_lane)


def lay_out(rows: Rows) -> Layout:
    """Sort the rows into lanes, find each deliver's send, rank the sends and line up what is due in channels."""
    lane_base, lane_width = np.concatenate([[0], np.cumsum(rows.widths)]), np.repeat(rows.widths, rows.widths)
    lane, base = lane_base[rows.group] + rows.process, np.concatenate([[0], np.cumsum(lane_width)])
    walked = (rows.role == SEND) | ((rows.role == DELIVER) & rows.first & (rows.sender >= 0))
    event_row = _in_order(np.flatnonzero(walked), lane, rows.index)
    run = kernels(int(len(event_row) * (8 + lane_width.max(initial=0))))
    event_lane, sent = lane[event_row], rows.role[event_row] == SEND
    start = _starts(event_lane, len(lane_width))

    crossing = np.flatnonzero((rows.role == CROSSING) & rows.addressed)
    asking = np.concatenate([event_row[~sent], crossing])  # the rows that name a send
    event = np.empty(len(lane), np.int64)  # by row; of use for those walked only
    event[event_row] = np.arange(len(event_row))
    if rows.send is not None:
        send, flight_lane, flight_index = event[rows.send[asking]], np.empty(0, np.int64), np.empty(0, np.int64)
    else:
        sender_lane, sent_index = lane_base[rows.group[asking]] + rows.sender[asking], rows.sent_index[asking]
        send = np.empty(len(asking), np.int64)
        run.located(start, rows.index[event_row], sender_lane, sent_index, send)
        away = send < 0
        flight_of, flight_lane, flight_index = _flights(sender_lane[away], sent_index[away])
        send[away] = IN_FLIGHT - flight_of
    flight_start, flights = _starts(flight_lane, len(lane_width)), len(flight_lane)
    ranks = np.empty(flights + len(event_row), np.int32)
    run.ranks_of(sent, start, flight_start, ranks)
    asked = np.where(send >= 0, flights + send, IN_FLIGHT - send) if flights else send  # its place in `ranks`
    channels = np.zeros(base[-1] + 1, np.int64)
    due = np.where(rows.addressed[asking], base[lane[asking]] + rows.sender[asking], -1)
    entries = run.lined_up(asked, len(ranks), due, channels)
    place = np.full(len(asking), -1, np.int64)
    place[entries] = np.arange(len(entries))

    delivers = len(asking) - len(crossing)
    source, entry = np.full(len(event_row), SENT, np.int64), np.full(len(event_row), -1, np.int64)
    source[~sent], entry[~sent] = send[:delivers], place[:delivers]
    lanes = Lanes(
        order=_starting_order(rows, event_row, event[walked], event_lane, start),
        lane_of=event_lane.astype(np.int32),
        source=source,
        sender=np.where(sent, rows.process[event_row], rows.sender[event_row]).astype(np.int32),
        rank=ranks[flights:],
        readers=np.bincount(source[source >= 0], minlength=len(source)).astype(np.int32),
        entry=entry,
        start=start,
        base=base,
        group=np.repeat(np.arange(len(rows.widths)), rows.widths).astype(np.int32),
        due_rank=ranks[asked[entries]],
        channel=channels,
    )
    return Layout(lanes, run, lane_base, event_row, asking[entries], flight_lane, flight_index, flight_start)


def _in_order(rows: Longs, lane: Longs, index: Longs) -> Longs:
    """The rows by (lane, index). Traces mostly come with each lane in order already: then one stable sort will do."""
    narrow = np.uint16 if lane.max(initial=0) < 2**16 else np.int64  # NumPy sorts 16 bits by radix
    rows = rows[np.argsort(lane[rows].astype(narrow), kind="stable")]
    same = lane[rows[1:]] == lane[rows[:-1]]
    if np.any(same & (index[rows[1:]] <= index[rows[:-1]])):
        rows = rows[np.lexsort((index[rows], lane[rows]))]
    return rows


def _starts(sorted_lanes: Longs, lanes: int) -> Longs:
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_lanes, minlength=lanes))]).astype(np.int64)


def _flights(lane: Longs, index: Longs) -> tuple[Longs, Longs, Longs]:
    """The distinct (lane, index) in order, and the number of each given one among them."""
    order = np.lexsort((index, lane))
    lane, index = lane[order], index[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (lane[1:] != lane[:-1]) | (index[1:] != index[:-1])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new) - 1
    return number, lane[new], index[new]


def _starting_order(rows: Rows, event_row: Longs, as_they_come: Longs, lane: Longs, start: Longs) -> Longs:
    """Events by time, group after group; where a group lacks times, all its lanes at an even pace. Any order will do,
    so the order of rows does, where that is about the order of time, as mostly."""
    late = rows.tick[event_row[as_they_come]]
    if np.count_nonzero(late[1:] < late[:-1]) * ORDERLY_SHARE < len(late) and not np.any(late == NO_TICK):
        return as_they_come
    tick, group, untimed = rows.tick[event_row], rows.group[event_row], np.zeros(len(rows.widths), np.bool_)
    untimed[group[tick == NO_TICK]] = True
    if untimed.any():
        share = (np.arange(len(lane)) - start[lane]) / (start[lane + 1] - start[lane])
        tick = np.where(untimed[group], (share * 2**52).astype(np.int64), tick)
    return np.argsort(tick) if len(rows.widths) == 1 else np.lexsort((tick, group))
