"""A station whose every step is durable before anybody sees it: as `durable_process` is for algorithms.

It puts what hosts say and what the wires bring into the core's `Station`, and hands out what follows only when the
store has committed it (`journal`). A crash at any instant leaves a store from which a new `DurableStation` goes on.

**Who exists.** A host joins when it shows a token for the first time, at any station: that station tells all others in
a durable `KNOWN` frame. Its home follows from its name (`home_station`), so stations that hear of it in any order, from
a frame, from a packet that overtook the frame or from the host itself, agree. A message to a host that is not known
where its sender is goes to nobody, and the sender is told. Only who had a token is ever known. A host that the operator
removes is forgotten everywhere, but for its name: a `REMOVED` frame tells the other stations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import get_args

from antecede.core.effects import Transmit
from antecede.core.errors import LimitReached, Misuse, RemoteViolation, TooNew, WireError
from antecede.core.mobile.effects import Dropped, Effect, Radio
from antecede.core.mobile.handoff import AWAITED, AWAY
from antecede.core.mobile.host_and_station_frames import Begin, Downlink, Handover, Leave, Moved, Welcome
from antecede.core.mobile.luggage import Berth, Terms
from antecede.core.mobile.station import Station
from antecede.core.types import Packet, ProcessId
from antecede.core.wire.packets import encode
from antecede.runtime import frames
from antecede.runtime.roaming.station.evidence import Evidence
from antecede.runtime.roaming.station.fragments import Fragments, cut
from antecede.runtime.roaming.station.seals import Seals, WrongSeal
from antecede.runtime.roaming.station.station_entries import apply_entry, restore_station, strangers
from antecede.runtime.roaming.websocket import VOLATILE, HostMemory, decode_packet
from antecede.runtime.state.journal import Journal
from antecede.runtime.state.log_entries import (
    AgreeEntry,
    HearEntry,
    MeetEntry,
    ReceiveEntry,
    RemoveEntry,
    StationEntry,
    TickEntry,
)
from antecede.runtime.state.outgoing import Outgoing
from antecede.runtime.state.store import Store
from antecede.runtime.state.trace_recorder import Recorder
from antecede.runtime.watch.unreadable import UnreadableFrames

PART_BYTES = 256 * 2**10


@dataclass(slots=True)
class ReleasedByStation:
    """What may be shown, now that it is durable: to stations, to hosts, and which hosts have messages waiting."""

    outgoing: list[Outgoing] = field(default_factory=list)
    radios: list[Radio] = field(default_factory=list)
    waiting: dict[ProcessId, None] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)


class DurableStation:
    """A station and its store.

    `seals` tells which frames of other stations are to be believed; without them, all are. `part_bytes` is the longest
    packet that goes to another station in one piece.
    """

    def __init__(
        self,
        store: Store,
        begin: Callable[[], Station],
        recorder: Recorder | None = None,
        *,
        seals: Seals | None = None,
        part_bytes: int = PART_BYTES,
    ) -> None:
        self.store, self._recorder, self._seals, self._part_bytes = store, recorder, seals, part_bytes
        self.evidence = Evidence(store)
        self._journal: Journal[Station, StationEntry, Effect] = Journal(
            store,
            begin=begin,
            restore=restore_station,
            entries=get_args(StationEntry),
            apply=self._apply,
            recorder=recorder,
        )
        self._fragments = Fragments(store)
        self.counts: Counter[str] = Counter()
        self.unreadable = UnreadableFrames()
        self._staged = ReleasedByStation()
        self._elsewhere: dict[ProcessId, int] = {}

    @property
    def station(self) -> Station:
        """Return the station of the core, in its present state."""
        return self._journal.machine

    @property
    def name(self) -> ProcessId:
        """Return the name of this station."""
        return self.station.me

    @property
    def seals_off(self) -> str:
        """Return why frames of other stations are believed without a seal now, or an empty string."""
        return "" if self._seals is None else self._seals.off

    def berth(self, host: ProcessId) -> Berth | None:
        """Return what the station knows of a host, or None if it does not know the host."""
        return self.station.berths.get(host)

    # What comes in.

    def welcome(self, host: ProcessId, incarnation: str, terms: Terms | None = None) -> None:
        """Admit a host that has shown its token. `terms` are those of the operator for it.

        Raise `RemoteViolation` if it is not the host that was known by this name.
        """
        if host in self.station.stations:
            raise RemoteViolation("the token has the name of a station")
        if host in self.station.departed:
            raise RemoteViolation("this host was removed: its name cannot be used again")
        known = self.store.facts.get(f"host {host}")
        if known is not None and known.decode() != incarnation:
            if known.decode() == VOLATILE:
                raise RemoteViolation("this name was used without a path: give no path, or use another name")
            raise RemoteViolation("this name was used with another store: give that file as path, or use another name")
        if known is None:
            self._meet(host)
            self._remember(host, incarnation)
            self._tell(frames.known_host(host, incarnation))
        if self.station.berth(host).terms != terms:
            when_asleep, stored_max = (None, None) if terms is None else (terms.when_asleep, terms.stored_max)
            self._journal.put(AgreeEntry(host, when_asleep, stored_max))

    def remove(self, host: ProcessId) -> None:
        """Forget a host that the operator removes for good, and tell all other stations."""
        if host in self.station.stations:
            raise RemoteViolation("the name of a station")
        if host not in self.station.departed:
            self._forget(host)
            self._tell(frames.removed_host(host))

    def _forget(self, host: ProcessId) -> None:
        self.store.drop(f"host {host}")
        self._carry_out(self._journal.put(RemoveEntry(host)))

    def _tell(self, frame: bytes) -> None:
        others = [other for other in self.station.stations if other != self.name]
        if others:
            self._staged.outgoing.append(self.store.enqueue_frame(others, frame))

    def hear(self, data: bytes) -> None:
        """Take what a host says, in a packet that was checked. `RemoteViolation` and `LimitReached` change nothing."""
        self.evidence.check(decode_packet(data))
        self.counts["heard"] += 1
        self._carry_out(self._journal.put(HearEntry(data)))

    def compare(self, host: ProcessId, has: HostMemory | None) -> HostMemory | None:
        """Raise `RemoteViolation` if `host` has more than its luggage says. Return what it has if this cannot be told
        yet, because the luggage is not here, or None.
        """
        berth = self.berth(host)
        if has is None or berth is None or berth.luggage is None:
            return has
        self.evidence.compare(has, berth.luggage, self.name)
        return None

    def disconnect(self, host: ProcessId, move: int) -> None:
        """Tell the station that `host` has left, because the connection that it registered on with `move` is gone."""
        packet = Packet(host, None, Leave(move))
        self._note("disconnect", host)
        self._carry_out(self._journal.put(HearEntry(encode(packet))))

    def receive(self, sender: ProcessId | None, data: bytes, number: int = 0) -> bool:
        """Take a frame from another station. Return False if it has to be offered again later.

        `number` is the place of the frame in the inbox. A frame of a later release, or with a seal of another key, is
        in `unreadable`.
        """
        try:
            is_taken = self._frame(sender, data, number)
        except LimitReached:
            self.counts["offered again"] += 1
            return False
        except (TooNew, WrongSeal) as error:
            self.unreadable.note(sender, data, str(error))
            return False
        except (RemoteViolation, Misuse) as error:
            self.counts["refused"] += 1
            self.store.quarantine(sender, str(error), data)
            return True
        self.unreadable.forget(sender, data)
        return is_taken

    def take_elsewhere(self) -> dict[ProcessId, int]:
        """Return the hosts that were found at another station since the last call.

        Each comes with the number of its registration there.
        """
        hosts, self._elsewhere = self._elsewhere, {}
        return hosts

    def tick(self, now: float) -> None:
        """Tell the station that the time is `now`."""
        self._carry_out(self._journal.put(TickEntry(now)))

    def _frame(self, sender: ProcessId | None, data: bytes, number: int) -> bool:
        if sender not in self.station.stations:
            raise WireError(f"a frame of {sender!r}, which is not among the stations")
        inner = data if self._seals is None else self._seals.open(sender, data, number)
        frame = frames.parse(frames.open_envelope(inner).frame)
        if isinstance(frame, frames.KnownHost | frames.RemovedHost):
            self._check_introduction(sender, data)
        if isinstance(frame, frames.KnownHost):
            if frame.host not in self.station.departed:
                self._meet(frame.host)
                self._remember(frame.host, frame.incarnation)
        elif isinstance(frame, frames.RemovedHost):
            self._forget(frame.host)
        elif isinstance(frame, frames.Part):
            whole = self._fragments.take(sender, frame)
            if whole is not None:
                self._whole(sender, data, frame.number, whole)
        elif isinstance(frame, frames.Packets) and not frame.roster:
            self._check_newcomers(sender, data, [self._decode(packet) for packet in frame.packets])
            return self._packets(sender, frame.packets)
        else:
            raise WireError("a frame that is not of packets, or with a roster")
        return True

    def _whole(self, sender: ProcessId, data: bytes, number: int, whole: bytes) -> None:
        """Take a packet that came in parts. Keep the parts only if the packet may be taken later."""
        try:
            packet = self._decode(whole)
            self._check_newcomers(sender, data, [packet])
            self._packet(packet, whole)
        except (LimitReached, TooNew, WrongSeal):
            raise
        except (RemoteViolation, Misuse):
            self._fragments.finish(sender, number)
            raise
        self._fragments.finish(sender, number)

    def _check_introduction(self, sender: ProcessId, data: bytes) -> None:
        """Raise `WrongSeal` unless the frame in `data` may add or remove a host."""
        if self._seals is not None:
            self._seals.check_introduction(sender, data)

    def _check_newcomers(self, sender: ProcessId, data: bytes, packets: list[Packet]) -> None:
        """Raise `WrongSeal` if the frame in `data` has packets that add a host, and may not."""
        if any(strangers(self.station, packet) for packet in packets):
            self._check_introduction(sender, data)

    def _packets(self, sender: ProcessId, packets: tuple[bytes, ...]) -> bool:
        """Take the packets of a frame. Return False if one of them cannot be taken now.

        Refuse a frame that is damaged anywhere as a whole. Otherwise a packet that is refused, or cannot be taken now,
        does not stop the others.
        """
        taken = True
        for packet, data in [(self._decode(data), data) for data in packets]:
            try:
                self._packet(packet, data)
            except LimitReached:
                self.counts["offered again"] += 1
                taken = False
            except RemoteViolation as error:
                self.counts["refused"] += 1
                self.store.quarantine(sender, str(error), data)
        return taken

    def _decode(self, data: bytes) -> Packet:
        packet = decode_packet(data)
        if packet.sender not in self.station.stations:
            raise WireError(f"a packet of {packet.sender!r}, which is not among the stations")
        return packet

    def _packet(self, packet: Packet, data: bytes) -> None:
        self.evidence.check(packet, packet.sender)
        effects = self._journal.put(ReceiveEntry(packet.sender, 0, data))
        self.counts["received"] += 1
        self._carry_out(effects)
        if isinstance(packet.stamp, Begin | Moved):
            self._note_elsewhere(packet.stamp)

    def _note_elsewhere(self, stamp: Begin | Moved) -> None:
        """Note that a host has registered at another station, if it has.

        A registration of the same number as the one here is of a copy of the host's store.
        """
        berth = self.berth(stamp.host)
        if berth is None:
            return
        is_copy = isinstance(stamp, Moved) and stamp.at != self.name and stamp.move >= berth.heard
        if berth.state == AWAY or (berth.state == AWAITED and is_copy):
            self._elsewhere[stamp.host] = stamp.move

    def _meet(self, host: ProcessId) -> None:
        """Let a host join that was not known before."""
        if host not in self.station.berths:
            self._journal.put(MeetEntry(host))

    def _remember(self, host: ProcessId, incarnation: str) -> None:
        """Remember whose a name is. If two hosts took it at once, all stations keep it for the same one."""
        known = self.store.facts.get(f"host {host}")
        if known is None or incarnation < known.decode():
            self.store.put(f"host {host}", incarnation.encode())

    # What goes out.

    def commit(self) -> ReleasedByStation:
        """Make everything up to now durable, and return what may be shown to others now."""
        if self._journal.is_snapshot_due:
            self.evidence.save()
        self._staged.outgoing += self._journal.commit()
        released, self._staged = self._staged, ReleasedByStation()
        return released

    def _apply(self, station: Station, entry: StationEntry) -> list[Effect]:
        """Give the station an entry of the log, remember the message that it takes with it, and return the effects."""
        if isinstance(entry, HearEntry):
            packet = decode_packet(entry.data)
            before = _taken(station, packet.sender)
            effects = apply_entry(station, entry)
            if _taken(station, packet.sender) > before:
                self.evidence.note(packet.message)
            return effects
        effects = apply_entry(station, entry)
        if isinstance(entry, ReceiveEntry):
            self.evidence.note(decode_packet(entry.data).message)
        return effects

    def _carry_out(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Transmit):
                self._transmit(effect.to, effect.packet)
            elif isinstance(effect, Radio):
                if isinstance(effect.packet.stamp, Downlink):
                    self._staged.waiting[effect.to] = None
                    continue
                if isinstance(effect.packet.stamp, Welcome):
                    self._note("connect", effect.to)
                self._staged.radios.append(effect)
            elif isinstance(effect, Dropped):
                self.counts["dropped"] += 1
                self._note("internal", effect.host, dropped=str(effect.message))
                self._staged.dropped.append(effect)

    def _note(self, kind: str, host: ProcessId, **more: str) -> None:
        """Record an event of a host in the trace of the station. Sends and deliveries are in those of the hosts."""
        if self._recorder is not None:
            self._recorder.note(kind, {"host": host, **more})

    def _transmit(self, to: ProcessId, packet: Packet) -> None:
        try:
            data = encode(packet)
        except Misuse as error:  # nothing of this step is committed: stop, rather than lose a host's luggage
            raise AssertionError(f"a packet that cannot be sent, in spite of all limits: {error}") from error
        if isinstance(packet.stamp, Handover):
            self.counts["handed over"] += 1
            self._note("move", packet.stamp.host, to=to)
        if len(data) <= self._part_bytes:
            self._staged.outgoing.append(self.store.enqueue_packet((to,), 0, data))
            return
        for part in cut(self._fragments.next_number(to), data, self._part_bytes):
            self._staged.outgoing.append(self.store.enqueue_frame((to,), part))


def _taken(station: Station, host: ProcessId) -> int:
    """Return how many messages of a host the station has taken, as far as the luggage of the host is there."""
    berth = station.berths.get(host)
    return 0 if berth is None or berth.luggage is None else berth.luggage.sent
