"""A station whose every step is durable before anybody sees it: what `durable_process` is for algorithms.

It puts what hosts say and what the wires bring into the core's `Station`, and hands out what follows only when the
store has committed it. A crash at any instant leaves a store from which a new `Cell` goes on.

**Who exists.** A host joins when it shows a token for the first time, at any station: that station tells all others in
a durable `KNOWN` frame. Its home follows from its name (`home_station`), so stations that hear of it in any order, from
a frame, from a packet that overtook the frame or from the host itself, agree. A message to a host that is not known
where its sender is goes to nobody, and the sender is told. Only who had a token is ever known. A host that the operator
removes is forgotten everywhere, but for its name: a `REMOVED` frame tells the other stations.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field

from antecede.core.effects import Transmit
from antecede.core.errors import LimitReached, Misuse, RemoteViolation, WireError
from antecede.core.mobile.effects import Dropped, Effect, Radio
from antecede.core.mobile.host_and_station_frames import Begin, Carried, Downlink, Handover, Leave, Moved, Old, Welcome
from antecede.core.mobile.luggage import Berth, Terms
from antecede.core.mobile.protocols import restore
from antecede.core.mobile.station import Station
from antecede.core.types import Packet, ProcessId
from antecede.core.wire.packets import encode
from antecede.runtime import frames
from antecede.runtime.roaming.home_station import home
from antecede.runtime.roaming.protocol import decoded
from antecede.runtime.roaming.station.fragments import PART, Parcels, cut
from antecede.runtime.state.journal import Journal
from antecede.runtime.state.store import WHOLE_FRAME, Input, Outgoing, Store
from antecede.runtime.state.trace_recorder import Recorder

KNOWN, REMOVED = 4, 6
PART_BYTES = 256 * 2**10


@dataclass(slots=True)
class ReleasedStep:
    """What may be shown, now that it is durable: to stations, to hosts, and which hosts have messages waiting."""

    outgoing: list[Outgoing] = field(default_factory=list)
    radios: list[Radio] = field(default_factory=list)
    waiting: dict[ProcessId, None] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)


class Cell:
    """A station and its store. `part_bytes` is the longest packet that goes to another station in one piece."""

    def __init__(
        self,
        store: Store,
        begin: Callable[[], Station],
        recorder: Recorder | None = None,
        *,
        part_bytes: int = PART_BYTES,
    ) -> None:
        self.store, self._recorder, self._part_bytes = store, recorder, part_bytes
        self._journal: Journal[Station] = Journal(store, begin, _restored, _call)
        self._parcels = Parcels(store)
        self.counts: Counter[str] = Counter()
        self._staged = ReleasedStep()

    @property
    def station(self) -> Station:
        return self._journal.machine

    @property
    def name(self) -> ProcessId:
        return self.station.me

    def berth(self, host: ProcessId) -> Berth | None:
        return self.station.berths.get(host)

    # What comes in.

    def welcome(self, host: ProcessId, incarnation: str, terms: Terms | None = None) -> None:
        """A host has shown its token, with the `terms` of the operator for it. `RemoteViolation` where it is not the
        one that was known by this name."""
        if host in self.station.stations:
            raise RemoteViolation("the token has the name of a station")
        if host in self.station.departed:
            raise RemoteViolation("this host was removed: its name cannot be used again")
        known = self.store.facts.get(f"host {host}")
        if known is not None and known.decode() != incarnation:
            raise RemoteViolation("this name was used with another store: give that store, or use another name")
        if known is None:
            self._meet(host)
            self._remember(host, incarnation)
            self._tell(bytes((KNOWN,)) + json.dumps([host, incarnation]).encode())
        if self.station.berth(host).terms != terms:
            self._journal.put("agree", host, b"" if terms is None else json.dumps(astuple(terms)).encode())

    def remove(self, host: ProcessId) -> None:
        """The operator wants `host` to be gone for good: forget it, and tell all other stations."""
        if host in self.station.stations:
            raise RemoteViolation("the name of a station")
        if host not in self.station.departed:
            self._forget(host)
            self._tell(bytes((REMOVED,)) + json.dumps([host]).encode())

    def _forget(self, host: ProcessId) -> None:
        self.store.drop(f"host {host}")
        self._carry_out(self._journal.put("remove", host, b""))

    def _tell(self, frame: bytes) -> None:
        others = [other for other in self.station.stations if other != self.name]
        if others:
            self._staged.outgoing.append(self.store.enqueue(others, WHOLE_FRAME, frame))

    def hear(self, packet: Packet, data: bytes) -> None:
        """What a host says, in a packet that was checked. `RemoteViolation` and `LimitReached` change nothing."""
        self.counts["heard"] += 1
        self._carry_out(self._journal.put("hear", packet.sender, data))

    def left(self, host: ProcessId, move: int) -> None:
        """The connection that `host` had registered on with `move` is gone: to the core, the host has left."""
        packet = Packet(host, None, Leave(move))
        self._note("disconnect", host)
        self._carry_out(self._journal.put("hear", host, encode(packet)))

    def receive(self, sender: ProcessId | None, data: bytes) -> bool:
        """Take a frame from another station. False: it cannot be taken now, offer it again later."""
        try:
            return self._frame(sender, data)
        except LimitReached:
            self.counts["offered again"] += 1
            return False
        except (RemoteViolation, Misuse) as error:
            self.counts["refused"] += 1
            self.store.quarantine(sender, str(error), data)
            return True

    def tick(self, now: float) -> None:
        """Time has come to `now`."""
        self.store.put("clock", repr(now).encode())
        self._carry_out(self._journal.put("tick", repr(now), b""))

    def _frame(self, sender: ProcessId | None, data: bytes) -> bool:
        if sender not in self.station.stations:
            raise WireError(f"a frame of {sender!r}, which is not among the stations")
        kind = data[0] if data else 0
        if kind == KNOWN:
            host, incarnation = _named_in(data, 2)
            if host not in self.station.departed:
                self._meet(host)
                self._remember(host, incarnation)
        elif kind == REMOVED:
            self._forget(*_named_in(data, 1))
        elif kind == PART:
            whole = self._parcels.take(sender, data)
            if whole is not None:
                name, packet = whole
                self._packet(self._decoded(packet), packet)
                self._parcels.finish(name)
        else:
            frame = frames.parse(data)
            if not isinstance(frame, frames.Packets) or frame.roster:
                raise WireError("a frame that is not of packets, or with a roster")
            return self._packets(sender, frame.packets)
        return True

    def _packets(self, sender: ProcessId, packets: tuple[bytes, ...]) -> bool:
        """A frame that is damaged anywhere is refused as a whole. Otherwise every packet is for itself: one that can
        not be right, or not be taken now, does not stop the others."""
        taken = True
        for packet, data in [(self._decoded(data), data) for data in packets]:
            try:
                self._packet(packet, data)
            except LimitReached:
                self.counts["offered again"] += 1
                taken = False
            except RemoteViolation as error:
                self.counts["refused"] += 1
                self.store.quarantine(sender, str(error), data)
        return taken

    def _decoded(self, data: bytes) -> Packet:
        packet = decoded(data)
        if packet.sender not in self.station.stations:
            raise WireError(f"a packet of {packet.sender!r}, which is not among the stations")
        return packet

    def _packet(self, packet: Packet, data: bytes) -> None:
        effects = self._journal.put("receive", packet.sender, data)
        self.counts["received"] += 1
        self._carry_out(effects)

    def _meet(self, host: ProcessId) -> None:
        """Whoever was not known joins."""
        if host not in self.station.berths:
            self._journal.put("join", host, b"")

    def _remember(self, host: ProcessId, incarnation: str) -> None:
        """Of two that took a name at the same time at different stations, everybody keeps the same one."""
        known = self.store.facts.get(f"host {host}")
        if known is None or incarnation < known.decode():
            self.store.put(f"host {host}", incarnation.encode())

    # What goes out.

    def commit(self) -> ReleasedStep:
        """Make everything up to now durable, and release what it led to."""
        if self._recorder is not None:
            self._staged.outgoing += self._recorder.flush()
        self._journal.save()
        self.store.commit()
        released, self._staged = self._staged, ReleasedStep()
        return released

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
        """Something of a host, for the trace of the station; what is sent and delivered is in those of the hosts."""
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
            self._staged.outgoing.append(self.store.enqueue((to,), 0, data))
            return
        number = int(self.store.facts.get("parcels", b"0")) + 1
        self.store.put("parcels", b"%d" % number)
        for part in cut(number, data, self._part_bytes):
            self._staged.outgoing.append(self.store.enqueue((to,), WHOLE_FRAME, part))


def _restored(state: bytes) -> Station:
    station = restore(state)
    assert isinstance(station, Station), "the store of a station has the snapshot of one"
    return station


def _call(station: Station, given: Input) -> list[Effect]:
    kind, who, data = given
    if kind == "hear":
        return station.hear(decoded(data))
    if kind == "receive":
        return _receive(station, decoded(data))
    if kind == "tick":
        return station.tick(float(who))
    if kind == "remove":
        return station.remove(who)
    if kind == "agree":
        station.agree(who, Terms(*json.loads(data)) if data else None)
        return []
    assert kind == "join", kind
    _join(station, who)
    return []


def _receive(station: Station, packet: Packet) -> list[Effect]:
    """Whom another station speaks of is known from then on; unless it speaks nonsense."""
    strangers = sorted(set(_named(packet)) - station.berths.keys() - station.departed)
    try:
        for host in strangers:
            _join(station, host)
        return station.receive(packet)
    except (RemoteViolation, LimitReached):
        for host in strangers:
            station.berths.pop(host, None)
        raise


def _join(station: Station, host: ProcessId) -> None:
    try:
        station.join(host, home(host, station.stations))
    except Misuse as error:
        raise RemoteViolation(str(error)) from None


def _named(packet: Packet) -> Iterator[ProcessId]:
    """The hosts that a station has to know to deal with a packet."""
    stamp = packet.stamp
    if packet.message is not None:
        yield packet.message.sender
    if isinstance(stamp, Carried) and packet.message is not None:
        yield from sorted(stamp.to & packet.message.dests)
    elif isinstance(stamp, (Begin, Handover, Moved, Old)):
        yield stamp.host


def _named_in(data: bytes, count: int) -> list[str]:
    """So many strings, in a frame of ours about a host."""
    try:
        said = json.loads(data[1:])
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, list) or len(said) != count or not all(isinstance(one, str) and one for one in said):
        raise WireError("a frame about a host that does not name one")
    return said
