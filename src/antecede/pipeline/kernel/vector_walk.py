"""Judge with vectors: every message stamped, every deliver verified on the way.

What a lane knows is a vector: for each process of the run, the rank of the latest send that happened before. A send
copies the vector of its lane into a slot; a deliver reads the slot, verifies it, and joins it into its lane by the
greater of each entry.

To verify: the messages that a lane will deliver are laid out by sender and rank, one channel per sender. `low` holds
the rank of each channel's first message that is still due. A stamp that reaches `low` anywhere has overtaken
something; how much, is counted by a Fenwick tree over those that were delivered out of their channel's order.

What it costs: with n processes an event takes time in proportion to n, and the vectors and channels take memory in
proportion to n * n, plus n for each message in flight, but neither depends on how many messages might be overtaken.
Windows are judged in this way, and whole runs in which a great many messages are in flight among few processes; for
others see `mask_walk`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antecede.pipeline.kernel.linear_order import IN_FLIGHT, SENT, Lanes, LinearOrder

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NOTHING_DUE = np.iinfo(np.int32).max


class DueChannels(NamedTuple):
    """What lanes will deliver, by channel: base[lane] + process is the channel from that process to that lane."""

    sender: Ints  # by event: the process that sent its message
    rank: Ints  # by event: of a send, among what its lane sent
    entry: Longs  # by event: its place in the channels, or -1 where it does not count for order
    base: Longs  # by lane, and the end: where its vector begins
    due_rank: Ints  # by entry
    start: Longs  # by channel, and the end: its first entry


class Due(NamedTuple):
    """What is still due in each channel."""

    rank: Ints  # by entry
    channel: Longs  # by channel, and the end: its first entry
    head: Longs  # by channel: the first entry that is still due
    low: Ints  # by channel: the rank of that
    early: Flags  # by entry: delivered before the head of its channel
    tree: Ints  # a Fenwick tree per channel, over the early ones


def mark(tree: Ints, start: int, end: int, entry: int) -> None:
    """Add one at `entry` to the Fenwick tree that lies in start..end."""
    place = entry - start + 1
    while place <= end - start:
        tree[start + place - 1] += 1
        place += place & -place


def marked(tree: Ints, start: int, entry: int) -> int:
    """How many are marked in start..entry, both included."""
    place, count = entry - start + 1, 0
    while place > 0:
        count += tree[start + place - 1]
        place -= place & -place
    return count


def settle(due: Due, channel: int, entry: int) -> None:
    """The message at `entry` is delivered: move the head of its channel on, or note that it came early."""
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
    """Is any message still due that happened before this stamp?"""
    found = False
    for process in range(len(stamp)):
        found |= low[process] <= stamp[process]
    return found


def join(known: Ints, stamp: Ints) -> None:
    for process in range(len(stamp)):
        known[process] = max(known[process], stamp[process])


def overtaken_by(due: Due, base: int, stamp: Ints) -> tuple[int, int]:
    """How many messages are still due that happened before this stamp, and the first of them by (sender, rank)."""
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
        count += last - first + 1 - (marked(due.tree, start, last) - marked(due.tree, start, first - 1))
        if witness < 0:
            witness = first
    return count, witness


def all_due(channels: DueChannels) -> Due:
    """Before anything has been delivered."""
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
    """Stamp and verify. Return by event how many messages it overtook, and the entry of the first of them or -1.

    `known` holds the vectors of the lanes and is moved on to their ends. `slots` begins with the stamps of in-flight
    messages, and the stamps of the others are written into it.

    One function for all an event can be: Numba counts references at each call, and a call per event with all these
    arrays took as long as the event itself.
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
