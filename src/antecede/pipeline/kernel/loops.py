"""Run the loops over rows and events, interpreted or compiled.

The loops that judge are in `linear_order`, `overtakers`, `mask_walk`, `vector_walk` and `order_walk`. The other loops
are in this module.

All loops are plain Python that Numba can compile. `compiled` returns them as machine code, cached on disk. For small
inputs the loops are interpreted, because to compile them, or even to import Numba, would take longer.
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

from antecede.pipeline.arrow import Flags, Ints, Longs
from antecede.pipeline.kernel import linear_order, mask_walk, order_walk, overtakers, vector_walk

Letters = npt.NDArray[np.uint8]

INTERPRETED_STEPS_MAX = 1_000_000
_interpreted_steps_max = ContextVar("interpreted_steps_max", default=INTERPRETED_STEPS_MAX)
COMPILED = (
    *("rank_known", "locate_events", "hash_letters", "match_delivers", "ranks_of", "sort_entries", "linearise"),
    *("mark", "count_marked", "settle", "reaches", "join", "overtaken_by", "all_due", "walk_vectors"),
    *("find_carriers", "last_overtakers", "bit_count", "overtaken_in", "walk_masks"),
    *("overtake_on_channels", "list_events", "take_fronts", "disagree", "follow_crown"),
)
"""The functions that are compiled, each after those that it calls."""


def rank_known(start: Longs, index: Longs, lane: Longs, known: Longs, ranks: Ints) -> None:
    """Write into `ranks`, for each row, how many indices of its lane are not above its `known` index.

    `start` is where each lane begins, and the end. `index` ascends inside each lane. `lane` is the lane of each row.
    """
    for row in range(len(lane)):
        low, high = start[lane[row]], start[lane[row] + 1]
        while low < high:
            middle = (low + high) // 2
            if index[middle] <= known[row]:
                low = middle + 1
            else:
                high = middle
        ranks[row] = low - start[lane[row]]


def locate_events(start: Longs, index: Longs, lane: Longs, wanted: Longs, found: Longs) -> None:
    """Write into `found`, for each row, the event of its lane that has the `wanted` index, or -1.

    `start` is where each lane begins, and the end. `index` ascends inside each lane. `lane` is the lane of each row.
    """
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


def hash_letters(start: Longs, letters: Letters, seed: Longs, found: Longs) -> None:
    """Write into `found` a number of 63 bits for each text.

    It is made of two hashes: FNV-1a with 32 bits, and the same with another factor. `letters` are the bytes of all
    texts, and `start` is where each text begins, and the end. `seed` is a number to begin with, for each text.
    """
    for text in range(len(found)):
        one, other = (2166136261 ^ seed[text]) & 0xFFFFFFFF, seed[text] >> 31
        for place in range(start[text], start[text + 1]):
            one = ((one ^ letters[place]) * 16777619) & 0xFFFFFFFF
            other = ((other ^ letters[place]) * 1540483477) & 0xFFFFFFFF
        found[text] = (one << 31) | (other ^ (other >> 13)) & 0x7FFFFFFF


def match_delivers(  # noqa: PLR0917 - the columns of `Encoded` and of `Pairs`
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
    """Write the columns of `Pairs` for the rows whose columns are those of `Encoded`.

    `start` is where the rows of each message begin if the rows are put in the order of messages, and the end.
    `dest_start` is where the destinations of each row begin in `dest_name`, and the end. `names` is the number of
    names. `dests` and `delivered` are zero before.
    """
    rows, fill = np.empty(len(message), np.int64), start.copy()
    for row in range(len(message)):
        rows[fill[message[row]]] = row
        fill[message[row]] += 1
    # By name: the last message that was addressed to it, and the last message that it delivered.
    asked, heard = np.full(names, -1, np.int64), np.full(names, -1, np.int64)
    holder = np.empty(names, np.int64)  # by name: the row of its first deliver of that message
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
    """Write into `ranks` the rank of each flight and, after them, of each event. `layout` says what a rank is.

    `sent` says for each event whether it is a send. `start` is where the events of each lane begin, and `flight_start`
    where its flights begin; both also have the end.
    """
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


def sort_entries(sent: Longs, sends: int, channel: Longs, first: Longs) -> Longs:
    """Return the numbers of the entries, sorted by channel and, in each channel, by send.

    `sent` is the send of each entry, of which there are `sends`, and `channel` is its channel. An entry with channel -1
    is left out. `first`, which is zero before, is filled with the place where each channel begins, and the end. The
    entries are sorted by counting, twice: by send, and then by channel.
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
    """Return the loops as machine code. Each loop calls the compiled form of the others."""
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
    """Return the loops, compiled or interpreted, whichever is faster for about `steps` steps."""
    return compiled() if steps > _interpreted_steps_max.get() else types.SimpleNamespace(**_names())


@contextmanager
def interpret_up_to(steps: int) -> Iterator[None]:
    """Let `kernels` interpret up to `steps` steps inside a `with` block. The workers of Spark do not see this limit.

    The limit is not an argument of `kernels`, because every function between a task and `kernels` would have to pass
    it on.
    """
    before = _interpreted_steps_max.set(steps)
    try:
        yield
    finally:
        _interpreted_steps_max.reset(before)
