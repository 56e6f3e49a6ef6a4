"""Declare Figure 2 of 001: message delay of Algorithm 3 over k, the logical stations in each station, n_s = 10.

The paper says that the delay falls with k at first, because messages inhibit each other less, and rises if k is large,
because the header has (k n_s)^2 integers. The paper does not state n_h. With wires that take exactly 7 ms there is
hardly any inhibition to lose. With exponential wires of that mean there is, and it grows with the number of hosts in a
cell. A run lasts `SECONDS` of simulated time, in which a host moves that often, and differences are taken seed by seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from antecede.lab.claims import Judge, at, difference, in_all, trend
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments import av
from antecede.lab.results import MissingResult, Results

KS = (1, 2, 3, 4, 5, 6)
WIRES = {"constant": "wires of 7 ms", "exponential": "wires of 7 ms on average, exponential"}
HOSTS = {"constant": (30,), "exponential": (30, 60, 120)}
SEND_S, MOVE_S = 0.1, 1.0
SECONDS, WARMUP_S = 20.0, 4.0


def _points(quick: bool) -> Sequence[Point]:
    ks, seconds, warmup_s = ((1, 2, 6), 0.1, 0.05) if quick else (KS, SECONDS, WARMUP_S)
    return [
        av.make_point(
            "av3",
            k=k,
            hosts=count,
            send_s=SEND_S,
            move_s=MOVE_S,
            wires=wires,
            warmup=av.deliveries_in(warmup_s, hosts=count, send_s=SEND_S),
            deliveries=av.deliveries_in(seconds, hosts=count, send_s=SEND_S),
        )
        for wires in WIRES
        for count in HOSTS[wires]
        for k in ks
    ]


def excess_over_minimum(results: Results, wires: str, hosts: int, last: bool) -> Sequence[float]:
    """Return the delay at the first k, or at the last, minus the smallest delay between them, seed by seed."""
    rows = results.select(wires=wires, hosts=hosts)
    ks = sorted(rows.distinct("k"))
    if len(ks) < 3:
        raise MissingResult(f"fewer than three k were measured with {wires} wires and {hosts} hosts")
    delays = {k: rows.values("delay_ms", k=k) for k in ks}
    least = min(ks[1:-1], key=lambda k: sum(delays[k]))
    return [end - inside for end, inside in zip(delays[ks[-1 if last else 0]], delays[least], strict=True)]


def _for_each_n(make: Callable[[int], Judge]) -> Judge:
    """Return a judge of a claim about the figure with wires that reorder, whose n_h is not stated."""
    return in_all({f"{hosts} hosts": make(hosts) for hosts in HOSTS["exponential"]})


def _judge_end(hosts: int, *, wires: str, last: bool, words: str = "") -> Judge:
    """Return a judge of the claim that the delay at one end of the k is above the least between the ends."""
    return trend(partial(excess_over_minimum, wires=wires, hosts=hosts, last=last), above=0.0, words=words)


def _claims(word: str, says: str, *, last: bool) -> Sequence[Claim]:
    """Return the claim about one end of the k, with wires that reorder and with wires that do not."""
    words = f"delay at {'the largest k' if last else 'k = 1'} less the least, in ms, seed by seed"
    constant = _judge_end(30, wires="constant", last=last, words=words)
    return [
        Claim(f"av-fig2-{word}-{wires}", f"{says} ({WIRES[wires]}; {hosts}).", "001 §6, Figure 2", word, judge)
        for wires, hosts, judge in (
            ("exponential", "n_h is not stated", _for_each_n(partial(_judge_end, wires="exponential", last=last))),
            ("constant", "30 hosts", constant),
        )
    ]


CLAIMS = (
    *_claims("falls", "The average message delay initially decreases when k increases", last=False),
    *_claims("rises", "When k becomes large the average message delay increases", last=True),
)


def _inhibition_claim() -> Claim:
    """Return the claim that messages inhibit each other less with two logical stations than with one.

    With a larger k the time for headers grows too.
    """

    def judge_hosts(hosts: int) -> Judge:
        one, two = (at("needless_ms", wires="exponential", hosts=hosts, k=k) for k in (1, 2))
        return trend(difference(one, two), above=0.0)

    return Claim(
        "av-fig2-inhibition",
        "As k increases, the unnecessary delay decreases (from k = 1 to 2, wires that reorder; n_h is not stated).",
        "001 §6",
        "falls",
        _for_each_n(judge_hosts),
    )


FIG2 = Experiment(
    name="av-fig2",
    paper="001",
    figure="Figure 2",
    title="Message delay of Algorithm 3 over k",
    about=f"10 stations, 30 to 120 hosts (n_h is not stated), t_s = 0.1 s, t_h = 1 s, {SECONDS:g} s after "
    f"{WARMUP_S:g} s of warm-up; wires 100 Mbit/s, air 1 Mbit/s and 500 µs; messages of 100 bytes to one host, "
    "integers of 4 bytes and 0.2 µs each: these are not stated either.",
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
    claims=[*CLAIMS, _inhibition_claim()],
    tried="n_h of the paper's figure, and what a header costs to process, are not stated; the paper has 1,000 "
    "experiments a point, and these are five, with an interval.",
    cost=av.cost,
)
