"""Declare Figure 1 of 001: message delay of Algorithm 1 and of Algorithm 2 over the number of hosts, n_s = 10.

The paper says that below 30 hosts Algorithm 2 is slower, because it inhibits, and above 30 it is faster, because its
header is smaller. The two cross at the number of hosts for which (n_h^2 - n_s^2) integers cost as much as inhibition
does. That number depends on the cost of an integer, on how often hosts move and on how much wires reorder. The paper
gives none of these for this figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from antecede.lab.claims import at, difference, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, PaperValue, Point
from antecede.lab.experiments import av
from antecede.lab.results import MissingResult, Results
from antecede.sim import simulate_mobile

SIZES = (10, 20, 30, 40, 60, 90)
CROSSING_SIZES = (10, 16, 24, 36, 54, 80)
SETTINGS: dict[str, dict[str, float | str]] = {
    "calm": {"send_s": 1.0, "move_s": 1.0, "wires": "constant"},
    "restless": {"send_s": 0.1, "move_s": 0.1, "wires": "constant"},
    "reordered": {"send_s": 1.0, "move_s": 1.0, "wires": "exponential"},
}
TITLES = {
    "calm": "wires of 7 ms, t_s = t_h = 1 s",
    "restless": "wires of 7 ms, t_s = t_h = 0.1 s",
    "reordered": "wires of 7 ms on average, exponential, t_s = t_h = 1 s",
}
CROSSED = ("restless", "reordered")
COSTS_US = (0.1, 0.2, 0.5, 1.0)
NAMES = {("av1", "yes"): "Algorithm 1", ("av2", "yes"): "Algorithm 2",
         ("av1", "no"): "Algorithm 1 that finds hosts by itself"}  # fmt: skip


def _points(quick: bool) -> Sequence[Point]:
    sizes, deliveries = ((20, 30, 60), 100) if quick else (SIZES, 800)
    found: list[Point] = [
        {**av.make_point(protocol, hosts=hosts, deliveries=deliveries), **SETTINGS[name]}
        for name in SETTINGS
        for protocol in ("av1", "av2")
        for hosts in sizes
    ]
    found += [av.make_point("av1", hosts=hosts, directory="no", deliveries=deliveries) for hosts in sizes]
    return [*found, *_crossings(quick)]


def _crossings(quick: bool) -> Sequence[Point]:
    """Return the points that measure where the algorithms cross. `step` selects every `step`-th size."""
    costs, step, deliveries = ((0.2, 1.0), 2, 50) if quick else (COSTS_US, 1, 250)
    return [
        {
            **av.make_point("both", hosts=0, cost_us=cost, deliveries=deliveries),
            **SETTINGS[name],
            "setting": name,
            "step": step,
        }
        for name in CROSSED
        for cost in costs
    ]


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed. All points return the same names; a number that a point does not measure is
    None.
    """
    if point["protocol"] == "both":
        return {**dict.fromkeys(av.NUMBERS), "crossing_hosts": _crossing(point, seed)}
    return {**av.measure(point, seed), "crossing_hosts": None}


def _crossing(point: Point, seed: int) -> float:
    """Return the number of hosts from which on Algorithm 2 is the faster one.

    It is the last change of sign, on a straight line between sizes. It is the first size if Algorithm 2 is always
    faster, and the last size if it never is.
    """
    sizes = CROSSING_SIZES[:: int(point["step"])]
    gaps = [_gap({**point, "hosts": hosts}, seed) for hosts in sizes]
    for (small, before), (large, after) in reversed(list(pairwise(zip(sizes, gaps, strict=True)))):
        if before <= 0.0 < after:
            return small + (large - small) * before / (before - after)
    return float(sizes[0] if gaps[-1] > 0.0 else sizes[-1])


def _gap(point: Point, seed: int) -> float:
    """Return how much slower Algorithm 1 is than Algorithm 2, in seconds."""
    delays = [
        simulate_mobile(av.parameters({**point, "protocol": protocol}, seed)).delay_mean_s
        for protocol in ("av1", "av2")
    ]
    return (delays[0] or 0.0) - (delays[1] or 0.0)


def cost(point: Point) -> float:
    """Return roughly how long a point takes to simulate. A crossing simulates both algorithms with every size."""
    return av.cost(point) * (2 * len(CROSSING_SIZES) if point["protocol"] == "both" else 1)


def _delay_claim(name: str, hosts: int) -> Claim:
    """Return the claim about which algorithm is slower with this number of hosts."""
    setting, below = SETTINGS[name], hosts < 30
    gap = difference(
        at("delay_ms", protocol="av2", hosts=hosts, **setting),
        at("delay_ms", protocol="av1", hosts=hosts, directory="yes", **setting),
    )
    words = f"delay of Algorithm 2 less that of Algorithm 1 in ms, {hosts} hosts, {TITLES[name]}"
    return Claim(
        f"av-fig1-{name}-{hosts}",
        f"Message delay in Algorithm 2 is {'more' if below else 'less'} than in Algorithm 1 "
        f"{'below' if below else 'above'} 30 hosts: at {hosts}, with {TITLES[name]}.",
        "001 §5.3, Figure 1",
        "Algorithm 2 slower" if below else "Algorithm 2 faster",
        trend(gap, above=0.0, words=words) if below else trend(gap, below=0.0, words=words),
    )


def _crossing_claim(name: str, cost_us: float) -> Claim:
    """Return the claim that the two algorithms are equally fast at 30 hosts."""
    return Claim(
        f"av-fig1-crossing-{name}-{cost_us:g}",
        f"The two are equally fast at 30 hosts; with {TITLES[name]}, and {cost_us:g} µs for each integer of a header.",
        "001 §5.3, Figure 1",
        "30 hosts",
        within(
            at("crossing_hosts", setting=name, cost_us=cost_us),
            30,
            tolerance=5,
            words="hosts from which Algorithm 2 is faster",
        ),
    )


def _crossings_by_cost(results: Results, name: str) -> dict[float, list[float]]:
    """Return, for each cost of an integer, the number of hosts at which the two cross, seed by seed."""
    costs = sorted(results.select(setting=name).distinct("cost_us"))
    if len(costs) < 2:
        raise MissingResult(f"no two costs were measured with {TITLES[name]}")
    return {cost_us: results.values("crossing_hosts", setting=name, cost_us=cost_us) for cost_us in costs}


def _cost_claim(name: str) -> Claim:
    """Return our claim that the crossing depends on the cost of an integer."""

    def fall(results: Results) -> Sequence[float]:
        cheap, *_, dear = _crossings_by_cost(results, name).values()
        return [one - two for one, two in zip(cheap, dear, strict=True)]

    return Claim(
        f"av-fig1-cost-{name}",
        f"Ours: the dearer an integer of a header is to process, the fewer hosts there are where the two cross "
        f"({TITLES[name]}).",
        "ours",
        "falls",
        trend(fall, above=0.0, words="hosts at the crossing with the cheapest integers, less those with the dearest"),
        ours=True,
    )


def _chart(name: str) -> Chart:
    return Chart(
        title=f"{TITLES[name]}; {av.COST_US:g} µs an integer",
        x="hosts",
        y="delay_ms",
        x_label="hosts, n_h",
        y_label="mean message delay, ms",
        series=["protocol", "directory"],
        names=NAMES,
        where={"cost_us": av.COST_US, **SETTINGS[name]},
        dashed=[NAMES["av1", "no"]],
    )


FIG1 = Experiment(
    name="av-fig1",
    paper="001",
    figure="Figure 1",
    title="Message delay of Algorithms 1 and 2",
    about="10 stations; wires 100 Mbit/s and 7 ms, air 1 Mbit/s and 500 µs; messages of 100 bytes to one host, "
    "integers of 4 bytes, 0.2 µs for each integer of a header where it is made and where it is read: these are not "
    "stated.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[
        *(_chart(name) for name in SETTINGS),
        Chart(
            title="where the two cross, over what an integer costs",
            x="cost_us",
            y="crossing_hosts",
            x_label="µs for each integer of a header",
            y_label="hosts from which Algorithm 2 is faster",
            series=["setting"],
            names=TITLES,
            stated=[PaperValue("paper: 30", 30)],
            x_log=True,
        ),
    ],
    claims=[
        *(_delay_claim(name, hosts) for name in SETTINGS for hosts in (20, 60)),
        *(_crossing_claim(name, cost_us) for name in CROSSED for cost_us in (0.2, 1.0)),
        *(_cost_claim(name) for name in CROSSED),
    ],
    tried="With wires that take exactly 7 ms and hosts that move as often as they send, there is hardly any "
    "inhibition, and Algorithm 2 is the faster one almost from n_h = n_s on. It takes hosts that move every 0.1 s, or "
    "wires that reorder, for a crossing in the tens of hosts, and then its place follows the cost of an integer. An "
    "Algorithm 1 that has to find out by itself where hosts are (dashed) passes many messages on.",
    cost=cost,
)
