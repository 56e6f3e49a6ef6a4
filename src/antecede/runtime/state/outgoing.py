"""The outbox: what is owed to inboxes of others, as one typed union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from antecede.core.types import ProcessId


@dataclass(frozen=True, slots=True)
class OutgoingPacket:
    """A packet for the inboxes of `dests`. It was encoded with roster `roster` of this process; 0 is none."""

    n: int
    dests: tuple[ProcessId, ...]
    roster: int
    data: bytes


@dataclass(frozen=True, slots=True)
class OutgoingFrame:
    """A whole frame for the inboxes of `dests`: a roster, news of a host, a word about leaving, a part of a packet."""

    n: int
    dests: tuple[ProcessId, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class OutgoingLines:
    """Lines of a trace for the stream of the trace."""

    n: int
    dests: tuple[ProcessId, ...]
    data: bytes


Outgoing: TypeAlias = OutgoingPacket | OutgoingFrame | OutgoingLines

PACKET, FRAME, LINES = "packet", "frame", "lines"
"""The words for the three in a store."""


def kind_of(outgoing: Outgoing) -> str:
    """Return the word that a store has for the kind of an entry."""
    if isinstance(outgoing, OutgoingPacket):
        return PACKET
    return FRAME if isinstance(outgoing, OutgoingFrame) else LINES


def make_outgoing(n: int, dests: tuple[ProcessId, ...], kind: str, roster: int, data: bytes) -> Outgoing:
    """Return the entry of the outbox that `kind` names. Raise `ValueError` if there is no such kind."""
    if kind == PACKET:
        return OutgoingPacket(n, dests, roster, data)
    if kind == FRAME:
        return OutgoingFrame(n, dests, data)
    if kind == LINES:
        return OutgoingLines(n, dests, data)
    raise ValueError(f"the outbox has an entry of the kind {kind!r}")
