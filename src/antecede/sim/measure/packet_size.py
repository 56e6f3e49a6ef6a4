"""Measure packets in bytes: the stamp alone, or the whole packet. Both sides know the names of all processes
beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence

from antecede.core.types import Packet, ProcessId
from antecede.core.wire.packets import Codec
from antecede.core.wire.shapes import Writer


class Scale:
    """A scale for packets between the processes of `names`."""

    def __init__(self, names: Sequence[ProcessId]) -> None:
        self._codec = Codec(names)
        self._roster = {name: at for at, name in enumerate(names)}

    def stamp_bytes(self, packet: Packet) -> int:
        """Return the bytes that the stamp adds to a packet.

        The byte that names the kind of stamp does not count if the stamp is empty.
        """
        writer = Writer(self._roster)
        packet.stamp.write(writer)
        return len(writer.out) and len(writer.out) + 1

    def packet_bytes(self, packet: Packet) -> int:
        """Return the size of a whole packet."""
        return len(self._codec.encode(packet))
