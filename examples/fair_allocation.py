"""Fair allocation of a resource: whoever may have asked because of another's request gets the resource after it.

Run: python examples/fair_allocation.py            or, without causal order: python examples/fair_allocation.py none

Kshemkalyani and Singhal 1998 (§1, §8), Prakash, Raynal and Singhal 1997 (§1) and Alagar and Venkatesan 1994 (§1) name
resource allocation as a use of causal order; the first cite Lamport 1978 for it. This is Lamport's mutual exclusion,
without a server. A member broadcasts its request with the time of its clock, and the others acknowledge it. A member
has the resource when its own request is the oldest that it knows, and everybody has acknowledged it.

Members also talk: whoever has made a request tells a friend, and the friend then makes a request too. These messages
carry no time. Causal order makes that fair: the friend gets the request before the message about it, so its own request
is younger. Without causal order the friend may ask before it knows of the request, and have the resource first. An
acknowledgement may also overtake an older request of its sender, and two members have the resource at once.

The program checks this with sets of requests that it keeps itself, not with the clocks of members or algorithms.
"""

import json
import random
import sys
from dataclasses import dataclass, field

import antecede

NAMES = ["ann", "bob", "carol", "dave"]
REQUESTS = 40


@dataclass
class Judge:
    """Keeps which requests may have caused which, and the order in which they were granted."""

    past: dict[str, set[int]] = field(default_factory=lambda: {name: set() for name in NAMES})
    carried: dict[antecede.MessageId, frozenset[int]] = field(default_factory=dict)
    causes: list[frozenset[int]] = field(default_factory=list)
    grants: list[int] = field(default_factory=list)
    holders: set[str] = field(default_factory=set)
    times_shared: int = 0

    def request(self, name: str) -> int:
        """Return the number of a new request of `name`."""
        number = len(self.causes)
        self.causes.append(frozenset(self.past[name]))
        self.past[name].add(number)
        return number

    def grant(self, name: str, number: int) -> None:
        self.times_shared += bool(self.holders)
        self.holders.add(name)
        self.grants.append(number)

    def count_unfair(self) -> int:
        """Return how many requests were granted before one that may have caused them."""
        return sum(not self.causes[number] <= set(self.grants[:at]) for at, number in enumerate(self.grants))


@dataclass
class Member:
    """A member: its clock, the time of each request it knows, and what it is waiting for."""

    name: str
    process: antecede.Algorithm
    world: "World"
    clock: int = 0
    queue: dict[str, int] = field(default_factory=dict)  # the time of each member's request, while it is not released
    acknowledged_by: set[str] = field(default_factory=set)
    number: int | None = None  # of its own request, for the judge
    hints: int = 0  # friends that have told it to ask

    def send(self, to: set[str], kind: str) -> None:
        text = json.dumps({"kind": kind, "time": None if kind == "hint" else self.clock})
        self.world.carry_out(self, self.process.send(to, text.encode()))

    def ask(self) -> None:
        """Make a request if a friend has told it to and it has none, and tell a friend."""
        if self.hints == 0 or self.number is not None or len(self.world.judge.causes) == REQUESTS:
            return
        self.hints -= 1
        self.clock += 1
        self.number = self.world.judge.request(self.name)
        self.queue[self.name] = self.clock
        others = [name for name in NAMES if name != self.name]
        self.send(set(others), "request")
        self.send({self.world.chance.choice(others)}, "hint")

    def take(self, sender: str, kind: str, time: int | None) -> None:
        """Take a message of another member."""
        self.clock = max(self.clock, time or 0) + 1
        if kind == "request" and time is not None:
            self.queue[sender] = time
            self.send({sender}, "acknowledgement")
        elif kind == "acknowledgement":
            self.acknowledged_by.add(sender)
        elif kind == "release":
            self.queue.pop(sender, None)
        else:
            self.hints += 1
            self.ask()
        is_first = min(self.queue, key=lambda name: (self.queue[name], name), default=None) == self.name
        if self.number is not None and is_first and len(self.acknowledged_by) == len(NAMES) - 1:
            self.acknowledged_by.clear()
            self.world.judge.grant(self.name, self.number)

    def release(self) -> None:
        self.world.judge.holders.remove(self.name)
        self.number = None
        del self.queue[self.name]
        self.send(set(NAMES) - {self.name}, "release")
        self.ask()


class World:
    """The members, and a network that brings packets in any order, and some of them twice."""

    def __init__(self, algorithm: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.judge = Judge()
        self.packets: list[tuple[str, bytes]] = []
        processes = {name: antecede.create(algorithm, process=name, processes=NAMES) for name in NAMES}
        self.members = {name: Member(name, process, self) for name, process in processes.items()}

    def carry_out(self, member: Member, effects: list[antecede.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, antecede.Sent):
                self.judge.carried[effect.message.id] = frozenset(self.judge.past[member.name])
            elif isinstance(effect, antecede.Transmit):
                self.packets += [(effect.to, antecede.encode(effect.packet))] * self.chance.choice((1, 1, 2))
            elif isinstance(effect, antecede.Deliver):
                self.judge.past[member.name] |= self.judge.carried[effect.message.id]
                member.take(effect.message.sender, **json.loads(effect.message.payload))

    def run(self) -> None:
        for name in NAMES[:2]:  # two begin, so there are always requests of which neither caused the other
            self.members[name].hints = 1
            self.members[name].ask()
        while self.packets or self.judge.holders:
            if self.judge.holders and (not self.packets or self.chance.random() < 0.1):
                self.members[self.chance.choice(sorted(self.judge.holders))].release()
            else:
                to, data = self.packets.pop(self.chance.randrange(len(self.packets)))
                self.carry_out(self.members[to], self.members[to].process.receive(antecede.decode(data)))


def main(algorithm: str = "ks", *, seed: int = 1) -> bool:
    """Return whether every request was granted, alone, and after the requests that may have caused it."""
    world = World(algorithm, seed)
    world.run()
    judge = world.judge
    unfair = judge.count_unfair()
    print(f"{len(judge.grants)} of {len(judge.causes)} requests were granted")
    print(f"{judge.times_shared} were granted while another member had the resource")
    print(f"{unfair} were granted before a request that may have caused them")
    return len(judge.grants) == len(judge.causes) == REQUESTS and judge.times_shared == unfair == 0


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
