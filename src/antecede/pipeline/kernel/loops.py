"""The loops over events: happened-before walked once, every message stamped, every deliver verified on the way.

A lane is one process of one run (or of one window of it), its sends and delivers in its own order. What a lane knows is
a vector: for each process of the run, the rank of the latest send that happened before. A send copies the vector of
its lane into a slot; a deliver reads the slot, verifies it, and joins it into its lane by the greater of each entry.

The walk follows demand: a lane that comes to a deliver whose send has not been walked yet waits on a stack while the
sender's lane is walked up to that send. Any order of starting points gives the same answer (a good one keeps
few slots in use), and a lane that is asked for while it waits itself is exactly a cycle in happened-before.

To verify: the messages that a lane will deliver are laid out by sender and rank, one channel per sender. `low` holds
the rank of each channel's first message that is still due. A stamp that reaches `low` anywhere has overtaken
something; how much, is counted by a Fenwick tree over those that were delivered out of their channel's order.

The functions are plain Python that Numba can compile. Small inputs run as they are: compiling, or even importing
Numba, would take longer than they do. `compiled` gives the same functions as machine code, cached on disk.
"""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Letters = npt.NDArray[np.uint8]

NOTHING_DUE = np.iinfo(np.int32).max
SENT = -1  # the source of a send
IN_FLIGHT = -2  # the source of a deliver of in-flight message k is IN_FLIGHT - k
INTERPRETED_STEPS_MAX = 1_000_000
_interpreted_steps_max = ContextVar("interpreted_steps_max", default=INTERPRETED_STEPS_MAX)
COMPILED = (
    *("mark", "marked", "settle", "reaches", "join", "overtaken_by", "grown", "ranked", "located"),
    *("ranks_of", "lined_up", "all_due", "walk", "hashed", "matched"),
)


class Lanes(NamedTuple):
    """The events of some runs or windows in the order of (lane, index), and the channels they deliver from."""

    order: Longs  # events to start from
    lane_of: Ints  # by event
    source: Longs  # by event: its send, SENT, or IN_FLIGHT - k
    sender: Ints  # by event: the process that sent its message
    rank: Ints  # by event: of a send, among what its lane sent
    readers: Ints  # by event: how many will read the stamp of this send
    entry: Longs  # by event: its place in the channels, or -1 where it does not count for order
    start: Longs  # by lane, and the end: its first event
    base: Longs  # by lane, and the end: where its vector begins
    group: Ints  # by lane: its run or window
    due_rank: Ints  # by entry
    channel: Longs  # by channel, and the end: its first entry; channel base[lane] + process


class Due(NamedTuple):
    """What is still due in each channel."""

    rank: Ints  # by entry
    channel: Longs  # by channel, and the end: its first entry
    head: Longs  # by channel: the first entry that is still due
    low: Ints  # by channel: the rank of that
    early: Flags  # by entry: delivered before the head of its channel
    tree: Ints  # a Fenwick tree per channel, over the early ones


class Walked(NamedTuple):
    """What a walk has found."""

    slots: Ints  # the stamps that were kept
    slot: Longs  # by event: where the stamp of this send is, or -1
    overtaken: Longs  # by event
    witness: Longs  # by event: the entry of the first it overtook, or -1
    cyclic: Flags  # by group


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


def grown(slots: Ints) -> Ints:
    """The same slots, and as many again."""
    more = np.empty((2 * slots.shape[0] + 64, slots.shape[1]), np.int32)
    more[: slots.shape[0]] = slots
    return more


def ranked(start: Longs, index: Longs, lane: Longs, known: Longs, ranks: Ints) -> None:
    """How many of a lane's indices are not above the known one. `index` ascends inside each lane."""
    for row in range(len(lane)):
        low, high = start[lane[row]], start[lane[row] + 1]
        while low < high:
            middle = (low + high) // 2
            if index[middle] <= known[row]:
                low = middle + 1
            else:
                high = middle
        ranks[row] = low - start[lane[row]]


def located(start: Longs, index: Longs, lane: Longs, wanted: Longs, found: Longs) -> None:
    """Where in its lane the event with each wanted index is, or -1. `index` ascends inside each lane."""
    for row in range(len(lane)):
        low, end = start[lane[row]], start[lane[row] + 1]
        high = end
        while low < high:
            middle = (low + high) // 2
            if index[middle] < wanted[row]:
                low = middle + 1
            else:
                high = middle
        found[row] = low if low < end and index[low] == wanted[row] else -1


def hashed(start: Longs, letters: Letters, seed: Longs, found: Longs) -> None:
    """A number of 63 bits for each text: two hashes of 32 bits (FNV-1a, and the same with another factor)."""
    for text in range(len(found)):
        one, other = (2166136261 ^ seed[text]) & 0xFFFFFFFF, seed[text] >> 31
        for place in range(start[text], start[text + 1]):
            one = ((one ^ letters[place]) * 16777619) & 0xFFFFFFFF
            other = ((other ^ letters[place]) * 1540483477) & 0xFFFFFFFF
        found[text] = (one << 31) | (other ^ (other >> 13)) & 0x7FFFFFFF


def matched(  # noqa: PLR0917 - the columns of `Encoded` and of `Pairs`
    start: Longs,
    message: Longs,
    name: Longs,
    index: Longs,
    sent: Flags,
    dest_start: Longs,
    dest_name: Longs,
    names: int,
    send_row: Longs,
    first: Flags,
    addressed: Flags,
    dests: Longs,
    delivered: Longs,
) -> None:
    """By row: its send; is it the first deliver of its message at its process, and was that asked for; of a send, its
    distinct destinations, and how many of them delivered. `start` is where each message's rows begin, once the rows
    are put in the order of messages."""
    rows, fill = np.empty(len(message), np.int64), start.copy()
    for row in range(len(message)):
        rows[fill[message[row]]] = row
        fill[message[row]] += 1
    asked, heard = np.full(names, -1, np.int64), np.full(names, -1, np.int64)  # by name: the last message that did
    holder = np.empty(names, np.int64)  # by name: the row that heard it first
    for one in range(len(start) - 1):
        send = -1
        for row in rows[start[one] : start[one + 1]]:
            who = name[row]
            if sent[row]:
                send = row
            elif heard[who] != one or index[row] < index[holder[who]]:
                heard[who], holder[who] = one, row
        if send >= 0:
            for who in dest_name[dest_start[send] : dest_start[send + 1]]:
                dests[send] += asked[who] != one
                asked[who] = one
        for row in rows[start[one] : start[one + 1]]:
            send_row[row] = send
            if not sent[row]:
                first[row], addressed[row] = holder[name[row]] == row, asked[name[row]] == one
                if send >= 0 and first[row] and addressed[row]:
                    delivered[send] += 1


def ranks_of(sent: Flags, start: Longs, flight_start: Longs, ranks: Ints) -> None:
    """Of all flights, and then of all events, how much of its lane each stands for: see `layout`."""
    flights = flight_start[-1]
    for lane in range(len(start) - 1):
        rank = 0
        for flight in range(flight_start[lane], flight_start[lane + 1]):
            rank += 1
            ranks[flight] = rank
        rank += 1  # the lane's entry
        for event in range(start[lane], start[lane + 1]):
            rank += sent[event]
            ranks[flights + event] = rank


def lined_up(sent: Longs, sends: int, channel: Longs, first: Longs) -> Longs:
    """By entry, which it is of those given: by channel, and in it by send. Those of channel -1 are none. `first` is
    filled with where each channel begins.

    That is two sorts by counting, first by send, and then, in this order, by channel.
    """
    begin = np.zeros(sends + 1, np.int64)
    for one in range(len(sent)):
        if channel[one] >= 0:
            begin[sent[one] + 1] += 1
            first[channel[one] + 1] += 1
    begin, first[:] = np.cumsum(begin), np.cumsum(first)
    by_send, by_channel, fill = np.empty(first[-1], np.int64), np.empty(first[-1], np.int64), first.copy()
    for one in range(len(sent)):
        if channel[one] >= 0:
            by_send[begin[sent[one]]] = one
            begin[sent[one]] += 1
    for one in by_send:
        by_channel[fill[channel[one]]] = one
        fill[channel[one]] += 1
    return by_channel


def all_due(lanes: Lanes) -> Due:
    """Before anything has been delivered."""
    head, entries = lanes.channel[:-1].copy(), len(lanes.due_rank)
    low = np.full(len(head), NOTHING_DUE, np.int32)
    for channel in range(len(head)):
        if head[channel] < lanes.channel[channel + 1]:
            low[channel] = lanes.due_rank[head[channel]]
    early, tree = np.zeros(entries, np.bool_), np.zeros(entries, np.int32)
    return Due(lanes.due_rank, lanes.channel, head, low, early, tree)


def walk(lanes: Lanes, known: Ints, slots: Ints, flights: int, groups: int) -> Walked:  # noqa: PLR0912
    """Stamp and verify. `known` holds the vectors of the lanes and is moved on to their ends; the first `flights` of
    `slots` hold the stamps of in-flight messages.

    One function for all an event can be: Numba counts references at each call, and a call per event with all these
    arrays took as long as the event itself.
    """
    due, unread, cyclic = all_due(lanes), lanes.readers.copy(), np.zeros(groups, np.bool_)
    slot_of, witness = np.full(len(unread), -1, np.int64), np.full(len(unread), -1, np.int64)
    overtaken, free, freed, used = np.zeros(len(unread), np.int64), np.empty(len(unread), np.int64), 0, flights
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
                    cyclic[lanes.group[lane]] = True  # from here on nobody in it waits, and nothing counts
                else:
                    stack[depth], goal[depth], waits[sender], depth = sender, source, True, depth + 1
                continue
            at[lane] = event + 1
            base, end = lanes.base[lane], lanes.base[lane + 1]
            if source == SENT:
                known[base + lanes.sender[event]] = lanes.rank[event]
                if unread[event] == 0:
                    continue
                if freed > 0:
                    freed, slot = freed - 1, free[freed - 1]
                else:
                    used, slot = used + 1, used
                    slots = slots if used <= slots.shape[0] else grown(slots)
                slot_of[event] = slot
                slots[slot, : end - base] = known[base:end]
                continue
            slot = slot_of[source] if source >= 0 else IN_FLIGHT - source
            if slot < 0:
                continue  # beyond a cycle
            stamp, entry = slots[slot, : end - base], lanes.entry[event]
            if entry >= 0:
                settle(due, base + lanes.sender[event], entry)
                if reaches(due.low[base:end], stamp):
                    overtaken[event], witness[event] = overtaken_by(due, base, stamp)
            join(known[base:end], stamp)
            if source >= 0:
                unread[source] -= 1
                if unread[source] == 0:
                    free[freed], freed = slot, freed + 1
    return Walked(slots, slot_of, overtaken, witness, cyclic)


@functools.cache
def compiled() -> types.SimpleNamespace:
    """The functions of this module as machine code, each calling the compiled form of the others."""
    import numba  # noqa: PLC0415 - half a second, which small inputs need not wait for

    names: dict[str, Any] = dict(globals())
    for name in COMPILED:
        plain = types.FunctionType(names[name].__code__, names, name)
        names[name] = _jit(numba, plain)
    gc.freeze()  # Spark's worker collects garbage after each task, and would look at all of Numba every time
    return types.SimpleNamespace(**{name: names[name] for name in COMPILED})


def _jit(numba: Any, plain: types.FunctionType) -> Any:
    try:
        return numba.njit(plain, cache=True)
    except RuntimeError:  # no folder to cache in can be written
        return numba.njit(plain)


def kernels(steps: int) -> Any:
    """The functions of this module, in the form that is faster for about this many steps."""
    return compiled() if steps > _interpreted_steps_max.get() else types.SimpleNamespace(**globals())


@contextmanager
def interpret_up_to(steps: int) -> Iterator[None]:
    """Let `kernels` interpret up to so many steps, in this block and not on Spark's workers.

    The limit is not an argument of `kernels`: every function between it and a task would have to hand it on.
    """
    before = _interpreted_steps_max.set(steps)
    try:
        yield
    finally:
        _interpreted_steps_max.reset(before)
