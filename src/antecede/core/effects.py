"""What an algorithm asks of its driver. The driver carries effects out in the order they are returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from antecede.core.types import Message, Packet, ProcessId


@dataclass(frozen=True, slots=True)
class Sent:
    """The message now exists: the send event of happened-before. Always the first effect of `send`.

    The packets that carry it may leave later, where an algorithm waits for a token or an acknowledgement.
    """

    message: Message


@dataclass(frozen=True, slots=True)
class Transmit:
    """Hand `packet` to the network for `to`. Where one packet serves several, they share the object."""

    to: ProcessId
    packet: Packet


@dataclass(frozen=True, slots=True)
class Deliver:
    """Give `message` to the application: the deliver event of happened-before."""

    message: Message


@dataclass(frozen=True, slots=True)
class SetTimer:
    """Call `tick(now)` once `now` has reached `at`, in seconds of the driver's own clock."""

    at: float


Effect: TypeAlias = Sent | Transmit | Deliver | SetTimer
