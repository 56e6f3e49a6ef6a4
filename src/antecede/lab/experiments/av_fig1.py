"""Declare Figure 1 of 001: message delay of Algorithm 1 and of Algorithm 2 over the number of hosts, n_s = 10.

The paper says that below 30 hosts Algorithm 2 is slower, because it inhibits, and above 30 it is faster, because its
header is smaller. The two cross at the number of hosts for which (n_h^2 - n_s^2) integers cost as much as inhibition
does. That number depends on the cost of an integer, on how often hosts send and move and on how much wires reorder. The
paper varies t_s and t_h over nine pairs, and does not say which of them the figure has: so all nine are run, each with
wires that take 7 ms and with wires that take 7 ms on average. A claim about the figure is decided if all of them decide
it alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import sqrt
from typing import TypeAlias

from antecede.lab.claims import Judge, at, difference, in_all, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Finding, PaperValue, Point
from antecede.lab.experiments import av
from antecede.lab.results import MissingResult, Results
from antecede.sim import simulate_mobile

SIZES, QUICK_SIZES = (10, 20, 30, 60), (20, 60)
BELOW, ABOVE = (10, 20), (60,)
"""The sizes that were measured on each side of the 30 hosts of the paper."""
CROSSING_SIZES = (10, 16, 24, 36, 54, 80)
PAIRS = tuple((send_s, move_s) for send_s in av.TIMES_S for move_s in av.TIMES_S)
"""t_s and t_h."""
QUICK_PAIRS = ((0.1, 0.1), (1.0, 1.0))
WIRES = {"constant": "wires of 7 ms", "exponential": "wires of 7 ms on average, exponential"}
DELIVERIES_USUAL, DELIVERIES_MAX = 2_000, 10_000
SETTINGS: dict[str, dict[str, float | str]] = {
    "restless": {"send_s": 0.1, "move_s": 0.1, "wires": "constant"},
    "reordered": {"send_s": 1.0, "move_s": 1.0, "wires": "exponential"},
}
TITLES = {
    "restless": "wires of 7 ms, t_s = t_h = 0.1 s",
    "reordered": "wires of 7 ms on average, exponential, t_s = t_h = 1 s",
}
COSTS_US = (0.1, 0.2, 0.5, 1.0)
NAMES = {
    (protocol, wires): f"Algorithm {number}, {words}"
    for number, protocol in ((1, "av1"), (2, "av2"))
    for wires, words in WIRES.items()
}


def deliveries(hosts: int, send_s: float, move_s: float) -> int:
    """Return how many deliveries are measured.

    If hosts move less often than they send, it is as many as two moves of each host take, within limits. If they move
    more often, a delivery takes many moves to simulate, and there are fewer.
    """
    moves = send_s / move_s
    if moves > 1:
        return round(DELIVERIES_USUAL / sqrt(moves))
    wanted = av.deliveries_in(2 * move_s, hosts=hosts, send_s=send_s)
    return min(max(wanted, DELIVERIES_USUAL), DELIVERIES_MAX)


def _points(quick: bool) -> Sequence[Point]:
    sizes, pairs = (QUICK_SIZES, QUICK_PAIRS) if quick else (SIZES, PAIRS)
    found: list[Point] = []
    for wires in WIRES:
        for send_s, move_s in pairs:
            for protocol in ("av1", "av2"):
                for hosts in sizes:
                    measured = 60 if quick else deliveries(hosts, send_s, move_s)
                    point = av.make_point(
                        protocol,
                        hosts=hosts,
                        send_s=send_s,
                        move_s=move_s,
                        wires=wires,
                        warmup=measured // 4,
                        deliveries=measured,
                    )
                    found.append({**point, "setting": ""})
    return [*found, *_crossings(quick)]


def _crossings(quick: bool) -> Sequence[Point]:
    """Return the points that measure where the algorithms cross. `step` selects every `step`-th size."""
    costs, step, measured = ((0.2, 1.0), 3, 30) if quick else (COSTS_US, 1, 500)
    return [
        {
            **av.make_point("both", hosts=0, cost_us=cost, warmup=measured // 4, deliveries=measured),
            **setting,
            "setting": name,
            "step": step,
        }
        for name, setting in SETTINGS.items()
        for cost in costs
    ]


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed. All points return the same names; a number that a point does not measure is
    None.
    """
    if point["protocol"] == "both":
        return {**dict.fromkeys(av.NUMBERS), "crossing_hosts": _measure_crossing(point, seed)}
    return {**av.measure(point, seed), "crossing_hosts": None}


def _measure_crossing(point: Point, seed: int) -> float:
    sizes = CROSSING_SIZES[:: int(point["step"])]
    return crossing(sizes, [_gap({**point, "hosts": hosts}, seed) for hosts in sizes])


def crossing(sizes: Sequence[int], gaps: Sequence[float]) -> float:
    """Return the number of hosts from which on Algorithm 2 is the faster one.

    `gaps` say how much slower Algorithm 1 is, for each size. The crossing is the last change of sign, on a straight
    line between sizes. It is the first size if Algorithm 2 is always faster, and the last size if it never is.
    """
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
    if point["protocol"] == "both":
        return sum(av.cost({**point, "protocol": "av1", "hosts": hosts}) for hosts in CROSSING_SIZES)
    return av.cost(point)


Setting: TypeAlias = Mapping[str, float | str]
"""What the paper does not state of its figure: t_s and t_h, and the wires."""


def _for_each_setting(make: Callable[[Setting], Judge]) -> Judge:
    """Return a judge of a claim about the figure, which is made for all wires and pairs of t_s and t_h measured."""

    def judge(results: Results) -> Finding:
        rows = results.select(setting="").rows
        measured = {tuple(row.parameters[name] for name in ("wires", "send_s", "move_s")) for row in rows}
        if not measured:
            raise MissingResult("no pair of t_s and t_h was measured")
        judges = {
            f"{wires} {send_s:g}/{move_s:g}": make({"wires": wires, "send_s": send_s, "move_s": move_s})
            for wires in WIRES
            for send_s, move_s in PAIRS
            if (wires, send_s, move_s) in measured
        }
        return in_all(judges)(results)

    return judge


def _delay_claim(hosts: int) -> Claim:
    """Return the claim about which algorithm is slower with this number of hosts."""
    below = hosts in BELOW

    def judge_setting(setting: Setting) -> Judge:
        gap = difference(
            at("delay_ms", protocol="av2", hosts=hosts, setting="", **setting),
            at("delay_ms", protocol="av1", hosts=hosts, setting="", **setting),
        )
        return trend(gap, above=0.0) if below else trend(gap, below=0.0)

    return Claim(
        f"av-fig1-{hosts}",
        f"Message delay in Algorithm 2 is {'more' if below else 'less'} than in Algorithm 1 "
        f"{'below' if below else 'above'} 30 hosts: at {hosts} (wires and t_s/t_h are not stated).",
        "001 §5.3, Figure 1",
        "Algorithm 2 slower" if below else "Algorithm 2 faster",
        _for_each_setting(judge_setting),
    )


def _crossing_claim() -> Claim:
    """Return the claim that the two algorithms are equally fast at 30 hosts, which the paper does not say."""

    def judge_setting(setting: Setting) -> Judge:
        return within(partial(_crossings_of_setting, setting=setting), 30, tolerance=5)

    return Claim(
        "av-fig1-crossing",
        "Ours: the two are equally fast at about 30 hosts.",
        "ours",
        "30 hosts",
        _for_each_setting(judge_setting),
        ours=True,
    )


def _crossings_of_setting(results: Results, setting: Setting) -> list[float]:
    """Return where the two cross, seed by seed, from their delays at the sizes of the grid."""
    rows = results.select(setting="", **setting)
    sizes = sorted(rows.distinct("hosts"))
    delays = [[rows.values("delay_ms", protocol=one, hosts=n) for n in sizes] for one in ("av1", "av2")]
    gaps = [[one - two for one, two in zip(*at_size, strict=True)] for at_size in zip(*delays, strict=True)]
    return [crossing(sizes, of_seed) for of_seed in zip(*gaps, strict=True)]


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


def _chart(send_s: float, move_s: float) -> Chart:
    return Chart(
        title=f"t_s = {send_s:g} s, t_h = {move_s:g} s",
        x="hosts",
        y="delay_ms",
        x_label="hosts, n_h",
        y_label="mean message delay, ms",
        series=["protocol", "wires"],
        names=NAMES,
        where={"setting": "", "send_s": send_s, "move_s": move_s},
        dashed=[NAMES[protocol, "exponential"] for protocol in ("av1", "av2")],
    )


FIG1 = Experiment(
    name="av-fig1",
    paper="001",
    figure="Figure 1",
    title="Message delay of Algorithms 1 and 2",
    about="10 stations; t_s and t_h of 0.1, 1 and 10 s; wires 100 Mbit/s and 7 ms, air 1 Mbit/s and 500 µs; messages "
    "of 100 bytes to one host, integers of 4 bytes, 0.2 µs for each integer of a header where it is made and where it "
    f"is read: these are not stated. {deliveries(20, 10.0, 0.1):,} to {DELIVERIES_MAX:,} deliveries a run.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[
        *(_chart(send_s, move_s) for send_s, move_s in PAIRS),
        Chart(
            title="where the two cross, over what an integer costs",
            x="cost_us",
            y="crossing_hosts",
            x_label="µs for each integer of a header",
            y_label="hosts from which Algorithm 2 is faster",
            series=["setting"],
            names={**TITLES, "": ""},
            stated=[PaperValue("paper: 30", 30)],
            x_log=True,
        ),
    ],
    claims=[
        *map(_delay_claim, (*BELOW, *ABOVE)),
        _crossing_claim(),
        *(_cost_claim(name) for name in SETTINGS),
    ],
    tried="With wires that take exactly 7 ms there is hardly any inhibition unless hosts move as often as they send. "
    "It takes hosts that move every 0.1 s, or wires that reorder, for a crossing in the tens of hosts, and then its "
    "place follows the cost of an integer (last panel). The paper took the processor time that its run spent on a "
    "header, on a Sparc 10. Here a run is decided by its seed alone, and processor time is not: it depends on the "
    "machine and on what else runs there. So an integer costs a stated time, and the last panel varies that time.",
    cost=cost,
)
