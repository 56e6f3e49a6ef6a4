"""The hot path of `prs-broadcast`, compiled: bytes in, which messages can be delivered out (000 §8.2).

The state is a few arrays of 64-bit integers. `levels` are two rows over the processes: the count delivered of each, and
the barrier S, 0 where it has no entry. `slots` are the packets that are held back, a row each, whose first columns are
those named below and whose last are what the packet needs, by process: its barrier, and of its sender at least the
message before it. Chains run through the rows, as numbers of the next row or -1: the free rows; and for each bucket of
a hash table, whose keys nobody outside knows, the packets that wait for one message, and the packets by their identity.

Only packets of the form that `Codec.encode` gives to a broadcast are read here. At the first that is anything else
(other names, other destinations, damaged, one more than may be held) `receive` stops and says where: what to do with it
is for `core` to say. So there is one set of rules, and this is a short cut through it.

All functions are in one file, because Numba's cache does not notice a change in a function of another.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]
Octets = npt.NDArray[np.uint8]

SERIAL, SENDER, SEQ, PAYLOAD, DESTS, NEED, NEXT, SAME_ID = range(8)
COLUMNS = 8  # of a slot, before its needs
OUT = 5  # columns of what comes out: the first of those of a slot
DELIVERED, BARRIER = 0, 1  # rows of `levels`
WAITING, BY_ID = 0, 1  # rows of `buckets`
ME, FREE, HELD, HELD_MAX, PACKET_BYTES_MAX, KEY, OTHER_KEY = range(7)  # in `counts`
COUNTS = 7
NONE = -1
HELD_BACK = -1  # in place of a sender in `out`: the packet waits

UINT_MAX = 2**63 - 1
LIST, BITMAP, COMPLEMENT = 0, 1, 2
NAMES_PER_BYTE_MAX = 64

F = TypeVar("F")


class State(NamedTuple):
    """What a process knows, and what packets look like here."""

    levels: Longs
    slots: Longs
    buckets: Longs
    counts: Longs
    forms: Octets


class Batch(NamedTuple):
    """Packets one behind the other, and where each ends."""

    data: Octets
    ends: Longs


def _compiled(plain: F) -> F:
    try:
        return cast(F, numba.njit(plain, cache=True))
    except RuntimeError:  # no folder to cache in can be written
        return cast(F, numba.njit(plain))


@_compiled
def uint(data: Octets, at: int, end: int) -> tuple[int, int]:
    """Return the varint at `at` and where it ends. The end is NONE if there is no varint."""
    number = shift = 0
    while at < end and shift <= 56:
        octet = numba.int64(data[at])
        at += 1
        number |= (octet & 127) << shift
        if octet < 128:
            return number, at
        shift += 7
    return 0, NONE


@_compiled
def equal(data: Octets, at: int, end: int, form: Octets) -> int:
    """Return where `form`, which tells its length first, ends in `data`; NONE if something else is at `at`."""
    size = numba.int64(form[0])
    if end - at < size:
        return NONE
    for place in range(size):
        if data[at + place] != form[1 + place]:
            return NONE
    return at + size


@_compiled
def members(data: Octets, at: int, end: int, barrier: Longs) -> tuple[int, int]:
    """Read a set into `barrier`: 1 for each member, 0 for the others. Return how many there are and where it ends."""
    n, start = len(barrier), at
    head, at = uint(data, at, end)
    size, form = head >> 2, head & 3
    if at == NONE or size > end - at or form > COMPLEMENT:
        return 0, NONE
    barrier[:] = 1 if form == COMPLEMENT else 0
    member = 0
    for place in range(size):
        if form == BITMAP:
            octet = numba.int64(data[at])
            at += 1
            for bit in range(8):
                if octet >> bit & 1:
                    if place * 8 + bit >= n:
                        return 0, NONE
                    barrier[place * 8 + bit] = 1
            continue
        gap, at = uint(data, at, end)
        member += gap
        if at == NONE or gap >= n or member >= n or (gap == 0 and place > 0):
            return 0, NONE
        barrier[member] = 1 if form == LIST else 0
    if form == COMPLEMENT and n > NAMES_PER_BYTE_MAX * (at - start) + size:
        return 0, NONE
    return barrier.sum(), at


@_compiled
def vector(data: Octets, at: int, end: int, barrier: Longs) -> int:
    """Read a vector into `barrier`, and return where it ends, or NONE."""
    size, at = members(data, at, end, barrier)
    if at == NONE or size == 0:
        return at
    least, at = uint(data, at, end)
    if at == NONE or size > end - at:
        return NONE
    for process in range(len(barrier)):
        if barrier[process]:
            above, at = uint(data, at, end)
            if at == NONE or above > UINT_MAX - least:
                return NONE
            barrier[process] = least + above
    return at


@_compiled
def parse(data: Octets, at: int, end: int, forms: Octets, slot: Longs) -> bool:
    """Read one packet into `slot`, and return False if it is not a broadcast in the form of `Codec.encode`.

    `forms` are what comes after the number of a message, which is its destinations and the kind of its stamp: for each
    sender all but itself, then everybody; and last what such a packet begins with. Each has its length first.
    """
    n = len(slot) - COLUMNS
    at = equal(data, at, end, forms[n + 1])
    if at == NONE:
        return False
    sender, at = uint(data, at, end)
    if at in (NONE, end) or sender >= n or data[at] != 0:
        return False
    seq, at = uint(data, at + 1, end)
    if at == NONE or seq == 0:
        return False
    slot[SENDER], slot[SEQ], slot[DESTS] = sender, seq, sender
    stamp = equal(data, at, end, forms[sender])
    if stamp == NONE:
        slot[DESTS], stamp = n, equal(data, at, end, forms[n])
    if stamp == NONE:
        return False
    slot[PAYLOAD] = vector(data, stamp, end, slot[COLUMNS:])
    slot[COLUMNS + sender] = max(slot[COLUMNS + sender], seq - 1)
    return bool(slot[PAYLOAD] != NONE)


@_compiled
def bucket_of(process: int, count: int, state: State) -> int:
    """Return the bucket of a count: multiply by two odd numbers drawn by lot, and shift.

    The number of buckets is a power of two.
    """
    mixed = count * state.counts[KEY] + process * state.counts[OTHER_KEY]
    return (mixed >> 31) & (state.buckets.shape[1] - 1)


@_compiled
def holds(state: State, sender: int, seq: int) -> bool:
    row = state.buckets[BY_ID, bucket_of(sender, seq, state)]
    while row != NONE:
        if state.slots[row, SEQ] == seq and state.slots[row, SENDER] == sender:
            return True
        row = state.slots[row, SAME_ID]
    return False


@_compiled
def unmet(state: State, row: int, start: int) -> int:
    """Return the first process from `start` on of which the packet needs more than was delivered here, or NONE."""
    levels, slots, me = state.levels, state.slots, state.counts[ME]
    for process in range(start, levels.shape[1]):
        if slots[row, COLUMNS + process] > levels[DELIVERED, process] and process != me:
            return process
    return NONE


@_compiled
def file(state: State, row: int, need: int) -> None:
    """Let the packet wait for the message of `need` that it needs."""
    slots, bucket = state.slots, bucket_of(need, state.slots[row, COLUMNS + need], state)
    slots[row, NEED], slots[row, NEXT] = need, state.buckets[WAITING, bucket]
    state.buckets[WAITING, bucket] = row


@_compiled
def identify(state: State, row: int) -> None:
    slots, bucket = state.slots, bucket_of(state.slots[row, SENDER], state.slots[row, SEQ], state)
    slots[row, SAME_ID], state.buckets[BY_ID, bucket] = state.buckets[BY_ID, bucket], row


@_compiled
def forget(state: State, row: int) -> None:
    """Take a packet that is no longer held out of the chain of its identity."""
    slots, bucket = state.slots, bucket_of(state.slots[row, SENDER], state.slots[row, SEQ], state)
    if state.buckets[BY_ID, bucket] == row:
        state.buckets[BY_ID, bucket] = slots[row, SAME_ID]
        return
    other = state.buckets[BY_ID, bucket]
    while slots[other, SAME_ID] != row:
        other = slots[other, SAME_ID]
    slots[other, SAME_ID] = slots[row, SAME_ID]


@_compiled
def waiting(state: State, sender: int, seq: int) -> Longs:
    """Take out the packets that wait for message `seq` of `sender`, and return their rows in the order they came."""
    slots, bucket = state.slots, bucket_of(sender, seq, state)
    found = 0
    row = state.buckets[WAITING, bucket]
    while row != NONE:
        found += slots[row, NEED] == sender and slots[row, COLUMNS + sender] == seq
        row = slots[row, NEXT]
    rows, serials = np.empty(found, np.int64), np.empty(found, np.int64)
    row, before = state.buckets[WAITING, bucket], numba.int64(NONE)
    while found > 0:
        behind = slots[row, NEXT]
        if slots[row, NEED] != sender or slots[row, COLUMNS + sender] != seq:
            before = row
        else:
            found -= 1
            rows[found], serials[found] = row, slots[row, SERIAL]
            if before == NONE:
                state.buckets[WAITING, bucket] = behind
            else:
                slots[before, NEXT] = behind
        row = behind
    return rows[np.argsort(serials)] if len(rows) > 1 else rows


@_compiled
def release(state: State, sender: int, seq: int, tail: int) -> int:
    """Move on the packets that waited for message `seq` of `sender`, which is delivered.

    A packet that is ready goes behind `tail`. Return the new tail.
    """
    if state.counts[HELD] == 0:
        return tail
    for row in waiting(state, sender, seq):
        need = unmet(state, row, sender + 1)
        if need != NONE:
            file(state, row, need)
            continue
        forget(state, row)
        state.counts[HELD] -= 1
        state.slots[tail, NEXT], state.slots[row, NEXT], tail = row, NONE, row
    return tail


@_compiled
def deliver(state: State, row: int, out: Longs) -> None:
    """Deliver a message: S := (S - S_M) + {(j, c)}."""
    levels, slots = state.levels, state.slots
    sender, seq = slots[row, SENDER], slots[row, SEQ]
    for process in range(levels.shape[1]):
        covered = slots[row, COLUMNS + process]
        if covered and levels[BARRIER, process] == covered:
            levels[BARRIER, process] = 0
    levels[DELIVERED, sender] = levels[BARRIER, sender] = seq
    out[:] = slots[row, :OUT]


@_compiled
def receive(  # noqa: PLR0917 - taking a tuple apart at the border takes as long as eight packets
    data: Octets, ends: Longs, at: int, base: int,
    levels: Longs, slots: Longs, buckets: Longs, counts: Longs, forms: Octets, out: Longs,
) -> tuple[int, int]:  # fmt: skip
    """Take the packets of `batch` from `at` on; the first of all has the serial number `base`.

    Return how many were taken, less than there are if one is not for this function, and how many rows of `out` were
    written: serial, sender, seq, where its payload begins and which `forms` its destinations are, for a message that is
    delivered, in order; its serial and HELD_BACK for a packet that is held.
    """
    state, written = State(levels, slots, buckets, counts, forms), 0
    for packet in range(at, len(ends)):
        start, end, row = (ends[packet - 1] if packet else numba.int64(0)), ends[packet], counts[FREE]
        if row == NONE or end - start > counts[PACKET_BYTES_MAX] or not parse(data, start, end, forms, slots[row]):
            return packet, written
        sender, seq = slots[row, SENDER], slots[row, SEQ]
        if sender == counts[ME]:
            return packet, written
        if seq <= levels[DELIVERED, sender] or holds(state, sender, seq):
            continue
        need = unmet(state, row, 0)
        if need != NONE and counts[HELD] >= counts[HELD_MAX]:
            return packet, written
        slots[row, SERIAL], counts[FREE] = base + packet, slots[row, NEXT]
        slots[row, PAYLOAD] -= start
        if need != NONE:
            file(state, row, need)
            identify(state, row)
            counts[HELD] += 1
            out[written, SERIAL], out[written, SENDER] = base + packet, HELD_BACK
            written += 1
            continue
        slots[row, NEXT], tail = NONE, row
        while row != NONE:
            deliver(state, row, out[written])
            written += 1
            tail = release(state, slots[row, SENDER], slots[row, SEQ], tail)
            ready = slots[row, NEXT]
            slots[row, NEED], slots[row, NEXT], counts[FREE], row = NONE, counts[FREE], row, ready
    return len(ends), written


@_compiled
def refile(state: State) -> None:
    """File what is held anew into empty buckets, and chain up what is free, after the slots have grown."""
    state.counts[FREE] = NONE
    for row in range(len(state.slots)):
        need = state.slots[row, NEED]
        if need == NONE:
            state.slots[row, NEXT], state.counts[FREE] = state.counts[FREE], row
        else:
            file(state, row, need)
            identify(state, row)
