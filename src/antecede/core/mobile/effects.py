"""What hosts and stations ask of their driver beyond `Transmit`, `Sent`, `Deliver` and `SetTimer`.

`Transmit` is a wire between stations: at least once, in any order. `Radio` is the air: it may lose, repeat and
reorder; whatever is lost is sent again when a timer runs out.
"""

from __future__ import annotations

from dataclasses import dataclass

from antecede.core.effects import Deliver, Sent, SetTimer, Transmit
from antecede.core.types import MessageId, Packet, ProcessId


@dataclass(frozen=True, slots=True)
class Radio:
    """Send `packet` over the air: from a host to the station of its cell, or from a station to a host of its cell."""

    to: ProcessId
    packet: Packet


@dataclass(frozen=True, slots=True)
class Dropped:
    """`host` will never get this message: it sleeps and the policy is to drop, or too much is stored for it already.

    The message counts as delivered for everything that comes after it.
    """

    host: ProcessId
    message: MessageId


Effect = Sent | Deliver | Transmit | SetTimer | Radio | Dropped
