"""Define the forms that `errata` measures, each as a function that says how an execution fails.

`FORMS` are the printed forms of the papers that are wrong, each beside ours, within the model of its paper: in 001 a
message goes to one other host, and hosts register as §2 says. Three of them count against nobody, and say so: two are
outside an assumption of their paper, and one does what its paper does not deny.

`ALGORITHMS` are all algorithms of the registry. An execution of one fails if it breaks causal order, loses a message,
or delivers one twice or at the wrong process. Processes send what the algorithm can carry, over channels that reorder
unless the algorithm needs FIFO. `history` is made for channels that lose, so it gets such channels too. On those, only
its order is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from antecede.core.errors import LimitReached
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.graph import Graph
from antecede.core.locality.plan import plan
from antecede.core.mobile.protocols import host, station
from antecede.core.registry import AlgorithmInfo, algorithms
from antecede.core.types import ProcessId
from antecede.judge.judge import judge
from antecede.lab.printed.allocations import printed_4, printed_5
from antecede.lab.printed.ks import look_ahead_ks
from antecede.lab.printed.locality import misjudges
from antecede.lab.printed.mr import inferred_phases
from antecede.lab.printed.ordering import Bare, PrintedPrs
from antecede.lab.printed.roaming import MakeScheme, MulticastNotifyingRelay, leaving_host, printed_station
from antecede.lab.topologies import hierarchical_triangle, star
from antecede.sim import (
    Distribution,
    Groups,
    MobileParameters,
    Mobility,
    Network,
    Parameters,
    RunRecorder,
    Workload,
    World,
)
from antecede.sim.chance import stream
from antecede.sim.mobile import MobileWorld
from antecede.sim.trace import TraceRow, as_event
from antecede.sim.world import Endpoint

ORDER, LOST, ENDLESS, OTHER = "order", "lost", "endless", "other"
"""The ways to fail: causal order is broken, a message is never delivered, the execution does not end, and another way
that the form names.
"""
KINDS = {
    ORDER: "order is broken",
    LOST: "a message is lost",
    ENDLESS: "it does not end",
    OTHER: "it is wrong otherwise",
}
NOTHING: frozenset[str] = frozenset()
UNORDERED = {"none": "registry", "chain2": "002 Lemma 8, Theorem 8"}
"""The algorithms that do not keep causal order, and where that is said."""
LOSSY = "history, lossy"
EVENTS_MAX = 20_000
"""The limit on the events of a run with roaming hosts, which usually has some hundreds."""


def judge_simulation(
    parameters: Parameters, stand_ins: Mapping[ProcessId, Endpoint] | None = None
) -> Mapping[str, object]:
    """Run a simulation to its end and return the verdict of the judge on its trace."""
    rows: list[TraceRow] = []
    World(parameters, RunRecorder(rows.extend), stand_ins=stand_ins).run()
    return judge([as_event("run", row) for row in rows]).as_dict()


def small_run(algorithm: str, seed: int, *, fifo: bool, workload: Workload) -> Parameters:
    """Return parameters for 3 to 5 processes and 6 to 30 messages, with latencies about as long as the time between
    sends.
    """
    chance = stream(seed, "errata")
    return Parameters(
        algorithm=algorithm,
        processes=chance.randint(3, 5),
        seed=seed,
        messages=chance.randint(6, 30),
        network=Network(latency=Distribution("exponential", chance.choice((0.5, 1.0, 3.0))), fifo=fifo),
        workload=workload,
        weigh_bytes=False,
    )


@dataclass(frozen=True, slots=True)
class OrderingForm:
    """An algorithm; `make` makes one process of its printed form, from its name and the names of all.

    With `own`, senders are among their destinations, and the network brings them their copy.
    """

    algorithm: str
    make: Callable[[str, list[str]], Endpoint]
    fifo: bool = False
    own: bool = False

    def __call__(self, seed: int, *, printed: bool) -> frozenset[str]:
        parameters = small_run(self.algorithm, seed, fifo=self.fifo, workload=Workload(own=self.own))
        names = parameters.names
        found = judge_simulation(parameters, {name: self.make(name, names) for name in names} if printed else None)
        return _kinds({ORDER: found["violations"], LOST: found["lost"]})


def _kinds(found: Mapping[str, object]) -> frozenset[str]:
    """Return the ways to fail of which something was found."""
    return frozenset(kind for kind, what in found.items() if what)


@dataclass(frozen=True, slots=True)
class RoamingForm:
    """A protocol for hosts that move about as often as they send, in cells whose wires reorder.

    With `unicast`, a message goes to one other host, as in 001. With `waits`, what is looked for is messages that wait
    needlessly, and nothing else. `make_scheme` makes the scheme of another reading of the paper.
    """

    protocol: str
    unicast: bool = False
    waits: bool = False
    make_scheme: MakeScheme | None = None

    def __call__(self, seed: int, *, printed: bool) -> frozenset[str]:
        chance = stream(seed, "errata")
        parameters = MobileParameters(
            protocol=self.protocol,
            stations=chance.randint(3, 5),
            hosts=chance.randint(3, 6),
            seed=seed,
            messages=chance.randint(10, 40),
            wires=Network(latency=Distribution("exponential", chance.choice((0.3, 1.0)))),
            mobility=Mobility(Distribution("exponential", chance.choice((1.0, 3.0)))),
            workload=Workload(dests=(1, 1)) if self.unicast else Workload(),
            oracle=True,
        )
        make_station = partial(printed_station, make_scheme=self.make_scheme) if printed else station
        make_host = leaving_host if printed else host
        world = MobileWorld(parameters, events_max=EVENTS_MAX, make_station=make_station, make_host=make_host)
        try:
            found = world.run()
        except LimitReached:  # the stations send a message back and forth without end
            return NOTHING if self.waits else frozenset({ENDLESS})
        if self.waits:
            return _kinds({OTHER: found.needless_share})
        return _kinds({ORDER: found.violations, LOST: found.undelivered})


@dataclass(frozen=True, slots=True)
class LocalityForm:
    """An allocation of 004 as printed, and the one that `plan` chooses for the same graph."""

    printed: Allocation

    def __call__(self, seed: int, *, printed: bool) -> frozenset[str]:
        fifo = self.printed.fifo
        allocation = self.printed if printed else plan(self.printed.graph, fifo=fifo).allocation
        return _kinds({OTHER: misjudges(allocation, seed, messages=60, fifo=fifo)})


@dataclass(frozen=True, slots=True)
class Form:
    """A printed form: what we say about it, where it is printed, how it fails, and the function that says so.

    `kind` is the way to fail that we say it has. `label` is its name in a figure, if that is not its key in `FORMS`.
    """

    says: str
    where: str
    fails: OrderingForm | RoamingForm | LocalityForm
    kind: str = ORDER
    label: str = ""


DETOUR = Graph.of([("p1", "R"), ("p1", "x"), ("x", "R"), ("R", "p2"), ("p2", "R")])

FORMS = {
    "prs own": Form(
        "Outside the assumption of §5.1: with the sender among the destinations, §5.2 breaks causal order.",
        "000 §5.1",
        OrderingForm("prs", lambda name, _: Bare(name, PrintedPrs(name)), own=True),
        label="prs own (outside §5.1)",
    ),
    "prs-mobile": Form(
        "As printed: the counters of a host stop at the first message for somebody else, and what follows is never "
        "delivered.",
        "000 §9.1",
        RoamingForm("prs-mobile"),
        LOST,
    ),
    "av1 inhibits": Form(
        "Not an error: in Algorithm 1 a message may wait although nothing that precedes it is missing. The paper "
        "defines inhibition by the queue of Algorithm 2.",
        "001 §4.1",
        RoamingForm("av1", unicast=True, waits=True),
        OTHER,
        label="av1 waits needlessly (not an error)",
    ),
    "av2": Form(
        "As printed, if a broadcast of notify is read as separate unicasts: Algorithm 2 breaks causal order, by a "
        "stale notification or by that reading.",
        "001 §5.2",
        RoamingForm("av2", unicast=True),
    ),
    "av2, multicast": Form(
        "As printed, with a notification that is one causal multicast of the new station: Algorithm 2 breaks causal "
        "order, by a stale notification.",
        "001 §5.2",
        RoamingForm("av2", unicast=True, make_scheme=MulticastNotifyingRelay),
    ),
    "ks look-ahead": Form(
        "Outside the FIFO channels of §2.1: the look-ahead of the second note breaks causal order if senders prune "
        "(§4.3).",
        "002 §4.5",
        OrderingForm("ks", look_ahead_ks),
        label="ks look-ahead (outside §2.1)",
    ),
    "ks look-ahead, FIFO": Form(
        "As printed: the look-ahead of the second note breaks causal order on FIFO channels if senders prune (§4.3).",
        "002 §4.5",
        OrderingForm("ks", look_ahead_ks, fifo=True),
    ),
    "mr inferred": Form(
        "As printed: with timestamps that are inferred, messages are never delivered.",
        "003 §3.3",
        OrderingForm("mr-broadcast", inferred_phases, fifo=True),
        LOST,
    ),
    "msv 4": Form(
        "As printed: Allocation 4 takes a cause for concurrent where a gateway hears of a message before it comes.",
        "004 §4.4",
        LocalityForm(printed_4(DETOUR)),
        OTHER,
    ),
    "msv 5, triangle": Form(
        "As printed: Allocation 5 takes a cause for concurrent on the hierarchical triangle.",
        "004 §5",
        LocalityForm(printed_5(hierarchical_triangle(5, 2))),
        OTHER,
    ),
    "msv 5, not FIFO": Form(
        "As printed: Allocation 5 takes a cause for concurrent on a star whose channels reorder.",
        "004 §4.4",
        LocalityForm(replace(printed_5(star(3)), fifo=False)),
        OTHER,
    ),
}


def has_failure(info: AlgorithmInfo, seed: int) -> bool:
    """Return whether an execution breaks causal order, loses a message, or delivers one twice or at the wrong
    process.
    """
    groups = Groups(3, 1 + seed % 2) if info.addressing == "group" else None
    found = judge_simulation(small_run(info.name, seed, fifo=info.needs_fifo, workload=Workload(groups=groups)))
    return any(found[what] for what in ("violations", "lost", "duplicates", "spurious"))


def has_violation_when_lossy(seed: int) -> bool:
    """Return whether `history` breaks causal order on channels that lose."""
    parameters = small_run("history", seed, fifo=False, workload=Workload())
    return bool(judge_simulation(replace(parameters, network=replace(parameters.network, loss=0.2)))["violations"])


ALGORITHMS: Mapping[str, Callable[[int], bool]] = {
    **{name: partial(has_failure, info) for name, info in algorithms().items()},
    LOSSY: has_violation_when_lossy,
}
