"""Declare Figure 2 of 001: message delay of Algorithm 3 over k, the logical stations in each station, n_s = 10.

The paper says that the delay falls with k at first, because messages inhibit each other less, and rises if k is large,
because the header has (k n_s)^2 integers. The paper does not state n_h. With wires that take exactly 7 ms there is
hardly any inhibition to lose. With exponential wires of that mean there is, and it grows with the number of hosts in a
cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from antecede.lab.claims import at, difference, trend
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments import av
from antecede.lab.results import MissingResult, Results

KS = (1, 2, 3, 4, 5, 6)
WIRES = {"constant": "wires of 7 ms", "exponential": "wires of 7 ms on average, exponential"}
HOSTS = {"constant": (30,), "exponential": (30, 60, 120)}
SEND_S, MOVE_S = 0.1, 1.0
TOO_SHORT = (
    "1,200 deliveries are one to four seconds of traffic, in which a host moves a few times at most: too short to tell"
)


def _points(quick: bool) -> Sequence[Point]:
    ks, deliveries = ((1, 2, 6), 100) if quick else (KS, 1_200)
    return [
        av.make_point("av3", k=k, hosts=count, send_s=SEND_S, move_s=MOVE_S, wires=wires, deliveries=deliveries)
        for wires in WIRES
        for count in HOSTS[wires]
        for k in ks
    ]


def _excess_over_minimum(results: Results, wires: str, hosts: int, last: bool) -> Sequence[float]:
    """Return the delay at the first k, or at the last, minus the smallest delay between them, seed by seed."""
    rows = results.select(wires=wires, hosts=hosts)
    ks = sorted(rows.distinct("k"))
    if len(ks) < 3:
        raise MissingResult(f"fewer than three k were measured with {wires} wires and {hosts} hosts")
    delays = {k: rows.values("delay_ms", k=k) for k in ks}
    least = min(ks[1:-1], key=lambda k: sum(delays[k]))
    return [end - inside for end, inside in zip(delays[ks[-1 if last else 0]], delays[least], strict=True)]


def _claims(wires: str, hosts: int) -> Sequence[Claim]:
    """Return the claims that the delay falls with k at first, and rises when k becomes large."""
    setting = f"{WIRES[wires]}, {hosts} hosts"
    ends = (
        ("falls", "The average message delay initially decreases when k increases", "k = 1", False),
        ("rises", "When k becomes large the average message delay increases", "the largest k", True),
    )
    return [
        Claim(
            f"av-fig2-{word}-{wires}-{hosts}",
            f"{says} ({setting}).",
            "001 §6, Figure 2",
            word,
            trend(
                partial(_excess_over_minimum, wires=wires, hosts=hosts, last=last),
                above=0.0,
                words=f"delay at {end} less the least, in ms",
            ),
            outside=TOO_SHORT,
        )
        for word, says, end, last in ends
    ]


def _inhibition_claim(hosts: int) -> Claim:
    """Return the claim that messages inhibit each other less with two logical stations than with one.

    With a larger k the time for headers grows too.
    """
    one, two = (at("needless_ms", wires="exponential", hosts=hosts, k=k) for k in (1, 2))
    return Claim(
        f"av-fig2-inhibition-{hosts}",
        f"The inhibition of Algorithm 3 decreases with k (wires that reorder, {hosts} hosts).",
        "001 Table 1, §6",
        "falls",
        trend(
            difference(one, two),
            above=0.0,
            words="needless waiting at k = 1 less that at k = 2, in ms",
        ),
        outside=TOO_SHORT,
    )


FIG2 = Experiment(
    name="av-fig2",
    paper="001",
    figure="Figure 2",
    title="Message delay of Algorithm 3 over k",
    about="10 stations, 30 to 120 hosts (n_h is not stated), t_s = 0.1 s, t_h = 1 s; wires 100 Mbit/s, air 1 Mbit/s "
    "and 500 µs; messages of 100 bytes to one host, integers of 4 bytes and 0.2 µs each: these are not stated either.",
    grid=_points(False),
    quick=_points(True),
    measure=av.measure,
    charts=[
        Chart(
            title=title,
            x="k",
            y=number,
            x_label="k, logical stations in each station",
            y_label=label,
            series=["wires", "hosts"],
            names={
                (wires, hosts): f"{words}; {hosts} hosts" for wires, words in WIRES.items() for hosts in HOSTS[wires]
            },
            y_log=number != "handoff_messages",
        )
        for title, number, label in (
            ("message delay", "delay_ms", "mean message delay, ms"),
            ("inhibition", "needless_ms", "mean needless waiting, ms"),
            ("hand-off", "handoff_messages", "packets between cells for a hand-off"),
        )
    ],
    claims=[
        *(claim for wires in WIRES for hosts in HOSTS[wires] for claim in _claims(wires, hosts)),
        *(_inhibition_claim(hosts) for hosts in HOSTS["exponential"]),
    ],
    tried="These runs decide nothing about Figure 2: they are too short. n_h of the paper's figure, and what a header "
    "costs to process, are not stated; the paper has 1,000 experiments a point, and these are five.",
    cost=av.cost,
)
