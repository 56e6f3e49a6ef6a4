"""Declare Figure 2 of 001: message delay of Algorithm 3 over k, the logical stations in each station, n_s = 10.

The paper says that the delay falls with k at first, because messages inhibit each other less, and rises if k is large,
because the header has (k n_s)^2 integers. The paper does not state n_h. With wires that take exactly 7 ms there is
hardly any inhibition to lose. With exponential wires of that mean there is, and it grows with the number of hosts in a
cell. A run lasts `SECONDS` of simulated time, in which a host moves that often, and differences are taken seed by seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from antecede.lab.claims import Judge, at, difference, in_all, trend
from antecede.lab.experiment import Chart, Claim, Experiment, Finding, Point
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


def _claim(word: str, says: str, *, last: bool) -> Claim:
    """Return the claim that the delay at one end of the k is above the least between the ends.

    The paper does not state n_h, nor whether wires reorder, so the claim is about all that were measured.
    """
    judges = {
        f"{wires} wires, {hosts} hosts": trend(
            partial(excess_over_minimum, wires=wires, hosts=hosts, last=last), above=0.0
        )
        for wires in WIRES
        for hosts in HOSTS[wires]
    }
    return Claim(
        f"av-fig2-{word}", f"{says} (n_h and the wires are not stated).", "001 §6, Figure 2", word, in_all(judges)
    )


CLAIMS = (
    _claim("falls", "The average message delay initially decreases when k increases", last=False),
    _claim("rises", "When k becomes large the average message delay increases", last=True),
)


def _judge_inhibition(results: Results) -> Finding:
    """Judge whether messages inhibit each other less with each k than with k = 1, with all wires and hosts measured."""
    judges: dict[str, Judge] = {}
    for wires in WIRES:
        for hosts in HOSTS[wires]:
            rows = results.select(wires=wires, hosts=hosts)
            for k in sorted(rows.distinct("k"))[1:]:
                one, more = (at("needless_ms", wires=wires, hosts=hosts, k=logical) for logical in (1, k))
                judges[f"{wires} {hosts}/{k}"] = trend(difference(one, more), above=0.0)
    if not judges:
        raise MissingResult("no two k were measured with the same wires and hosts")
    return in_all(judges)(results)


def _inhibition_claim() -> Claim:
    """Return the claim that messages inhibit each other less, the more logical stations there are."""
    return Claim(
        "av-fig2-inhibition",
        "As k increases, the unnecessary delay decreases (from k = 1 to each larger k; wires and n_h/k).",
        "001 §6",
        "falls",
        _judge_inhibition,
    )


TRIED = """\
n_h of the paper's figure, and what a header costs to process, are not stated. **Why five runs and not 1,000:** each \
point of the paper is the average of 1,000 experiments, and it does not say how long one lasts. Here it is the average \
of five seeds. Each simulates 20 s after the warm-up, in which a host moves 20 times and sends 200 messages: 6,000 \
deliveries with 30 hosts, 24,000 with 120. So the 95 % interval of a delay reaches 1.2 % of the mean or less to each \
side at half of the points, and at most 5.3 % at all but one (22 % with 120 hosts and k = 6, where headers take more \
time than there is). A thousand such runs would make an interval 20 times narrower, and would be 24,000 runs for this \
figure. They would not change what five decide. What five leave undecided are differences of less than 0.15 ms between \
delays of about 11 ms. **Inhibition** falls with k only if wires reorder, there are many hosts and k is small. With \
120 hosts and wires that reorder it falls by 24 % from k = 1 to k = 4, and with 60 hosts by 9 %; with 30 hosts no fall \
is seen. With k = 6, where headers of (k n_s)² integers take longest, it is larger than with k = 1 in all that was \
measured. With wires of 7 ms and 30 hosts there is little inhibition to lose, and every larger k has more than k = 1.\
"""


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
    tried=TRIED,
    cost=av.cost,
)
