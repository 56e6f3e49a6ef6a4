"""What passes between a host and a station on a WebSocket, and the limits on it.

1. The host says who it is, in text: `{"antecede": 1, "token": "...", "incarnation": "..."}`. The incarnation is a
   random name for the durable state of the host: who lost it cannot go on under the name of the host. A host that
   keeps no state says `volatile`: whoever shows its token next, and keeps none either, goes on under its name. A host
   that has sent or got messages also says how many, `"has": [7, 4, 3735928559]` (`HostMemory`), so that a
   station whose store fell back is noticed (`station.evidence`).
2. The station answers in text: `{"station": "s1", "frame_bytes": 8192, "takes": ["problems", "left"]}`; to an operator
   whose token removes a host, `{"station": "s1", "removed": "ann"}`, and that is all. By the answer a host learns which
   station serves it. After that the station pings each host every `AirLimits.ping_s`, and answers the pings of the
   host, every `ping_s` of `Host`. A host that gets no answer for as long looks for another station. The beacon of
   001 §2, which hosts that are not connected hear, is in `beacon`.
3. From then on both send binary frames of packets (`frames.Packets` without a roster), whose stamps are those of
   `core.mobile.host_and_station_frames`. The station may also send notices, in text:
   `{"refused": "ann:7", "unknown": "zed", "similar": ["zoe"]}`: that message of yours was to a host nobody knows, and
   these names are like it; and, to a host that keeps no state, `{"sent": 7, "got": 4}`: that many messages it has sent
   and got before. If the station `takes` them, the host may send one kind of notice, of its problems
   (`problem_notice`), and registrations that name the cell that was left, too (`RegisterFrom`).

Every text has one function here that writes it and one that reads it. The binary frames, and those that stations put
into each other's inboxes, are in `runtime.frames`, and so are the version of the texts and what a station `takes`.

A WebSocket loses nothing while it lasts, so nothing is repeated on it; the next connection begins with what the core
knows to be unanswered. Anything that a correct host would not send closes the connection with `REFUSED` and a reason,
except for text after the hello: a station ignores a notice that it cannot read.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

from antecede.core.errors import Misuse, RemoteViolation, WireError, too_new
from antecede.core.mobile.host_and_station_frames import Got, Leave, Register, RegisterFrom, Uplink
from antecede.core.types import Packet, ProcessId
from antecede.core.wire.packets import decode, encode
from antecede.runtime import frames
from antecede.runtime.limits import SNAPSHOT_BYTES_MIN

QUIET = logging.getLogger("antecede.air")
QUIET.setLevel(logging.CRITICAL + 1)
"""What is said on the air is never logged: the first frame has the token."""

SIMILAR_MAX = 2
"""How many names that are like an unknown one are told."""
REFUSED = 1008
"""The host did what no correct host does, or its token is not good: it is pointless to try again."""
LATER = 1013
"""The station is full, or heard nothing in time: try another, or later."""
REPLACED = 4000
"""The same host has connected again: this connection is of the past."""
REASON_BYTES_MAX = 120
INCARNATION_CHARS_MAX = 64
COUNT_MAX = 2**53
"""No host ever sends or gets so many messages."""
VOLATILE = "volatile"
"""The incarnation of every host that keeps no state."""


@dataclass(frozen=True, slots=True)
class AirLimits:
    """What one station takes from hosts. At a limit it stops reading, refuses the connection, or closes it.

    `connections` are hosts that have shown their token; at most `greetings` connections have not said hello yet, and
    one more ends the oldest of the address that has the most. It stops reading from a host while it owes other stations
    `outbox` entries, and while `held_back` messages are held back for the destination. It takes a snapshot of its state
    when more than `snapshot_bytes_min` of inputs are logged. It pings each host every `ping_s` seconds, and takes a
    host that does not answer within `ping_s` for gone. What did not move for `stall_after_s` seconds is a stall.
    """

    connections: int = 10_000
    greetings: int = 1_000
    hosts: int = 100_000
    hello_s: float = 5.0
    frame_bytes: int = 8 * 2**10
    packets_per_s: float = 1_000.0
    window: int = 256
    stranger_s: float = 2.0
    ping_s: float = 20.0
    outbox: int = 10_000
    held_back: int = 1_000
    snapshot_bytes_min: int = SNAPSHOT_BYTES_MIN
    stall_after_s: float = 10.0

    def __post_init__(self) -> None:
        counts = (self.connections, self.greetings, self.hosts, self.window, self.outbox, self.held_back)
        if min(counts) < 1 or self.frame_bytes < 256:
            raise Misuse(f"counts must be 1 or more, and frame_bytes 256 or more: not {self}")
        rates = (self.hello_s, self.packets_per_s, self.stranger_s, self.ping_s)
        if not all(isfinite(rate) and rate > 0 for rate in rates):
            raise Misuse(f"times and rates must be finite and more than 0: not {self}")


class HostMemory(NamedTuple):
    """What a host knows: how many of its messages stations have taken, and how many messages it got.

    `last` is the checksum of the last message that it got, or None if that is not known.
    """

    taken: int = 0
    got: int = 0
    last: int | None = None


NOTHING = HostMemory()
"""What a new host has."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who is speaking, as it says, and what it has."""

    token: str
    incarnation: str
    host: str | None = None
    has: HostMemory = NOTHING


def hello(token: str, incarnation: str, host: ProcessId | None = None, has: HostMemory = NOTHING) -> str:
    """Return the first frame of a host. A station compares the name of the `host` with the one in the token, and what
    the host `has` with its luggage.
    """
    said: dict[str, Any] = {"antecede": frames.HELLO_VERSION, "token": token, "incarnation": incarnation, "host": host}
    return json.dumps(said if has == NOTHING else {**said, "has": has})


def read_hello(said: object) -> Hello:
    """Return the first frame of a host. Raise `WireError` if it is not valid."""
    found = read_text(said)
    version, token, incarnation = found.get("antecede"), found.get("token"), found.get("incarnation")
    if type(version) is int and version > frames.HELLO_VERSION:
        raise WireError(too_new("the hello", version, frames.HELLO_VERSION, where="at this station"))
    if version != frames.HELLO_VERSION or not isinstance(token, str) or not isinstance(incarnation, str):
        raise WireError(
            f"the first frame is a hello of version {frames.HELLO_VERSION}, with a token and an incarnation"
        )
    if not 1 <= len(incarnation) <= INCARNATION_CHARS_MAX or not incarnation.isascii():
        raise WireError(f"an incarnation is 1 to {INCARNATION_CHARS_MAX} ASCII characters")
    host = found.get("host")
    if host is not None and not isinstance(host, str):
        raise WireError("the name of a host is text")
    return Hello(token, incarnation, host, _read_memory(found.get("has", NOTHING)))


def _read_memory(has: object) -> HostMemory:
    """Return what a host says that it has. Hosts of earlier releases say nothing."""
    if not isinstance(has, list | HostMemory) or len(has) != len(NOTHING):
        raise WireError(f"what the host has is a list of {len(NOTHING)} numbers")
    taken, got, last = has
    return HostMemory(_read_count(taken), _read_count(got), None if last is None else _read_count(last))


def read_text(said: object) -> dict[str, Any]:
    """Return the JSON object in a text frame. Raise `WireError` if there is none."""
    if not isinstance(said, str):
        raise WireError("bytes where text was expected")
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        raise WireError("text that is not JSON") from None
    if not isinstance(found, dict):
        raise WireError("JSON that is not an object")
    return found


def write_text(fields: Mapping[str, Any]) -> str:
    """Return a text frame with a JSON object, in ASCII."""
    return json.dumps(fields)


class StationAnswer(NamedTuple):
    """The station that has taken a host, the longest frame that it takes, and what else it takes from hosts."""

    station: ProcessId
    frame_bytes: int
    takes: tuple[str, ...] = ()


def answer(said: StationAnswer) -> str:
    """Return the answer of a station to a host that it has taken."""
    return write_text({"station": said.station, "frame_bytes": said.frame_bytes, "takes": said.takes})


def read_answer(said: object) -> StationAnswer:
    """Return what a station has answered to a host. Raise `WireError` if this is not an answer.

    Stations of earlier releases take nothing but packets.
    """
    found = read_text(said)
    takes = found.get("takes")
    names = tuple(name for name in takes if isinstance(name, str)) if isinstance(takes, list) else ()
    try:
        return StationAnswer(str(found["station"]), int(found["frame_bytes"]), names)
    except (KeyError, ValueError, TypeError, OverflowError):  # JSON has numbers without an end
        raise WireError("an answer without a station and the length of its frames") from None


class RemovalAnswer(NamedTuple):
    """The station that has taken the order to remove a host, and that host."""

    station: ProcessId
    host: ProcessId


def removal(said: RemovalAnswer) -> str:
    """Return the answer of a station to an operator whose order it has taken."""
    return json.dumps({"station": said.station, "removed": said.host})


def read_removal(said: object) -> RemovalAnswer:
    """Return what a station has answered to an operator. Raise `WireError` if it has not removed a host."""
    found = read_text(said)
    if "station" not in found or "removed" not in found:
        raise WireError("an answer that does not say that a host was removed")
    return RemovalAnswer(str(found["station"]), str(found["removed"]))


class Refusal(NamedTuple):
    """A message that went to nobody, the destination that is unknown, and names that are like it."""

    message: str
    unknown: ProcessId
    similar: tuple[ProcessId, ...] = ()


def refusal(said: Refusal) -> str:
    """Return the notice of a refusal."""
    return json.dumps({"refused": said.message, "unknown": said.unknown, "similar": said.similar})


def read_refusal(notice: Mapping[str, Any]) -> Refusal | None:
    """Return the refusal, if a notice says one. Stations of earlier releases name no similar hosts."""
    if "refused" not in notice:
        return None
    similar = notice.get("similar")
    names = [name for name in similar if isinstance(name, str)] if isinstance(similar, list) else []
    return Refusal(str(notice["refused"]), str(notice.get("unknown")), tuple(names[:SIMILAR_MAX]))


def counts(sent: int, got: int) -> str:
    """Return the notice for a host that keeps no state: how many messages it has sent and got before."""
    return json.dumps({"sent": sent, "got": got})


def read_counts(notice: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return how many messages a host without a state of its own has sent and got, or None if a notice does not say so.

    Raise `WireError` if the notice is not valid.
    """
    if "sent" not in notice and "got" not in notice:
        return None
    return _read_count(notice.get("sent")), _read_count(notice.get("got"))


def _read_count(found: object) -> int:
    if type(found) is not int or not 0 <= found <= COUNT_MAX:
        raise WireError(f"a notice with {found!r} in place of a number of messages"[:100])
    return found


def read_packets(said: object) -> list[tuple[Packet, bytes]]:
    """Return the packets of a binary frame, each with its bytes. Raise `WireError` if the frame is not valid."""
    if not isinstance(said, bytes):
        raise WireError("text where packets were expected")
    frame = frames.parse(said)
    if not isinstance(frame, frames.Packets) or frame.roster:
        raise WireError("a frame that is not of packets, or with a roster")
    return [(decode_packet(data), data) for data in frame.packets]


decode_packet = lru_cache(maxsize=256)(decode)
"""A packet is decoded when it is checked and again when it is put in, a moment later; packets never change."""


def check_spoken(host: ProcessId, packet: Packet) -> None:
    """Raise `RemoteViolation` unless `host` may say this to a station."""
    stamp, message = packet.stamp, packet.message
    if packet.sender != host:
        raise RemoteViolation("a packet in the name of another host")
    if not isinstance(stamp, (Register, Leave, Got, Uplink)):
        raise RemoteViolation(f"a {type(stamp).__name__} is not for hosts to send")
    if isinstance(stamp, Uplink) != (message is not None):
        raise RemoteViolation(f"a {type(stamp).__name__} {'without' if message is None else 'with'} a message")
    if message is not None and (message.sender != host or message.group is not None):
        raise RemoteViolation("a message in the name of another host, or to a group")


def without_left(packet: Packet) -> Packet:
    """Return the packet as a station of an earlier release reads it: a registration that names one station."""
    stamp = packet.stamp
    if not isinstance(stamp, RegisterFrom):
        return packet
    return replace(packet, stamp=Register(stamp.move, stamp.previous))


def pack(packets: Sequence[Packet], frame_bytes: int) -> tuple[bytes, int]:
    """Return a frame of as many packets of a host as the station takes, and how many packets those were.

    Of several acknowledgements only the last is in the frame, because it says everything.
    """
    batch: list[bytes] = []
    size = taken = 0
    last_got = max((at for at, packet in enumerate(packets) if isinstance(packet.stamp, Got)), default=-1)
    for at, packet in enumerate(packets):
        if not isinstance(packet.stamp, Got) or at == last_got:
            data = encode(packet)
            if batch and size + len(data) + 16 > frame_bytes:
                break
            batch.append(data)
            size += len(data) + 4
        taken = at + 1
    return frames.packets(0, batch) if batch else b"", taken


def reason(error: object) -> str:
    """Return as much of the reason as fits into a close frame."""
    return str(error).encode(errors="replace")[:REASON_BYTES_MAX].decode(errors="ignore")
