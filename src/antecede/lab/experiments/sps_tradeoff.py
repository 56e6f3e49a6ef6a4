"""Compare waiting at the sender with stamps: `sps` beside `ks`, among 8, 40 and 100 processes.

A stamp of `sps` is two integers among any number of processes. A message of it leaves when what precedes it is
delivered everywhere, which costs acknowledgements, packets that say so, and time. `ks` sends a message at once, with
the dependencies that are still owed. How long a message of `sps` waits depends on how often processes send. If they
send faster than messages become complete, the queues grow without end; the shortest interval here is above that.
"""

from __future__ import annotations

from collections.abc import Sequence

from antecede.lab.claims import at, at_most, difference, ratio, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.sim import Distribution, Network, Parameters, Workload, World

ALGORITHMS = ("ks", "sps")
SIZES = (8, 40, 100)
INTERVALS = (3.0, 10.0, 30.0)
USUAL_S = 10.0
DESTS = (1, 4)
LATENCY = Distribution("uniform", 0.5, 0.4)
MESSAGES, QUICK_MESSAGES = 60, 4
"""Messages of each process. The first half are the warm-up."""


def _grid(quick: bool) -> Sequence[Point]:
    return [
        {"algorithm": name, "n": n, "interval_s": interval, "messages": n * (QUICK_MESSAGES if quick else MESSAGES)}
        for name in ALGORITHMS
        for n in SIZES
        for interval in INTERVALS
    ]


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed and return its measurements."""
    messages = int(point["messages"])
    found = World(
        Parameters(
            algorithm=str(point["algorithm"]),
            processes=int(point["n"]),
            seed=seed,
            messages=messages,
            warmup=messages,
            network=Network(latency=LATENCY),
            workload=Workload(interval=Distribution("exponential", float(point["interval_s"])), dests=DESTS),
            oracle=True,
        )
    ).run()
    assert found.control_entries_per_message is not None
    assert found.entries_per_copy_mean is not None
    copies = (found.packets - found.control_packets) / found.messages
    return {
        "entries": found.entries_per_copy_mean,
        "bytes": found.bytes_mean,
        "packets": found.control_packets_per_message,
        "packets_of_a_destination": (found.control_packets / found.messages) / copies,
        "integers": found.entries_per_copy_mean * copies + found.control_entries_per_message,
        "delay_s": found.delay_mean_s,
        "violations": float(found.violations or 0),
    }


def _compare_claim(slug: str, says: str, number: str, n: int, *, above: float = 0.0, below: float = 1.0) -> Claim:
    """Return the claim that a number of `sps` is less or more than that of `ks`, at the usual interval."""
    one, other = (at(number, algorithm=name, n=n, interval_s=USUAL_S) for name in ("sps", "ks"))
    stated = "less than 1" if below == 1.0 else "more than 1"
    words = "sps divided by ks, seed by seed"
    judge = trend(ratio(one, other), above=above, below=below, words=words)
    return Claim(f"sps-tradeoff-{slug}-{n}", says, "ours", stated, judge, ours=True)


CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(
            f"sps-tradeoff-two-{n}",
            f"A stamp of sps is two integers among {n} processes.",
            "ours",
            "2",
            within(at("entries", algorithm="sps", n=n, interval_s=USUAL_S), 2.0, words="integers of a packet"),
            ours=True,
        )
        for n in SIZES
    ),
    *(_compare_claim("bytes", f"A stamp of sps is smaller than one of ks among {n}.", "bytes", n) for n in SIZES),
    *(
        _compare_claim(
            "delay", f"A message of sps takes longer among {n}.", "delay_s", n, above=1.0, below=float("inf")
        )
        for n in SIZES
    ),
    Claim(
        "sps-tradeoff-packets",
        "sps sends at most two more packets for each destination of a message.",
        "ours",
        "at most 2",
        at_most(at("packets_of_a_destination", algorithm="sps", n=40, interval_s=USUAL_S), 2.0),
        ours=True,
    ),
    Claim(
        "sps-tradeoff-seldom",
        "The less often processes send, the less a message of sps waits.",
        "ours",
        "falls",
        trend(
            difference(
                at("delay_s", algorithm="sps", n=40, interval_s=INTERVALS[0]),
                at("delay_s", algorithm="sps", n=40, interval_s=INTERVALS[-1]),
            ),
            above=0.0,
            words=f"seconds until delivery at an interval of {INTERVALS[0]:g} s less at {INTERVALS[-1]:g} s",
        ),
        ours=True,
    ),
)


def _chart(title: str, y: str, y_label: str, *, y_log: bool = False) -> Chart:
    """Return a panel over the number of processes, with a line for each algorithm and interval."""
    shown = INTERVALS if y == "delay_s" else (USUAL_S,)
    return Chart(
        title=title,
        x="n",
        y=y,
        x_label="processes",
        y_label=y_label,
        series=["algorithm", "interval_s"],
        names={
            (name, interval): (f"{name}, every {interval:g} s" if y == "delay_s" else name) if interval in shown else ""
            for name in ALGORITHMS
            for interval in INTERVALS
        },
        y_log=y_log,
    )


SPS = Experiment(
    name="sps-tradeoff",
    paper="ours",
    figure="beside 002",
    title="Waiting at the sender against stamps",
    about=f"Each process sends to {DESTS[0]} to {DESTS[1]} others, at exponential intervals; latency uniform from 0.1 "
    f"to 0.9 s, channels that reorder. Stamps and packets at an interval of {USUAL_S:g} s. The measured part begins "
    "when as many deliveries have happened as messages are sent.",
    grid=_grid(False),
    quick=_grid(True),
    measure=measure,
    charts=[
        _chart("the size of a stamp", "bytes", "bytes of a stamp", y_log=True),
        _chart("all control integers of a message", "integers", "integers on all packets of a message", y_log=True),
        _chart("packets beside those with the message", "packets", "control packets per message"),
        _chart("time until delivery", "delay_s", "seconds from send to delivery"),
    ],
    claims=CLAIMS,
    cost=lambda point: float(point["messages"]) * (float(point["n"]) if point["algorithm"] == "ks" else 5.0),
)
