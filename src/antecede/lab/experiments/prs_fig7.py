"""Declare Figure 7 of paper 000: the barrier over inter-message time, by number of destinations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from antecede.lab.claims import at, difference, explanation, largest, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, PaperValue, Point
from antecede.lab.experiments.prs import (
    BEST,
    INTERVAL,
    INTERVALS,
    NAMES,
    OF_N_SQUARED,
    PRINTED,
    SPREAD,
    TRIED,
    cost,
    make_point,
    measure,
    size,
)
from antecede.lab.experiments.prs_readings import READINGS

DESTS = ((1, 9), (6, 14), (11, 19))
FIG7_STATED = {(1, 9): 0.62, (6, 14): 0.36, (11, 19): 0.20}
MEANS = {(1, 9): 5, (6, 14): 10, (11, 19): 15}


def _points(quick: bool) -> Sequence[Point]:
    intervals = (0.5, 10.0) if quick else (0.1, *INTERVALS, 30.0, 120.0)
    printed = [make_point(interval=i, dests=d, quick=quick) for d in DESTS for i in intervals]
    readings = (BEST,) if quick else READINGS[1:]
    tried = [make_point(interval=10.0, dests=d, reading=one, quick=quick) for one in readings for d in DESTS]
    if not quick:
        tried += [make_point(interval=i, dests=d, reading=BEST) for d in DESTS for i in (0.5, 1.0, 3.0)]
    return printed + tried


def _claims() -> Iterator[Claim]:
    for dests, stated in FIG7_STATED.items():
        name, mean = f"{dests[0]}-{dests[1]}", MEANS[dests]
        first, last = (size(interval=i, dests=name) for i in (0.5, 10.0))
        yield Claim(
            f"prs-fig7-{mean}",
            f"At an inter-message time of 10, messages to {mean} destinations on average carry {stated} N² tuples.",
            "000 §7.4",
            f"{stated:.2f}",
            within(last, stated, tolerance=SPREAD * stated),
        )
        yield Claim(
            f"prs-fig7-any-propagation-{mean}",
            f"Ours: there is a propagation mean with which it is as large ({mean} destinations).",
            "000 §7.4",
            f"{stated:.2f} or more",
            trend(
                largest("of_n_squared", dests=name, reading=PRINTED),
                above=stated * (1 - SPREAD),
                words="the largest over all inter-message times",
            ),
            ours=True,
        )
        yield Claim(
            f"prs-fig7-tried-{mean}",
            f"The same, read so that step 3 adds and step 8 is left out ({mean} destinations).",
            "000 §7.4",
            f"{stated:.2f}",
            explanation(at("of_n_squared", interval=10.0, dests=name, reading=BEST), stated, tolerance=SPREAD * stated),
        )
        yield Claim(
            f"prs-fig7-falls-{mean}",
            f"More time between messages, a smaller barrier ({mean} destinations).",
            "000 §7.4",
            "falls",
            trend(difference(last, first), below=0.0, words="at 10 less at 0.5"),
        )
    few, many = (size(interval=10.0, dests=name) for name in ("1-9", "11-19"))
    yield Claim(
        "prs-fig7-dests",
        "The more destinations, the smaller the barrier.",
        "000 §7.4",
        "falls",
        trend(difference(many, few), below=0.0, words="15 destinations less 5, at 10"),
    )
    change_many, change_few = (
        difference(size(interval=0.5, dests=name), size(interval=10.0, dests=name)) for name in ("11-19", "1-9")
    )
    yield Claim(
        "prs-fig7-impact",
        "The more destinations, the more the inter-message time matters.",
        "000 §7.4",
        "more",
        trend(
            difference(change_many, change_few), above=0.0, words="fall from 0.5 to 10: of 15 less of 5 destinations"
        ),
    )


FIG7 = Experiment(
    name="prs-fig7",
    paper="000",
    figure="Figure 7",
    title="Size of the causal barrier over inter-message time, by number of destinations",
    about="N = 20; destinations uniform from 1 to 9, 6 to 14, 11 to 19. The propagation mean is not stated: 1. Another "
    "stretches the axis, so inter-message times from 0.1 to 120 stand for means from 1/12 to 100 at the paper's 10.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[
        Chart(
            title="as printed, and the reading that fits best",
            x="interval",
            y="of_n_squared",
            x_label=INTERVAL,
            y_label=OF_N_SQUARED,
            series=["dests", "reading"],
            where={"n": 20},
            names={
                **{(f"{a}-{b}", PRINTED): f"U[{a}, {b}], measured" for a, b in DESTS},
                **{(f"{a}-{b}", BEST): f"U[{a}, {b}], tried: step 3 adds, no step 8" for a, b in DESTS},
                **{(f"{a}-{b}", one): "" for a, b in DESTS for one in READINGS if one not in (PRINTED, BEST)},
            },
            dashed=[f"U[{a}, {b}], tried: step 3 adds, no step 8" for a, b in DESTS],
            stated=[PaperValue(f"paper: {v:.2f} for U[{a}, {b}]", v, x=10.0) for (a, b), v in FIG7_STATED.items()],
            x_log=True,
        ),
        Chart(
            title="explanations tried, at 10",
            x="dests",
            y="of_n_squared",
            x_label="number of destinations, uniform",
            y_label=OF_N_SQUARED,
            series=["reading"],
            where={"interval": 10.0},
            names=NAMES,
            stated=[PaperValue(f"paper: {v:.2f}", v, x=float(number)) for number, v in enumerate(FIG7_STATED.values())],
            bars=True,
        ),
    ],
    claims=list(_claims()),
    tried=TRIED,
    cost=cost,
)

EXPERIMENTS = (FIG7,)
