"""What an algorithm asks of its driver. The driver carries effects out in the order they are returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from antecede.core.types import Message, Packet, ProcessId


@dataclass(frozen=True, slots=True)
class Sent:
    """The message now exists. This is the send event of happened-before, and always the first effect of `send`.

    The packets that carry the message may leave later, if an algorithm waits for a token or an acknowledgement. Such an
    algorithm keeps causal order by `Sent`. A `synchronous` algorithm promises more, and about another event: the send
    event in its traces is the first `Transmit` of the message. A message to oneself alone has no `Transmit`, and
    its send event is `Sent`.
    """

    message: Message


@dataclass(frozen=True, slots=True)
class Transmit:
    """Hand `packet` to the network for `to`. If one packet serves several destinations, they share the object.

    If `receive(one)` returns a packet without a message for the sender of `one`, it answers `one`, and may ride on the
    acknowledgement of `one`, if the transport acknowledges a packet after that (003 §3.1).
    """

    to: ProcessId
    packet: Packet


@dataclass(frozen=True, slots=True)
class Deliver:
    """Give `message` to the application. This is the deliver event of happened-before."""

    message: Message


@dataclass(frozen=True, slots=True)
class SetTimer:
    """Call `tick(now)` once `now` has reached `at`. Both are seconds of the driver's own clock."""

    at: float


Effect: TypeAlias = Sent | Transmit | Deliver | SetTimer
