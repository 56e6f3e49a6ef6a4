"""A station: the shell that every protocol shares. It talks to the hosts of its cell, and hands them off by the table.

What differs between protocols is a `Scheme`: how a message finds the stations of its destinations, and when it may go
to a host. The shell gives it messages of hosts in their order (`send`), everything from the wires (`receive`), and word
of what a host has acknowledged (`acknowledged`); the scheme gives back messages to `deliver`, in the order the
host is to have them.

A station may itself send and get messages (000 §9), if it joins as a host of its own cell: `homes={"s1": "s1"}`. Then
its luggage stays there for ever, and it needs no air: what it is to have is delivered, and acknowledged, at once.

A driver owes a station what it owes any algorithm (`antecede.core.algorithm`): effects in order, wires that bring
everything at least once, state and effects durable together. After `restore`, call `tick`: it sets the timers again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from antecede.core.effects import Deliver, Sent, SetTimer
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.mobile import border, handoff
from antecede.core.mobile.effects import Dropped, Effect, Radio
from antecede.core.mobile.host_and_station_frames import (
    Begin,
    Downlink,
    Got,
    Handover,
    Leave,
    Moved,
    Register,
    RegisterFrom,
    Taken,
    Uplink,
    Welcome,
)
from antecede.core.mobile.luggage import Berth, Luggage, Policy, Terms, unpack
from antecede.core.mobile.scheme import Held, Scheme, Waiter
from antecede.core.roster import checked_names, checked_packet, checked_payload, checked_time
from antecede.core.snapshot import values
from antecede.core.types import Message, MessageId, Packet, ProcessId


@values.storable("Station", added=1)
@dataclass(slots=True)
class Station:
    """A station, which serves the hosts whose luggage is with it. `mobile.station` makes it."""

    me: ProcessId
    stations: tuple[ProcessId, ...]
    scheme: Scheme
    policy: Policy = field(default_factory=Policy)
    berths: dict[ProcessId, Berth] = field(default_factory=dict)
    now: float = 0.0
    due: float | None = None
    departed: frozenset[ProcessId] = frozenset()
    static: frozenset[ProcessId] = frozenset()  # hosts that are stations by another name: cells of Algorithm 3

    def join(self, host: ProcessId, home: ProcessId) -> None:
        """Admit a new host, which starts at station `home`. Tell every station before anybody sends to it.

        A station that is to send and get messages itself joins with its own name, and itself as its home.
        """
        checked_names("a host", [host])
        if host in self.departed:
            raise Misuse(f"{host!r} was removed, and its name cannot be used again: give another name")
        if host in self.berths or (host in self.stations and host != home) or home not in self.stations:
            raise Misuse(
                f"{host!r} cannot join at {home!r}: give a new name and one of the stations {list(self.stations)}"
            )
        berth, mind = Berth(home), self.scheme.join(host, home)
        self.berths[host] = berth
        if home == self.me:
            berth.state, berth.luggage = handoff.HERE, Luggage(host, mind)

    def remove(self, host: ProcessId) -> list[Effect]:
        """Forget `host`, which is gone for good. Tell every station; what is under way from it or to it goes to nobody.

        Nothing waits for the host any more. Each station keeps its name, which cannot be used again.
        """
        checked_names("a host", [host])
        if host in self.departed:
            return []
        if host in self.stations:
            raise Misuse(f"{host!r} is a station, and stations cannot be removed: give the name of a host")
        forgetting = self.scheme.forget(self, host)
        self.departed |= {host}
        self.berths.pop(host, None)
        return list(forgetting)

    def agree(self, host: ProcessId, terms: Terms | None) -> None:
        """Agree on terms that hold for `host` wherever it goes. With None, the policy of each station holds."""
        checked_names("a host", [host])
        if terms is not None and not isinstance(terms, Terms):
            raise Misuse(f"terms must be Terms, or None for the policy of each station, not {terms!r}")
        berth = self.berth(host)
        berth.terms = terms
        if berth.luggage is not None:
            berth.luggage.terms = terms

    def send(self, dests: Iterable[ProcessId], payload: bytes) -> list[Effect]:
        """Send a message of this station itself (000 §9), which must have joined as a host of its own cell.

        `HoldBackFull` leaves the state as it was. If the station is among `dests`, its own copy is delivered at once.
        """
        to = frozenset(checked_names("the destinations", [dests] if isinstance(dests, str) else dests))
        own = self._own_berth()
        if own is None:
            raise Misuse(f"{self.me} cannot send: let it join at all stations, with itself as its home")
        if not to:
            raise Misuse("a message needs at least one destination")
        checked_payload(payload)
        luggage = own.luggage_here
        message = Message(MessageId(luggage.host, luggage.sent + 1), to, payload)
        effects: list[Effect] = [Sent(message), *([Deliver(message)] if luggage.host in to else [])]
        return [*effects, *self._settle(self._take(luggage, message, luggage.serial))]

    def hear(self, packet: Packet) -> list[Effect]:
        """Take a packet of a host from the air. `RemoteViolation` and `HoldBackFull` leave the state as it was."""
        checked_packet(packet)
        if packet.sender in self.stations:
            raise RemoteViolation(f"{packet.sender} is a station, which sends nothing over the air")
        return self._settle(self._hear(packet))

    def _hear(self, packet: Packet) -> Iterable[Effect]:
        host, stamp, message = packet.sender, packet.stamp, packet.message
        berth = self.berth(host)
        if isinstance(stamp, Register):
            return self._register(host, berth, stamp)
        if isinstance(stamp, Leave):
            berth.asleep = berth.asleep or stamp.move == berth.heard
            return []
        luggage = berth.luggage
        if luggage is None:  # a late packet of a host that is served elsewhere: it will repeat it there
            return []
        if isinstance(stamp, (Got, Uplink)):
            border.check_at_most(stamp.got, luggage.serial, host, "it has our messages")
        if isinstance(stamp, Got):
            known = stamp.got if luggage.sent >= stamp.sent else 0  # else something older is still to come
            return self.scheme.acknowledged(self, luggage, luggage.take_acknowledged(stamp.got), known)
        if isinstance(stamp, Uplink) and message is not None and message.sender == host:
            return self._up(luggage, message, stamp.got)
        raise RemoteViolation(f"{host} sent a {type(stamp).__name__} over the air")

    def receive(self, packet: Packet) -> list[Effect]:
        """Take a packet from the wire. `RemoteViolation` and `HoldBackFull` leave the state as it was."""
        present = border.without_departed(packet, self.departed)
        if present is None:
            return []
        self.scheme.check(self, present)
        return self._settle(self.scheme.receive(self, present))

    def tick(self, now: float) -> list[Effect]:
        """Send again what hosts have not acknowledged."""
        self.now = checked_time(now)
        if self.due is None:
            return []
        if now < self.due:
            return [SetTimer(self.due)]
        self.due = None
        effects = [effect for berth in self.berths.values() for effect in self._outbox(berth)]
        return [*effects, *(self._timer() if effects else [])]

    def waiters(self) -> Iterator[Waiter]:
        """Yield what has arrived for some host and may not be delivered yet."""
        return self.scheme.waiters(self)

    def held(self) -> tuple[Held, ...]:
        """Return the same as `waiters`, with what each message waits for."""
        return tuple(self.scheme.held(self))

    def snapshot(self) -> bytes:
        """Return the whole state as bytes, for `restore`."""
        return values.dumps(self)

    def resume(self) -> None:
        """Rebuild what a snapshot leaves out. `restore` calls it."""
        assert self.me in self.stations, f"{self.me} is not among the stations"
        lost = [host for host, berth in self.berths.items() if berth.state == handoff.AWAY and berth.at == self.me]
        assert not lost, f"{lost[0]} is away, and the place where it is would be here"
        served = (berth for berth in self.berths.values() if berth.state in (handoff.HERE, handoff.SETTLING))
        assert all(berth.luggage is not None for berth in served), "a host is here, and its luggage is not"
        assert self.static <= self.berths.keys(), "a cell is not known"
        own = self._own_berth()
        assert own is None or own.state == handoff.HERE, "the station itself is away"
        self.scheme.resume(self, None)
        for _, luggage in self.served():
            assert self.scheme.is_luggage(luggage), f"the luggage of {luggage.host} is of another protocol"
            self.scheme.resume(self, luggage)

    # For schemes.

    def berth(self, host: ProcessId) -> Berth:
        """Internal: return the berth of `host`."""
        berth = self.berths.get(host)
        if berth is None:
            raise RemoteViolation(f"host {host!r} is not known at {self.me}: call join first")
        return berth

    def served(self) -> Iterator[tuple[Berth, Luggage]]:
        """Internal: yield the berth and the luggage of each host whose luggage is here."""
        for berth in self.berths.values():
            if berth.luggage is not None:
                yield berth, berth.luggage

    def deliver(self, berth: Berth, message: Message, note: Any = None) -> Iterator[Effect]:
        """Internal: send a message to the host, now and until it is acknowledged; or drop it, by the policy."""
        luggage = berth.luggage_here
        is_own = luggage.host == self.me or luggage.host in self.static
        if not is_own and self._is_to_drop(berth):
            yield Dropped(luggage.host, message.id)
            return
        luggage.serial += 1
        luggage.outbox[luggage.serial] = (message, note)
        if is_own:
            yield Deliver(message)
        elif not berth.asleep:
            yield Radio(luggage.host, Packet(self.me, message, Downlink(luggage.serial)))
            yield from self._timer()

    def control(self, packet: Packet) -> Iterator[Effect]:
        """Internal: take hand-off control, however it came here."""
        stamp = packet.stamp
        if isinstance(stamp, Begin):
            yield from self._begin(stamp)
        elif isinstance(stamp, Handover):
            if stamp.epoch > self.berth(stamp.host).epoch:
                yield from self.step(stamp.host, handoff.HANDOVER, self.luggage_in(stamp))
        elif isinstance(stamp, Moved):
            yield from self._moved(stamp)
        else:
            raise border.not_for_stations(packet)

    def luggage_in(self, handover: Handover) -> Luggage:
        """Internal: return what a hand-over brings. Raise if it is damaged, or is not what this protocol keeps."""
        luggage = unpack(handover.luggage, handover.host, handover.epoch)
        if not self.scheme.is_luggage(luggage) or max(luggage.outbox, default=0) > luggage.serial:
            raise RemoteViolation(f"the luggage of {handover.host} is of another protocol, or is not valid")
        return luggage

    def step(self, host: ProcessId, event: str, subject: Any = None) -> Iterator[Effect]:
        """Internal: take one entry of the table: the new state, then its actions."""
        berth = self.berth(host)
        entry = self.scheme.table.get((berth.state, event))
        if entry is None:
            raise RemoteViolation(f"{event} of {host}, which is {berth.state} at {self.me}")
        berth.state, actions = entry
        for action in actions:
            if own := getattr(self, f"_{action}", None):
                yield from own(host, berth, subject) or ()
            else:
                yield from getattr(self.scheme, action)(self, host, berth, subject) or ()

    def luggage_source(self, host: ProcessId) -> ProcessId:
        """Internal: return the station that is asked for the luggage of `host`. It asks the next if it has none."""
        berth = self.berth(host)
        return berth.previous if self._is_another(berth.previous) else berth.at

    def note_place(self, host: ProcessId, epoch: int, at: ProcessId) -> None:
        """Internal: remember where the luggage of `host` was, if it is news and the luggage is not here."""
        berth = self.berth(host)
        if at != self.me and berth.luggage is None and epoch > berth.epoch:
            berth.epoch, berth.at = epoch, at

    # Events.

    def _register(self, host: ProcessId, berth: Berth, register: Register) -> Iterator[Effect]:
        if register.move > berth.heard:
            berth.heard, berth.previous, berth.asleep = register.move, register.previous, False
            yield from self.step(host, handoff.REGISTER, register)
        elif register.move == berth.heard and (berth.luggage is not None or berth.state == handoff.AWAITED):
            yield from self.step(host, handoff.AGAIN, register)

    def _begin(self, begin: Begin) -> Iterator[Effect]:
        berth = self.berth(begin.host)
        if berth.luggage is not None:
            event = handoff.BEGIN if begin.move > berth.luggage.move else handoff.STALE_BEGIN
        else:
            event = handoff.AHEAD if begin.epoch > berth.epoch else handoff.PASSING
        if begin.to != self.me or event == handoff.PASSING:
            yield from self.step(begin.host, event, begin)

    def _moved(self, moved: Moved) -> Iterator[Effect]:
        self.note_place(moved.host, moved.epoch, moved.at)
        berth = self.berth(moved.host)
        if berth.state == handoff.AWAITED and moved.move > berth.heard:
            yield from self.step(moved.host, handoff.OVERTAKEN, moved)

    def _up(self, luggage: Luggage, message: Message, got: int) -> Iterator[Effect]:
        if message.id.seq == luggage.sent + 1:
            yield from self._take(luggage, message, got)
        if message.id.seq <= luggage.sent:
            yield Radio(luggage.host, Packet(self.me, None, Taken(luggage.sent)))

    def _take(self, luggage: Luggage, message: Message, got: int) -> Iterator[Effect]:
        """Take the next message of a host, or of this station itself."""
        if message.dests - self.berths.keys():  # a message to somebody nobody knows goes to nobody
            yield from (Dropped(host, message.id) for host in sorted(message.dests - {luggage.host}))
        else:
            yield from self.scheme.send(self, luggage, message, got)
        luggage.sent += 1

    def _settle(self, effects: Iterable[Effect]) -> list[Effect]:
        """Return the effects of an input, and of what the station itself acknowledges because of it."""
        settled, own = list(effects), self._own_berth()
        while own is not None and (luggage := own.luggage_here).outbox:
            taken = luggage.take_acknowledged(luggage.serial)
            settled += self.scheme.acknowledged(self, luggage, taken, luggage.serial)
        return settled

    def _own_berth(self) -> Berth | None:
        """Return the berth of this station as a host of its own cell, if it has joined as one."""
        own = [host for host in self.static if self.berths[host].at == self.me] or [self.me]
        return self.berths.get(own[0])

    # Actions of the table.

    def _ask(self, host: ProcessId, berth: Berth, register: Register) -> Iterator[Effect]:
        is_named = self._is_another(register.previous)
        at, epoch = (register.previous, 0) if is_named else (berth.at, berth.epoch)
        yield from self.scheme.wire(self, at, self._packet(Begin(host, register.move, self.me, epoch)))

    def _ask_left(self, host: ProcessId, berth: Berth, register: Register) -> Iterator[Effect]:  # noqa: ARG002
        """Ask the cell that the host left too, because the luggage is long in coming: that cell may have got it."""
        if isinstance(register, RegisterFrom) and self._is_another(register.left):
            yield from self.scheme.wire(self, register.left, self._packet(Begin(host, register.move, self.me, 0)))

    def _is_another(self, name: ProcessId) -> bool:
        """Return whether this is the name of another station."""
        return name in self.stations and name != self.me

    def _forward(self, host: ProcessId, berth: Berth, begin: Begin) -> Iterator[Effect]:  # noqa: ARG002
        yield from self.scheme.wire(self, berth.at, self._packet(replace(begin, epoch=berth.epoch)))

    def _queue(self, host: ProcessId, berth: Berth, begin: Begin) -> None:  # noqa: ARG002
        berth.begins.append((begin.move, begin.to))

    def _serve(self, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:
        begins, berth.begins = sorted(set(berth.begins), reverse=True), []
        for move, to in begins:
            yield from self._begin(Begin(host, move, to, 0))

    def _admit(self, host: ProcessId, berth: Berth, luggage: Luggage) -> None:  # noqa: ARG002
        self.scheme.resume(self, luggage)
        luggage.move, luggage.terms = max(luggage.move, berth.heard), berth.terms
        berth.luggage, berth.at, berth.epoch, berth.heard = luggage, self.me, luggage.epoch, luggage.move

    def _renew(self, host: ProcessId, berth: Berth, register: Register) -> None:  # noqa: ARG002
        berth.luggage_here.move = register.move

    def _welcome(self, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:
        luggage = berth.luggage_here
        yield Radio(host, self._packet(Welcome(luggage.move, luggage.sent)))
        again = list(self._outbox(berth))
        yield from again
        if again:
            yield from self._timer()

    def _hand_over(self, host: ProcessId, berth: Berth, begin: Begin) -> Iterator[Effect]:
        luggage = berth.luggage_here
        luggage.epoch, luggage.move = luggage.epoch + 1, begin.move
        berth.luggage, berth.at, berth.epoch = None, begin.to, luggage.epoch
        berth.heard = max(berth.heard, begin.move)
        packed = Handover(host, luggage.epoch, values.dumps(luggage))
        yield from self.scheme.wire(self, begin.to, self._packet(packed))

    def _tell(self, host: ProcessId, berth: Berth, begin: Begin) -> Iterator[Effect]:
        moved = Moved(host, berth.epoch, berth.luggage_here.move, self.me)
        yield from self.scheme.wire(self, begin.to, self._packet(moved))

    def _remember(self, host: ProcessId, berth: Berth, register: Register) -> None:  # noqa: ARG002
        berth.returning = True

    def _recall(self, host: ProcessId, berth: Berth, _: object) -> Iterator[Effect]:
        if berth.returning:
            berth.returning = False
            yield from self.step(host, handoff.REGISTER, Register(berth.heard, berth.previous))

    # The air.

    def _is_to_drop(self, berth: Berth) -> bool:
        """Return whether a message for the host is to be dropped, by the policy."""
        terms: Terms | Policy = berth.luggage_here.terms or self.policy
        stored_max = min(terms.stored_max, self.policy.stored_max)
        return (berth.asleep and terms.when_asleep == "drop") or len(berth.luggage_here.outbox) >= stored_max

    def _outbox(self, berth: Berth) -> Iterator[Effect]:
        if berth.luggage is not None and not berth.asleep:
            for serial, (message, _) in list(berth.luggage.outbox.items())[: self.policy.window]:
                yield Radio(berth.luggage.host, Packet(self.me, message, Downlink(serial)))

    def _timer(self) -> Iterator[Effect]:
        if self.due is None:
            self.due = self.now + self.policy.retry_s
            yield SetTimer(self.due)

    def _packet(self, stamp: Any) -> Packet:
        return Packet(self.me, None, stamp)
