"""Count what hosts compute (001 §1.1, F1: "The amount of computation performed by a mobile host should be low").

The paper names no unit, and a time would depend on the machine. So steps are counted. A host takes a step for each of
its inputs (a send, a packet or beacon heard, a cell entered or left, a timer), for each packet that it sends, for each
entry of a stamp that it reads or writes, and for each number of its own that it compares with one that it reads.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache

from antecede.core.mobile.host import Host
from antecede.core.mobile.host_and_station_frames import Taken, Welcome
from antecede.core.types import Packet, Stamp


class HostWork:
    """A meter of the steps that all hosts take in a whole run."""

    def __init__(self) -> None:
        self.steps = 0

    def count_input(self) -> None:
        """Add an input without a packet."""
        self.steps += 1

    def count_packet(self, packet: Packet) -> None:
        """Add a packet that a host sends or hears, and the entries of its stamp."""
        self.steps += 1 + count_entries(packet.stamp)

    def count_heard(self, packet: Packet, host: Host) -> None:
        """Add a packet that a host is about to take in.

        If the packet says up to which number messages were taken, the host compares it with that of every message kept.
        """
        self.count_packet(packet)
        if isinstance(packet.stamp, (Taken, Welcome)):
            self.steps += len(host.unsent)


def count_entries(stamp: Stamp) -> int:
    """Return the number of entries of a stamp: its fields, and the entries of an ordering algorithm in them."""
    return _field_count(type(stamp)) + stamp.entries


@cache
def _field_count(kind: type[Stamp]) -> int:
    return len(fields(kind))  # type: ignore[arg-type]  # every stamp is a dataclass
