"""Declare Figure 5 of paper 000: the barrier over inter-message time, by selectivity of destinations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from antecede.lab.claims import at_most, difference, largest, ratio, smallest, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, PaperValue, Point
from antecede.lab.experiments.prs import (
    BEST,
    INTERVAL,
    INTERVALS,
    OF_N_SQUARED,
    PRINTED,
    QUICK_INTERVALS,
    SELECTED,
    TRIED,
    cost,
    make_point,
    measure,
    size,
)

SELECTIVITIES = (0, 50, 80, 95, 100)


def _points(quick: bool) -> Sequence[Point]:
    selectivities, intervals = ((0, 80, 95, 100), QUICK_INTERVALS) if quick else (SELECTIVITIES, INTERVALS)
    printed = [make_point(interval=i, selectivity=s, quick=quick) for s in selectivities for i in intervals]
    tried = [] if quick else [
        make_point(interval=i, selectivity=s, reading=BEST) for s in (0, 95, 100) for i in (0.5, 1.0, 3.0, 10.0)
    ]  # fmt: skip
    return printed + tried


def _claims() -> Iterator[Claim]:
    full = {"reading": PRINTED, "selectivity": 100}
    yield Claim(
        "prs-fig5-never-above",
        "In no situation is the barrier larger than 0.7 N².",
        "000 §7.2",
        "at most 0.7",
        at_most(largest("of_n_squared", reading=PRINTED), 0.7, words="the largest of all points"),
    )
    yield Claim(
        "prs-fig5-full-bound",
        "With full selectivity it can not exceed N²/4.",
        "000 §7.2",
        "at most 0.25",
        at_most(largest("of_n_squared", **full), 0.25, words="the largest over inter-message times"),
    )
    for which, values in (("most", largest("of_n_squared", **full)), ("least", smallest("of_n_squared", **full))):
        yield Claim(
            f"prs-fig5-full-{which}",
            f"With full selectivity it is actually 0.10 to 0.15 N² (the {which} over inter-message times).",
            "000 §7.2",
            "0.10 to 0.15",
            within(values, 0.10, 0.15, tolerance=0.005),
        )
    gains = ratio(
        difference(size(interval=10.0, selectivity=0), size(interval=10.0, selectivity=95)),
        difference(size(interval=10.0, selectivity=0), size(interval=10.0, selectivity=100)),
    )
    yield Claim(
        "prs-fig5-95-gains-little",
        "95 % selectivity gains little beside full selectivity.",
        "000 §7.2",
        "small",
        trend(gains, below=0.5, words="gain of 95 % as part of the gain of 100 %, at 10"),
    )
    for selectivity in (0, 95, 100):
        first, last = (size(interval=i, selectivity=selectivity) for i in (0.5, 10.0))
        yield Claim(
            f"prs-fig5-falls-{selectivity}",
            f"The barrier shrinks as the inter-message time grows (selectivity: {SELECTED[selectivity]}).",
            "000 §7.2",
            "falls",
            trend(difference(last, first), below=0.0, words="at 10 less at 0.5"),
        )
    for interval in (0.5, 10.0):
        for selectivity in (80, 95):
            uniform, selective = (size(interval=interval, selectivity=s) for s in (0, selectivity))
            yield Claim(
                f"prs-fig5-selective-{selectivity}-{interval:g}",
                f"More selectivity, a smaller barrier ({selectivity} % against uniform, at {interval:g}).",
                "000 §7.2",
                "falls",
                trend(difference(selective, uniform), below=0.0, words=f"{selectivity} % less uniform"),
            )


FIG5_STATED = (
    PaperValue("paper: never above 0.7", 0.7),
    PaperValue("paper: 0.10 to 0.15 at 100 %", 0.10, 0.15, x=0.5, x_end=10.0),
)
FIG5 = Experiment(
    name="prs-fig5",
    paper="000",
    figure="Figure 5",
    title="Size of the causal barrier over inter-message time, by selectivity of destinations",
    about="N = 20; destinations uniform from 1 to 9; with x % selectivity that part of the messages go to processes of "
    "the sender's parity alone. The propagation mean is not stated: 1.",
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
            series=["selectivity", "reading"],
            names={
                **{(s, PRINTED): f"{SELECTED[s]}, measured" for s in SELECTIVITIES},
                **{(s, BEST): f"{SELECTED[s]}, tried: step 3 adds, no step 8" for s in SELECTIVITIES},
            },
            dashed=[f"{SELECTED[s]}, tried: step 3 adds, no step 8" for s in SELECTIVITIES],
            stated=FIG5_STATED,
        )
    ],
    claims=list(_claims()),
    tried=TRIED,
    cost=cost,
)

EXPERIMENTS = (FIG5,)
