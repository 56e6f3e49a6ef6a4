"""Decide who sends what to whom, and when.

Every process sends at intervals from a distribution. With a `ratio`, a process with an odd number sends that many times
as often as one with an even number, and the mean rate stays the same (000 §7.3). The number of destinations is uniform
between two bounds, and the destinations are any other processes. With `own` the sender can be a destination too, as
likely as any other. With a `selectivity` of x, a message goes with probability x to processes of the sender's own
parity alone (000 §7.2). Alternatively messages go to static groups. These lie around a ring, so that neighbours share a
chosen number of members.

The `pattern` says what follows a message:

    open          nothing; so the sends are the same whatever the algorithm does
    request       every destination answers the sender alone
    conversation  one destination, drawn by lot, answers the sender and all other destinations; that answer is
                  answered in turn, up to `turns` messages

If there is a communication graph, a process sends to those only to which it has a link.

Some algorithms only broadcast, or send to one process, or send to groups. `Traffic` gives them destinations that they
can carry, and refuses bounds that it cannot meet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.errors import Misuse
from antecede.core.locality.graph import Graph
from antecede.core.roster import PAYLOAD_BYTES_MAX
from antecede.core.types import GroupId, ProcessId
from antecede.sim.bounds import check_range
from antecede.sim.chance import Distribution, pick, stream

RATIOS = (1e-6, 1e6)
PATTERNS = ("open", "request", "conversation")


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of `size` consecutive processes around a ring, of which neighbours share `overlap` members.

    There are as many groups as it takes to include every process.
    """

    size: int
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.size < 2 or not 0 <= self.overlap < self.size:
            raise Misuse(
                f"groups of {self.size} that share {self.overlap}: give a size of 2 or more, and an "
                "overlap below the size"
            )

    def members_by_group(self, names: list[ProcessId]) -> dict[GroupId, list[ProcessId]]:
        """Return the members of each group.

        The last group continues past the end of the ring, so it may share more members with the first.
        """
        count = len(names)
        if self.size >= count:
            return {"g1": list(names)}
        starts = range(0, count, self.size - self.overlap)
        width = len(str(len(starts)))
        return {
            f"g{number:0{width}}": sorted(names[(start + at) % count] for at in range(self.size))
            for number, start in enumerate(starts, start=1)
        }


@dataclass(frozen=True, slots=True)
class Workload:
    """The parameters of the traffic of a run.

    If `dests` is None, the bounds suit the algorithm: from 1 to all others, all others, or 1.
    """

    interval: Distribution = field(default_factory=Distribution)
    ratio: float = 1.0
    dests: tuple[int, int] | None = None
    selectivity: float = 0.0
    own: bool = False
    groups: Groups | None = None
    pattern: str = "open"
    turns: int = 4
    think: Distribution = field(default_factory=lambda: Distribution("constant", 0.0))
    payload_bytes: int = 0

    def __post_init__(self) -> None:
        if self.interval.mean_s <= 0:
            raise Misuse(f"an interval of {self.interval}: give more than 0")
        check_range("a ratio of rates", self.ratio, *RATIOS)
        if not 0 <= self.selectivity <= 1:
            raise Misuse(f"a selectivity of {100 * self.selectivity:g} %: give 0 to 100 %")
        if self.pattern not in PATTERNS:
            raise Misuse(f"there is no pattern {self.pattern!r}; there are {', '.join(PATTERNS)}")
        if self.groups is not None and (self.dests is not None or self.selectivity or self.own):
            raise Misuse("messages go either to groups or to a number of destinations: give only one of the two")
        if self.turns < 1:
            raise Misuse(f"{self.turns} turns: give 1 or more")
        check_range("a payload, in bytes,", self.payload_bytes, 0, PAYLOAD_BYTES_MAX)


@dataclass(frozen=True, slots=True)
class Letter:
    """A message to be sent: its destinations as `send` takes them, its group if it has one, and its turn."""

    to: GroupId | frozenset[ProcessId]
    group: GroupId | None = None
    turn: int = 1


class Traffic:
    """The workload among named processes, for algorithms with one way of addressing.

    With a `graph`, messages go along its links only. `senders` are the processes that can send.
    """

    def __init__(
        self,
        workload: Workload,
        names: list[ProcessId],
        addressing: str,
        seed: int,
        graph: Graph | None = None,
    ) -> None:
        self.workload, self.names, self.addressing, self.seed = workload, names, addressing, seed
        self.groups = _groups(workload, names, addressing)
        self._bounds = _bounds(workload, len(names), addressing) if not self.groups else (0, 0)
        self._draw, self._think = workload.interval.draw, workload.think.draw
        self._intervals = {name: stream(seed, "interval", name) for name in names}
        self._choices = {name: stream(seed, "dests", name) for name in names}
        self._pace = _paces(names, workload.ratio)
        self._others = {name: [other for other in names if workload.own or other != name] for name in names}
        if graph is not None:
            _check_links(workload, names, addressing, graph)
            self._others = {name: list(graph.successors.get(name, ())) for name in names}
        self.senders = [name for name in names if self._others[name] or self.groups]
        self._kin = {name: names[at % 2 :: 2] for at, name in enumerate(names)}
        self._mine = {name: [g for g, members in self.groups.items() if name in members] for name in names}

    def interval_s(self, process: ProcessId) -> float:
        """Return the time until `process` sends again."""
        return self._draw(self._intervals[process]) * self._pace[process]

    def next_letter(self, process: ProcessId) -> Letter:
        """Return what `process` sends next, unless it answers a message."""
        chance = self._choices[process]
        if self.groups:
            return self._to_group(chance.choice(self._mine[process]))
        others = self._others[process]
        least, most = self._bounds[0], min(self._bounds[1], len(others))
        if least >= len(others):
            return Letter(frozenset(others))
        if self.workload.selectivity and chance.random() < self.workload.selectivity:
            others = [other for other in others if other in self._kin[process]]
        count = min(chance.randint(least, most), len(others))
        return Letter(frozenset(pick(chance, others, count)))

    def answer(
        self, at: ProcessId, name: str, sender: ProcessId, letter: Letter, dests: Iterable[ProcessId]
    ) -> tuple[float, Letter] | None:
        """Return the answer that `at` sends to a message, and the time until it does, or None if it does not answer.

        The message called `name` was sent as `letter` and has been delivered at `at`.
        """
        pattern, turn = self.workload.pattern, letter.turn + 1
        last = 2 if pattern == "request" else self.workload.turns
        if pattern == "open" or turn > last or at == sender:
            return None
        if pattern == "conversation":
            others = sorted(set(dests) - {sender})
            if stream(self.seed, "answer", name).choice(others) != at:
                return None
        to = {sender} if pattern == "request" else {sender, *dests} - {at}
        think = self._think(stream(self.seed, "think", name, at))
        return think, self._reply(at, letter, frozenset(to), turn)

    def _reply(self, at: ProcessId, letter: Letter, to: frozenset[ProcessId], turn: int) -> Letter:
        if letter.group is not None and (self.addressing == "group" or self.workload.pattern == "conversation"):
            return Letter(letter.to, letter.group, turn)
        if self.addressing == "broadcast":
            return Letter(frozenset(self._others[at]), None, turn)
        return Letter(to, None, turn)

    def _to_group(self, group: GroupId) -> Letter:
        """Return a letter to a group. A group includes the sender, whose own copy is delivered like any other."""
        return Letter(group if self.addressing == "group" else frozenset(self.groups[group]), group)


def _check_links(workload: Workload, names: list[ProcessId], addressing: str, graph: Graph) -> None:
    """Raise `Misuse` if this traffic cannot keep to the links of a graph."""
    unknown = sorted(set(graph.processes) - set(names))
    if unknown:
        raise Misuse(f"the graph names {unknown[0]!r}; the processes are {names[0]} to {names[-1]}")
    if addressing not in ("multicast", "unicast"):
        raise Misuse(f"this algorithm is for {addressing}: its messages cannot keep to the links of a graph")
    if workload.groups is not None or workload.selectivity or workload.own or workload.pattern != "open":
        raise Misuse("traffic on the links of a graph has no groups, no selectivity, no own copies and no answers")


def _groups(workload: Workload, names: list[ProcessId], addressing: str) -> dict[GroupId, list[ProcessId]]:
    """Return the members of each group, or no groups if messages go to a number of destinations."""
    if addressing == "group" and workload.groups is None:
        if workload.dests is not None or workload.selectivity or workload.own:
            raise Misuse("this algorithm sends to groups: give groups, and no number of destinations")
        quarter = max(2, len(names) // 4)
        return Groups(quarter, quarter // 2).members_by_group(names)
    if workload.groups is None:
        return {}
    groups = workload.groups.members_by_group(names)
    if addressing == "unicast" or (addressing == "broadcast" and len(groups) > 1):
        raise Misuse(f"this algorithm is for {addressing}: it cannot send to {len(groups)} groups")
    return groups


def _bounds(workload: Workload, count: int, addressing: str) -> tuple[int, int]:
    """Return the smallest and the largest number of destinations, or raise `Misuse` if the algorithm cannot meet
    them.
    """
    others = count if workload.own else count - 1
    natural = {"broadcast": (others, others), "unicast": (1, 1)}.get(addressing)
    least, most = workload.dests or natural or (1, others)
    if not 1 <= least <= most <= others:
        raise Misuse(f"{least} to {most} destinations among {others}: give a range from 1 to {others}")
    if natural is not None and (least, most) != natural:
        raise Misuse(f"this algorithm is for {addressing}: it sends to {natural[0]}, not to {least} to {most}")
    if addressing == "broadcast" and workload.selectivity:
        raise Misuse("this algorithm is for broadcast: it cannot select destinations")
    return least, most


def _paces(names: list[ProcessId], ratio: float) -> dict[ProcessId, float]:
    """Return the interval of each process as a multiple of the mean interval.

    Names are numbered from 1, so the first process is odd.
    """
    odd, even = (len(names) + 1) // 2, len(names) // 2
    even_rate = len(names) / (odd * ratio + even)
    return {name: 1.0 / (even_rate if at % 2 else even_rate * ratio) for at, name in enumerate(names)}
