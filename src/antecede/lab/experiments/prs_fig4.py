"""Declare Figure 4 of paper 000: the barrier over propagation time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from antecede.lab.claims import at, difference, in_all, trend, within
from antecede.lab.experiment import Claim, Finding, PaperValue, Point
from antecede.lab.experiments.prs import (
    BEST,
    NAMES,
    OTHER_READINGS,
    PRINTED,
    ROUNDING,
    SINGLE_READINGS,
    TRIED,
    barrier_chart,
    declare_figure,
    make_point,
    select_readings,
    spread_claim,
)
from antecede.lab.experiments.prs_readings import READINGS
from antecede.lab.results import MissingResult, Results

SIZES = (10, 20, 30)
PROPAGATIONS = (1 / 12, 1 / 6, 1 / 4, 1 / 2, 3 / 4, 1.0, 1.5, 2.0, 2.5, 3.0)
SMALL, LARGE = round(1 / 12, 4), 3.0
VERY_SMALL = {"1/12": 1 / 12, "1/6": 1 / 6, "1/4": 1 / 4}
"""What a very small part of the inter-message time may be, which the paper does not say."""


def _points(quick: bool) -> Sequence[Point]:
    propagations = (1 / 12, 1.0, 3.0) if quick else PROPAGATIONS
    printed = [make_point(n=n, propagation=p, dests=(1, n - 1), quick=quick) for n in SIZES for p in propagations]
    readings, at_ = ((BEST,), (1 / 12, 3.0)) if quick else (READINGS[1:], (1 / 12, 1 / 4, 1.0, 2.0, 3.0))
    tried = [make_point(propagation=p, dests=(1, 19), reading=one, quick=quick) for one in readings for p in at_]
    return printed + tried


def _judge_very_small(results: Results, n: int) -> Finding:
    """Judge the size of the barrier at each of `VERY_SMALL` that was measured. A quick run has one of them."""
    measured = results.select(n=n, reading=PRINTED).distinct("propagation")
    parts = {words: round(part, 4) for words, part in VERY_SMALL.items() if round(part, 4) in measured}
    if not parts:
        raise MissingResult(f"no very small part was measured with {n} processes")
    judges = {
        f"a part of {words}": within(
            at("of_n_squared", n=n, propagation=part, reading=PRINTED), 0.2, 0.4, tolerance=ROUNDING
        )
        for words, part in parts.items()
    }
    return in_all(judges)(results)


def _claims() -> Iterator[Claim]:
    yield spread_claim("fig4")
    for n in SIZES:
        small, large = (at("of_n_squared", n=n, propagation=p, reading=PRINTED) for p in (SMALL, LARGE))
        yield Claim(
            f"prs-fig4-small-{n}",
            f"Where propagation takes a very small part of the inter-message time, {n} processes send 0.2 to 0.4 N² "
            "tuples with a message.",
            "000 §7.1",
            "0.2 to 0.4",
            partial(_judge_very_small, n=n),
        )
        yield Claim(
            f"prs-fig4-large-{n}",
            f"With a propagation time of three inter-message times, {n} processes send about 0.9 N² tuples.",
            "000 §7.1",
            "about 0.9",
            within(large, 0.9, tolerance=0.05),
        )
        yield Claim(
            f"prs-fig4-rises-{n}",
            f"The barrier grows with the propagation time ({n} processes).",
            "000 §7.1",
            "rises",
            trend(difference(large, small), above=0.0, words="the barrier at 3 less that at 1/12"),
        )


FIG4_STATED = (
    PaperValue("paper: 20 to 40 %", 0.2, 0.4, x=0.04, x_end=0.25),
    PaperValue("paper: about 90 %", 0.9, x=3.0),
)
TRENDS_4 = (
    " **Trends** are judged by the ends of the axis, 1/12 and 3. From 2 to 3 barriers do not grow: with 10 processes "
    "they shrink by 2 % and with 30 by 4 %, and with 20 no difference is seen."
)
FIG4 = declare_figure(
    name="prs-fig4",
    figure="Figure 4",
    title="Size of the causal barrier over propagation time",
    about="N = 10, 20, 30; destinations uniform from 1 to N - 1; one message per process and unit of time. The "
    "other panels have N = 20 with steps of the algorithm, or the network, read otherwise.",
    grid=_points(False),
    quick=_points(True),
    charts=[
        barrier_chart(
            title="as printed",
            x="propagation",
            x_label="mean propagation time / mean inter-message time",
            series=["n"],
            where={"reading": PRINTED},
            names={n: f"N = {n}, measured" for n in SIZES},
            stated=FIG4_STATED,
        ),
        *(
            barrier_chart(
                title=f"{title}, N = 20",
                x="propagation",
                x_label="mean propagation time / mean inter-message time",
                series=["reading"],
                where={"n": 20},
                names=select_readings(readings),
                dashed=tuple(NAMES.values())[1:],
                stated=FIG4_STATED,
            )
            for title, readings in (
                ("single steps read otherwise", SINGLE_READINGS),
                ("other explanations tried", OTHER_READINGS),
            )
        ),
    ],
    claims=list(_claims()),
    tried=TRIED + TRENDS_4,
)
