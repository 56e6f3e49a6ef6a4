"""Packets as bytes and back: versioned, compact, and never trusting.

    byte 0        version (high four bits) and flags: a shared roster, a message, a group
    roster        with the flag: four bytes that identify the roster both sides have
    names         how many, then each as (bytes shared with the one before, bytes that follow)
    sender        its name's number; with a message: seq, destinations, group
    stamp         its number and what it is made of (`shapes`)
    payload       the rest, with a message

A roster is an ordered list of names that both sides were given beforehand: its names cost nothing. Without it a
packet explains itself. `decode` of any byte string returns a valid packet or raises `WireError`, in time and space
linear in the length of the string.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

from antecede.core.errors import Misuse, WireError
from antecede.core.roster import NAME_BYTES_MAX
from antecede.core.shapes import TAGS, Reader, Writer
from antecede.core.types import Message, MessageId, Packet

VERSION = 1
PACKET_BYTES_MAX = 16 * 2**20
ROSTER, MESSAGE, GROUP = 1, 2, 4
SHORT = 15
"""Name lengths below this fit in four bits."""


def encode(packet: Packet, roster: Sequence[str] = ()) -> bytes:
    """The packet as bytes; with a `roster`, only whoever has the same one can decode them."""
    message, stamp = packet.message, packet.stamp
    if type(stamp) not in TAGS:
        raise Misuse(f"a {type(stamp).__name__} has no form on the wire")
    writer = Writer(roster)
    writer.name(packet.sender)
    if message is not None:
        if message.id.sender == packet.sender:
            writer.uint(0)
        else:
            writer.uint(1)
            writer.name(message.id.sender)
        writer.uint(message.id.seq)
        writer.names(message.dests)
        if message.group is not None:
            writer.name(message.group)
    writer.stamp(stamp)
    flags = (ROSTER if roster else 0) | (MESSAGE if message is not None else 0)
    flags |= GROUP if message is not None and message.group is not None else 0
    head = bytearray((VERSION << 4 | flags,))
    if roster:
        head += _identity(tuple(roster))
    _write_names(head, list(writer.index)[len(roster) :])
    data = bytes(head) + writer.out + (message.payload if message is not None else b"")
    if len(data) > PACKET_BYTES_MAX:
        raise Misuse(f"a packet of {len(data)} bytes; at most {PACKET_BYTES_MAX} can be sent")
    return data


def decode(data: bytes, roster: Sequence[str] = ()) -> Packet:
    """The packet of `encode`, or `WireError`, which says where and why."""
    data = bytes(data)
    if not 3 <= len(data) <= PACKET_BYTES_MAX:
        raise WireError(f"a packet is 3 to {PACKET_BYTES_MAX} bytes, not {len(data)}")
    version, flags = data[0] >> 4, data[0] & 15
    if version != VERSION or flags > 7 or flags & (MESSAGE | GROUP) == GROUP:
        raise WireError(f"version {version} with flags {flags}; this is version {VERSION}")
    at, names = _read_names(data, 1 if not flags & ROSTER else _same_roster(data, roster), flags, roster)
    reader = Reader(data, names, at, len(roster) if flags & ROSTER else 0)
    try:
        return _read_packet(reader, flags)
    except RecursionError:  # pragma: no cover - nesting is bounded by STAMP_DEPTH_MAX
        raise WireError("stamps nested too deep") from None


def _read_packet(reader: Reader, flags: int) -> Packet:
    sender = reader.name()
    if not flags & MESSAGE:
        packet = Packet(sender, None, reader.stamp())
        if reader.at != len(reader.data):
            raise WireError(f"{len(reader.data) - reader.at} bytes after the end of a control packet")
        return packet
    author = sender if not reader.uint() else reader.name()
    seq = reader.uint()
    dests = reader.names()
    if not seq or not dests:
        raise WireError(f"message {seq} of {author} to {len(dests)} destinations, before byte {reader.at}")
    group = reader.name() if flags & GROUP else None
    stamp = reader.stamp()
    return Packet(sender, Message(MessageId(author, seq), dests, reader.data[reader.at :], group), stamp)


def _same_roster(data: bytes, roster: Sequence[str]) -> int:
    if not roster:
        raise WireError("the packet needs the roster it was encoded with")
    if data[1:5] != _identity(tuple(roster)):
        raise WireError(f"the packet was encoded with another roster than these {len(roster)} names")
    return 5


@lru_cache(maxsize=64)
def _identity(roster: tuple[str, ...]) -> bytes:
    if len(set(roster)) != len(roster):
        raise Misuse("a roster names everybody once")
    return zlib.crc32("\0".join(roster).encode()).to_bytes(4, "big")


def _write_names(out: bytearray, names: Sequence[str]) -> None:
    head = Writer()
    head.uint(len(names))
    before = b""
    for name in names:
        encoded = name.encode()
        if not 1 <= len(encoded) <= NAME_BYTES_MAX:
            raise Misuse(f"a name of {len(encoded)} bytes; 1 to {NAME_BYTES_MAX} are allowed: {name[:40]!r}")
        shared = _shared(before, encoded)
        rest = encoded[shared:]
        if shared < SHORT and len(rest) < SHORT:
            head.out.append(shared << 4 | len(rest))
        else:
            head.out.append(255)
            head.uint(shared)
            head.uint(len(rest))
        head.out += rest
        before = encoded
    out += head.out


def _shared(one: bytes, other: bytes) -> int:
    length = min(len(one), len(other))
    for at in range(length):
        if one[at] != other[at]:
            return at
    return length


def _read_names(data: bytes, at: int, flags: int, roster: Sequence[str]) -> tuple[int, list[str]]:
    reader = Reader(data, (), at)
    names = list(roster) if flags & ROSTER else []
    before = b""
    for _ in range(reader.count()):
        sizes = reader.octet()
        shared, size = (reader.uint(), reader.count()) if sizes == 255 else (sizes >> 4, sizes & 15)
        rest = data[reader.at : reader.at + size]
        if len(rest) < size or shared > len(before) or not 1 <= shared + size <= NAME_BYTES_MAX:
            raise WireError(f"a name of {shared} + {size} bytes before byte {reader.at}")
        reader.at += size
        before = before[:shared] + rest
        try:
            names.append(before.decode())
        except UnicodeDecodeError as error:
            raise WireError(f"a name that is not UTF-8 before byte {reader.at}: {error.reason}") from None
    if len(set(names)) != len(names):
        raise WireError("a name stands twice in the packet")
    return reader.at, names
