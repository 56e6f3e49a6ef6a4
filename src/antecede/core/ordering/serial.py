"""Sends serialised by a token: one entry for broadcast, one a destination for multicast (002 §7.1).

Guarantees causal order over any channels that lose nothing, because it guarantees more: all sends are in one order.
The stamp of `serial-broadcast` is the number of the broadcast before it; that of `serial-multicast`, for each of
its destinations, the number of the last message sent there. The price is waiting for the token, and the packets
that move it; it is not delay-optimal.

The mutual exclusion that the paper leaves open is that of Suzuki and Kasami: who wants to send asks everybody once;
the token goes from process to process only when asked for, remembers which requests it has served, and counts its
moves, so that a duplicate of it is recognised. The first in the order of names has it first, or `token_at`. Everybody
must be told the same: a newcomer is created with `token_at` naming one who was there before it, since it may itself
be the first in the order of names.

A message takes its turn when the token is here, after `Sent`. Own copies wait for their turn like anyone's. A
process that is not sent a broadcast (a newcomer, or its own sender) is told that the turn has passed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.errors import LimitReached, RemoteViolation
from antecede.core.holdback import HOLD_BACK_LIMIT, HoldBack
from antecede.core.roster import Participant, checked_packet
from antecede.core.snapshot import values
from antecede.core.types import GroupId, Message, Need, Packet, Pending, ProcessId, Reached
from antecede.core.vectors import without
from antecede.core.wire import shapes
from antecede.core.wire.fields import Fields

TURN = "turn|"
HOLDER = "the token's holders"


@shapes.stamp(16, "Turn")
@dataclass(frozen=True, slots=True)
class Turn:
    """The number of this send in the order of all, and, for each process it goes to, the number before it there."""

    turn: int
    before: Mapping[ProcessId, int]

    @property
    def entries(self) -> int:
        return len(self.before)

    def write(self, to: shapes.Writer) -> None:
        to.uint(self.turn)
        to.vector(self.before)

    @classmethod
    def read(cls, source: shapes.Reader) -> Turn:
        return cls(source.uint(), source.vector())


@shapes.stamp(17, "Request")
@dataclass(frozen=True, slots=True)
class Request(Fields):
    """The `number`-th time its sender asks for the token."""

    number: int

    @property
    def entries(self) -> int:
        return 1


@shapes.stamp(18, "Token")
@dataclass(frozen=True, slots=True)
class Token(Fields):
    """Its moves so far, the last turn taken, the requests served, and the last turn sent to each process."""

    moves: int
    turn: int
    served: Mapping[ProcessId, int]
    last: Mapping[ProcessId, int]

    @property
    def entries(self) -> int:
        return 2 + len(self.served) + len(self.last)


@values.storable("Serial")
@dataclass(slots=True)
class Serial(Participant):
    """`moves`: the highest move of the token seen or made here; `turn`: the last one delivered or passed here."""

    broadcast: bool
    held: HoldBack = field(default_factory=HoldBack)
    limit: int = HOLD_BACK_LIMIT
    token: Token | None = None
    moves: int = 0
    turn: int = 0
    queue: deque[Message] = field(default_factory=deque)
    waiting: set[int] = field(default_factory=set)
    asked: dict[ProcessId, int] = field(default_factory=dict)
    asking: bool = False

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        if len(self.queue) >= self.limit:
            raise LimitReached(
                f"{len(self.queue)} messages wait for the token, which is the limit: send again when some have left"
            )
        message = self.roster.message(dests, payload)
        self.queue.append(message)
        if self.token is not None:
            return [Sent(message), *self._take_turns(), *self._drain()]
        if self.asking:
            return [Sent(message)]
        self.asking = True
        self.asked[self.process] = self.asked.get(self.process, 0) + 1
        request = Packet(self.process, None, Request(self.asked[self.process]))
        return [Sent(message), *(Transmit(to, request) for to in self.roster.others)]

    def receive(self, packet: Packet) -> list[Effect]:
        checked_packet(packet)
        stamp, sender = packet.stamp, packet.sender
        if isinstance(stamp, Turn):
            return self._arrive(packet, stamp)
        if packet.message is not None or not isinstance(stamp, Token | Request):
            raise RemoteViolation(f"{sender} sent a {type(stamp).__name__}, which is of another algorithm")
        if isinstance(stamp, Request):
            self.asked[sender] = max(self.asked.get(sender, 0), stamp.number)
            return self._pass_on()
        if stamp.moves <= self.moves:
            return []
        self.token, self.moves = stamp, stamp.moves
        return [*self._take_turns(), *self._pass_on(), *self._drain()]

    def pending(self) -> tuple[Pending, ...]:
        asked = self.asked.get(self.process, 0)
        return self.held.pending(self._unmet) + tuple(
            Pending(message, (Need(self.process, asked, asked, "request|for the token"),)) for message in self.queue
        )

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        """Admit a newcomer, and ask it for the token too if a request is open: it may be given the token next."""
        self.roster.join(process, groups)
        if not self.asking or process == self.process:
            return []
        return [Transmit(process, Packet(self.process, None, Request(self.asked.get(self.process, 0))))]

    def leave(self, process: ProcessId) -> list[Effect]:
        self.roster.leave(process)
        if process == self.process:
            return self._pass_on()
        self.asked.pop(process, None)
        return []

    def resume(self) -> None:
        self.held.resume(self._unmet)

    def _take_turns(self) -> list[Effect]:
        effects: list[Effect] = []
        while self.queue:
            effects += self._take_turn(self.queue.popleft())
        self.asking = False
        assert self.token is not None
        self.token = replace(self.token, served={**self.token.served, self.process: self.asked.get(self.process, 0)})
        return effects

    def _take_turn(self, message: Message) -> list[Effect]:
        """Give the message the next turn. With broadcast everybody known to the token or to `me` passes the turn."""
        token = self.token
        assert token is not None
        turn = token.turn + 1
        to = message.dests - self.roster.departed
        reached = (to | self.roster.processes | token.last.keys()) - self.roster.departed if self.broadcast else to
        before = {process: token.last.get(process, 0) for process in sorted(reached)}
        self.token = replace(token, turn=turn, last={**token.last, **dict.fromkeys(before, turn)})
        effects: list[Effect] = []
        for process in sorted(reached):
            entry = before if not self.broadcast else {process: before[process]}
            packet = Packet(self.process, message if process in to else None, Turn(turn, entry))
            if process == self.process:
                self.waiting.add(turn)
                self.held.offer(packet, self._unmet(packet), refuse=False)
            else:
                effects.append(Transmit(process, packet))
        return effects

    def _pass_on(self) -> list[Effect]:
        """Give the token to the next process that asked and was not served, in the order of names after this one.

        A process that has left gives the token to somebody even if nobody asked.
        """
        if self.token is None:
            return []
        waiting = [
            process for process in self.roster.others if self.asked.get(process, 0) > self.token.served.get(process, 0)
        ]
        if not waiting and self.process in self.roster.departed:
            waiting = self.roster.others
        if not waiting:
            return []
        return self._hand_over(min(waiting, key=lambda process: (process < self.process, process)))

    def _hand_over(self, process: ProcessId) -> list[Effect]:
        assert self.token is not None
        departed = self.roster.departed - {self.process}
        served, last = without(self.token.served, departed), without(self.token.last, departed)
        token = Token(self.token.moves + 1, self.token.turn, served, last)
        self.token, self.moves = None, token.moves
        return [Transmit(process, Packet(self.process, None, token))]

    def _arrive(self, packet: Packet, stamp: Turn) -> list[Effect]:
        if packet.message is not None:
            self.roster.accept(packet)
        if stamp.before.get(self.process, stamp.turn) >= stamp.turn:
            raise RemoteViolation(f"turn {stamp.turn} of {packet.sender} names no turn before it at {self.process}")
        if stamp.turn <= self.turn or stamp.turn in self.waiting:
            return []
        self.held.offer(packet, self._unmet(packet))
        self.waiting.add(stamp.turn)
        return self._drain()

    def _unmet(self, packet: Packet) -> Iterator[Need]:
        assert isinstance(packet.stamp, Turn)
        before = packet.stamp.before[self.process]
        if before > self.turn:
            yield Need(HOLDER, before, before, TURN)

    def _drain(self) -> list[Effect]:
        effects: list[Effect] = []
        while (packet := self.held.pop()) is not None:
            assert isinstance(packet.stamp, Turn)
            self.turn = packet.stamp.turn
            self.waiting.discard(self.turn)
            if packet.message is not None:
                effects.append(Deliver(packet.message))
            self.held.reached(Reached(HOLDER, self.turn, TURN))
        return effects
