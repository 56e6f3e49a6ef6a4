"""Paper 000 (Prakash, Raynal, Singhal) §7: how large causal barriers are. Figures 4 to 7.

Stated there, and kept: a link between every two processes, exponential propagation, exponential time between messages,
a uniform number of destinations, the first 5,000 deliveries of the system discarded and the next 10,000 measured, five
seeds a point. The measure is the tuples in the barrier of a message, of N x N.

Not stated: the mean propagation time of Figures 5 to 7. It is 1 here. Nothing else in the world has a unit of time, so
another mean would do nothing but stretch the axis of inter-message times.
"""

from __future__ import annotations

from collections.abc import Sequence

from antecede.lab.claims import at, difference, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point, Stated
from antecede.sim import Distribution, Network, Parameters, Workload, simulate

WARMUP, DELIVERIES = 5_000, 10_000
QUICK_WARMUP, QUICK_DELIVERIES = 1_500, 2_500
OF_N_SQUARED = "tuples in the barrier / N²"
INTERVAL = "mean inter-message time / mean propagation time"


def point(
    *,
    n: int = 20,
    propagation: float = 1.0,
    interval: float = 1.0,
    dests: tuple[int, int] = (1, 9),
    selectivity: int = 0,
    ratio: int = 1,
    quick: bool = False,
) -> Point:
    return {
        "n": n,
        "propagation": round(propagation, 4),
        "interval": interval,
        "dests_min": dests[0],
        "dests_max": dests[1],
        "selectivity": selectivity,
        "ratio": ratio,
        "warmup": QUICK_WARMUP if quick else WARMUP,
        "deliveries": QUICK_DELIVERIES if quick else DELIVERIES,
    }


def parameters(given: Point, seed: int) -> Parameters:
    return Parameters(
        algorithm="prs",
        processes=int(given["n"]),
        seed=seed,
        messages=None,
        warmup=int(given["warmup"]),
        deliveries=int(given["deliveries"]),
        network=Network(latency=Distribution("exponential", float(given["propagation"]))),
        workload=Workload(
            interval=Distribution("exponential", float(given["interval"])),
            ratio=float(given["ratio"]),
            dests=(int(given["dests_min"]), int(given["dests_max"])),
            selectivity=float(given["selectivity"]) / 100,
        ),
        weigh_bytes=False,
    )


def measure(given: Point, seed: int) -> dict[str, float | None]:
    found = simulate(parameters(given, seed))
    n = int(given["n"])
    return {
        "of_n_squared": found.of_n_squared,
        "of_n_squared_per_copy": None if found.entries_per_copy_mean is None else found.entries_per_copy_mean / n**2,
        "held_share": found.held_share,
        "delay_mean_s": found.delay_mean_s,
    }


def cost(given: Point) -> float:
    return float(given["n"]) * float(given["deliveries"])


SIZES = (10, 20, 30)
PROPAGATIONS = (1 / 12, 1 / 6, 1 / 4, 1 / 2, 3 / 4, 1.0, 1.5, 2.0, 2.5, 3.0)


def _fig4(quick: bool) -> Sequence[Point]:
    propagations = (1 / 12, 1.0, 3.0) if quick else PROPAGATIONS
    return [point(n=n, propagation=p, dests=(1, n - 1), quick=quick) for n in SIZES for p in propagations]


def _fig4_claims() -> Sequence[Claim]:
    small, large = round(PROPAGATIONS[0], 4), 3.0
    return [
        *(
            Claim(
                f"prs-fig4-small-{n}",
                f"With a propagation time that is a small part of the inter-message time, {n} processes send 0.2 to "
                "0.4 N² tuples with a message.",
                "000 §7.1",
                "0.2 to 0.4",
                within(at("of_n_squared", n=n, propagation=small), 0.2, 0.4, tolerance=0.01),
            )
            for n in SIZES
        ),
        *(
            Claim(
                f"prs-fig4-large-{n}",
                f"With a propagation time of three inter-message times, {n} processes send about 0.9 N² tuples.",
                "000 §7.1",
                "about 0.9",
                within(at("of_n_squared", n=n, propagation=large), 0.9, tolerance=0.05),
            )
            for n in SIZES
        ),
        *(
            Claim(
                f"prs-fig4-rises-{n}",
                f"The barrier grows with the propagation time ({n} processes).",
                "000 §7.1",
                "rises",
                trend(
                    difference(at("of_n_squared", n=n, propagation=large), at("of_n_squared", n=n, propagation=small)),
                    above=0.0,
                    words="the barrier at 3 less that at 1/12",
                ),
            )
            for n in SIZES
        ),
    ]


FIG4 = Experiment(
    name="prs-fig4",
    paper="000",
    figure="Figure 4",
    title="Size of the causal barrier over propagation time",
    about="N = 10, 20, 30; destinations uniform from 1 to N - 1; a message per process and unit of time.",
    grid=_fig4(False),
    quick=_fig4(True),
    measure=measure,
    charts=[
        Chart(
            title="",
            x="propagation",
            y="of_n_squared",
            x_label="mean propagation time / mean inter-message time",
            y_label=OF_N_SQUARED,
            series=["n"],
            names={n: f"N = {n}, measured" for n in SIZES},
            stated=[
                Stated("paper: 0.2 to 0.4", 0.2, 0.4, x=1 / 12, x_end=0.25),
                Stated("paper: about 0.9", 0.9, x=3.0),
            ],
        )
    ],
    claims=_fig4_claims(),
    cost=cost,
)

EXPERIMENTS = (FIG4,)
