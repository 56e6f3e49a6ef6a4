"""A consistent global snapshot: what all accounts hold, and what is in transit, without stopping the transfers.

Run: python examples/global_snapshot.py            or, without causal order: python examples/global_snapshot.py none

Kshemkalyani and Singhal 1998 (§1, §8) name global state collection as a use of causal order, and cite Alagar and
Venkatesan 1994 for it. This is their snapshot. The initiator broadcasts a marker; each account records its balance when
it delivers the marker, and says so. Then the initiator broadcasts the end; transfers that were sent before the marker
and are delivered between the marker and the end were in transit.

Causal order is used twice. A transfer sent after the marker cannot be delivered before the marker: it would be in the
balance of its receiver, and still in that of its sender. A transfer sent before the marker is delivered before
the end: later it would be in no balance, and nobody would count it. Channels need not keep order, and no marker is sent
on each of them, as in the snapshot of Chandy and Lamport.

The program checks that each snapshot has all the money there is: transfers make none and destroy none.
"""

import json
import random
import sys
from dataclasses import dataclass, field

import antecede

NAMES = ["ann", "bob", "carol", "dave", "eve"]
INITIATOR = NAMES[0]
MONEY = 100
SNAPSHOTS = 10


@dataclass
class Account:
    """An account: its balance now, and what it recorded for the latest snapshot."""

    balance: int = MONEY
    markers: int = 0  # that it has delivered: the number of the latest snapshot
    recorded: int = 0
    in_transit: int = 0
    has_ended: bool = True

    def record(self) -> None:
        self.markers, self.recorded, self.in_transit, self.has_ended = self.markers + 1, self.balance, 0, False

    def take(self, amount: int, markers: int) -> None:
        """Take a transfer whose sender had delivered that many markers."""
        self.balance += amount
        if markers < self.markers and not self.has_ended:
            self.in_transit += amount


@dataclass
class Bank:
    """The accounts, and a network that brings packets in any order, and some of them twice."""

    algorithm: str
    chance: random.Random
    packets: list[tuple[str, bytes]] = field(default_factory=list)
    answers: list[dict[str, int]] = field(default_factory=list)  # to the marker, and then to the end
    snapshots: list[tuple[int, int]] = field(default_factory=list)  # recorded, and in transit

    def __post_init__(self) -> None:
        self.accounts = {name: Account() for name in NAMES}
        self.processes = {name: antecede.create(self.algorithm, process=name, processes=NAMES) for name in NAMES}

    def send(self, me: str, to: set[str], kind: str, **values: int) -> None:
        self.carry_out(me, self.processes[me].send(to, json.dumps({"kind": kind, **values}).encode()))

    def carry_out(self, me: str, effects: list[antecede.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, antecede.Transmit):
                self.packets += [(effect.to, antecede.encode(effect.packet))] * self.chance.choice((1, 1, 2))
            elif isinstance(effect, antecede.Deliver):
                self.deliver(me, **json.loads(effect.message.payload))

    def deliver(self, me: str, kind: str, **values: int) -> None:
        account = self.accounts[me]
        if kind == "transfer":
            account.take(**values)
        elif kind == "marker":
            account.record()
            self.send(me, {INITIATOR}, "answer")
        elif kind == "end":
            account.has_ended = True
            self.send(me, {INITIATOR}, "answer", recorded=account.recorded, in_transit=account.in_transit)
        else:
            self.collect(values)

    def transfer(self) -> None:
        """Send a random amount from one account to another."""
        me, to = self.chance.sample(NAMES, 2)
        account = self.accounts[me]
        amount = self.chance.randint(0, account.balance)
        account.balance -= amount
        self.send(me, {to}, "transfer", amount=amount, markers=account.markers)

    def broadcast(self, kind: str) -> None:
        """Send the marker or the end to all, the initiator included, which delivers it at once."""
        self.answers = []
        self.send(INITIATOR, set(NAMES), kind)

    def collect(self, answer: dict[str, int]) -> None:
        """Take an answer. After the last one, end the snapshot, or note it and begin the next."""
        self.answers.append(answer)
        if len(self.answers) < len(NAMES):
            return
        if not answer:
            self.broadcast("end")
            return
        totals = (sum(each["recorded"] for each in self.answers), sum(each["in_transit"] for each in self.answers))
        self.snapshots.append(totals)
        if len(self.snapshots) < SNAPSHOTS:
            self.broadcast("marker")


def main(algorithm: str = "ks", *, seed: int = 1) -> bool:
    """Return whether every snapshot has all the money there is."""
    bank = Bank(algorithm, random.Random(seed))
    bank.broadcast("marker")
    while bank.packets:
        if len(bank.snapshots) < SNAPSHOTS and bank.chance.random() < 0.4:
            bank.transfer()
        to, data = bank.packets.pop(bank.chance.randrange(len(bank.packets)))
        bank.carry_out(to, bank.processes[to].receive(antecede.decode(data)))
    total = MONEY * len(NAMES)
    assert sum(account.balance for account in bank.accounts.values()) == total  # nothing is in transit any more
    for number, (recorded, in_transit) in enumerate(bank.snapshots, start=1):
        print(f"snapshot {number}: {recorded} in accounts, {in_transit} in transit, {recorded + in_transit} in all")
    right = sum(sum(totals) == total for totals in bank.snapshots)
    print(f"{right} of {SNAPSHOTS} snapshots have all the money, which is {total}")
    return right == SNAPSHOTS


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
