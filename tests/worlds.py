"""Random executions: one algorithm, a hostile network, and an oracle that knows everything.

A world has a few processes running the real algorithm, and a network that reorders (unless the algorithm needs FIFO
channels), duplicates, and carries packets sometimes as objects and sometimes as bytes. Processes send to themselves,
to subsets, to groups; they are snapshot and restored between any two inputs; newcomers join, and processes leave. All
choices come from one seeded generator. With the option `links`, which is then "random", messages keep to the links of a
random network; newcomers are part of it from the beginning.

The oracle is told of every effect and checks each delivery. The judge gets a trace of the same execution afterwards.
With a synchronous algorithm the oracle has the send of a message at `Sent`, and the trace has it when it leaves.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import antecede
from antecede import Deliver, Message, Packet, Sent, SetTimer, Transmit
from antecede.core.acyclic import find_obstacle
from antecede.core.group_graph import group_graph
from antecede.judge.events import Event
from tests.group_trees import tree_of_groups, wide_tree_of_groups
from tests.hierarchies import is_handing_over, may_leave, present_clusters, random_levels, separated_levels
from tests.link_graphs import random_links
from tests.oracle import Broken, Oracle
from tests.replay import Drawing

PAYLOAD = b"x"


@dataclass
class World:
    """One execution of `algorithm`, all of it decided by `seed`."""

    algorithm: str
    seed: int
    processes_max: int = 6
    sends_max: int = 24
    loss: float = 0.0
    options: dict[str, object] = field(default_factory=dict)
    dynamic: bool = True
    strict: bool = True

    def __post_init__(self) -> None:
        self.random = random.Random(f"{self.algorithm} {self.seed}")
        self.info = antecede.algorithms()[self.algorithm]
        self.oracle = Oracle()
        self.events: list[Event] = []
        self.drawing = Drawing()
        self.index: dict[str, int] = {}
        self.now = 0.0
        self.timers: list[tuple[float, str]] = []
        self.links: dict[tuple[str, str], list[Packet]] = {}
        self.gone: set[str] = set()
        self.received: dict[tuple[str, str], list[int]] = {}
        self.untold: list[tuple[str, str, tuple[Any, ...]]] = []
        self.joined_late: set[tuple[str, str]] = set()
        self.refused = 0
        self.further = self.handed_over = self.newcomers = self.restarts = 0
        is_separated = self.options.get("representatives") == "separators"
        count = self.random.randint(*((3, self.processes_max + 4) if is_separated else (2, self.processes_max)))
        self.names = [f"p{number}" for number in range(1, count + 1)]
        self.network: dict[str, set[str]] = {}
        if self.options.get("links") == "random":
            self.options["links"] = links = random_links(self.random, [*self.names, "q1", "q2"])
            self.network = {name: {q for p, q in links if p == name} | {name} for name in (*self.names, "q1", "q2")}
        self.groups = self._random_groups()
        self.ever = dict(self.groups)
        if is_separated:
            self.levels = separated_levels(self.random, self.names)
        else:
            self.levels = random_levels(self.random, self.names, many=self.algorithm == "hierarchy")
        self.fifo = (self.info.needs_fifo and not self.options.get("numbered")) or self.random.random() < 0.2
        self.duplicates = 0.12 if not self.options.get("bare_resynch") or self.options.get("numbered") else 0.0
        self.repeats = bool(self.options.get("repeat_after_s"))
        if self.repeats:
            self.loss = self.random.choice([0.0, 0.1, 0.5])
        self.latest_first = self.random.random() < 0.2
        self.nodes: dict[str, antecede.Algorithm] = {}
        self.nodes = {name: self._create(name) for name in self.names}

    def run(self) -> World:
        sends = self.random.randint(1, self.sends_max)
        while sends or self.links:
            choice = self.random.random()
            if sends and (choice < 0.4 or not self.links):
                self._send()
                sends -= 1
            elif choice < 0.45:
                self._restart(self.random.choice(self.names))
            elif choice < 0.47 and self.dynamic:
                self._membership()
            elif choice < 0.49 and self.dynamic and self.info.addressing == "group":
                self._join_further_group()
            elif choice < 0.52:
                self._tick(self.now + self.random.random())
            elif choice < 0.56 and self.untold:
                self._tell()
            elif self.links:
                self._arrive()
        self._tell_all()
        self.drain()
        return self

    def drain(self) -> None:
        """Until the network and the timers are empty."""
        for _ in range(100_000):
            if self.links:
                self._arrive()
            elif self.timers:
                self._tick(max(self.now, min(self.timers)[0]))
            else:
                return
        raise Broken("the network does not come to rest")

    def finished(self) -> None:
        """Everything was delivered; nothing is held; and, when strict, nothing out of order."""
        lost = self.oracle.lost(self.gone)
        if lost and (self.repeats or not self.loss):
            raise Broken(f"never delivered: {lost[:3]}")
        held = [str(waiting) for node in self.nodes.values() for waiting in node.pending()]
        if held and not self.loss:
            raise Broken(f"held back for ever: {held[:3]}")
        if self.oracle.violations and self.strict and self.info.causal:
            raise Broken(f"{self.oracle.violations} deliveries before a predecessor")

    def _create(self, name: str) -> antecede.Algorithm:
        options = dict(self.options)
        if self.algorithm.startswith("serial"):
            there = self.names[:-1] if self.nodes else self.names  # a newcomer is the last, and has no token
            options["token_at"] = there[-1 if options.get("token_at") == "last" else 0]
        if self.algorithm == "hierarchy":
            options |= present_clusters(self.levels, self.nodes) if self.nodes else {"representatives": self.levels}
        return antecede.create(
            self.algorithm, process=name, processes=self.names, groups=self.groups or None, **options
        )

    def _random_groups(self) -> dict[str, list[str]]:
        if self.info.addressing != "group":
            return {}
        if self.options.get("acyclic"):
            make = wide_tree_of_groups if self.algorithm == "isis" else tree_of_groups
            return make(self.random, self.names)
        groups = {"g0": list(self.names)} if self.random.random() < 0.3 else {}
        for number in range(1, self.random.randint(1, 4) + 1):
            size = self.random.randint(min(2, len(self.names)), len(self.names))
            groups[f"g{number}"] = sorted(self.random.sample(self.names, size))
        return groups

    def _destinations(self, sender: str) -> str | set[str] | None:
        if self.info.addressing == "group":
            mine = sorted(group for group, members in self.groups.items() if sender in members)
            return self.random.choice(mine) if mine else None
        if self.info.addressing == "broadcast":
            return set(self.names) if self.random.random() < 0.7 or len(self.names) == 1 else set(self.names) - {sender}
        if self.info.addressing == "unicast":
            return {self.random.choice(self.names)}
        near = [name for name in self.names if not self.network or name in self.network[sender]]
        return set(self.random.sample(near, self.random.randint(1, len(near))))

    def _send(self) -> None:
        sender = self.random.choice(self.names)
        dests = self._destinations(sender)
        if dests is None:
            return
        try:
            effects = self.nodes[sender].send(dests, PAYLOAD)
        except antecede.Misuse:  # some members of the group may not have heard yet that it joined
            if self.algorithm != "mr" or (sender, dests) not in self.joined_late:
                raise
            self.refused += 1
            return
        self._carry_out(sender, effects)

    def _arrive(self) -> None:
        link = self.random.choice(sorted(self.links))
        queue = self.links[link]
        at = 0 if self.fifo else len(queue) - 1 if self.latest_first else self.random.randrange(len(queue))
        packet = queue[at] if self.random.random() < self.duplicates else queue.pop(at)
        if not queue:
            del self.links[link]
        if self.random.random() < self.loss:
            return
        sender, to = link
        if to in self.gone or sender in self.gone or self._may_be_forgotten(to, packet):
            return
        if packet.message is not None:
            self._event(to, "receive", packet.message)
        else:
            self.drawing.add_arrival(to, packet)
        self._carry_out(to, self.nodes[to].receive(self._over_the_wire(packet)))
        self._check_needless_waiting(to)

    def _may_be_forgotten(self, to: str, packet: Packet) -> bool:
        """Return whether `none` with a small `memory` may have forgotten that it received this message."""
        memory = self.options.get("memory")
        if not isinstance(memory, int) or packet.message is None:
            return False
        received = self.received.setdefault((packet.sender, to), [])
        if packet.message.id.seq in received:
            return packet.message.id.seq not in received[-memory:]
        received.append(packet.message.id.seq)
        return False

    def _over_the_wire(self, packet: Packet) -> Packet:
        choice = self.random.random()
        if choice > 0.4:
            return packet
        roster = self.names if choice > 0.2 else ()
        decoded = antecede.decode(antecede.encode(packet, roster), roster)
        if decoded != packet:
            raise Broken(f"the wire turned {packet} into {decoded}")
        return decoded

    def _carry_out(self, process: str, effects: list[antecede.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Sent):
                if not self.info.synchronous or effect.message.dests == {process}:
                    self._event(process, "send", effect.message)
                self.oracle.sent(effect.message)
            elif isinstance(effect, Deliver):
                self._event(process, "deliver", effect.message)
                self.oracle.deliver(process, effect.message)
            elif isinstance(effect, Transmit):
                if effect.to == process:
                    raise Broken(f"{process} transmits to itself")
                if self.info.synchronous and effect.packet.message is not None:
                    self._event(process, "send", effect.packet.message)
                self.links.setdefault((process, effect.to), []).append(effect.packet)
            elif isinstance(effect, SetTimer):
                self.timers.append((effect.at, process))

    def _event(self, process: str, kind: str, message: Message) -> None:
        index = self.index[process] = self.index.get(process, -1) + 1
        dests = tuple(sorted(message.dests)) if kind == "send" else None
        event = Event(run="r", process=process, index=index, kind=kind, message=str(message.id), dests=dests)
        self.events.append(event)
        self.drawing.add_event(event)

    def _restart(self, name: str) -> None:
        """Put a process back from its snapshot. Of later restarts only a quarter happen: they take most of the time."""
        self.restarts += 1
        if self.restarts > 5 and self.restarts % 4:
            return
        self.drawing.add(name, "restart")
        before = self.nodes[name]
        after = antecede.restore(stored := before.snapshot())
        if after.snapshot() != stored or after.pending() != before.pending():
            raise Broken(f"{name} is not the same after a restart")
        self.nodes[name] = after

    def _tick(self, now: float) -> None:
        self.now = now
        due = sorted(timer for timer in self.timers if timer[0] <= now)
        self.timers = [timer for timer in self.timers if timer[0] > now]
        for name in sorted({process for _, process in due if process not in self.gone}):
            self.drawing.add(name, "timer")
            self._carry_out(name, self.nodes[name].tick(now))

    def _membership(self) -> None:
        if self.random.random() < 0.6 and self.newcomers < 2:
            self._join()
        elif len(self.names) > 2 and self.algorithm == "hierarchy":
            self._leave_with_traffic()
        elif len(self.names) > 2:
            self._leave()

    def _join(self) -> None:
        """Everybody hears of the newcomer at the same instant, with messages in flight."""
        self._tell_all()
        self.newcomers += 1
        name = f"q{self.newcomers}"
        groups = sorted(self.random.sample(sorted(self.groups), min(1, len(self.groups))))
        for group in groups:
            self._add_member(group, name)
        self.names.append(name)
        self.drawing.add(name, "join")
        joined = {other: self.nodes[other].join(name, groups) for other in self.names[:-1]}
        self.nodes[name] = self._create(name)
        for other, effects in joined.items():
            self._carry_out(other, effects)

    def _add_member(self, group: str, name: str) -> None:
        for groups in (self.groups, self.ever):
            groups[group] = sorted([*groups[group], name])

    def _join_further_group(self) -> None:
        """A running process joins a group. It hears of it first, and then the others one by one, with traffic between.

        With `mr-scalar` everybody hears of it before a packet that follows from it arrives.
        """
        name, group = self.random.choice(self.names), self.random.choice(sorted(self.groups))
        if name in self.groups[group] or not self._may_be_in(name, group):
            return
        self._tell_all()
        self._add_member(group, name)
        self.further += 1
        self.drawing.add(name, f"join {group}")
        others = [other for other in self.names if other != name]
        self.untold = [(other, "join", (name, [group])) for other in [name, *others]]
        self._tell()
        self.joined_late.add((name, group))
        if self.algorithm == "mr-scalar":
            self._tell_all()

    def _may_be_in(self, name: str, group: str) -> bool:
        """With `acyclic` no two groups may come to share another process, and none a first one in a cycle."""
        with_it = {**self.ever, group: [*self.ever[group], name]}
        return not self.options.get("acyclic") or not find_obstacle(group_graph(with_it), one_shared=True)

    def _tell(self) -> None:
        """Tell the next process of somebody who joins a further group, or has left."""
        other, call, arguments = self.untold.pop(0)
        if other not in self.gone:
            self._carry_out(other, getattr(self.nodes[other], call)(*arguments))

    def _tell_all(self) -> None:
        while self.untold:
            self._tell()

    def _leave(self) -> None:
        """Once nothing of it is wanted any more: the network is at rest."""
        self._tell_all()
        self.drain()
        leaving = self.random.choice(self.names)
        self.drawing.add(leaving, "leave")
        self._carry_out(leaving, self.nodes[leaving].leave(leaving))
        self.names.remove(leaving)
        self.groups = {group: [m for m in members if m != leaving] for group, members in self.groups.items()}
        handed_over = [link for link in self.links if link[0] == leaving]
        while any(link in self.links for link in handed_over):
            self._arrive()
        self.gone.add(leaving)
        del self.nodes[leaving]
        for other in list(self.names):
            self._carry_out(other, self.nodes[other].leave(leaving))

    def _leave_with_traffic(self) -> None:
        """Who leaves stays until what it sent and was sent is delivered, and what others need is handed over."""
        leaving = self.random.choice(self.names)
        self.untold.sort(key=lambda told: told[0] != leaving)
        while self.untold and self.untold[0][0] == leaving:
            self._tell()
        if not may_leave(self.nodes[leaving]):
            return
        self.names.remove(leaving)
        self._go_on_until(lambda: self.oracle.is_settled(leaving, self.gone), leaving)
        self.drawing.add(leaving, "leave")
        self._carry_out(leaving, self.nodes[leaving].leave(leaving))
        self.handed_over += is_handing_over(self.nodes[leaving])
        self._go_on_until(lambda: not is_handing_over(self.nodes[leaving]), leaving)
        self.gone.add(leaving)
        del self.nodes[leaving]
        self.untold += [(other, "leave", (leaving,)) for other in self.names]

    def _go_on_until(self, done: Callable[[], bool], leaving: str) -> None:
        sends = self.random.randint(0, 8)
        while not done() or (sends and self.random.random() < 0.8):
            choice = self.random.random()
            if sends and choice < 0.4:
                self._send()
                sends -= 1
            elif choice < 0.5:
                self._restart(self.random.choice([*self.names, leaving]))
            elif self.links:
                self._arrive()
            elif not sends:
                raise Broken(f"{leaving} cannot leave, and nothing is on its way")

    def _check_needless_waiting(self, at: str) -> None:
        joined = self.newcomers or self.further
        told = joined and self.info.addressing != "multicast"  # then a Baseline may be what is missing
        if told or not (self.info.delay_optimal and self.strict and self.info.causal):
            return
        for waiting in self.nodes[at].pending():
            missing = self.oracle.missing(at, waiting.message.id)
            if not missing:
                raise Broken(f"{at} holds {waiting.message.id} back for nothing: {waiting}")
            if not set(waiting.messages) <= self.oracle.past[waiting.message.id]:
                raise Broken(f"{waiting}, which is not among its predecessors")


def run(algorithm: str, seed: int, **settings: object) -> World:
    """A whole execution, checked to the end."""
    world = World(algorithm, seed, **settings)  # type: ignore[arg-type]  # settings are World's own fields
    world.run()
    world.finished()
    return world
