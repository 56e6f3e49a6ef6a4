"""Weighs packets in bytes: the stamp alone, or the whole. Both sides know the names of all processes beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from antecede.core.types import Packet, ProcessId
from antecede.core.wire.packets import Codec
from antecede.core.wire.shapes import Writer


class Scale:
    """For packets between the processes named."""

    def __init__(self, names: Sequence[ProcessId]) -> None:
        self._codec = Codec(names)
        self._roster = {name: at for at, name in enumerate(names)}

    def stamp_bytes(self, packet: Packet) -> int:
        """What the stamp adds; the one byte that says which stamp it is counts for those that say anything."""
        writer = Writer(self._roster)
        packet.stamp.write(writer)
        return len(writer.out) and len(writer.out) + 1

    def packet_bytes(self, packet: Packet) -> int:
        return len(self._codec.encode(packet))
