"""Put the events of some runs, or of some windows, into one order in which every send precedes its delivers.

A lane is one process of one run (or of one window of it): its sends and delivers in its own order. The order is found
on demand: a lane that comes to a deliver whose send has not been walked yet waits on a stack while the sender's lane is
walked up to that send. Any order of starting points gives a correct result, and a good one keeps few messages in
flight. If a lane is asked for while it waits, happened-before has a cycle.

On the way every message that somebody will deliver gets a slot for its stamp. A slot is used again once the last
deliver of its message has been walked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antecede.pipeline.arrow import Flags, Ints, Longs

SENT = -1  # the source of a send
IN_FLIGHT = -2  # the source of a deliver of in-flight message k is IN_FLIGHT - k


class Lanes(NamedTuple):
    """The events of some runs or windows, numbered by lane and index."""

    order: Ints  # events to start from
    lane_of: Ints  # by event: its lane
    source: Ints  # by event: its send, SENT, or IN_FLIGHT - k
    readers: Ints  # by event: how many will read the stamp of this send
    start: Longs  # by lane, and the end: its first event
    group: Ints  # by lane: its run or window


class LinearOrder(NamedTuple):
    """The events of all groups that have no cycle, in linear order, and the slots for the stamps of their messages."""

    event: Ints  # by position: the event there
    slot: Ints  # by event: the slot of a send whose stamp is read, or -1
    slots: int
    cyclic: Flags  # by group: whether it has a cycle


def linearise(lanes: Lanes, flights: int, groups: int) -> LinearOrder:  # noqa: PLR0912
    """Return an order in which every send precedes its delivers. The first `flights` slots are those of flights."""
    unread, cyclic, walked = lanes.readers.copy(), np.zeros(groups, np.bool_), 0
    slot, order = np.full(len(unread), -1, np.int32), np.empty(len(unread), np.int32)
    free, freed, used = np.empty(len(unread), np.int32), 0, flights
    at, waits = lanes.start[:-1].copy(), np.zeros(len(lanes.group), np.bool_)
    stack, goal = np.empty(len(waits) + 1, np.int64), np.empty(len(waits) + 1, np.int64)
    for first in lanes.order:
        stack[0], goal[0], depth = lanes.lane_of[first], first, 1
        waits[stack[0]] = True
        while depth > 0:
            lane = stack[depth - 1]
            event = at[lane]
            if event > goal[depth - 1]:
                waits[lane], depth = False, depth - 1
                continue
            source = lanes.source[event]
            if source >= 0 and at[lanes.lane_of[source]] <= source and not cyclic[lanes.group[lane]]:
                sender = lanes.lane_of[source]
                if waits[sender]:
                    cyclic[lanes.group[lane]] = True  # from here on no lane of this group waits, and nothing counts
                else:
                    stack[depth], goal[depth], waits[sender], depth = sender, source, True, depth + 1
                continue
            at[lane] = event + 1
            order[walked], walked = event, walked + 1
            if source == SENT:
                if unread[event] > 0:
                    if freed > 0:
                        freed, slot[event] = freed - 1, free[freed - 1]
                    else:
                        used, slot[event] = used + 1, used
            elif source >= 0 and slot[source] >= 0:
                unread[source] -= 1
                if unread[source] == 0:
                    free[freed], freed = slot[source], freed + 1
    kept = 0
    for event in order:
        if not cyclic[lanes.group[lanes.lane_of[event]]]:
            order[kept], kept = event, kept + 1
    return LinearOrder(order[:kept], slot, used, cyclic)
