"""What a station keeps: the luggage of each host that is with it, and a berth for every host it has heard of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.mobile.handoff import AWAY
from antecede.core.roster import checked_time
from antecede.core.snapshot.values import loads, storable
from antecede.core.types import Message, Packet, ProcessId


@storable("Policy")
@dataclass(slots=True)
class Policy:
    """What a station does for a host that is not listening.

    While a host is disconnected, its messages are kept if `when_asleep` is "store" and dropped if it is "drop". At most
    `stored_max` messages are kept for a host, connected or not: at the limit the newest is dropped, and counts as
    delivered. Messages that were not acknowledged are sent again every `retry_s` seconds, the oldest `window` of them.
    """

    when_asleep: str = "store"
    stored_max: int = 10_000
    retry_s: float = 1.0
    window: int = 64

    def __post_init__(self) -> None:
        counts = all(type(count) is int and count >= 1 for count in (self.stored_max, self.window))
        if self.when_asleep not in ("store", "drop") or not counts or checked_time(self.retry_s) <= 0:
            raise Misuse(
                f"when_asleep must be store or drop, stored_max and window 1 or more, retry_s above 0: not {self}"
            )


@storable("Terms")
@dataclass(frozen=True, slots=True)
class Terms:
    """What was agreed for one host, instead of the policy of its station; never more is stored than that allows."""

    when_asleep: str
    stored_max: int

    def __post_init__(self) -> None:
        if self.when_asleep not in ("store", "drop") or type(self.stored_max) is not int or self.stored_max < 1:
            raise Misuse(f"when_asleep must be store or drop, and stored_max 1 or more: not {self}")


@storable("Luggage")
@dataclass(slots=True)
class Luggage:
    """Everything that follows `host` from station to station.

    `sent` is the number of its messages taken; `outbox` what it has not acknowledged (PEND_ACK of 001), by serial
    number, each with what the protocol wants to know when it is; `mind` is what the protocol keeps for the host.
    """

    host: ProcessId
    mind: Any = None
    epoch: int = 0
    move: int = 0
    sent: int = 0
    serial: int = 0
    outbox: dict[int, tuple[Message, Any]] = field(default_factory=dict)
    terms: Terms | None = None

    def take_acknowledged(self, got: int) -> list[tuple[Message, Any]]:
        """Take everything up to `got` out of the outbox, and return it."""
        return [self.outbox.pop(serial) for serial in list(self.outbox) if serial <= got]


@storable("Berth")
@dataclass(slots=True)
class Berth:
    """One host as one station sees it: the state of the hand-off, and where the luggage is, or went."""

    at: ProcessId
    state: str = AWAY
    epoch: int = 0
    heard: int = 0
    previous: ProcessId = ""
    asleep: bool = False
    luggage: Luggage | None = None
    begins: list[tuple[int, ProcessId]] = field(default_factory=list)
    waiting: list[Packet] = field(default_factory=list)
    lasts: dict[int, set[ProcessId]] = field(default_factory=dict)
    returning: bool = False
    terms: Terms | None = None

    @property
    def luggage_here(self) -> Luggage:
        """Return the luggage, which must be here."""
        assert self.luggage is not None
        return self.luggage


def unpack(packed: bytes, host: ProcessId, epoch: int) -> Luggage:
    """Return the luggage of a host from the bytes that a hand-over brings. Raise if they do not have it."""
    luggage = loads(packed)
    if not isinstance(luggage, Luggage) or (luggage.host, luggage.epoch) != (host, epoch):
        raise RemoteViolation(f"the packet does not have the luggage of {host}")
    return luggage
