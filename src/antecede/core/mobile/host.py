"""A host: thin on purpose. It numbers what it sends, counts what it gets, and sends again what was not answered.

Its driver tells it which station it hears (`enter`), when it switches off (`leave`), and the time (`tick`). A message
is sent, and delivered, here: these are the events of happened-before. A message sent while out of reach waits; at
most `unsent_max` do, and then `send` refuses with `LimitReached`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Sent, SetTimer
from antecede.core.errors import LimitReached, Misuse, RemoteViolation
from antecede.core.mobile import border
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host_and_station_frames import (
    Downlink,
    Got,
    Leave,
    Register,
    RegisterFrom,
    Taken,
    Uplink,
    Welcome,
)
from antecede.core.roster import checked_names, checked_packet, checked_payload, checked_time
from antecede.core.snapshot import values
from antecede.core.types import Message, MessageId, Packet, ProcessId

OUT, ENTERING, IN = "out", "entering", "in"


@values.storable("Host", added=1)
@dataclass(slots=True)
class Host:
    """A roaming host. It starts at `previous`, its home station. `mobile.host` makes it."""

    me: ProcessId
    previous: ProcessId
    cell: ProcessId
    state: str = IN
    retry_s: float = 1.0
    unsent_max: int = 10_000
    move: int = 0
    sent: int = 0
    got: int = 0
    unsent: dict[int, Packet] = field(default_factory=dict)
    now: float = 0.0
    due: float | None = None
    left: ProcessId = ""
    """The cell that the host left last, if it was not welcomed there."""

    def send(self, dests: Iterable[ProcessId], payload: bytes) -> list[Effect]:
        """Send `payload` to `dests`. If the host is among them, its own copy is delivered at once."""
        to = frozenset(checked_names("the destinations", [dests] if isinstance(dests, str) else dests))
        if not to:
            raise Misuse("a message needs at least one destination")
        checked_payload(payload)
        if len(self.unsent) >= self.unsent_max:
            raise LimitReached(
                f"{len(self.unsent)} messages of {self.me} wait for a station: try again when a station is in reach"
            )
        self.sent += 1
        message = Message(MessageId(self.me, self.sent), to, payload)
        self.unsent[self.sent] = Packet(self.me, message, Uplink(self.got))
        effects: list[Effect] = [Sent(message)]
        if self.me in to:
            effects.append(Deliver(message))
        if self.state == IN:
            effects += [Radio(self.cell, self.unsent[self.sent]), *self._timer()]
        return effects

    def enter(self, station: ProcessId) -> list[Effect]:
        """Register at `station`, whose beacon is heard, whether the host moves, comes back or wakes up."""
        checked_names("the station", [station])
        if station != self.cell:
            self._note_left()
        self.move += 1
        self.cell, self.state = station, ENTERING
        return [self._register(), *self._timer()]

    def leave(self) -> list[Effect]:
        """Switch off: nothing is heard from now on."""
        if self.state == OUT:
            raise Misuse(f"{self.me} is already out of reach")
        self._note_left()
        self.state, self.due = OUT, None
        return [Radio(self.cell, Packet(self.me, None, Leave(self.move)))]

    def hear(self, packet: Packet) -> list[Effect]:
        """Take a packet from the air. A repetition, or a packet out of turn, has no effect but an answer."""
        checked_packet(packet)
        stamp = packet.stamp
        if self.state == OUT:
            return []
        if isinstance(stamp, (Taken, Welcome)):
            border.check_at_most(stamp.sent, self.sent, packet.sender, "it took our messages")
        if isinstance(stamp, Downlink) and packet.message is not None:
            if self.me not in packet.message.dests or packet.message.sender == self.me:
                raise RemoteViolation(
                    f"message {packet.message.id} for {sorted(packet.message.dests)} came to {self.me}"
                )
            return self._down(packet.message, stamp.serial)
        if isinstance(stamp, Taken):
            self._forget_taken(stamp.sent)
            return []
        if isinstance(stamp, Welcome):
            return self._welcome(packet.sender, stamp)
        raise RemoteViolation(f"{packet.sender} sent a {type(stamp).__name__} to a host")

    def tick(self, now: float) -> list[Effect]:
        """Send again what was not answered."""
        self.now = checked_time(now)
        if self.due is None:
            return []
        if now < self.due:
            return [SetTimer(self.due)]
        self.due = None
        if self.state == ENTERING:
            return [self._register(), *self._timer()]
        return [*self._resend(), *(self._timer() if self.unsent else [])]

    def snapshot(self) -> bytes:
        """Return the whole state as bytes, for `restore`."""
        return values.dumps(self)

    def resume(self) -> None:
        """Do nothing: everything is in the snapshot. `restore` calls it."""

    def _down(self, message: Message, serial: int) -> list[Effect]:
        effects: list[Effect] = []
        if serial == self.got + 1:
            self.got = serial
            effects.append(Deliver(message))
        return [*effects, self._acknowledge()]

    def _welcome(self, station: ProcessId, welcome: Welcome) -> list[Effect]:
        if welcome.move != self.move:
            return []
        self.state, self.previous, self.left = IN, station, ""
        self._forget_taken(welcome.sent)
        return [self._acknowledge(), *self._resend(), *(self._timer() if self.unsent else [])]

    def _forget_taken(self, sent: int) -> None:
        """Forget the messages up to `sent`, which a station has taken."""
        for seq in [seq for seq in self.unsent if seq <= sent]:
            del self.unsent[seq]

    def _resend(self) -> list[Effect]:
        return [Radio(self.cell, packet) for packet in self.unsent.values()]

    def _register(self) -> Radio:
        """Return the registration of this host in its cell.

        It names the station that welcomed the host last, which has had its luggage. As a rule that is the cell that was
        left, which 001 §2 names. If the host left that one before it was welcomed there, it names both: the cell may
        have the luggage by now, and may also never have heard of the host (`docs/errata.md`).
        """
        stamp = Register(self.move, self.previous)
        if self.left not in ("", self.cell, self.previous):
            stamp = RegisterFrom(self.move, self.previous, self.left)
        return Radio(self.cell, Packet(self.me, None, stamp))

    def _note_left(self) -> None:
        """Note the cell that is left now, if the host was not welcomed there."""
        if self.state == ENTERING:
            self.left = self.cell

    def _acknowledge(self) -> Radio:
        return Radio(self.cell, Packet(self.me, None, Got(self.got, self.sent)))

    def _timer(self) -> Iterator[Effect]:
        if self.due is None:
            self.due = self.now + self.retry_s
            yield SetTimer(self.due)
