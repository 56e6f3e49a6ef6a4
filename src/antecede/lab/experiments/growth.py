"""Measure how the stamps of all algorithms grow with the number of processes: entries, bytes and time per packet.

There are three kinds of traffic (one destination; random destinations, 1 to n - 1; everybody) and three loads (the mean
latency is a tenth, once and five times the mean time between two sends of a process). An algorithm takes part in the
kinds of traffic that it can carry. An algorithm that sends to groups gets, as random multicast, groups of a quarter of
all processes around a ring, whose neighbours share half of their members, and as broadcast one group of all.

A run is two messages of every process, from the first to rest, and all of them are measured. (With few processes there
are more messages, so that there are some hundreds of deliveries.) That is short, so that 100 processes with a matrix on
every message are affordable: stamps that grow with what has happened are larger in the long run. The time is processor
time for the whole simulation of a run, per packet. The control `none` shows how much of it the simulator takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import process_time

from antecede.core.registry import algorithms
from antecede.lab.claims import Values, at_most, ratio, trend
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.results import MissingResult, Results
from antecede.sim import Distribution, Groups, Network, Parameters, Workload, simulate

SIZES, QUICK_SIZES = (5, 10, 20, 50, 100), (5, 20)
LOADS, LOAD = (0.1, 1.0, 5.0), 1.0
TRAFFIC = ("unicast", "multicast", "broadcast")
CARRIES = {
    "multicast": TRAFFIC,
    "group": ("multicast", "broadcast"),
    "broadcast": ("broadcast",),
    "unicast": ("unicast",),
}
MESSAGES_OF_EACH = 2
DELIVERIES_MIN = 400
"""With few processes a message of each makes but a handful."""


def _grid(quick: bool) -> Sequence[Point]:
    sizes, loads = (QUICK_SIZES, (LOAD,)) if quick else (SIZES, LOADS)
    return [
        {"algorithm": name, "n": n, "traffic": traffic, "load": load}
        for name, info in sorted(algorithms().items())
        for traffic in CARRIES[info.addressing]
        for load in loads
        for n in sizes
    ]


def mean_dests(n: int, traffic: str) -> float:
    """Return the mean number of destinations of a message."""
    return {"unicast": 1.0, "multicast": n / 2, "broadcast": n - 1.0}[traffic]


def _workload(n: int, traffic: str, addressing: str) -> Workload:
    if addressing == "group":
        quarter = max(2, n // 4)
        return Workload(groups=Groups(n) if traffic == "broadcast" else Groups(quarter, quarter // 2))
    return Workload(dests={"unicast": (1, 1), "multicast": (1, n - 1), "broadcast": (n - 1, n - 1)}[traffic])


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed and return its measurements."""
    name, n, traffic = str(point["algorithm"]), int(point["n"]), str(point["traffic"])
    dests = mean_dests(n, traffic)
    parameters = Parameters(
        algorithm=name,
        processes=n,
        seed=seed,
        messages=round(max(MESSAGES_OF_EACH * n, DELIVERIES_MIN / dests)),
        network=Network(latency=Distribution("exponential", float(point["load"]))),
        workload=_workload(n, traffic, algorithms()[name].addressing),
    )
    start = process_time()
    found = simulate(parameters)
    spent_s = process_time() - start
    return {
        "entries": found.entries_per_copy_mean,
        "entries_max": float(found.entries_max),
        "bytes": found.bytes_mean,
        "delay_s": found.delay_mean_s,
        "control_packets": found.control_packets_per_message,
        "us_per_packet": 1e6 * spent_s / found.packets,
    }


HEAVY = {"history": 4.0, "prs": 6.0, "ses": 6.0, "rst": 2.0, "none": 0.1}


def cost(point: Point) -> float:
    """Return roughly how long a point takes to simulate."""
    n = int(point["n"])
    return n**3 * mean_dests(n, str(point["traffic"])) * HEAVY.get(str(point["algorithm"]), 1.0)


def at_largest(name: str, /, **where: object) -> Values:
    """Return a function that selects the number `name` at the largest n with these parameters."""

    def values(results: Results) -> list[float]:
        sizes = results.select(**where).distinct("n")
        if not sizes:
            raise MissingResult(f"no point with {where}")
        return results.values(name, n=max(sizes), **where)

    return values


def per_n(values: Values, power: int = 1) -> Values:
    """Return a function that divides values by the largest n, or by a power of it."""
    return lambda results: [value / max(results.distinct("n")) ** power for value in values(results)]


BOUNDS: Sequence[tuple[str, str, str, str, int, float]] = (
    ("ks", "002 §7.1, broadcast", "the latest broadcast of each process: at most n entries", "broadcast", 1, 1.0),
    ("prs-broadcast", "000 §8.2", "in the broadcast case at most N tuples", "broadcast", 1, 1.0),
    ("vector", "002 §7.1, broadcast", "one count for each process", "broadcast", 1, 1.0),
    ("serial-broadcast", "002 §7.1, serialised broadcasts", "one entry", "broadcast", 0, 1.0),
    ("serial-multicast", "002 §7.1, serialised multicasts", "n entries", "multicast", 1, 1.0),
    ("chain2", "002 Lemma 8", "chains of two can be had with O(n): here 2n ids", "multicast", 1, 2.0),
    ("mf", "002 §7.1, Mattern-Fünfrocken", "nothing", "unicast", 0, 0.0),
    ("rst", "001 §3", "a matrix of n x n", "multicast", 2, 1.0),
    ("ses", "002 §1", "n vectors of length n", "multicast", 2, 1.0),
    ("ks", "002 §6.2", "n² is the upper bound", "multicast", 2, 1.0),
    ("prs", "000 §7.1", "N² tuples at most", "multicast", 2, 1.0),
    ("history", "002 §1", "the messages before it, of which a run has 2n", "multicast", 1, 2.0),
    ("isis", "003 §2.3", "a vector for each group: members of all groups, here twice n", "multicast", 1, 2.0),
    ("mr", "003 §4", "a count for each group, of which there are at most n here", "multicast", 1, 1.0),
    ("mr-broadcast", "003 §3.3", "nothing, or one count", "broadcast", 0, 1.0),
    ("hierarchy", "002 §7.1, representatives", "that of ks among √n representatives", "multicast", 1, 1.5),
    ("none", "registry", "nothing", "multicast", 0, 0.0),
)
"""The bounds of the papers: algorithm, section, sentence, traffic, power of n, and factor."""


def _claims() -> Iterator[Claim]:
    for name, where, says, traffic, power, most in BOUNDS:
        unit = {0: "", 1: " n", 2: " n²"}[power]
        found = per_n(at_largest("entries_max", algorithm=name, traffic=traffic, load=LOAD), power)
        yield Claim(
            f"ks-growth-bound-{name}-{traffic}",
            f"{name}, {traffic}: {says}.",
            where,
            f"at most {most:g}{unit}",
            at_most(found, most, words=f"the largest stamp{', divided by' + unit if unit else ''}, at the largest n"),
            ours=where == "registry",
        )
    ks = at_largest("entries", algorithm="ks", traffic="multicast", load=LOAD)
    yield Claim(
        "ks-growth-average",
        "On average the control information of ks is much smaller than n².",
        "002 §6.2",
        "much smaller than n²",
        trend(per_n(ks, 2), below=0.25, words="mean entries divided by n², at the largest n, random multicast"),
        outside="a run is the first two messages of every process, when logs are still filling, so that what is "
        "measured is smaller than in the long run",
    )
    for other in ("prs", "rst", "ses"):
        rival = at_largest("entries", algorithm=other, traffic="multicast", load=LOAD)
        yield Claim(
            f"ks-growth-least-{other}",
            f"ks carries the least that causal order allows: less than {other}.",
            "002 §4 and §6.2",
            "less than 1",
            trend(ratio(ks, rival), below=1.0, words=f"entries of ks divided by those of {other}, random multicast"),
        )


def _charts() -> Iterator[Chart]:
    labels = {"entries": "control entries per packet", "bytes": "bytes of a stamp", "us_per_packet": "µs per packet"}
    for y, label in labels.items():
        for traffic in TRAFFIC:
            yield Chart(
                title=f"{traffic}, latency = time between sends",
                x="n",
                y=y,
                x_label="processes",
                y_label=label,
                series=["algorithm"],
                where={"traffic": traffic, "load": LOAD},
                order=sorted(algorithms()),
                x_log=True,
                y_log=True,
            )
    for traffic in TRAFFIC:
        yield Chart(
            title=f"ks and prs, {traffic}, by load",
            x="n",
            y="entries",
            x_label="processes",
            y_label="control entries per packet",
            series=["algorithm", "load"],
            where={"traffic": traffic},
            names={
                (name, load): f"{name}, load {load:g}" if name in ("ks", "prs") else ""
                for name in algorithms()
                for load in LOADS
            },
            x_log=True,
            y_log=True,
        )


GROWTH = Experiment(
    name="ks-growth",
    paper="002",
    figure="ours",
    title="How stamps grow with the number of processes, all algorithms",
    about="n = 5 to 100; one destination, random destinations and broadcast; a latency of 0.1, 1 and 5 times the time "
    "between sends. A run is the first two messages of every process: stamps that grow with what has happened are "
    "larger in the long run.",
    grid=_grid(False),
    quick=_grid(True),
    measure=measure,
    charts=list(_charts()),
    claims=list(_claims()),
    tried="That stamps seem to shrink with one destination and more than 20 processes is the length of a run and no "
    "growth: two messages of each, to one other, leave most processes without a past. For the same reason a bound that "
    "is kept says little here: in so short a run few stamps come near their bound.",
    seeds=(1, 2, 3),
    timed=("us_per_packet",),
    cost=cost,
)
