"""Packets as bytes and back: versioned, compact, and never trusting.

    byte 0        version (high four bits) and flags: a shared roster, a message, a group
    roster        with the flag: four bytes that identify the roster both sides have
    names         how many, then each as (bytes shared with the one before, bytes that follow)
    sender        its name's number; with a message: whether it is its author, seq, destinations, group
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

from antecede.core.errors import Misuse, TooNew, WireError, too_new
from antecede.core.roster import NAME_BYTES_MAX, checked_names
from antecede.core.types import Message, MessageId, Packet
from antecede.core.wire.common_part import CommonPart
from antecede.core.wire.shapes import TAGS, Reader, Sets, Writer

VERSION = 1
PACKET_BYTES_MAX = 64 * 2**20
ROSTER, MESSAGE, GROUP = 1, 2, 4
SHORT = 15
"""Name lengths below this fit in four bits."""


class Codec:
    """Encode and decode packets with one roster: names that both sides know, in the same order. It may be empty.

    A packet has at most `packet_bytes_max` bytes.
    """

    def __init__(self, roster: Sequence[str] = (), *, packet_bytes_max: int = PACKET_BYTES_MAX) -> None:
        if len(set(checked_names("a roster", roster))) != len(roster):
            raise Misuse("a roster must name each process once")
        self.roster, self.packet_bytes_max = tuple(roster), packet_bytes_max
        self._index = {name: number for number, name in enumerate(roster)}
        self._identity = zlib.crc32("\0".join(roster).encode()).to_bytes(4, "big") if roster else b""
        self._sets = Sets()
        self._common = CommonPart() if roster else None

    def encode(self, packet: Packet) -> bytes:
        """Return the packet as bytes. If there is a roster, only a codec with the same roster can decode them."""
        if not isinstance(packet, Packet):
            raise Misuse(f"encode takes a Packet, not a {type(packet).__name__}")
        message, stamp = packet.message, packet.stamp
        if type(stamp) not in TAGS:
            raise Misuse(f"a {type(stamp).__name__} cannot be encoded: it is not a stamp")
        writer = Writer(self._index, self._common)
        flags = ROSTER if self.roster else 0
        if message is not None:
            flags |= MESSAGE if message.group is None else MESSAGE | GROUP
        try:
            _write_packet(writer, packet)
        except (KeyError, ValueError) as error:  # a negative number, or a count without its context
            raise Misuse(
                f"a {type(stamp).__name__} cannot be encoded whose parts do not fit together: {error!r}"
            ) from None
        names = list(writer.index)[len(self.roster) :]
        parts = (bytes((VERSION << 4 | flags,)), self._identity, _names(names), writer.out)
        data = b"".join(parts) + (message.payload if message is not None else b"")
        if len(data) > self.packet_bytes_max:
            raise Misuse(
                f"the packet has {len(data)} bytes, and the limit is {self.packet_bytes_max}: send a smaller payload"
            )
        return data

    def decode(self, data: bytes) -> Packet:
        """Return the packet that `encode` made these bytes of. Raise `WireError`, which says where and why, if they are
        not a packet.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise Misuse(f"decode takes bytes, not a {type(data).__name__}")
        data = bytes(data)
        if not 3 <= len(data) <= self.packet_bytes_max:
            raise WireError(f"a packet must have 3 to {self.packet_bytes_max} bytes, not {len(data)}")
        version, flags = data[0] >> 4, data[0] & 15
        if version > VERSION:
            raise TooNew(too_new("a packet", version, VERSION))
        if version != VERSION or flags > 7 or flags & (MESSAGE | GROUP) == GROUP:
            raise WireError(f"version {version} with flags {flags}; this is version {VERSION}")
        if flags & ROSTER and (not self.roster or data[1:5] != self._identity):
            raise WireError(f"the packet was encoded with another roster, not with these {len(self.roster)} names")
        known = self.roster if flags & ROSTER else ()
        at, names = _read_names(data, 5 if known else 1, known)
        reader = Reader(data, names, at, len(known), self._sets if names is self.roster else None)
        return _read_packet(reader, flags)


def encode(packet: Packet, roster: Sequence[str] = ()) -> bytes:
    """Return the packet as bytes. `roster` is a list of names that both sides know, as in `Codec`."""
    return _codec(tuple(roster)).encode(packet)


def decode(data: bytes, roster: Sequence[str] = ()) -> Packet:
    """Return the packet that `encode` made these bytes of. Raise `WireError` if they are not a packet."""
    return _codec(tuple(roster)).decode(data)


_codec = lru_cache(maxsize=64)(Codec)


def _write_packet(writer: Writer, packet: Packet) -> None:
    writer.name(packet.sender)
    if packet.message is not None:
        _write_message(writer, packet.sender, packet.message)
    writer.stamp(packet.stamp)


def _write_message(writer: Writer, sender: str, message: Message) -> None:
    if message.id.sender == sender:
        writer.uint(0)
    else:
        writer.uint(1)
        writer.name(message.id.sender)
    writer.uint(message.id.seq)
    writer.names(message.dests)
    if message.group is not None:
        writer.name(message.group)


def _read_packet(reader: Reader, flags: int) -> Packet:
    sender = reader.name()
    if not flags & MESSAGE:
        packet = Packet(sender, None, reader.stamp())
        if reader.at != len(reader.data):
            raise WireError(f"{len(reader.data) - reader.at} bytes after the end of a control packet")
        return packet
    forwarded = reader.uint()
    if forwarded > 1:
        raise WireError(f"{forwarded} where 0 or 1 tells whether the packet is forwarded, before byte {reader.at}")
    author = reader.name() if forwarded else sender
    seq = reader.uint()
    dests = reader.names()
    if not seq or not dests:
        raise WireError(f"message {seq} of {author} to {len(dests)} destinations, before byte {reader.at}")
    group = reader.name() if flags & GROUP else None
    stamp = reader.stamp()
    return Packet(sender, Message(MessageId(author, seq), dests, reader.data[reader.at :], group), stamp)


def _names(names: Sequence[str]) -> bytes:
    writer = Writer()
    writer.uint(len(names))
    before = b""
    for name in names:
        encoded = name.encode()
        if not 1 <= len(encoded) <= NAME_BYTES_MAX:
            raise Misuse(f"a name of {len(encoded)} bytes; 1 to {NAME_BYTES_MAX} are allowed: {name[:40]!r}")
        shared = _shared(before, encoded)
        rest = encoded[shared:]
        if shared < SHORT and len(rest) < SHORT:
            writer.out.append(shared << 4 | len(rest))
        else:
            writer.out.append(255)
            writer.uint(shared)
            writer.uint(len(rest))
        writer.out += rest
        before = encoded
    return bytes(writer.out)


def _shared(one: bytes, other: bytes) -> int:
    length = min(len(one), len(other))
    for at in range(length):
        if one[at] != other[at]:
            return at
    return length


def _read_names(data: bytes, at: int, roster: Sequence[str]) -> tuple[int, Sequence[str]]:
    if data[at : at + 1] == b"\0":
        return at + 1, roster
    reader = Reader(data, (), at)
    names = list(roster)
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
        raise WireError("the packet has a name twice")
    return reader.at, names
