"""Paper 000 §5.2 word for word, with the sender among the destinations, which §5.1 assumes away.

The copy for the sender goes through the network like any other, and the steps are taken as printed. For the errata
alone: `prs` delivers an own copy within the send.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Effect, Sent, Transmit
from antecede.core.ordering.prs import PrsStamp
from antecede.core.types import Message, MessageId, Packet, ProcessId
from antecede.sim import World
from antecede.sim.chance import pick, stream
from antecede.sim.workload import Letter

Tuples = dict[ProcessId, int]


@dataclass(slots=True)
class Bare:
    """A process that knows the printed steps and nothing else. Of what arrived it delivers the first that is ready."""

    me: ProcessId
    sent: int = 0
    barrier: dict[ProcessId, Tuples] = field(default_factory=dict)
    delivered: dict[tuple[ProcessId, ProcessId], int] = field(default_factory=dict)
    held: list[Packet] = field(default_factory=list)

    def send(self, dests: Iterable[ProcessId], payload: bytes) -> list[Effect]:
        self.sent += 1
        message = Message(MessageId(self.me, self.sent), frozenset(dests), payload)
        packet = Packet(self.me, message, PrsStamp(dict(self.barrier)))
        for dest in sorted(message.dests):  # step 3
            self.barrier[dest] = {self.me: self.sent}
        return [Sent(message), *(Transmit(dest, packet) for dest in sorted(message.dests))]

    def receive(self, packet: Packet) -> list[Effect]:
        self.held.append(packet)
        effects: list[Effect] = []
        while (ready := next((one for one in self.held if self._is_ready(one)), None)) is not None:
            self.held.remove(ready)
            assert ready.message is not None
            self._deliver(ready.message, ready)
            effects.append(Deliver(ready.message))
        return effects

    def _is_ready(self, packet: Packet) -> bool:
        """Step 1."""
        assert isinstance(packet.stamp, PrsStamp)
        wanted = packet.stamp.barrier.get(self.me, {})
        return all(self.delivered.get((process, self.me), 0) >= count for process, count in wanted.items())

    def _deliver(self, message: Message, packet: Packet) -> None:
        assert isinstance(packet.stamp, PrsStamp)
        theirs, (sender, seq) = packet.stamp.barrier, message.id
        self.delivered[sender, self.me] = seq  # step 3
        for process, count in theirs.get(sender, {}).items():  # step 4
            self.delivered[process, sender] = max(self.delivered.get((process, sender), 0), count)
        for dest in sorted(message.dests):  # step 5
            row = {**self.barrier.get(dest, {})}
            row[sender] = max(seq, row.get(sender, 0))
            self.barrier[dest] = {p: c for p, c in row.items() if c > theirs.get(dest, {}).get(p, 0)}
        for dest in sorted(theirs.keys() - message.dests - {sender}):  # step 6
            mine = self.barrier.get(dest, {})
            both = mine.keys() | theirs[dest].keys()
            self.barrier[dest] = {p: max(mine.get(p, 0), theirs[dest].get(p, 0)) for p in sorted(both)}
        satisfied = theirs.get(sender, {})  # step 7
        self.barrier[sender] = {p: c for p, c in self.barrier.get(sender, {}).items() if c > satisfied.get(p, 0)}
        for dest in self.barrier.keys() - {self.me}:  # step 8
            row = self.barrier[dest]
            self.barrier[dest] = {p: c for p, c in row.items() if self.delivered.get((p, dest), 0) < c}


def sending_to_itself(world: World, *, bare: bool) -> None:
    """Senders are as likely destinations as anybody; with `bare`, processes are those of the printed steps."""
    names, seed = world.names, world.parameters.seed
    choices = {name: stream(seed, "own", name) for name in names}

    def letter(process: ProcessId) -> Letter:
        chance = choices[process]
        return Letter(frozenset(pick(chance, names, chance.randint(1, len(names)))))

    world.traffic.letter = letter  # type: ignore[method-assign]
    if bare:
        world.nodes = {name: Bare(name) for name in names}  # type: ignore[misc]  # the half that the world calls
