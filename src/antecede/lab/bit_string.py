"""Write a causal barrier as 000 §7.1 does: a string of N x N bits, and one integer for each bit that is set.

Bit i N + j says whether row i has a tuple of process j. The integers are the counts of these tuples, in that order. So
x N x N tuples take (x + 1 / W) N x N integers of W bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from antecede.core.types import ProcessId

Barrier = Mapping[ProcessId, Mapping[ProcessId, int]]


def write_barrier(barrier: Barrier, names: Sequence[ProcessId], integer_bytes: int | None = None) -> bytes:
    """Return the barrier as bytes. `names` are the names of all processes, in an order that both sides know.

    Each integer has `integer_bytes`; with None it has as many as it needs, seven bits in each.
    """
    bits, counts = 0, bytearray()
    for row, dest in enumerate(names):
        for column, sender in enumerate(names):
            count = barrier.get(dest, {}).get(sender)
            if count is not None:
                bits |= 1 << (row * len(names) + column)
                counts += _shortest(count) if integer_bytes is None else count.to_bytes(integer_bytes, "little")
    return bits.to_bytes(_bit_bytes(names), "little") + bytes(counts)


def read_barrier(data: bytes, names: Sequence[ProcessId], integer_bytes: int) -> dict[ProcessId, dict[ProcessId, int]]:
    """Return the barrier that `write_barrier` wrote with integers of `integer_bytes`."""
    at = _bit_bytes(names)
    bits = int.from_bytes(data[:at], "little")
    barrier: dict[ProcessId, dict[ProcessId, int]] = {}
    for row, dest in enumerate(names):
        for column, sender in enumerate(names):
            if bits >> (row * len(names) + column) & 1:
                barrier.setdefault(dest, {})[sender] = int.from_bytes(data[at : at + integer_bytes], "little")
                at += integer_bytes
    return barrier


def _bit_bytes(names: Sequence[ProcessId]) -> int:
    """Return the bytes of the string of bits."""
    return -(-(len(names) ** 2) // 8)


def _shortest(count: int) -> bytes:
    """Return a count in groups of seven bits, the last of them marked."""
    groups = -(-max(count.bit_length(), 1) // 7)
    return bytes([*(count >> 7 * place & 127 for place in range(groups - 1, 0, -1)), count & 127 | 128])
