"""All executions of an ordering algorithm with a few processes and messages.

Whoever likes sends, to whomever it likes, as long as messages are left; every packet under way may arrive next, and as
often again as there are `repeats`. Every process is restarted before each of its inputs (`machines`). A state has the
snapshots of all processes, the packets under way, what happened (`oracle`), and what is left.

With `fifo`, the packets from one process to another arrive in their order. `mr`, `mr-broadcast` and `mr-scalar` are
explored in both ways: their smaller worlds number the packets of channels that reorder, their larger ones have
channels that do not.

Independence: if nobody sends any more, no packet comes twice, and a process that takes a packet transmits nothing, then
what arrives at one process changes nothing for the others. So all that is under way to the first process arrives before
the rest, in every order. This leaves out states, and no delivery that would be out of order, no refusal and no end. If
the world is `thorough`, nothing is left out, and the way to a violation is the shortest.

Symmetry: processes differ only by their names at first, so the first sender is the first of them, and its destinations
are the first of the others. Algorithms that give somebody a role (a token, a representative) have no such symmetry, nor
has `rendezvous`, which compares names, nor a network with `links`, to which messages then keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import antecede
from antecede import Algorithm
from tests.exhaustive.machines import Machines, Network, without
from tests.exhaustive.oracle import Pasts
from tests.exhaustive.search import Violation

State = tuple[tuple[int, ...], tuple[int, ...], int, int, int, tuple[int, ...]]
"""Snapshots, packets under way, the past, messages and repetitions that are left, and processes with a timer."""
Make = Callable[[str], Algorithm]
WITH_ROLES = frozenset({"serial-broadcast", "serial-multicast", "hierarchy", "rendezvous"})
ANSWERING = WITH_ROLES | {"history", "mf", "mr", "mr-broadcast", "mr-scalar", "sps"}
"""The algorithms in which a process that takes a packet may transmit another. A world of one that is missing fails."""


@dataclass
class OrderingWorld:
    """`algorithm` with these processes. `make` makes another one than the registry does, to test the search itself."""

    algorithm: str
    messages: int
    repeats: int = 1
    fifo: bool = False
    names: tuple[str, ...] = ("a", "b", "c")
    options: Mapping[str, object] = field(default_factory=dict)
    make: Make | None = None
    thorough: bool = False

    def __post_init__(self) -> None:
        info = antecede.algorithms()[self.algorithm]
        links: Iterable[tuple[str, str]] = self.options.get("links", ())  # type: ignore[assignment]  # options are objects
        self._links = frozenset(links)
        self._addressing, self._has_roles = info.addressing, self.algorithm in WITH_ROLES or bool(self._links)
        self._answers = self.thorough or self.algorithm in ANSWERING
        pairs = {"".join(pair): list(pair) for pair in combinations(self.names, 2)}
        self._groups = {**pairs, "all": list(self.names)} if info.addressing == "group" else None
        self._network, self._pasts = Network(), Pasts(self.names)
        self._machines = Machines(antecede.restore, self._network)
        self._failing = ""

    def begin(self) -> Iterable[State]:
        """Return the only first state."""
        snapshots = tuple(self._machines.add(self._create(name)) for name in self.names)
        return [(snapshots, (), self._pasts.first, self.messages, self.repeats, ())]

    def _create(self, name: str) -> Algorithm:
        if self.make is not None:
            return self.make(name)
        return antecede.create(self.algorithm, process=name, processes=self.names, groups=self._groups, **self.options)

    def steps(self, state: State) -> Iterator[tuple[str, State]]:
        """Yield every send, every arrival and every timer that may come next."""
        _, packets, _, messages, repeats, timers = state
        if messages:
            yield from self._sends(state)
        for number in self._arrivals(state):
            yield self._arrive(state, number, again=False)
            if repeats:
                yield self._arrive(state, number, again=True)
        if not packets and timers:
            yield self._tick(state, timers[0])
        elif not packets:
            self._check_rest(state)

    def try_step(self, state: State) -> str:
        """Return the words for the step that broke a rule."""
        return self._failing

    def _arrivals(self, state: State) -> list[int]:
        """Return the packets that may arrive next; of several whose order changes nothing, those to one process."""
        _, packets, _, messages, repeats, _ = state
        if self.fifo:
            heads = {self._network[number][:2]: number for number in reversed(packets)}
            return sorted(heads.values())
        if messages or repeats or self._answers:
            return sorted(set(packets))
        first = min((self._network[number][1] for number in packets), default="")
        return sorted({number for number in packets if self._network[number][1] == first})

    def _sends(self, state: State) -> Iterator[tuple[str, State]]:
        is_first = state[3] == self.messages and not self._has_roles
        for at in range(1 if is_first else len(self.names)):
            for dests in self._destinations(at, is_first):
                yield self._send(state, at, dests)

    def _destinations(self, at: int, is_first: bool) -> list[tuple[str, ...] | str]:
        me = self.names[at]
        others = [name for name in self.names if name != me and (not self._links or (me, name) in self._links)]
        if self._groups is not None:
            return [group for group, members in sorted(self._groups.items()) if me in members]
        if self._addressing == "broadcast":
            return [self.names]
        if self._addressing == "unicast":
            return [(name,) for name in (others[:1] if is_first else others)]
        if is_first:
            return [tuple(others[:size]) for size in range(1, len(others) + 1)]
        return [dests for size in range(1, len(others) + 1) for dests in combinations(others, size)]

    def _send(self, state: State, at: int, dests: tuple[str, ...] | str) -> tuple[str, State]:
        call = lambda machine: machine.send(dests if isinstance(dests, str) else set(dests), b"")  # noqa: E731
        shown = dests if isinstance(dests, str) else ", ".join(dests)
        self._failing = f"{self.names[at]} sends to {shown}"
        snapshots, packets, past, messages, repeats, timers = state
        return self._after((snapshots, packets, past, messages - 1, repeats, timers), at, ("send", dests), call)

    def _arrive(self, state: State, number: int, *, again: bool) -> tuple[str, State]:
        sender, to, packet = self._network[number]
        what = f"message {packet.message.id}" if packet.message is not None else f"a {type(packet.stamp).__name__}"
        self._failing = f"{what} of {sender} arrives at {to}{', and will again' if again else ''}"
        snapshots, packets, past, messages, repeats, timers = state
        left = packets if again else without(packets, number)
        rest = (snapshots, left, past, messages, repeats - again, timers)
        words, after = self._after(
            rest, self.names.index(to), ("receive", number), lambda machine: machine.receive(packet)
        )
        assert self._answers or len(after[1]) == len(left), f"{self.algorithm} answers packets: see ANSWERING"
        return words, after

    def _tick(self, state: State, at: int) -> tuple[str, State]:
        self._failing = f"the timer of {self.names[at]} is due"
        snapshots, packets, past, messages, repeats, timers = state
        rest = (snapshots, packets, past, messages, repeats, without(timers, at))
        return self._after(rest, at, "tick", lambda machine: machine.tick(machine_time(machine) + 1e6))

    def _after(self, state: State, at: int, key: object, call: Callable[[Any], list[Any]]) -> tuple[str, State]:
        snapshots, packets, past, messages, repeats, timers = state
        did = self._machines.step(snapshots[at], self.names[at], (at, key), call)
        if did.error:
            raise Violation(f"{self.names[at]} refuses it: {did.error}")
        told = self._pasts.after(past, at, did.events)
        return self._failing, (
            (*snapshots[:at], did.after, *snapshots[at + 1 :]),
            tuple(sorted((*packets, *did.wires), key=self._place if self.fifo else None)) if did.wires else packets,
            told,
            messages,
            repeats,
            tuple(sorted({*timers, at})) if did.sets_timer else timers,
        )

    def _place(self, number: int) -> tuple[str, str]:
        """Return what packets on FIFO channels are sorted by. On one channel they stay in their order."""
        return self._network[number][:2]

    def _check_rest(self, state: State) -> None:
        """Raise `Violation` if nothing is under way, and something was not delivered or is held back."""
        self._failing = "nothing more is under way"
        lost = self._pasts.lost(state[2])
        if lost:
            raise Violation(f"never delivered: {', '.join(lost)}")
        for at, snapshot in enumerate(state[0]):
            held = self._machines.look(snapshot, "pending", lambda machine: machine.pending())
            if held:
                raise Violation(f"{self.names[at]} holds back {held[0]} for ever")


def machine_time(machine: Algorithm) -> float:
    """Return the time that a machine was told last, if it keeps it."""
    return float(getattr(machine, "now", 0.0) or 0.0)
