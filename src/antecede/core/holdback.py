"""The hold-back queue every algorithm shares: indexed by what is missing, never scanned.

A packet arrives with an iterator over the needs it still has, evaluated against the state of the moment it
is advanced. It is filed under the first of them; when that one is met the iterator moves on to the next, and
when there is none left the packet is ready. So a need is looked at once when it is met on arrival and twice when
it is not, whatever else is held.

The queue is bounded. At the limit a packet that would have to wait is refused with `HoldBackFull`, one that
can be delivered at once is not, and nothing already held is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TypeAlias

from antecede.core.errors import HoldBackFull
from antecede.core.snapshot.values import storable
from antecede.core.types import MessageId, Need, Packet, Pending, ProcessId, Reached

HOLD_BACK_LIMIT = 100_000
"""Packets held at most, unless `create` is told otherwise."""

Key: TypeAlias = tuple[ProcessId, str]


@storable("HoldBack")
@dataclass(slots=True)
class HoldBack:
    """Packets that wait, by what they wait for. `rank` orders packets that become ready together."""

    limit: int = HOLD_BACK_LIMIT
    serial: int = 0
    packets: dict[int, Packet] = field(default_factory=dict)
    _ids: set[MessageId] = field(default_factory=set)
    _advance: dict[int, Iterator[Need]] = field(default_factory=dict)
    _waiting: dict[Key, list[tuple[int, int]]] = field(default_factory=dict)
    _ready: list[tuple[int, int, Packet]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.packets)

    def __contains__(self, message: MessageId) -> bool:
        return message in self._ids

    def offer(self, packet: Packet, needs: Iterator[Need], rank: int = 0, *, refuse: bool = True) -> None:
        """File `packet` under its first unmet need, or make it ready when it has none.

        Own packets, whose number is bounded elsewhere, are not refused.
        """
        need = next(needs, None)
        if need is None:
            self._make_ready(packet, rank)
        else:
            self.hold(packet, need, needs, refuse=refuse)

    def hold(self, packet: Packet, need: Need, needs: Iterator[Need], *, refuse: bool = True) -> None:
        """File `packet` under `need`, the first of its unmet needs; `needs` are the others."""
        if refuse and len(self.packets) >= self.limit:
            raise HoldBackFull(
                f"{len(self.packets)} packets are held back, which is the limit. "
                f"Refused: {_name(packet)}, waiting for {need}. "
                "Offer it again when some have been delivered, or raise hold_back_limit"
            )
        self.serial += 1
        self.packets[self.serial] = packet
        self._advance[self.serial] = needs
        if packet.message is not None:
            self._ids.add(packet.message.id)
        self._file(self.serial, need)

    def reached(self, mark: Reached, rank: Callable[[Packet], int] | None = None) -> None:
        """Move on every packet that waited for no more than the level that `mark` says has been reached."""
        if not self._waiting:
            return
        key = (mark.sender, mark.scope)
        heap = self._waiting.get(key)
        if heap is None:
            return
        released = []
        while heap and heap[0][0] <= mark.level:
            released.append(heappop(heap)[1])
        if not heap:
            del self._waiting[key]
        self._move_on(released, rank)

    def give_up(self, sender: ProcessId, rank: Callable[[Packet], int] | None = None) -> None:
        """Let no packet wait for `sender` any longer: nothing more will come from it."""
        keys = sorted(key for key in self._waiting if key[0] == sender)
        released = sorted(serial for key in keys for _, serial in self._waiting.pop(key))
        self._move_on(released, rank)

    def pop(self) -> Packet | None:
        """Take out the next packet that can be delivered, in order of rank and then of becoming ready."""
        return heappop(self._ready)[2] if self._ready else None

    def pending(self, needs: Callable[[Packet], Iterator[Need]]) -> tuple[Pending, ...]:
        """Return the messages that are held, in the order of arrival, each with all that it still `needs`."""
        return tuple(
            Pending(packet.message, tuple(needs(packet)))
            for packet in self.packets.values()
            if packet.message is not None
        )

    def resume(self, needs: Callable[[Packet], Iterator[Need]], rank: Callable[[Packet], int] | None = None) -> None:
        """File every held packet anew, after a restore or when the needs themselves have changed."""
        assert self.serial >= 0, "a queue numbered from below 0"
        assert all(0 < serial <= self.serial for serial in self.packets), "a held packet numbered ahead of the queue"
        self._waiting = {}
        self._ids = {packet.message.id for packet in self.packets.values() if packet.message is not None}
        self._advance = {serial: needs(packet) for serial, packet in self.packets.items()}
        self._move_on(list(self.packets), rank)

    def _move_on(self, released: list[int], rank: Callable[[Packet], int] | None) -> None:
        for serial in released:
            need = next(self._advance[serial], None)
            if need is not None:
                self._file(serial, need)
                continue
            packet = self.packets.pop(serial)
            del self._advance[serial]
            if packet.message is not None:
                self._ids.discard(packet.message.id)
            self._make_ready(packet, rank(packet) if rank else 0)

    def _file(self, serial: int, need: Need) -> None:
        heappush(self._waiting.setdefault((need.sender, need.scope), []), (need.last, serial))

    def _make_ready(self, packet: Packet, rank: int) -> None:
        self.serial += 1
        heappush(self._ready, (rank, self.serial, packet))


def _name(packet: Packet) -> str:
    return f"message {packet.message.id}" if packet.message is not None else f"a control packet of {packet.sender}"
