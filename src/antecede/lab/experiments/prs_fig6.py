"""Declare Figure 6 of paper 000: the barrier over inter-message time, with uneven rates of sending."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from antecede.lab.claims import ratio, report_only
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments.prs import (
    INTERVAL,
    OF_N_SQUARED,
    QUICK_INTERVALS,
    SELECTED,
    cost,
    make_point,
    measure,
    size,
)


def _points(quick: bool) -> Sequence[Point]:
    intervals = QUICK_INTERVALS if quick else (0.5, 1.0, 2.0, 4.0, 7.0, 10.0)
    return [
        make_point(interval=i, selectivity=s, ratio=r, quick=quick)
        for r in (1, 3)
        for s in (0, 95, 100)
        for i in intervals
    ]


def _claims() -> Iterator[Claim]:
    for selectivity in (0, 95, 100):
        for interval in QUICK_INTERVALS:
            uneven, even = (size(interval=interval, selectivity=selectivity, ratio=r) for r in (3, 1))
            yield Claim(
                f"prs-fig6-same-{selectivity}-{interval:g}",
                f"Odd processes at three times the rate of even ones make no perceptible difference "
                f"({SELECTED[selectivity]}, at {interval:g}).",
                "000 §7.3",
                "no perceptible difference",
                report_only(ratio(uneven, even), words="uneven divided by even rates"),
                outside="the paper does not say how large a difference is perceptible",
            )


FIG6 = Experiment(
    name="prs-fig6",
    paper="000",
    figure="Figure 6",
    title="Size of the causal barrier with uneven rates of sending",
    about="As Figure 5, with odd processes at three times the rate of even ones and the same mean rate; beside it, "
    "even rates.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[
        Chart(
            title="",
            x="interval",
            y="of_n_squared",
            x_label=INTERVAL,
            y_label=OF_N_SQUARED,
            series=["selectivity", "ratio"],
            names={
                (s, r): f"{SELECTED[s]}, {'rates 3:1' if r == 3 else 'even rates'}"
                for s in (0, 95, 100)
                for r in (1, 3)
            },
            dashed=[f"{SELECTED[s]}, even rates" for s in (0, 95, 100)],
            stated=[],
        )
    ],
    claims=list(_claims()),
    cost=cost,
)

EXPERIMENTS = (FIG6,)
