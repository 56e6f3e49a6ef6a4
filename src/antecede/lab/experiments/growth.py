"""Measure how the stamps of all algorithms grow with the number of processes: entries, bytes and time per packet.

There are three kinds of traffic: one destination; random destinations, 1 to n - 1; everybody. The mean latency is once
the mean time between two sends of a process; with random destinations, for `ks` and `prs` also a tenth and five times.
Every algorithm is measured in the traffic that a panel shows it in. An algorithm that sends to groups gets, as random
multicast, groups of a quarter of all processes around a ring, whose neighbours share half of their members, and as
broadcast one group of all.

Stamps are measured in the steady state. A run begins with `WARMUP_OF_EACH` messages of every process that are not
measured, and goes on with as many that are. Whether that is enough is measured too, for `ks` and `prs` with random
destinations and the largest n: twice the warm-up must not change the number of entries. Bytes have no steady state if
an entry is a count, because counts grow for ever. The time is processor time for the whole simulation of a run, per
packet. The control `none` shows how much of it the simulator takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import process_time

from antecede.core.registry import algorithms
from antecede.lab.claims import Judge, Values, at_most, in_all, ratio, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.results import MissingResult, Results
from antecede.sim import Distribution, Groups, Network, Parameters, Workload, simulate

SIZES, QUICK_SIZES = (5, 10, 20, 40), (5, 10)
LOADS, LOAD = (0.1, 1.0, 5.0), 1.0
BY_LOAD = ("ks", "prs")
PANELS: Mapping[str, tuple[str, Sequence[str]]] = {
    "random destinations": ("multicast", ("ks", "prs", "rst", "ses", "history", "chain2")),
    "groups, representatives, serialised": ("multicast", ("isis", "mr", "hierarchy", "serial-multicast", "ks")),
    "broadcast": ("broadcast", ("ks", "prs-broadcast", "vector", "isis", "mr-broadcast", "serial-broadcast")),
    "one destination": ("unicast", ("ks", "prs", "rst", "ses", "mf", "chain2")),
}
"""The panels: their traffic, and the algorithms in each, at most six."""
MEASURED = sorted(
    {("none", "multicast"), ("psync", "multicast"), ("rendezvous", "unicast"), ("mr-scalar", "multicast")}
    | {(name, kind) for kind, names in PANELS.values() for name in names}
)
"""Each algorithm with the kinds of traffic in which it is measured: those of its panels, and one if it is in none."""
ORDER = (
    "rst", "prs", "ses", "history", "chain2", "mr", "ks", "isis", "hierarchy", "serial-multicast",
    "prs-broadcast", "vector", "mr-broadcast", "mf", "serial-broadcast",
)  # fmt: skip
"""The algorithms in the panels, in an order in which those of one panel have different colours."""
MESSAGES_OF_EACH = WARMUP_OF_EACH = 100
QUICK_OF_EACH = 10
LOW_US = 1_000.0
"""A computation for a packet that takes less than this is low, in one of two readings."""
STATIONARY = 0.05
"""By how much a stamp may grow if the warm-up is twice as long."""


def _grid(quick: bool) -> Sequence[Point]:
    sizes, each = (QUICK_SIZES, QUICK_OF_EACH) if quick else (SIZES, MESSAGES_OF_EACH)
    points = [
        make_point(name, n, traffic, load, each=each, warmup=each)
        for name, traffic in MEASURED
        for load in (LOADS if name in BY_LOAD and traffic == "multicast" and not quick else (LOAD,))
        for n in sizes
    ]
    longer = [make_point(name, sizes[-1], "multicast", LOAD, each=each, warmup=2 * each) for name in BY_LOAD]
    return [*points, *longer]


def make_point(algorithm: str, n: int, traffic: str, load: float, *, each: int, warmup: int) -> Point:
    """Return a point of the grid, with `each` messages of every process after `warmup` of them."""
    is_longer = "yes" if warmup > each else "no"
    point: dict[str, float | str] = {"algorithm": algorithm, "n": n, "traffic": traffic, "load": load}
    return {**point, "each": each, "warmup": warmup, "is_longer": is_longer}


def mean_dests(n: int, traffic: str, addressing: str = "multicast") -> float:
    """Return the mean number of other processes that a message goes to."""
    if traffic == "multicast" and addressing == "group":
        return max(2, n // 4) - 1.0
    return {"unicast": 1.0, "multicast": n / 2, "broadcast": n - 1.0}[traffic]


def _workload(n: int, traffic: str, addressing: str) -> Workload:
    if addressing == "group":
        quarter = max(2, n // 4)
        return Workload(groups=Groups(n) if traffic == "broadcast" else Groups(quarter, quarter // 2))
    return Workload(dests={"unicast": (1, 1), "multicast": (1, n - 1), "broadcast": (n - 1, n - 1)}[traffic])


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed and return its measurements."""
    name, n, traffic = str(point["algorithm"]), int(point["n"]), str(point["traffic"])
    addressing = algorithms()[name].addressing
    warmup, each = int(point["warmup"]), int(point["each"])
    parameters = Parameters(
        algorithm=name,
        processes=n,
        seed=seed,
        messages=(warmup + each) * n,
        warmup=round(warmup * n * mean_dests(n, traffic, addressing)),
        network=Network(latency=Distribution("exponential", float(point["load"]))),
        workload=_workload(n, traffic, addressing),
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


HEAVY = {"history": 6.0, "prs": 6.0, "ses": 6.0, "rst": 2.0, "none": 0.1}


def cost(point: Point) -> float:
    """Return roughly how long a point takes to simulate."""
    n, messages = int(point["n"]), int(point["each"]) + int(point["warmup"])
    return messages * n**3 * mean_dests(n, str(point["traffic"])) * HEAVY.get(str(point["algorithm"]), 1.0)


def steady(results: Results) -> Results:
    """Return the rows with the usual warm-up."""
    return results.select(is_longer="no")


def at_largest(name: str, /, **where: object) -> Values:
    """Return a function that selects the number `name` at the largest n with these parameters."""

    def values(results: Results) -> list[float]:
        rows = steady(results).select(**where)
        sizes = rows.distinct("n")
        if not sizes:
            raise MissingResult(f"no point with {where}")
        return rows.values(name, n=max(sizes))

    return values


def per_n(values: Values, power: int = 1) -> Values:
    """Return a function that divides values by the largest n, or by a power of it."""
    return lambda results: [value / max(results.distinct("n")) ** power for value in values(results)]


BOUNDS: Sequence[tuple[str, str, str, str, int, float]] = (
    ("ks", "002 §7.1, broadcast", "the latest broadcast of each process: at most n entries", "broadcast", 1, 1.0),
    ("prs-broadcast", "000 §8.2", "in the broadcast case at most N tuples", "broadcast", 1, 1.0),
    ("serial-multicast", "002 §7.1, serialised multicasts", "n entries", "multicast", 1, 1.0),
    ("chain2", "002 Lemma 8", "chains of two can be had with O(n): here 2n ids", "multicast", 1, 2.0),
    ("ses", "002 §1", "n vectors of length n", "multicast", 2, 1.0),
    ("ks", "002 §6.2", "n² is the upper bound", "multicast", 2, 1.0),
    ("prs", "000 §7.1", "N² tuples at most", "multicast", 2, 1.0),
    ("psync", "registry", "an identifier for each sender and destination", "multicast", 2, 1.0),
    ("isis", "003 §2.3", "a vector for each group: members of all groups, here twice n", "multicast", 1, 2.0),
    ("mr", "003 §4", "a count for each group, of which there are at most n here", "multicast", 1, 1.0),
    ("mr-broadcast", "003 §3.3", "nothing, or one count", "broadcast", 0, 1.0),
    ("hierarchy", "registry", "that of ks among √n representatives", "multicast", 1, 1.5),
)
"""Upper bounds: algorithm, section, sentence, traffic, power of n, and factor."""
SIZES_STATED: Sequence[tuple[str, str, str, str, int, float, float]] = (
    ("vector", "002 §7.1, broadcast", "one count for each process", "broadcast", 1, 1.0, 0.05),
    ("serial-broadcast", "002 §7.1, serialised broadcasts", "one entry", "broadcast", 0, 1.0, 0.0),
    ("mr-scalar", "003 §5.2", "one integer for all groups", "multicast", 0, 1.0, 0.0),
    ("mf", "002 §7.1, Mattern-Fünfrocken", "nothing", "unicast", 0, 0.0, 0.0),
    ("rendezvous", "002 §7.1, synchronous unicasts", "nothing", "unicast", 0, 0.0, 0.0),
    ("rst", "001 §3", "a matrix of n x n", "multicast", 2, 1.0, 0.05),
    ("none", "registry", "nothing", "multicast", 0, 0.0, 0.0),
)
"""Sizes that a stamp has in the steady state: as `BOUNDS`, and by what part of the unit it may differ."""
UNITS = {0: "", 1: " n", 2: " n²"}


def _size_claim(of: tuple[str, str, str, str], power: int, stated: str, judge: Judge) -> Claim:
    """Return the claim about the largest stamp of an algorithm, its section, its words and its traffic."""
    name, where, says, traffic = of
    return Claim(
        f"ks-growth-bound-{name}-{traffic}",
        f"{name}, {traffic}: {says}.",
        where,
        f"{stated}{UNITS[power]}",
        judge,
        ours=where == "registry",
    )


def _largest_stamp(name: str, traffic: str, power: int) -> Values:
    return per_n(at_largest("entries_max", algorithm=name, traffic=traffic, load=LOAD), power)


def _claims() -> Iterator[Claim]:
    for name, where, says, traffic, power, most in BOUNDS:
        judge = at_most(_largest_stamp(name, traffic, power), most, words=_words(power))
        yield _size_claim((name, where, says, traffic), power, f"at most {most:g}", judge)
    for name, where, says, traffic, power, size, tolerance in SIZES_STATED:
        judge = within(_largest_stamp(name, traffic, power), size, tolerance=tolerance, words=_words(power))
        yield _size_claim((name, where, says, traffic), power, f"{size:g}", judge)
    ks = at_largest("entries", algorithm="ks", traffic="multicast", load=LOAD)
    yield Claim(
        "ks-growth-average",
        "On average the control information of ks is much smaller than n².",
        "002 §6.2",
        "much smaller than n²",
        trend(
            per_n(ks, 2),
            below=0.25,
            words="mean entries divided by n², at the largest n, random multicast; much smaller: less than a quarter",
        ),
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
    times = [at_largest("us_per_packet", algorithm=name, traffic="multicast", load=LOAD) for name in ("prs", "rst")]
    yield Claim(
        "ks-growth-computation-prs",
        "The computation overheads at processes are low (the paper does not say beside what).",
        "000 §8.1",
        "low",
        in_all(
            {
                f"less than {LOW_US:,g} µs for a packet": trend(times[0], below=LOW_US),
                "less than rst takes for a packet": trend(ratio(times[0], times[1]), below=1.0),
            }
        ),
    )
    yield from map(_stationary_claim, BY_LOAD)


def _words(power: int) -> str:
    return f"the largest stamp{', divided by' + UNITS[power] if power else ''}, at the largest n"


def _stationary_claim(name: str) -> Claim:
    """Return our claim that the warm-up is long enough."""

    def growth(results: Results) -> list[float]:
        rows = results.select(algorithm=name, traffic="multicast", load=LOAD)
        longer = rows.select(is_longer="yes")
        sizes = longer.distinct("n")
        if not sizes:
            raise MissingResult(f"{name} was not measured with a longer warm-up")
        twice, once = longer.values("entries"), steady(rows).values("entries", n=sizes[0])
        return [two / one for one, two in zip(once, twice, strict=True)]

    return Claim(
        f"ks-growth-stationary-{name}",
        f"Ours: the stamps of {name} are measured in the steady state.",
        "ours",
        "1",
        within(growth, 1.0, tolerance=STATIONARY, words="entries after twice the warm-up, divided by those after it"),
        ours=True,
    )


def _panel(title: str, y: str, label: str) -> Chart:
    traffic, names = PANELS[title]
    return Chart(
        title=title,
        x="n",
        y=y,
        x_label="processes",
        y_label=label,
        series=["algorithm"],
        where={"traffic": traffic, "load": LOAD, "is_longer": "no"},
        names={name: name if name in names else "" for name in algorithms()},
        order=ORDER,
        x_log=True,
        y_log=True,
    )


def _charts() -> Iterator[Chart]:
    yield from (_panel(title, "entries", "control entries per packet") for title in PANELS)
    for title in ("random destinations", "broadcast"):
        yield _panel(title, "bytes", "bytes of a stamp")
        yield _panel(title, "us_per_packet", "µs per packet")
    yield Chart(
        title="random destinations, by load",
        x="n",
        y="entries",
        x_label="processes",
        y_label="control entries per packet",
        series=["algorithm", "load"],
        where={"traffic": "multicast", "is_longer": "no"},
        names={
            (name, load): f"{name}, load {load:g}" if name in BY_LOAD else "" for name in algorithms() for load in LOADS
        },
        x_log=True,
        y_log=True,
    )


GROWTH = Experiment(
    name="ks-growth",
    paper="002",
    figure="§6.2, and ours",
    title="How stamps grow with the number of processes, all algorithms",
    about=f"n = 5 to 40; one destination, random destinations and broadcast; a latency of once the time between sends. "
    f"Each process sends {WARMUP_OF_EACH} messages before the window, and {MESSAGES_OF_EACH} in it. Whether stamps are "
    "then in the steady state was measured for `ks` and `prs` with random destinations and n = 40: after twice the "
    "warm-up they have 2 % and 1 % more entries. With one destination the experiment does not say: there `antecede "
    "simulate --algorithm prs --processes 40 --dests 1 --messages 8000 --warmup 4000` prints 1,202 entries and 1,619 "
    "bytes, and after twice the warm-up, with `--messages 12000 --warmup 8000`, 1,246 entries and 1,932 bytes: 4 % and "
    "19 % more. Bytes are those of runs of this length, because counts grow for ever, and take more bytes then.",
    grid=_grid(False),
    quick=_grid(True),
    measure=measure,
    charts=list(_charts()),
    claims=list(_claims()),
    seeds=(1, 2, 3),
    timed=("us_per_packet",),
    cost=cost,
)
