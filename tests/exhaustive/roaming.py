"""All executions of a roaming protocol with two stations, two hosts and a few messages and moves.

Whoever likes sends to the other host, or moves to the other station, as long as messages and moves are left. Packets on
the wires between stations arrive in any order, one of them twice. The air keeps the order of frames; what a station
sends to a host that has left its cell is lost, and what a host sent arrives, however late. Stations and hosts are
restarted before each of their inputs (`machines`). Timers are due when nothing else can happen; then nobody sends or
moves any more.

Independence: if no messages and no moves are left, a host only hears, and only on one link whose frames come in order;
what comes on its other link is lost. So its next frame is the same whatever else happens first, and hearing it changes
nothing for the rest: it adds frames behind those that are under way to a station. The same holds for a frame that is
lost. So if nobody sends or moves any more, hosts hear all that is under way to them before anything arrives at a
station. This leaves out states, and no delivery, no refusal and no end.

Symmetry: hosts and stations differ only by their names at first. Exchange x with y and s1 with s2 everywhere in an
execution, and it is an execution, because no protocol prefers one name to another: it may sort names, and only to have
some order of effects that go to different receivers. So the first step is of x. (`test_roaming` shows it for small
worlds of every protocol: the states after steps of y are the mirror images of those after steps of x.)

If the world is `thorough`, nothing is left out, and the way to a violation is the shortest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from antecede.core.mobile import protocols
from antecede.core.mobile.host import IN
from tests.exhaustive.machines import Machines, Network, without
from tests.exhaustive.oracle import Pasts
from tests.exhaustive.search import Violation

STATIONS, HOSTS = ("s1", "s2"), ("x", "y")
EVERYBODY = (*STATIONS, *HOSTS)
HOMES = {"x": "s1", "y": "s2"}
TICKS_MAX = 6

State = tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...], int, tuple[int, int, int, int]]
"""Snapshots; packets on wires; frames on the air, by link and in order; the past; messages, moves and repetitions that
are left, and how often timers were due."""
LINKS = tuple((one, other) for one in STATIONS for other in HOSTS) + tuple(
    (one, other) for one in HOSTS for other in STATIONS
)
DOWN = len(STATIONS) * len(HOSTS)
"""How many of the links are from stations to hosts. They are the first."""


@dataclass
class RoamingWorld:
    """`protocol`, with so many messages, moves and packets that come twice."""

    protocol: str
    messages: int
    moves: int = 2
    repeats: int = 0
    thorough: bool = False

    def __post_init__(self) -> None:
        self._network, self._pasts = Network(), Pasts(HOSTS)
        self._machines = Machines(protocols.restore, self._network)
        self._failing = ""

    def begin(self) -> Iterable[State]:
        """Return the only first state."""
        made = [protocols.station(self.protocol, name=name, stations=STATIONS, homes=HOMES) for name in STATIONS]
        hosts = [protocols.host(name, HOMES[name]) for name in HOSTS]
        snapshots = tuple(map(self._machines.add, [*made, *hosts]))
        air: tuple[tuple[int, ...], ...] = tuple(() for _ in LINKS)
        return [(snapshots, (), air, self._pasts.first, (self.messages, self.moves, self.repeats, 0))]

    def steps(self, state: State) -> Iterator[tuple[str, State]]:
        """Yield every send, move and arrival that may come next; or the timers, if there is none under way."""
        _, wires, air, _, (messages, moves, repeats, ticks) = state
        if not messages and not moves and not self.thorough and any(air[:DOWN]):
            yield self._frame(state, next(link for link in range(DOWN) if air[link]))
            return
        is_first = state[4] == (self.messages, self.moves, self.repeats, 0)
        for name in HOSTS[:1] if is_first and not self.thorough else HOSTS:
            if messages:
                yield self._send(state, name)
            if moves:
                yield self._move(state, name)
        for number in sorted(set(wires)):
            yield self._wire(state, number, again=False)
            if repeats:
                yield self._wire(state, number, again=True)
        for link, queue in enumerate(air):
            if queue:
                yield self._frame(state, link)
        if not wires and not any(air) and self._is_unfinished(state):
            if ticks == TICKS_MAX:
                self._failing = "nothing more is under way, and timers were due several times"
                raise Violation(self._is_unfinished(state))
            yield self._tick(state)

    def try_step(self, state: State) -> str:
        """Return the words for the step that broke a rule."""
        return self._failing

    def _send(self, state: State, name: str) -> tuple[str, State]:
        other = HOSTS[1 - HOSTS.index(name)]
        self._failing = f"{name} sends to {other}"
        return self._after(_spend(state, 0), name, "send", lambda host: host.send({other}, b""))

    def _move(self, state: State, name: str) -> tuple[str, State]:
        cell = self._machines.look(state[0][EVERYBODY.index(name)], "cell", lambda host: host.cell)
        station = STATIONS[1 - STATIONS.index(cell)]
        self._failing = f"{name} moves to {station}"
        return self._after(_spend(state, 1), name, ("enter", station), lambda host: host.enter(station))

    def _wire(self, state: State, number: int, *, again: bool) -> tuple[str, State]:
        sender, to, packet = self._network[number]
        self._failing = (
            f"a {type(packet.stamp).__name__} of {sender} arrives at {to}{', and will again' if again else ''}"
        )
        snapshots, wires, air, past, left = _spend(state, 2) if again else state
        rest = (snapshots, wires if again else without(wires, number), air, past, left)
        return self._after(rest, to, ("receive", number), lambda station: station.receive(packet))

    def _frame(self, state: State, link: int) -> tuple[str, State]:
        snapshots, wires, air, past, left = state
        number, *others = air[link]
        sender, to, packet = self._network[number]
        rest = (snapshots, wires, (*air[:link], tuple(others), *air[link + 1 :]), past, left)
        self._failing = f"a {type(packet.stamp).__name__} of {sender} is heard by {to}"
        if to in HOSTS:
            cell = self._machines.look(snapshots[EVERYBODY.index(to)], "cell", lambda host: host.cell)
            if cell != sender:
                return f"a {type(packet.stamp).__name__} of {sender} is lost, as {to} is not there", rest
        return self._after(rest, to, ("hear", number), lambda machine: machine.hear(packet))

    def _tick(self, state: State) -> tuple[str, State]:
        """Tell everybody the time at which all timers are due, and let nobody begin anything new."""
        snapshots, wires, air, past, (_, _, _, ticks) = state
        after: State = (snapshots, wires, air, past, (0, 0, 0, ticks + 1))
        now = 10.0 * (ticks + 1)
        for name in EVERYBODY:
            self._failing = f"{name} is told the time"
            _, after = self._after(after, name, ("tick", now), lambda machine: machine.tick(now))
        return "all timers are due", after

    def _after(self, state: State, name: str, key: Hashable, call: Callable[[Any], list[Any]]) -> tuple[str, State]:
        snapshots, wires, air, past, left = state
        at = EVERYBODY.index(name)
        did = self._machines.step(snapshots[at], name, (at, key), call)
        if did.error:
            raise Violation(f"{name} refuses it: {did.error}")
        if did.drops:
            raise Violation(f"{name} drops a message")
        if did.air:
            queues = list(air)
            for number in did.air:
                queues[LINKS.index(self._network[number][:2])] += (number,)
            air = tuple(queues)
        return self._failing, (
            (*snapshots[:at], did.after, *snapshots[at + 1 :]),
            tuple(sorted((*wires, *did.wires))) if did.wires else wires,
            air,
            self._pasts.after(past, at - len(STATIONS), did.events),
            left,
        )

    def _is_unfinished(self, state: State) -> str:
        """Return what is not as it should be when nothing is under way, or an empty string."""
        lost = self._pasts.lost(state[3])
        if lost:
            return f"never delivered: {', '.join(lost)}"
        for at, snapshot in enumerate(state[0]):
            name = EVERYBODY[at]
            if name in HOSTS and not self._machines.look(
                snapshot, "rest", lambda host: host.state == IN and not host.unsent
            ):
                return f"{name} is not welcome anywhere, or nobody took its messages"
            if name in STATIONS and (held := self._machines.look(snapshot, "held", lambda station: station.held())):
                return f"{name} holds back {held[0]} for ever"
        return ""


def _spend(state: State, what: int) -> State:
    """Return the state with one less of the messages, moves or repetitions that are left."""
    snapshots, wires, air, past, left = state
    return snapshots, wires, air, past, tuple(each - (at == what) for at, each in enumerate(left))  # type: ignore[return-value]  # as many as before
