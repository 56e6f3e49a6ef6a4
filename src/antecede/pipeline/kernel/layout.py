"""Lay out paired rows for the kernel: in lanes, with ranks, by channels.

A group is the part of one run that one walk sees: the whole run, or one window of it. Every process of the run has a
lane in every group, even if it has no events there. The messages of a window that were sent before the window are in
flight. Only the sender and the index of the send are known of them.

A rank is a number for something that a lane sent, in the order of its sends: first the messages in flight, then the
entry of the lane into the group, then the sends in the group. So one number says how much of a process is known, and
whether that includes the state in which the process entered the group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from antecede.pipeline.arrow import DELIVER, SEND, Flags, Longs
from antecede.pipeline.kernel.encode import NO_TICK
from antecede.pipeline.kernel.linear_order import IN_FLIGHT, SENT, Lanes
from antecede.pipeline.kernel.loops import kernels
from antecede.pipeline.kernel.vector_walk import DueChannels

ORDERLY_SHARE = 64  # one row in this many may be earlier than the row before it, in rows that count as ordered by time
LAYOUT_STEPS_PER_EVENT = 24  # steps of all loops but those that judge
CROSSING = 2  # the role of a row that is delivered in a later group: it is still due at the end of this one


@dataclass(frozen=True, slots=True)
class Rows:
    """Paired rows as columns. `widths` has the number of processes of the run of each group. Ticks may be NO_TICK."""

    group: Longs
    process: Longs
    index: Longs
    role: Longs
    tick: Longs
    sender: Longs  # -1 if the message was never sent
    sent_index: Longs
    first: Flags
    addressed: Flags
    widths: Longs
    send: Longs | None = None  # by row: the row of its send, if every group is a whole run


@dataclass(frozen=True, slots=True)
class Layout:
    """The lanes, with the row of each event, and the sender and index of each message in flight."""

    lanes: Lanes
    kernels: Any  # the loops, compiled if the rows are many
    lane_base: Longs  # by group: the lane of its process 0
    row_lane: Longs
    event_row: Longs
    asking: Longs  # the rows that name a send: the delivers in the order of events, then the crossing rows
    asked: Longs  # by row of `asking`: the event of its send, or IN_FLIGHT - k
    flight_lane: Longs
    flight_index: Longs
    flight_start: Longs  # by lane, and the end

    @property
    def flights(self) -> int:
        return len(self.flight_lane)


def lay_out(rows: Rows) -> Layout:
    """Return the rows sorted into lanes, with the send of each deliver."""
    lane_base = np.concatenate([[0], np.cumsum(rows.widths)])
    lane, lane_count = lane_base[rows.group] + rows.process, int(lane_base[-1])
    walked = (rows.role == SEND) | ((rows.role == DELIVER) & rows.first & (rows.sender >= 0))
    came = np.flatnonzero(walked)
    event_row = _in_order(came, lane, rows.index)
    run = kernels(len(event_row) * LAYOUT_STEPS_PER_EVENT)
    event_lane, sent = lane[event_row], rows.role[event_row] == SEND
    start = _starts(event_lane, lane_count)

    crossing = np.flatnonzero((rows.role == CROSSING) & rows.addressed)
    asking = np.concatenate([event_row[~sent], crossing])
    event = np.empty(len(lane), np.int64)  # by row; set only for the rows that are walked
    event[event_row] = np.arange(len(event_row))
    if rows.send is not None:
        asked, flight_lane, flight_index = event[rows.send[asking]], np.empty(0, np.int64), np.empty(0, np.int64)
    else:
        sender_lane, sent_index = lane_base[rows.group[asking]] + rows.sender[asking], rows.sent_index[asking]
        asked = np.empty(len(asking), np.int64)
        run.locate_events(start, rows.index[event_row], sender_lane, sent_index, asked)
        away = asked < 0
        flight_of, flight_lane, flight_index = _flights(sender_lane[away], sent_index[away])
        asked[away] = IN_FLIGHT - flight_of

    source = np.full(len(event_row), SENT, np.int32)
    source[~sent] = asked[: len(asking) - len(crossing)]
    lanes = Lanes(
        order=_starting_order(rows, event_row, event, came, start).astype(np.int32),
        lane_of=event_lane.astype(np.int32),
        source=source,
        readers=np.bincount(source[source >= 0], minlength=len(source)).astype(np.int32),
        start=start,
        group=np.repeat(np.arange(len(rows.widths)), rows.widths).astype(np.int32),
    )
    flight_start = _starts(flight_lane, lane_count)
    return Layout(lanes, run, lane_base, lane, event_row, asking, asked, flight_lane, flight_index, flight_start)


def line_up_channels(rows: Rows, layout: Layout) -> tuple[DueChannels, Longs]:
    """Return the channels, in which the due messages are lined up, and the row of each entry of the channels."""
    lanes, asking, flights = layout.lanes, layout.asking, layout.flights
    base = np.concatenate([[0], np.cumsum(np.repeat(rows.widths, rows.widths))])
    sent = lanes.source == SENT
    ranks = np.empty(flights + len(sent), np.int32)
    layout.kernels.ranks_of(sent, lanes.start, layout.flight_start, ranks)
    asked = layout.asked  # becomes the place of each send in `ranks`
    asked = np.where(asked >= 0, flights + asked, IN_FLIGHT - asked) if flights else asked
    start = np.zeros(base[-1] + 1, np.int64)
    channel = base[layout.row_lane[asking]] + rows.sender[asking]
    entries = layout.kernels.sort_entries(asked, len(ranks), np.where(rows.addressed[asking], channel, -1), start)
    place = np.full(len(asking), -1, np.int64)
    place[entries] = np.arange(len(entries))
    entry = np.full(len(sent), -1, np.int64)
    entry[~sent] = place[: np.count_nonzero(~sent)]
    channels = DueChannels(
        sender=np.where(sent, rows.process[layout.event_row], rows.sender[layout.event_row]).astype(np.int32),
        rank=ranks[flights:],
        entry=entry,
        base=base,
        due_rank=ranks[asked[entries]],
        start=start,
    )
    return channels, asking[entries]


def _in_order(rows: Longs, lane: Longs, index: Longs) -> Longs:
    """Return the rows sorted by lane and index.

    In most traces each lane is in order already. Then one stable sort by lane is enough.
    """
    rows = rows[np.argsort(lane[rows].astype(np.uint16), kind="stable")]  # NumPy sorts 16 bits by radix
    if lane.max(initial=0) >= 2**16:
        rows = rows[np.argsort((lane[rows] >> 16).astype(np.uint16), kind="stable")]
    same = lane[rows[1:]] == lane[rows[:-1]]
    if np.any(same & (index[rows[1:]] <= index[rows[:-1]])):
        rows = rows[np.lexsort((index[rows], lane[rows]))]
    return rows


def _starts(sorted_lanes: Longs, lanes: int) -> Longs:
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_lanes, minlength=lanes))]).astype(np.int64)


def _flights(lane: Longs, index: Longs) -> tuple[Longs, Longs, Longs]:
    """Return for each message in flight its number, and the lane and the index of each number.

    A message in flight is a pair of `lane` and `index`. Equal pairs have the same number; numbers are in their order.
    """
    order = np.lexsort((index, lane))
    lane, index = lane[order], index[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (lane[1:] != lane[:-1]) | (index[1:] != index[:-1])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new) - 1
    return number, lane[new], index[new]


def _starting_order(rows: Rows, event_row: Longs, event: Longs, came: Longs, start: Longs) -> Longs:
    """Return the events by time, group after group. If a group lacks times, all its lanes go at an even pace.

    Any order gives a correct result. So the rows of each group stay in the order in which they came if that is about
    the order of time, as it mostly is. `came` are the rows that are walked, in this order. `event` has the event of
    each row, and `start` the first event of each lane.
    """
    group = rows.group[came]
    if np.any(group[1:] < group[:-1]):
        narrow = np.uint16 if len(rows.widths) <= 2**16 else np.int64  # NumPy sorts 16 bits by radix
        by_group = np.argsort(group.astype(narrow), kind="stable")
        came, group = came[by_group], group[by_group]
    tick = rows.tick[came]
    disorderly = (tick[1:] < tick[:-1]) & (group[1:] == group[:-1])
    if np.count_nonzero(disorderly) * ORDERLY_SHARE < len(tick) and not np.any(tick == NO_TICK):
        return event[came]
    tick, group, untimed = rows.tick[event_row], rows.group[event_row], np.zeros(len(rows.widths), np.bool_)
    untimed[group[tick == NO_TICK]] = True
    if untimed.any():
        lengths = np.diff(start)
        share = (np.arange(len(event_row)) - np.repeat(start[:-1], lengths)) / np.repeat(lengths, lengths)
        tick = np.where(untimed[group], (share * 2**52).astype(np.int64), tick)
    return np.argsort(tick) if len(rows.widths) == 1 else np.lexsort((tick, group))
