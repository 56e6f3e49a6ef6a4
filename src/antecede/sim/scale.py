"""Weighs packets: control entries, bytes of the stamp, bytes of the whole.

Names cost nothing here: both sides know all processes beforehand. One packet often goes to many destinations as one
object, so the last one weighed is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence

from antecede.core.shapes import Writer
from antecede.core.types import Packet, ProcessId
from antecede.core.wire import Codec


class Scale:
    """For packets between the processes named."""

    def __init__(self, names: Sequence[ProcessId]) -> None:
        self._codec = Codec(names)
        self._roster = {name: at for at, name in enumerate(names)}
        self._packet: Packet | None = None
        self._entries = 0

    def entries(self, packet: Packet) -> int:
        if packet is not self._packet:
            self._packet, self._entries = packet, packet.stamp.entries
        return self._entries

    def is_last(self, packet: Packet) -> bool:
        """Is it the packet that was weighed last?"""
        return packet is self._packet

    def stamp_bytes(self, packet: Packet) -> int:
        """What the stamp adds; the one byte that says which stamp it is counts for those that say anything."""
        writer = Writer(self._roster)
        packet.stamp.write(writer)
        return len(writer.out) and len(writer.out) + 1

    def packet_bytes(self, packet: Packet) -> int:
        return len(self._codec.encode(packet))
