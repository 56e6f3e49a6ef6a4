"""The loops over rows and events, and the form in which they run: interpreted or compiled.

The loops that judge are in `linear_order`, `overtakers`, `mask_walk`, `vector_walk` and `order_walk`; the others are
here.

All of them are plain Python that Numba can compile. Small inputs run as they are: compiling, or even importing Numba,
would take longer than they do. `compiled` gives the same functions as machine code, cached on disk.
"""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import numpy.typing as npt

from antecede.pipeline.kernel import linear_order, mask_walk, order_walk, overtakers, vector_walk

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Letters = npt.NDArray[np.uint8]

INTERPRETED_STEPS_MAX = 1_000_000
_interpreted_steps_max = ContextVar("interpreted_steps_max", default=INTERPRETED_STEPS_MAX)
COMPILED = (
    *("ranked", "located", "hashed", "matched", "ranks_of", "lined_up", "linearise"),
    *("mark", "marked", "settle", "reaches", "join", "overtaken_by", "all_due", "walk_vectors"),
    *("find_carriers", "last_overtakers", "bit_count", "overtaken_in", "walk_masks"),
    *("overtake_on_channels", "list_events", "take_fronts", "disagree", "follow_crown"),
)
"""The functions that are compiled, each after those that it calls."""


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


@functools.cache
def compiled() -> types.SimpleNamespace:
    """Return the loops as machine code, each calling the compiled form of the others."""
    import numba  # noqa: PLC0415 - half a second, which small inputs need not wait for

    names = _names()
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


def _names() -> dict[str, Any]:
    """Return everything that the loops refer to, by name."""
    return vars(order_walk) | vars(linear_order) | vars(overtakers) | vars(mask_walk) | vars(vector_walk) | globals()


def kernels(steps: int) -> Any:
    """Return the loops in the form that is faster for about this many steps."""
    return compiled() if steps > _interpreted_steps_max.get() else types.SimpleNamespace(**_names())


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
