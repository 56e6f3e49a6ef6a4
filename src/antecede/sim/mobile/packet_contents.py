"""Determine what a packet on a wire is for, and how large its header is.

Algorithms 2 and 3 wrap everything that goes between stations into messages of their causal layer. The others send it as
it is. In both cases a packet belongs to one of four kinds:

    message    carries a message from the station of its sender, towards its destinations
    passed on  carries a message further, from a station that a destination has left
    hand-off   belongs to a hand-off: begin, handover, notify, last, over, and the correction of a stale begin
    extra      anything else: acknowledgements and deletions of 000 §9, and news of where a host has gone
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antecede.core.mobile.host_and_station_frames import (
    Begin,
    Carried,
    Cast,
    Handover,
    Last,
    Moved,
    Notify,
    Old,
    Over,
    Relayed,
)
from antecede.core.mobile.relay import unwrap
from antecede.core.ordering.none import NoStamp
from antecede.core.ordering.rst import RstStamp
from antecede.core.types import MessageId, Packet, ProcessId, Stamp
from antecede.core.wire.packets import Codec
from antecede.sim.mobile.parameters import MobileParameters

SIZES_KEPT_MAX = 500
MESSAGE, PASSED_ON, HAND_OFF, EXTRA = "message", "passed on", "hand-off", "extra"
PACKET_KINDS = (MESSAGE, PASSED_ON, HAND_OFF, EXTRA)


@dataclass(frozen=True, slots=True)
class PacketContents:
    """The contents of a packet between stations.

    `ordering` is the stamp of the ordering algorithm, if there is one. `handover` is true if the packet carries the
    luggage of a host.
    """

    kind: str
    message: MessageId | None
    ordering: Stamp | None
    payload_bytes: int
    handover: bool


def inspect_packet(packet: Packet, at: ProcessId) -> PacketContents:
    """Return the contents of a packet that leaves the station of cell `at`."""
    stamp, message = packet.stamp, packet.message
    plain = message is None or isinstance(stamp, Carried | Cast)
    inner = packet if message is None or plain else unwrap(message)
    carried = inner.message
    return PacketContents(
        kind=_kind(inner, at),
        message=carried.id if carried is not None else None,
        ordering=ordering_of(packet),
        payload_bytes=len(carried.payload) if carried is not None else 0,
        handover=isinstance(inner.stamp, Handover),
    )


def ordering_of(packet: Packet) -> Stamp | None:
    """Return the stamp of the ordering algorithm, or None if the packet has none."""
    stamp = packet.stamp
    if isinstance(stamp, Carried | Cast):
        return stamp.stamp
    return None if packet.message is None else stamp


def _kind(inner: Packet, at: ProcessId) -> str:
    stamp = inner.stamp
    if isinstance(stamp, Carried | Cast | Relayed):
        return MESSAGE if cell_of(inner.sender) == at else PASSED_ON
    if isinstance(stamp, Old):
        return PASSED_ON
    if isinstance(stamp, Moved):
        return HAND_OFF if stamp.move else EXTRA
    return HAND_OFF if isinstance(stamp, Begin | Handover | Notify | Last | Over) else EXTRA


def cell_of(station: ProcessId) -> ProcessId:
    """Return the cell of a station. A logical station has the name of its cell, a slash and a number."""
    return station.partition("/")[0]


class PacketSizes:
    """The sizes of packets according to the parameters.

    The sizes of the latest packets are remembered: a packet is weighed when it is sent, when it leaves and when it
    arrives, and often goes to several stations.
    """

    def __init__(self, parameters: MobileParameters) -> None:
        self.header = parameters.header
        cells, logical = parameters.cells, parameters.logical
        inner = [f"{cell}/{number}" for cell in cells for number in range(logical)] if logical > 1 else []
        self._codec = Codec([*parameters.names, *cells, *inner])
        across = parameters.hosts if parameters.protocol == "av1" else parameters.stations * logical
        self._matrix = across**2
        self._known: dict[int, tuple[Packet, int]] = {}

    def integers(self, ordering: Stamp | None) -> int:
        """Return the number of integers in the stamp of the ordering algorithm."""
        if ordering is None:
            return 0
        return self._matrix if self.header.full and isinstance(ordering, RstStamp) else ordering.entries

    def wire_bytes(self, packet: Packet) -> int:
        """Return the size of a packet on a wire."""
        return self._remember(packet, self._weigh)

    def air_bytes(self, packet: Packet) -> int:
        """Return the size of a packet on the air."""
        return self._remember(packet, self._encoded_bytes)

    def _remember(self, packet: Packet, weigh: Callable[[Packet], int]) -> int:
        known = self._known.get(id(packet))
        if known is None:
            if len(self._known) >= SIZES_KEPT_MAX:
                self._known.clear()
            known = self._known[id(packet)] = (packet, weigh(packet))  # a packet that is kept keeps its id
        return known[1]

    def _encoded_bytes(self, packet: Packet) -> int:
        return len(self._codec.encode(packet))

    def _weigh(self, packet: Packet) -> int:
        width = self.header.integer_bytes
        if packet.message is None or width is None:
            return self._encoded_bytes(packet)
        bare = Packet(packet.sender, packet.message, NoStamp())
        return self._encoded_bytes(bare) + width * self.integers(ordering_of(packet))
