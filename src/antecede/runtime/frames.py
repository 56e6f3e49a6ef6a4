"""What one publication into an inbox holds: several packets, a roster, or a word about leaving.

Publishing costs a broker and its client about the same for 100 bytes as for 10,000, so packets that wait for the same
destination share one frame. A frame is a byte for its kind and what follows:

    PACKETS    the number of the sender's roster (0 for none), then each packet as its length and its bytes
    ROSTER     its number, then each name as its length and its UTF-8: what later frames of this sender refer to
    LEAVING    a turn: the sender sends no more messages, and what it ever sent here is before this frame
    SETTLED    nothing: the sender has delivered all that the receiver, who is leaving, ever sent it
    FAREWELL   nothing: the sender has left

`parse` of any bytes returns a frame or raises `WireError`, in time linear in their length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from antecede.core.errors import WireError, unknown

PACKETS, ROSTER, FAREWELL, LEAVING, SETTLED = 1, 2, 3, 7, 8
KIND_MAX = 8
"""The highest kind there is; 4 to 6 are for stations only (`durable_station`, `fragments`)."""
NUMBER_BYTES_MAX = 9
TURN_MAX = 2**53


@dataclass(frozen=True, slots=True)
class Packets:
    """Encoded packets, in the order they were sent, with the roster they were encoded with."""

    roster: int
    packets: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Roster `number` of whoever sent this frame."""

    number: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """About leaving: `LEAVING`, with a turn, `SETTLED` or `FAREWELL`."""

    kind: int
    turn: int = 0


Frame: TypeAlias = Packets | Names | Word


def packets(roster: int, encoded: Sequence[bytes]) -> bytes:
    """A frame of packets that were encoded with roster `roster`."""
    out = bytearray((PACKETS,))
    _number(roster, out)
    for packet in encoded:
        _number(len(packet), out)
        out += packet
    return bytes(out)


def names(number: int, roster: Sequence[str]) -> bytes:
    """A frame that tells of a roster."""
    out = bytearray((ROSTER,))
    _number(number, out)
    for name in roster:
        encoded = name.encode()
        _number(len(encoded), out)
        out += encoded
    return bytes(out)


def word(kind: int, turn: int = 0) -> bytes:
    """A frame about leaving."""
    out = bytearray((kind,))
    if kind == LEAVING:
        _number(turn, out)
    return bytes(out)


def parse(data: bytes) -> Frame:
    """The frame, or `WireError`."""
    kind = data[0] if data else 0
    if kind in (FAREWELL, SETTLED) and len(data) == 1:
        return Word(kind)
    if kind == LEAVING:
        turn, at = _read(data, 1)
        if at == len(data) and turn <= TURN_MAX:
            return Word(kind, turn)
    if kind > KIND_MAX:
        raise WireError(unknown(f"a frame of kind {kind}"))
    if kind not in (PACKETS, ROSTER):
        raise WireError(f"no frame: {len(data)} bytes that start with {data[:1].hex() or 'nothing'}")
    number, at = _read(data, 1)
    parts = _parts(data, at)
    if kind == PACKETS:
        return Packets(number, parts)
    try:
        return Names(number, tuple(part.decode() for part in parts))
    except UnicodeDecodeError as error:
        raise WireError(f"a roster with a name that is not UTF-8: {error.reason}") from None


def _parts(data: bytes, at: int) -> tuple[bytes, ...]:
    parts = []
    while at < len(data):
        size, at = _read(data, at)
        if not 0 < size <= len(data) - at:
            raise WireError(f"a part of {size} bytes announced at byte {at}, where {len(data) - at} are left")
        parts.append(data[at : at + size])
        at += size
    if not parts:
        raise WireError("a frame with nothing in it")
    return tuple(parts)


def _number(value: int, out: bytearray) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _read(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    for taken in range(NUMBER_BYTES_MAX):
        if at + taken >= len(data):
            break
        byte = data[at + taken]
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at + taken + 1
    raise WireError(f"a number without an end at byte {at}")
