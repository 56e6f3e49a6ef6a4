"""Measure how few clock entries known topologies need, by allocation: paper 004 (Meldal, Sankar, Vera) §5 and §7.

Allocations 1 to 3 are those of the paper. 4 and 5 are those of the paper, repaired. 6 is ours. Allocation 5 as printed
is measured if it can be computed, by enumeration. It gives wrong answers (see `errata`), and is here for its size
alone. Only the random graphs depend on chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf

from antecede.core.errors import LimitReached
from antecede.core.locality.graph import Graph
from antecede.core.locality.plan import Cost, cost, plan
from antecede.lab.claims import Judge, at, at_most, explanation, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Finding, Outcome, PaperValue, Point
from antecede.lab.printed.allocations import printed_5
from antecede.lab.results import MissingResult, Results
from antecede.lab.topologies import chain, hierarchical_triangle, ring, star, tree
from antecede.sim.chance import stream

TRIANGLE = 10
"""Processes of a triangle: the apex and nine below (§7: each communicates with around 10 others)."""
GRAPHS: Mapping[str, Callable[[int], Graph]] = {
    "star": lambda n: star(n - 1),
    "ring": ring,
    "triangle": lambda n: hierarchical_triangle(n, TRIANGLE - 1),
    "chain": chain,
    "tree": tree,
}
"""The graphs that do not depend on chance, by the number of processes."""
RANDOM = ("random, degree 2", "random, degree 4", "random, degree 8")
KINDS = (*GRAPHS, *RANDOM)
SIZES, QUICK_SIZES = (10, 19, 46, 100, 190), (10, 100)


def _grid(quick: bool) -> Sequence[Point]:
    return [{"topology": kind, "n": n} for kind in KINDS for n in (QUICK_SIZES if quick else SIZES)]


def graph(kind: str, n: int, seed: int) -> Graph:
    """Return a graph of this kind with `n` processes. `seed` decides the random graphs."""
    if kind in GRAPHS:
        return GRAPHS[kind](n)
    return Graph.both_ways(_random_links(n, n * int(kind.rpartition(" ")[2]) // 2, seed))


def _random_links(n: int, count: int, seed: int) -> Sequence[tuple[str, str]]:
    """Return the links of a random tree, which connects all processes, and random links until there are enough."""
    chance, names = stream(seed, "graph", n, count), [f"p{number:03}" for number in range(n)]
    links = {(names[chance.randrange(at)], names[at]) for at in range(1, n)}
    while len(links) < min(count, n * (n - 1) // 2):
        low, high = sorted(chance.sample(range(n), 2))
        links.add((names[low], names[high]))
    return sorted(links)


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Return the clock entries of each allocation on one graph."""
    made = graph(str(point["topology"]), int(point["n"]), seed)
    costs = {candidate.name: candidate.cost for candidate in plan(made).candidates}
    with suppress(LimitReached):  # too many paths to enumerate: it is measured on smaller graphs
        costs["printed 5"] = cost(printed_5(made))
    return {
        f"{name} {what}": value
        for name, found in costs.items()
        for what, value in _entries(made, found).items()
    }  # fmt: skip


def _entries(made: Graph, found: Cost) -> dict[str, float]:
    """Return the measurements of one allocation by name."""
    n, links = len(made.processes), len(made.links)
    return {
        "process": found.clock_entries / n,
        "message": found.message_entries / links,
        "process max": float(found.clock_entries_max),
        "message max": float(found.message_entries_max),
        "process of n": found.clock_entries / n / n,
        "process saved": n - found.clock_entries / n,
        "message saved": n - found.message_entries / links,
    }


LARGE = 100
"""Processes of the networks that the claims are about, as in §7."""
TOO_MANY = f"Allocation 5 as printed enumerates too many paths to be computed for {LARGE} processes"


def _if_computed(judge: Judge) -> Judge:
    """Return a judge of a claim about Allocation 5 as printed on triangles, which is undecided if it is too large.

    If nothing at all was measured on triangles of this size, the claim is not measured.
    """

    def judge_printed(results: Results) -> Finding:
        if not results.select(topology="triangle", n=LARGE).rows:
            raise MissingResult(f"no triangles of {LARGE} processes were measured")
        try:
            return judge(results)
        except MissingResult:
            return Finding(Outcome.UNDECIDED, False, None, TOO_MANY)

    return judge_printed


def _triangle_claims() -> Iterator[Claim]:
    """Yield the four numbers of §7, and what came of other allocations, which are no claims of the paper."""
    triangle = {"topology": "triangle", "n": LARGE}
    forms = (
        ("", "printed 5", "Allocation 5"),
        ("-5", "5", "Allocation 5, repaired"),
        ("-6", "6", "Allocation 6, ours"),
    )
    for suffix, allocation, words in forms:
        for what, most in (("process", 2 * TRIANGLE), ("message", TRIANGLE)):
            entries = at(f"{allocation} {what} max", **triangle)
            yield Claim(
                f"msv-triangle-{what}{suffix}",
                f"On a hierarchical triangle of triangles of m = {TRIANGLE}, at most {most} entries per {what} "
                f"({words}).",
                "004 §7",
                f"at most {most}",
                explanation(entries, 0.0, float(most), words="the most of all")
                if suffix
                else _if_computed(at_most(entries, float(most), words="the most of all")),
            )
        for what, saved in (("process", 80), ("message", 90)):
            units, least = at(f"{allocation} {what} saved", **triangle), f"met from {saved - 2} on"
            yield Claim(
                f"msv-triangle-saves-{what}{suffix}",
                f"Among {LARGE} processes in a hierarchical triangle, around {saved} units per {what} are saved "
                f"({words}).",
                "004 §7",
                f"around {saved}",
                explanation(units, float(saved), float(LARGE), tolerance=2.0, words=least)
                if suffix
                else _if_computed(within(units, float(saved), float(LARGE), tolerance=2.0, words=least)),
            )


def _claims() -> Iterator[Claim]:
    star_, ring_ = ({"topology": kind, "n": LARGE} for kind in ("star", "ring"))
    for what in ("process", "message"):
        yield Claim(
            f"msv-star-{what}",
            f"On a star Allocation 5 needs the centre's clock alone: 1 entry per {what}.",
            "004 §5",
            "1",
            within(at(f"printed 5 {what} max", **star_), 1.0, words="Allocation 5 as printed; 100 processes"),
        )
        yield Claim(
            f"msv-ring-{what}",
            f"On a ring nothing is saved: n entries per {what}.",
            "004 §5",
            "100",
            within(
                at(f"printed 5 {what}", **ring_), 100.0, words="Allocation 5 as printed; 100 processes, both ways round"
            ),
        )
    yield from _triangle_claims()
    for degree, stated, below, above in ((2, "less than n", 0.5, -inf), (8, "close to n", inf, 0.9)):
        yield Claim(
            f"msv-dense-{degree}",
            f"The denser the network, the closer to vector clocks (random, degree {degree}).",
            "004 §7",
            stated,
            trend(
                at("3 process of n", topology=f"random, degree {degree}", n=LARGE),
                below=below,
                above=above,
                words="entries per process / n, Allocation 3",
            ),
        )


def _charts() -> Iterator[Chart]:
    for kinds, words, whats in ((tuple(GRAPHS), "known", ("process", "message")), (RANDOM, "random", ("process",))):
        for what in whats:
            for allocation, title in (("5", "Allocation 5, repaired"), ("6", "Allocation 6, ours")):
                yield _chart(f"{title}: {words} graphs", f"{allocation} {what}", what, kinds)


def _chart(title: str, y: str, what: str, kinds: Sequence[str]) -> Chart:
    """Return a panel with a line for each of these kinds of graphs, and what the paper says of the known ones."""
    most = 2 * TRIANGLE if what == "process" else TRIANGLE
    stated = [
        PaperValue("paper: star", 1.0, x=100.0),
        PaperValue("paper: ring", 100.0, x=100.0),
        PaperValue(f"paper: triangle, at most {most}", float(most)),
    ]
    return Chart(
        title=title,
        x="n",
        y=y,
        x_label="processes",
        y_label=f"clock entries per {what}, mean",
        series=["topology"],
        names={kind: kind if kind in kinds else "" for kind in KINDS},
        stated=stated if kinds != RANDOM else (),
        x_log=True,
        y_log=True,
    )


TOPOLOGIES = Experiment(
    name="msv-topologies",
    paper="004",
    figure="§5, §7",
    title="Clock entries per process and per message on known topologies",
    about=f"Links go both ways and are FIFO; triangles are of {TRIANGLE} processes; random graphs are connected, with "
    "the mean degree given.",
    grid=_grid(False),
    quick=_grid(True),
    measure=measure,
    charts=list(_charts()),
    claims=list(_claims()),
    seeds=(1, 2, 3),
    tried="The triangle's figures are those of Allocation 5 as printed, which gives wrong answers (see `errata`). As "
    "printed it was not computed on these triangles, because it enumerates too many paths, so the four numbers of the "
    "paper are undecided; on small triangles it has the sets that the paper claims "
    "(`tests/papers/test_004_locality.py`). What was tried are two other allocations in its place. Repaired, it "
    "saves nothing there over Allocation 3, because every process has a second path to every other; Allocation 6, "
    "which remembers at gateways, saves at least what the paper states and gives right answers.",
    cost=lambda point: float(point["n"]),
)
