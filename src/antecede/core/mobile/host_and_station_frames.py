"""Every frame between a host and its station (tags 40 to 47) and between stations (50 and up), as a stamp of a packet.

The wire form of each follows from its fields (`wire.fields`). `Uplink`, `Downlink`, `Carried`, `Cast`, `Relayed` and
`Old` accompany a message; the others stand for themselves.

On the air there is nothing but the message, its number, and how much the host has of the other direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from antecede.core.types import Stamp
from antecede.core.wire import shapes
from antecede.core.wire.fields import Fields


@shapes.stamp(40, "Register")
@dataclass(frozen=True, slots=True)
class Register(Fields):
    """Host to station: I am in your cell; it is my `move`-th registration; `previous` was the last to welcome me."""

    move: int
    previous: str


@shapes.stamp(47, "RegisterFrom")
@dataclass(frozen=True, slots=True)
class RegisterFrom(Register):
    """The same, of a host that left the cell of `left` before it was welcomed there."""

    left: str


@shapes.stamp(41, "Welcome")
@dataclass(frozen=True, slots=True)
class Welcome(Fields):
    """Station to host: registration `move` is done; your messages up to `sent` have been taken."""

    move: int
    sent: int


@shapes.stamp(42, "Leave")
@dataclass(frozen=True, slots=True)
class Leave(Fields):
    """Host to station: I disconnect."""

    move: int


@shapes.stamp(43, "Uplink")
@dataclass(frozen=True, slots=True)
class Uplink(Fields):
    """With a message of the host, which it sent when it had delivered `got` messages."""

    got: int


@shapes.stamp(44, "Taken")
@dataclass(frozen=True, slots=True)
class Taken(Fields):
    """Station to host: your messages up to `sent` have been taken."""

    sent: int


@shapes.stamp(45, "Downlink")
@dataclass(frozen=True, slots=True)
class Downlink(Fields):
    """With a message for the host, the `serial`-th."""

    serial: int


@shapes.stamp(46, "Got")
@dataclass(frozen=True, slots=True)
class Got(Fields):
    """Host to station: I have delivered `got` messages, and had sent `sent` of my own by then."""

    got: int
    sent: int


@shapes.stamp(50, "Begin")
@dataclass(frozen=True, slots=True)
class Begin(Fields):
    """handoff_begin: `host` has registered with `to`, its `move`-th registration: send its luggage there.

    `epoch` is the number of the hand-over by which, as far as the sender knows, the luggage came here.
    """

    host: str
    move: int
    to: str
    epoch: int


@shapes.stamp(51, "Handover")
@dataclass(frozen=True, slots=True)
class Handover(Fields):
    """handoff_over of Algorithm 1, enable of Algorithm 2: all a station keeps for `host`, to its `epoch`-th place."""

    host: str
    epoch: int
    luggage: bytes


@shapes.stamp(52, "Moved")
@dataclass(frozen=True, slots=True)
class Moved(Fields):
    """The luggage of `host` went to `at`, its `epoch`-th place, for registration `move`."""

    host: str
    epoch: int
    move: int
    at: str


@shapes.stamp(53, "Carried")
@dataclass(frozen=True, slots=True)
class Carried(Fields):
    """With a message, for the hosts `to` at the receiving station; the sender's luggage is in its `epoch`-th place."""

    to: frozenset[str]
    epoch: int
    stamp: Stamp


@shapes.stamp(54, "Cast")
@dataclass(frozen=True, slots=True)
class Cast(Fields):
    """000 §9: with a message, to all stations; `seq` is M_seq of the packet's sender, M_init."""

    seq: int
    stamp: Stamp


@shapes.stamp(55, "Acknowledge")
@dataclass(frozen=True, slots=True)
class Acknowledge(Fields):
    """000 §9, to M_init: `host` has your message `seq`."""

    host: str
    seq: int


@shapes.stamp(56, "Delete")
@dataclass(frozen=True, slots=True)
class Delete(Fields):
    """000 §9, from M_init: everybody has my message `seq`."""

    seq: int


@shapes.stamp(57, "Relayed")
@dataclass(frozen=True, slots=True)
class Relayed(Fields):
    """Algorithm 2, with a message: its destinations by station, as the sending station located them."""

    at: Mapping[str, frozenset[str]]


@shapes.stamp(58, "Old")
@dataclass(frozen=True, slots=True)
class Old(Fields):
    """Algorithm 2, with a message: it came to the station that `host` has left, before the last one could."""

    host: str


@shapes.stamp(59, "Notify")
@dataclass(frozen=True, slots=True)
class Notify(Fields):
    """Algorithm 2, to all stations: for `host` send to `to` from now on, and tell `previous` that you do."""

    host: str
    move: int
    previous: str
    to: str


@shapes.stamp(60, "Last")
@dataclass(frozen=True, slots=True)
class Last(Fields):
    """Algorithm 2: you get nothing more from me for `host`, which left you with `move`."""

    host: str
    move: int


@shapes.stamp(61, "Over")
@dataclass(frozen=True, slots=True)
class Over(Fields):
    """handoff_over of Algorithm 2: you have all that came to me for `host`."""

    host: str
    move: int


@shapes.stamp(62, "AcknowledgeAll")
@dataclass(frozen=True, slots=True)
class AcknowledgeAll(Fields):
    """000 §9.3, to M_init: all of `hosts` have your message `seq`."""

    hosts: frozenset[str]
    seq: int
