"""`decode` undoes `encode`; and of any other bytes it makes a valid packet or a `WireError`, in space that their length
bounds."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antecede
from antecede import Message, MessageId, Packet, WireError, decode, encode
from antecede.core.ordering.ks import KsStamp
from antecede.core.wire import shapes
from tests.properties.packets import ALGORITHMS, kinds, packets_of, spoiled

ROSTER = [f"p{n}" for n in range(1, 8)]
SPOILED = 2_500
"""Spoiled packets of each algorithm."""
BYTES_A_BYTE, BYTES_FLAT = 4_000, 10_000
"""What decoding may have allocated at its peak: by the byte of input, and anyway.

A name costs a Python string, and one byte of a complement stands for up to 64 names in a set: that is the dear case.
"""


def is_valid(data: bytes, roster: list[str]) -> bool:
    """Decode: a packet that can be encoded and decoded again, or not a packet."""
    try:
        packet = decode(data, roster)
    except WireError:
        return False
    assert decode(encode(packet, roster), roster) == packet, data.hex()
    assert packet.control_entries >= 0
    return True


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_round_trip_with_and_without_a_roster(algorithm: str) -> None:
    for packet in packets_of(algorithm):
        for roster in ([], ROSTER, ROSTER[:2], [*reversed(ROSTER), "somebody else"]):
            assert decode(encode(packet, roster), roster) == packet


def test_every_stamp_there_is_was_among_the_packets() -> None:
    seen = set().union(*(kinds(packets_of(algorithm)) for algorithm in ALGORITHMS))
    ordering = {stamp.__name__ for tag, stamp in shapes.STAMPS.items() if tag < ROAMING}
    assert seen >= ordering - {"NoStamp"} - INSIDE
    assert "NoStamp" in seen


ROAMING = 40
"""Numbers from here on are of stations and hosts, whose packets `tests/core/mobile` sends."""

INSIDE = {"ShortPhaseStamp", "BareResynch"}
"""Stamps of options that `stage_for` does not make, which are inside a channel number."""


def test_a_packet_that_needs_a_roster_is_refused_without_it_or_with_another() -> None:
    packet = packets_of("ks")[0]
    data = encode(packet, ROSTER)
    for other in ([], ROSTER[1:], list(reversed(ROSTER))):
        with pytest.raises(WireError, match="roster"):
            decode(data, other)


def test_every_truncation_of_a_packet_is_refused_or_valid() -> None:
    refused = 0
    for algorithm in ALGORITHMS:
        data = encode(packets_of(algorithm)[-1])
        refused += sum(not is_valid(data[:length], []) for length in range(len(data)))
    assert refused > 100


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_spoiled_packets(algorithm: str) -> None:
    random = Random(f"spoiled {algorithm}")
    packets = packets_of(algorithm)
    others = packets_of(random.choice(ALGORITHMS))
    valid = 0
    for _ in range(SPOILED):
        roster = random.choice([[], ROSTER])
        data = encode(random.choice(packets), roster)
        valid += is_valid(spoiled(data, encode(random.choice(others), roster), random), roster)
    assert 0 < valid < SPOILED


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=80), st.sampled_from([0x10, 0x12, 0x16, 0x11, 0x13, 0x17]))
def test_random_bytes_behind_a_plausible_head(data: bytes, head: int) -> None:
    is_valid(bytes([head]) + data, [])
    is_valid(data, ROSTER)


def test_random_bytes() -> None:
    random = Random("random bytes")
    for _ in range(10_000):
        is_valid(bytes([random.choice([0x10, 0x12, 0x16])]) + random.randbytes(random.randint(0, 60)), [])


def test_nine_byte_numbers_that_add_up_to_more_are_refused() -> None:
    """A vector is its least value and what the others are above it; their sum must be a number that can be written."""
    writer = shapes.Writer()
    writer.vector({"a": 2**63 - 1, "b": 2**63 - 1})
    largest = shapes.Reader(bytes(writer.out), ["a", "b"])
    assert largest.vector() == {"a": 2**63 - 1, "b": 2**63 - 1}
    above = shapes.Writer()
    above.uint(2 << 2 | shapes.LIST)
    above.uints([0, 0, 2**63 - 1, 1, 2**63 - 1])
    with pytest.raises(WireError):
        shapes.Reader(bytes(above.out), ["a", "b"], met=2).vector()


def long_packets() -> Iterator[bytes]:
    """Packets made to be dear: names, bitmaps and complements without end, counts that promise more than there is."""
    names = [f"{n:x}" for n in range(500)]
    head = b"\x12" + _uint(len(names)) + b"".join(bytes([len(n)]) + n.encode() for n in names)
    bitmap = _uint(63 << 2 | shapes.BITMAP) + b"\xff" * 62 + b"\x0f"
    yield head + b"\0\0\x01" + bitmap
    for complement in (_uint(shapes.COMPLEMENT), _uint(8 << 2 | shapes.COMPLEMENT) + bytes(8)):
        for tag in sorted(shapes.STAMPS):
            yield head + b"\0\0\x01" + bitmap + bytes([tag]) + complement * 300
            yield head + b"\0\0\x01" + bitmap + bytes([tag]) + bitmap + b"\x01" + bytes(500) + complement * 300
    one_name = b"\x04\x00"
    context, log = one_name + _uint(9000) + b"\0", one_name + _uint(2000)
    yield head + b"\0\0\x01" + bitmap + b"\x02" + context + log + (b"\x01" + _uint(shapes.COMPLEMENT)) * 2000
    owed = {names[0]: {clock: frozenset(names) - set(names[:8]) for clock in range(1, 201)}}
    message = Message(MessageId(names[0], 1), frozenset(names), b"")
    yield encode(Packet(names[0], message, KsStamp(owed, {}, {names[0]: 200})))
    for tag in sorted(shapes.STAMPS):
        yield b"\x12\x01\x01a\0\0\x01\x05\x01" + bytes([tag]) + b"\xff" * 8 + b"\x7f" + bytes(3000)


def _uint(number: int) -> bytes:
    writer = shapes.Writer()
    writer.uint(number)
    return bytes(writer.out)


def test_allocation_is_bounded_by_the_length() -> None:
    random = Random("allocation")
    packets = [encode(packet) for algorithm in ALGORITHMS for packet in packets_of(algorithm)[::7]]
    inputs = [*long_packets(), *(spoiled(random.choice(packets), random.choice(packets), random) for _ in range(1500))]
    tracemalloc.start()
    try:
        for data in inputs:
            assert _peak(partial(is_packet, data)) <= BYTES_A_BYTE * len(data) + BYTES_FLAT, data[:80].hex()
    finally:
        tracemalloc.stop()


def is_packet(data: bytes) -> Packet | None:
    try:
        return decode(data)
    except WireError:
        return None


def _peak(work: Callable[[], object]) -> int:
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    work()
    _, peak = tracemalloc.get_traced_memory()
    return peak - before


def test_a_size_may_not_promise_more_than_there_is() -> None:
    for read in (shapes.Reader.bytes, shapes.Reader.count, shapes.Reader.names, shapes.Reader.vector):
        with pytest.raises(WireError, match="where 2 bytes are left"):
            read(shapes.Reader(b"\x0cab", ["a", "b"]))


def test_an_empty_packet_a_huge_one_and_another_version() -> None:
    for data in (b"", b"\x10", b"\x20\x00\x00\x00", b"\x14\x00\x00\x00", bytes(16 * 2**20 + 1)):
        with pytest.raises(WireError):
            antecede.decode(data)
