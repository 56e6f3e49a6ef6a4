"""Frames: all that is ever put into an inbox, and the versions of it. This is the one place that knows their bytes.

The binary frames between a host and its station are PACKETS, too. The texts between the two are written and read in
`roaming.websocket` and `roaming.problem_notice`, and beacons in `roaming.beacon`. Their versions, and what a station
says that it takes, are here.

Publishing costs a broker and its client about the same for 100 bytes as for 10,000, so packets that wait for the same
destination share one frame. The first byte of a frame is its kind:

    1  PACKETS    the number of the sender's roster (0 for none), then each packet as its length and its bytes
    2  ROSTER     its number, then each name as its length and its UTF-8: what later frames of this sender refer to
    3  FAREWELL   nothing: the sender has left
    4  KNOWN      JSON, [host, incarnation]: a host has shown its token at the sender, a station
    5  PART       a part of a packet that is too long for the broker: number of the packet, which part, of how many
    6  REMOVED    JSON, [host]: the operator has removed a host
    7  LEAVING    a turn, and a number or nothing: the sender sends no more messages; what it ever sent here is before
                  this frame, or goes through other processes and ends with the message of this number
    8  SETTLED    a number or nothing: the sender has delivered all that the receiver, who is leaving, ever sent it, and
                  sends it nothing after the message of this number
    9  ENVELOPE   the form of the wire, the epoch of the sender, a seal, then a frame of kind 1 to 8

PACKETS are for nodes and stations; 2, 3, 7 and 8 are for nodes, and 4 to 6 for stations.

**Versions.** The forms of the wire are numbered. Form 1 is a bare frame of kind 1 to 8, all that 0.1.0 wrote; in it
kinds 7 and 8 have no number of a message. Form 2 is an envelope. Every later form is an envelope too, whose second byte
is the number of the form, so that a release that does not know the form can say so. Each process announces the newest
form that it reads, and senders write the newest form that the destination reads (`envelopes`). The packets inside have
a version of their own. The next `LATER_KINDS` kinds above 9 are of a later release, whether in an envelope or not. All
others are never used, and an envelope is never in another one: such bytes are damaged.

`parse` of any bytes returns a frame or raises `WireError`, in time linear in their length; `TooNew` if they are of a
later release.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from antecede.core.errors import TooNew, WireError, too_new
from antecede.runtime.varint import read_number, write_number

PACKETS, ROSTER, FAREWELL, KNOWN, PART, REMOVED, LEAVING, SETTLED, ENVELOPE = range(1, 10)
BARE_FORM, ENVELOPE_FORM = 1, 2
NEWEST_FORM = ENVELOPE_FORM
PACKET_VERSIONS = {BARE_FORM: 1, ENVELOPE_FORM: 1}
"""The version of the packets inside, by the form of the wire: who reads a form reads these packets too."""
HELLO_VERSION = 1
"""The version of the texts between a host and its station, which the hello has."""
BEACON_VERSION = 1
TAKES_PROBLEMS, TAKES_LEFT = "problems", "left"
"""What a station says that it takes from a host, since stations of earlier releases do not: notices of problems, and
the stamp `RegisterFrom`."""
TURN_MAX = 2**53
PART_HEAD = struct.Struct(">BQII")
PARTS_MAX = 1_024
LATER_KINDS = 16
"""How many kinds above the highest one may be of a later release. Other bytes, most of which are damage, are not."""


@dataclass(frozen=True, slots=True)
class Packets:
    """Encoded packets, in the order they were sent, with the roster they were encoded with."""

    roster: int
    packets: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class RosterFrame:
    """Roster `number` of whoever sent this frame."""

    number: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeavingWord:
    """About leaving: `LEAVING`, with a turn, `SETTLED` or `FAREWELL`.

    `last` is the number of the last message of the sender to the receiver, if messages go through other processes.
    """

    kind: int
    turn: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class KnownHost:
    """A host has shown its token, with the incarnation of its state."""

    host: str
    incarnation: str


@dataclass(frozen=True, slots=True)
class RemovedHost:
    """The operator has removed a host."""

    host: str


@dataclass(frozen=True, slots=True)
class Part:
    """Part `at` of `parts` of packet `number` of whoever sent this frame."""

    number: int
    at: int
    parts: int
    data: bytes


Frame: TypeAlias = Packets | RosterFrame | LeavingWord | KnownHost | RemovedHost | Part


@dataclass(frozen=True, slots=True)
class Envelope:
    """A frame with the form of the wire, the epoch of its sender, and a seal, which may be empty."""

    form: int
    epoch: int
    seal: bytes
    frame: bytes


# Writing.


def packets(roster: int, encoded: Sequence[bytes]) -> bytes:
    """Return a frame of packets that were encoded with roster `roster`."""
    return _with_parts(PACKETS, roster, encoded)


def roster(number: int, names: Sequence[str]) -> bytes:
    """Return a frame with roster `number` of the sender."""
    return _with_parts(ROSTER, number, [name.encode() for name in names])


def leaving_word(kind: int, turn: int = 0, last: int = 0) -> bytes:
    """Return a frame about leaving. The fields are those of `LeavingWord`."""
    out = bytearray((kind,))
    if kind == LEAVING:
        write_number(turn, out)
    if last:
        write_number(last, out)
    return bytes(out)


def without_last(frame: bytes) -> bytes:
    """Return a frame as form 1 has it: a word about leaving without the number of a message."""
    if frame[0] not in (LEAVING, SETTLED):
        return frame
    word = _leaving_word(frame)
    return leaving_word(word.kind, word.turn)


def known_host(host: str, incarnation: str) -> bytes:
    """Return a frame that says that a host is known, with its incarnation."""
    return bytes((KNOWN,)) + json.dumps([host, incarnation]).encode()


def removed_host(host: str) -> bytes:
    """Return a frame that says that a host was removed."""
    return bytes((REMOVED,)) + json.dumps([host]).encode()


def part(number: int, at: int, parts: int, data: bytes) -> bytes:
    """Return a frame with one part of a packet."""
    return PART_HEAD.pack(PART, number, at, parts) + data


def envelope(epoch: int, frame: bytes, seal: bytes = b"") -> bytes:
    """Return `frame` in form 2 of the wire."""
    out = bytearray((ENVELOPE, ENVELOPE_FORM))
    write_number(epoch, out)
    write_number(len(seal), out)
    return bytes(out) + seal + frame


def _with_parts(kind: int, number: int, parts: Sequence[bytes]) -> bytes:
    out = bytearray((kind,))
    write_number(number, out)
    for each in parts:
        write_number(len(each), out)
        out += each
    return bytes(out)


# Reading.


def open_envelope(data: bytes, newest: int = NEWEST_FORM) -> Envelope:
    """Return what is in an envelope; a bare frame, of whatever kind, is in form 1. Raise `TooNew` for a form later than
    `newest`.
    """
    if data[:1] != bytes((ENVELOPE,)):
        return Envelope(BARE_FORM, 0, b"", data)
    if len(data) < 2 or data[1] < ENVELOPE_FORM:
        raise WireError("an envelope without a form")
    if data[1] > newest:
        raise TooNew(too_new("a frame", data[1], newest))
    epoch, at = _number(data, 2)
    size, at = _number(data, at)
    if size > len(data) - at:
        raise WireError(f"a seal of {size} bytes announced at byte {at}, where {len(data) - at} are left")
    return Envelope(data[1], epoch, data[at : at + size], data[at + size :])


def parse(data: bytes) -> Frame:
    """Return the frame that `data` holds.

    Raise `WireError` if it is not a frame, or is in an envelope, and `TooNew` if its kind is of a later release.
    """
    read = READERS.get(data[0]) if data else None
    if read is None:
        _check_kind(data)
        raise WireError(f"no frame: {len(data)} bytes that start with {data[:1].hex() or 'nothing'}")
    return read(data)


def _check_kind(data: bytes) -> None:
    """Raise `TooNew` if no release up to this one writes frames of this kind, and one of the next may."""
    if data and ENVELOPE < data[0] <= ENVELOPE + LATER_KINDS:
        raise TooNew(
            f"a frame has kind {data[0]}, and this release reads kinds up to {ENVELOPE}: if a later release wrote it, "
            "upgrade antecede here"
        )


def _packets(data: bytes) -> Packets:
    number, at = _number(data, 1)
    return Packets(number, _parts(data, at))


def _roster(data: bytes) -> RosterFrame:
    number, at = _number(data, 1)
    try:
        return RosterFrame(number, tuple(each.decode() for each in _parts(data, at)))
    except UnicodeDecodeError as error:
        raise WireError(f"a roster with a name that is not UTF-8: {error.reason}") from None


def _leaving_word(data: bytes) -> LeavingWord:
    turn, at = _number(data, 1) if data[0] == LEAVING else (0, 1)
    last, at = _number(data, at) if data[0] != FAREWELL and at < len(data) else (0, at)
    if at != len(data) or max(turn, last) > TURN_MAX:
        raise WireError(f"a word about leaving of {len(data)} bytes, with turn {turn} and message {last}")
    return LeavingWord(data[0], turn, last)


def _part(data: bytes) -> Part:
    if len(data) <= PART_HEAD.size:
        raise WireError(f"a part of {len(data)} bytes, where there are {PART_HEAD.size} in its head")
    _, number, at, parts = PART_HEAD.unpack_from(data)
    if not at < parts <= PARTS_MAX:
        raise WireError(f"part {at} of {parts}, of at most {PARTS_MAX}")
    return Part(number, at, parts, data[PART_HEAD.size :])


def _names(data: bytes, count: int) -> list[str]:
    """Return the strings of a frame about a host. Raise `WireError` if there are not `count` of them."""
    try:
        said = json.loads(data[1:])
        if isinstance(said, list) and len(said) == count and all(name.encode() for name in said):
            return said
    except (ValueError, RecursionError, AttributeError):  # half a surrogate pair has no UTF-8
        pass
    raise WireError("a frame about a host that does not name one")


def _parts(data: bytes, at: int) -> tuple[bytes, ...]:
    parts = []
    while at < len(data):
        size, at = _number(data, at)
        if not 0 < size <= len(data) - at:
            raise WireError(f"a part of {size} bytes announced at byte {at}, where {len(data) - at} are left")
        parts.append(data[at : at + size])
        at += size
    if not parts:
        raise WireError("a frame with nothing in it")
    return tuple(parts)


def _number(data: bytes, at: int) -> tuple[int, int]:
    try:
        return read_number(data, at)
    except ValueError as error:
        raise WireError(str(error)) from None


READERS: dict[int, Callable[[bytes], Frame]] = {
    PACKETS: _packets,
    ROSTER: _roster,
    FAREWELL: _leaving_word,
    KNOWN: lambda data: KnownHost(*_names(data, 2)),
    PART: _part,
    REMOVED: lambda data: RemovedHost(*_names(data, 1)),
    LEAVING: _leaving_word,
    SETTLED: _leaving_word,
}
"""What reads the frames of each kind."""
