"""A conversation whose members roam between cells: nobody gets an answer before the message that it answers.

Run: python examples/roaming_conversation.py   or, without causal order: python examples/roaming_conversation.py none

The papers on roaming hosts have this use in mind: teleconferencing, and applications that involve human interaction
(Alagar and Venkatesan 1994, §1; Prakash, Raynal and Singhal 1997, §1). Kshemkalyani and Singhal 1998 (§1, §8) name
teleconferencing too. A question and its answer come from two members in two cells, so they take different ways to a
third member; and if that member moves, the question follows it from station to station. Without causal order the third
member gets answers to questions that it does not know.

Hosts and stations are the state machines of `antecede.mobile`. The air between them loses packets; the wires between
stations bring packets in any order, and some of them twice. Every message names the message that it answers, and the
program checks that each member has that message first.
"""

import json
import random
import sys
from dataclasses import dataclass, field

import antecede
from antecede import mobile
from antecede.runtime.roaming.unordered import plain_station

STATIONS = ["east", "north", "south"]
MEMBERS = ["ann", "bob", "carol", "dave", "eve"]
MESSAGES = 60


@dataclass
class Conversation:
    """The stations, the members, and all packets that are under way, as (sender, to, packet)."""

    protocol: str
    chance: random.Random
    packets: list[tuple[str, str, bytes]] = field(default_factory=list)
    said: int = 0
    moves: int = 0
    early: int = 0  # answers that a member got before what they answer

    def __post_init__(self) -> None:
        homes = {name: self.chance.choice(STATIONS) for name in MEMBERS}
        self.stations = {name: make_station(self.protocol, name, homes) for name in STATIONS}
        self.hosts = {name: mobile.host(name, home) for name, home in homes.items()}
        self.heard: dict[str, set[int]] = {name: set() for name in MEMBERS}

    def say(self, me: str, answers: int | None) -> None:
        """Send a message to all other members; `answers` is the number of the message that it answers."""
        if self.said < MESSAGES:
            self.said += 1
            self.heard[me].add(self.said)
            text = json.dumps({"number": self.said, "answers": answers})
            self.carry_out(me, self.hosts[me].send(set(MEMBERS) - {me}, text.encode()))

    def hear(self, me: str, number: int, answers: int | None) -> None:
        """Take a message at a member, who answers some of them."""
        self.early += answers is not None and answers not in self.heard[me]
        self.heard[me].add(number)
        if self.chance.random() < 0.25:
            self.say(me, number)

    def move(self, me: str) -> None:
        """Switch a member off, or on again in a cell that may be another one."""
        host = self.hosts[me]
        self.moves += 1
        is_off = host.state == "out"
        self.carry_out(me, host.enter(self.chance.choice(STATIONS)) if is_off else host.leave())

    def carry_out(self, me: str, effects: list[mobile.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, antecede.Deliver):
                self.hear(me, **json.loads(effect.message.payload))
            elif isinstance(effect, antecede.Transmit):
                self.packets += [(me, effect.to, antecede.encode(effect.packet))] * self.chance.choice((1, 1, 2))
            elif isinstance(effect, mobile.Radio) and self.chance.random() < 0.9:
                self.packets.append((me, effect.to, antecede.encode(effect.packet)))

    def bring(self, sender: str, to: str, data: bytes) -> None:
        """Bring a packet of the wires or of the air. Only the members in a cell hear its station."""
        packet = antecede.decode(data)
        if sender in self.hosts:
            self.carry_out(to, self.stations[to].hear(packet))
        elif to in self.stations:
            self.carry_out(to, self.stations[to].receive(packet))
        elif self.hosts[to].cell == sender:
            self.carry_out(to, self.hosts[to].hear(packet))

    def run(self) -> None:
        """Go on until every member has every message. Time passes when nothing is under way."""
        now = 0.0
        while not all(len(heard) == MESSAGES for heard in self.heard.values()):
            if self.chance.random() < 0.02:
                self.move(self.chance.choice(MEMBERS))
            elif self.packets:
                self.bring(*self.packets.pop(self.chance.randrange(len(self.packets))))
            else:
                now += 1.0
                for name, machine in (self.stations | self.hosts).items():
                    self.carry_out(name, machine.tick(now))
                self.say(self.chance.choice(MEMBERS), None)


def make_station(protocol: str, name: str, homes: dict[str, str]) -> mobile.Station:
    """Return a station that keeps causal order; or, to compare with, one that passes messages on as they come."""
    if protocol != "none":
        station = mobile.station(protocol, name=name, stations=STATIONS, homes=homes)
        assert isinstance(station, mobile.Station)  # not the several in one of protocol av3
        return station
    unordered = plain_station(name, tuple(STATIONS), mobile.Policy())
    for host, home in homes.items():
        unordered.join(host, home)
    return unordered


def main(protocol: str = "roam", *, seed: int = 2) -> bool:
    """Return whether every member had every message before its answers."""
    conversation = Conversation(protocol, random.Random(seed))
    conversation.run()
    print(f"{len(MEMBERS)} members got {MESSAGES} messages, and went off and on {conversation.moves} times")
    print(f"answers that came before the message that they answer: {conversation.early}")
    return conversation.early == 0


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
