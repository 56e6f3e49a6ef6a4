"""Judge with vectors: stamp every message, and verify every deliver on the way.

The knowledge of a lane is a vector: for each process of the run, the rank of the latest send that happened before. A
send copies the vector of its lane into a slot. A deliver reads the slot, verifies it, and joins it into the vector of
its lane by taking the greater of each two entries.

To verify a deliver, the messages that a lane will deliver are laid out by sender and rank, one channel per sender.
`low` holds the rank of the first message of each channel that is still due. A stamp that reaches `low` anywhere has
overtaken something. The number of overtaken messages is found with a Fenwick tree of the messages that were delivered
out of the order of their channel.

With n processes an event takes time in proportion to n, and the vectors and channels take memory in proportion to
n * n, plus n for each message in flight. Neither depends on how many messages might be overtaken. Windows are judged in
this way, and so are whole runs in which a great many messages are in flight among few processes. For the other runs see
`mask_walk`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antecede.pipeline.arrow import Flags, Ints, Longs
from antecede.pipeline.kernel.linear_order import IN_FLIGHT, SENT, Lanes, LinearOrder

NOTHING_DUE = np.iinfo(np.int32).max


class DueChannels(NamedTuple):
    """The messages that lanes will deliver. Channel base[lane] + process is the one from that process to that lane."""

    sender: Ints  # by event: the process that sent its message
    rank: Ints  # by event: its rank, as `layout` has it
    entry: Longs  # by event: its place in the channels, or -1 if it does not count for order
    base: Longs  # by lane, and the end: where its vector begins
    due_rank: Ints  # by entry: the rank of its send
    start: Longs  # by channel, and the end: its first entry


class Due(NamedTuple):
    """The messages that are still due in each channel."""

    rank: Ints  # by entry: the rank of its send
    channel: Longs  # by channel, and the end: its first entry
    head: Longs  # by channel: the first entry that is still due
    low: Ints  # by channel: the rank of that entry
    early: Flags  # by entry: whether it was delivered before the head of its channel
    tree: Ints  # a Fenwick tree per channel, of the early entries


def mark(tree: Ints, start: int, end: int, entry: int) -> None:
    """Add one at `entry` to the Fenwick tree that lies between `start` and `end`."""
    place = entry - start + 1
    while place <= end - start:
        tree[start + place - 1] += 1
        place += place & -place


def count_marked(tree: Ints, start: int, entry: int) -> int:
    """Return how many entries are marked between `start` and `entry`, both included."""
    place, count = entry - start + 1, 0
    while place > 0:
        count += tree[start + place - 1]
        place -= place & -place
    return count


def settle(due: Due, channel: int, entry: int) -> None:
    """Take the message at `entry` as delivered: move the head of its channel on, or note that it came early."""
    start, end = due.channel[channel], due.channel[channel + 1]
    if entry != due.head[channel]:
        due.early[entry] = True
        mark(due.tree, start, end, entry)
        return
    entry += 1
    while entry < end and due.early[entry]:
        entry += 1
    due.head[channel] = entry
    due.low[channel] = due.rank[entry] if entry < end else NOTHING_DUE


def reaches(low: Ints, stamp: Ints) -> bool:
    """Return whether a message that happened before this stamp is still due."""
    found = False
    for process in range(len(stamp)):
        found |= low[process] <= stamp[process]
    return found


def join(known: Ints, stamp: Ints) -> None:
    for process in range(len(stamp)):
        known[process] = max(known[process], stamp[process])


def overtaken_by(due: Due, base: int, stamp: Ints) -> tuple[int, int]:
    """Return how many messages that happened before this stamp are still due, and the first of them by (sender, rank).

    `base` is the first channel of the lane that delivers.
    """
    count, witness = 0, -1
    for channel in range(base, base + len(stamp)):
        reach = stamp[channel - base]
        if due.low[channel] > reach:
            continue
        start, first = due.channel[channel], due.head[channel]
        last, beyond = first, due.channel[channel + 1]
        while beyond - last > 1:
            middle = (last + beyond) // 2
            if due.rank[middle] <= reach:
                last = middle
            else:
                beyond = middle
        count += last - first + 1 - (count_marked(due.tree, start, last) - count_marked(due.tree, start, first - 1))
        if witness < 0:
            witness = first
    return count, witness


def all_due(channels: DueChannels) -> Due:
    """Return the state of the channels before anything has been delivered."""
    head, entries = channels.start[:-1].copy(), len(channels.due_rank)
    low = np.full(len(head), NOTHING_DUE, np.int32)
    for channel in range(len(head)):
        if head[channel] < channels.start[channel + 1]:
            low[channel] = channels.due_rank[head[channel]]
    early, tree = np.zeros(entries, np.bool_), np.zeros(entries, np.int32)
    return Due(channels.due_rank, channels.start, head, low, early, tree)


def walk_vectors(
    lanes: Lanes, channels: DueChannels, order: LinearOrder, known: Ints, slots: Ints
) -> tuple[Longs, Longs]:
    """Return for each event how many messages it overtook, and the entry of the first of them, or -1.

    `known` holds the vectors of the lanes at their beginnings; afterwards it holds those at their ends. `slots` begins
    with the stamps of the messages in flight, and the stamps of the other messages are written into it.

    One function does all that an event can be: Numba counts references at each call, and a call per event with all
    these arrays took as long as the event itself.
    """
    due, events = all_due(channels), len(lanes.lane_of)
    overtaken, witness = np.zeros(events, np.int64), np.full(events, -1, np.int64)
    for event in order.event:
        lane, source = lanes.lane_of[event], lanes.source[event]
        base, end = channels.base[lane], channels.base[lane + 1]
        if source == SENT:
            known[base + channels.sender[event]] = channels.rank[event]
            if order.slot[event] >= 0:
                slots[order.slot[event], : end - base] = known[base:end]
            continue
        slot = order.slot[source] if source >= 0 else IN_FLIGHT - source
        stamp, entry = slots[slot, : end - base], channels.entry[event]
        if entry >= 0:
            settle(due, base + channels.sender[event], entry)
            if reaches(due.low[base:end], stamp):
                overtaken[event], witness[event] = overtaken_by(due, base, stamp)
        join(known[base:end], stamp)
    return overtaken, witness
