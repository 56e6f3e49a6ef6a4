"""A table of counts as 000 §7.1 sends it: a string of N x N bits, and one integer for each bit that is set.

Bit i N + j says whether row i has a count of process j. The integers are these counts, in that order. So x N x N counts
take (x + 1 / W) N x N integers of W bits. Here an integer has as many bytes as it needs.

The paper assumes that processes are numbered from 1 to N. Here the numbers are those that names have in the packet:
first the names of the roster, and then the other names, in the order in which the packet meets them. N is the number of
names met up to and including the table, and is written before the bits.
"""

from __future__ import annotations

from collections.abc import Mapping

from antecede.core.errors import WireError
from antecede.core.wire.shapes import BITS_OF_BYTE, Reader, Writer

Table = Mapping[str, Mapping[str, int]]


def write_table(to: Writer, table: Table) -> None:
    """Append N, the bits and the counts of a table. A row without a count is not written."""
    for name in sorted(names_of(table)):
        to.index.setdefault(name, len(to.index))
    bits, counts = split_table(table, to.index)
    to.uint(len(to.index))
    to.out += bits
    to.uints(counts)


def names_of(table: Table) -> set[str]:
    """Return the names of the rows and columns of a table."""
    return {*table, *(column for row in table.values() for column in row)}


def split_table(table: Table, numbers: Mapping[str, int]) -> tuple[bytes, list[int]]:
    """Return the string of bits of a table and its counts. `numbers` has all names, numbered from 0."""
    n = len(numbers)
    placed = sorted(
        (numbers[name] * n + numbers[column], count) for name, row in table.items() for column, count in row.items()
    )
    bits = bytearray(_byte_count(n))
    for place, _ in placed:
        bits[place // 8] |= 1 << place % 8
    return bytes(bits), [count for _, count in placed]


def read_table(source: Reader) -> dict[str, dict[str, int]]:
    """Return the table that `write_table` wrote. Raise `WireError` if the bytes are not a table."""
    n, names = source.uint(), source.names_table
    if not source.met <= n <= len(names):
        raise WireError(
            f"a table of {n} names before byte {source.at}, where {source.met} to {len(names)} are possible"
        )
    size = _byte_count(n)
    bits = source.data[source.at : source.at + size]
    if len(bits) < size:
        raise WireError(f"{size} bytes of bits announced before byte {source.at}, where {len(bits)} bytes are left")
    source.at += size
    source.met = n
    places = [base * 8 + bit for base, byte in enumerate(bits) if byte for bit in BITS_OF_BYTE[byte]]
    if places and places[-1] >= n * n:
        raise WireError(f"bit {places[-1]} is set in a string of {n * n} bits before byte {source.at}")
    table: dict[str, dict[str, int]] = {}
    for place, count in zip(places, source.uints(len(places)), strict=True):
        table.setdefault(names[place // n], {})[names[place % n]] = count
    return table


def _byte_count(n: int) -> int:
    """Return how many bytes a string of `n` x `n` bits has."""
    return -(-n * n // 8)
