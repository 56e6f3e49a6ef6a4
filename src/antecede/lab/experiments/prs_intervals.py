"""Declare Figures 5 to 7 of paper 000: the barrier over inter-message time.

Figure 5 has it by selectivity of destinations (§7.2), Figure 6 with uneven rates of sending (§7.3), and Figure 7 by
number of destinations (§7.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from antecede.lab.claims import (
    Judge,
    Values,
    at,
    at_most,
    difference,
    explanation,
    largest,
    ratio,
    smallest,
    trend,
    within,
)
from antecede.lab.experiment import Chart, Claim, Finding, Outcome, PaperValue, Point
from antecede.lab.experiments.prs import (
    BEST,
    OTHER_READINGS,
    PRINTED,
    SELECTED,
    SINGLE_READINGS,
    SPREAD,
    TRIED,
    barrier_chart,
    declare_figure,
    make_point,
    select_readings,
    size,
    spread_claim,
)
from antecede.lab.experiments.prs_readings import READINGS
from antecede.lab.results import Results, estimate

INTERVAL = "mean inter-message time / mean propagation time"
INTERVALS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
QUICK_INTERVALS = (0.5, 10.0)
SELECTIVITIES = (0, 50, 80, 95, 100)


def _points_5(quick: bool) -> Sequence[Point]:
    selectivities, intervals = ((0, 80, 95, 100), QUICK_INTERVALS) if quick else (SELECTIVITIES, INTERVALS)
    printed = [make_point(interval=i, selectivity=s, quick=quick) for s in selectivities for i in intervals]
    tried = [] if quick else [
        make_point(interval=i, selectivity=s, reading=BEST) for s in (0, 95, 100) for i in (0.5, 1.0, 3.0, 10.0)
    ]  # fmt: skip
    return printed + tried


def _claims_5() -> Iterator[Claim]:
    yield spread_claim("fig5")
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
        "With full selectivity it cannot exceed N²/4.",
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
    for selectivity in SELECTIVITIES:
        first, last = (size(interval=i, selectivity=selectivity) for i in (0.5, 10.0))
        yield Claim(
            f"prs-fig5-falls-{selectivity}",
            f"The barrier shrinks as the inter-message time grows (selectivity: {SELECTED[selectivity]}).",
            "000 §7.2",
            "falls",
            trend(difference(last, first), below=0.0, words="at 10 less at 0.5"),
        )
    for interval in (0.5, 10.0):
        for selectivity in SELECTIVITIES[1:]:
            uniform, selective = (size(interval=interval, selectivity=s) for s in (0, selectivity))
            yield Claim(
                f"prs-fig5-selective-{selectivity}-{interval:g}",
                f"More selectivity, a smaller barrier ({selectivity} % against uniform, at {interval:g}).",
                "000 §7.2",
                "falls",
                trend(difference(selective, uniform), below=0.0, words=f"{selectivity} % less uniform"),
            )


FIG5_STATED = (
    PaperValue("paper: never above 70 %", 0.7),
    PaperValue("paper: 10 to 15 %, full selectivity", 0.10, 0.15, x=0.5, x_end=10.0),
)
TRENDS_5 = (
    " **Trends** are judged by the ends of the axis, 0.5 and 10, and each selectivity against uniform destinations. "
    "Between the ends, barriers with 50 and with 80 % selectivity grow until 2 and shrink from there on, but at 10 "
    "they are still larger than at 0.5. With uniform destinations they shrink from 2 on, to less than at 0.5."
)
FIG5 = declare_figure(
    name="prs-fig5",
    figure="Figure 5",
    title="Size of the causal barrier over inter-message time, by selectivity of destinations",
    about="N = 20; destinations uniform from 1 to 9; with x % selectivity that part of the messages go to processes of "
    "the sender's parity alone. The propagation mean is not stated: 1.",
    grid=_points_5(False),
    quick=_points_5(True),
    charts=[
        barrier_chart(
            title=title,
            x="interval",
            x_label=INTERVAL,
            series=["selectivity"],
            where={"reading": reading},
            names={s: f"{SELECTED[s]}, {word}" for s in SELECTIVITIES},
            dashed=[f"{SELECTED[s]}, tried" for s in SELECTIVITIES],
            stated=FIG5_STATED,
        )
        for title, reading, word in (
            ("as printed", PRINTED, "measured"),
            ("tried: step 3 adds, no step 8", BEST, "tried"),
        )
    ],
    claims=list(_claims_5()),
    tried=TRIED + TRENDS_5,
)


def _points_6(quick: bool) -> Sequence[Point]:
    intervals = QUICK_INTERVALS if quick else (0.5, 1.0, 2.0, 4.0, 7.0, 10.0)
    return [
        make_point(interval=i, selectivity=s, ratio=r, quick=quick)
        for r in (1, 3)
        for s in (0, 95, 100)
        for i in intervals
    ]


def _claims_6() -> Iterator[Claim]:
    yield spread_claim("fig6")
    for selectivity in (0, 95, 100):
        for interval in QUICK_INTERVALS:
            uneven, even = (size(interval=interval, selectivity=selectivity, ratio=r) for r in (3, 1))
            yield Claim(
                f"prs-fig6-same-{selectivity}-{interval:g}",
                f"Odd processes at three times the rate of even ones make no perceptible difference "
                f"({SELECTED[selectivity]}, at {interval:g}).",
                "000 §7.3",
                "no perceptible difference",
                _imperceptible(uneven, even),
            )


def _imperceptible(uneven: Values, even: Values) -> Judge:
    """Return a judge of the claim that two sizes are within the four per cent of §7 of each other.

    The paper does not say of what the four per cent are. As `spreads_within` does, the judge reads them as a share of
    the size with even rates, and as a share of N x N. If the two readings differ, the claim is undecided.
    """
    readings = (
        trend(ratio(uneven, even), above=1 - SPREAD, below=1 + SPREAD),
        trend(difference(uneven, even), above=-SPREAD, below=SPREAD),
    )

    def judge(results: Results) -> Finding:
        of_mean, of_whole = (reading(results) for reading in readings)
        agree = (of_mean.outcome, of_mean.holds) == (of_whole.outcome, of_whole.holds)
        share = estimate([one - two for one, two in zip(uneven(results), even(results), strict=True)])
        words = (
            "uneven divided by even rates; as a share of N² the difference is "
            f"{share.mean:.2g} ({share.low:.2g} to {share.high:.2g}); not perceptible: within the four per cent of §7"
        )
        return Finding(
            of_mean.outcome if agree else Outcome.UNDECIDED, of_mean.holds and agree, of_mean.measured, words
        )

    return judge


TRIED_6 = """\
Nothing beside the comparison itself. **What was measured:** the size of the barrier with uneven rates divided \
by that with even rates, seed by seed, for three selectivities and at both ends of the axis. **Against what:** the \
paper says "did not have any perceptible impact" and names no size; its text gives no values of Figure 6. The only \
measure of its own is that runs are within four per cent of each other (§7), so a difference is called perceptible \
beyond that. The paper does not say of what the four per cent are, so each difference is judged in two readings, as \
the differences between runs are: as a part of the barrier with even rates, and as a share of N². **What is \
undecided:** as a share of N², all six differences are within the four per cent with their whole interval. As a part \
of the barrier, two are; the other four intervals reach to both sides of that bound, so these four depend on the \
reading: with uniform destinations barriers are about 5 % smaller, with selective ones about 3 % larger. None of the \
18 pairs that are drawn is more than 8 % away from even rates.\
"""


FIG6 = declare_figure(
    name="prs-fig6",
    figure="Figure 6",
    title="Size of the causal barrier with uneven rates of sending",
    about="As Figure 5, with odd processes at three times the rate of even ones and the same mean rate; beside it, "
    "even rates.",
    grid=_points_6(False),
    quick=_points_6(True),
    charts=[
        barrier_chart(
            title="",
            x="interval",
            x_label=INTERVAL,
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
    claims=list(_claims_6()),
    tried=TRIED_6,
)


TRENDS_7 = (
    " **Trends** are judged from 0.5 to 10. Below that, from 0.1 to 0.5, all three curves rise, by 8 to 14 % of N²: "
    "barriers are smaller with the most traffic. The paper's text does not say where its axis begins."
)
FIG7_STATED = {(1, 9): 0.62, (6, 14): 0.36, (11, 19): 0.20}
MEANS = {(1, 9): 5, (6, 14): 10, (11, 19): 15}


def _points_7(quick: bool) -> Sequence[Point]:
    intervals = (0.5, 10.0) if quick else (0.1, *INTERVALS, 30.0, 120.0)
    printed = [make_point(interval=i, dests=d, quick=quick) for d in FIG7_STATED for i in intervals]
    readings = (BEST,) if quick else READINGS[1:]
    tried = [make_point(interval=10.0, dests=d, reading=one, quick=quick) for one in readings for d in FIG7_STATED]
    if not quick:
        tried += [make_point(interval=i, dests=d, reading=BEST) for d in FIG7_STATED for i in (0.5, 1.0, 3.0)]
    return printed + tried


def _claims_7() -> Iterator[Claim]:
    yield spread_claim("fig7")
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


def _chart_7(title: str, *, beyond: bool) -> Chart:
    """Return a panel of Figure 7, with the axis of the paper, 0 to 10, or with the whole range on a logarithmic one."""
    readings = (PRINTED,) if beyond else (PRINTED, BEST)
    words = {PRINTED: "measured", BEST: "tried: step 3 adds, no step 8"}
    return barrier_chart(
        title=title,
        x="interval",
        x_label=INTERVAL,
        series=["dests", "reading"],
        where={"n": 20},
        names={
            (f"{a}-{b}", one): f"U[{a}, {b}], {words[one]}" if one in readings else ""
            for a, b in FIG7_STATED
            for one in READINGS
        },
        dashed=[f"U[{a}, {b}], {words[BEST]}" for a, b in FIG7_STATED],
        stated=[PaperValue(f"paper: {100 * v:.0f} % for U[{a}, {b}]", v, x=10.0) for (a, b), v in FIG7_STATED.items()],
        x_log=beyond,
        x_max=None if beyond else 10.0,
    )


FIG7 = declare_figure(
    name="prs-fig7",
    figure="Figure 7",
    title="Size of the causal barrier over inter-message time, by number of destinations",
    about="N = 20; destinations uniform from 1 to 9, 6 to 14, 11 to 19. The propagation mean is not stated: 1. Another "
    "stretches the axis, so inter-message times from 0.1 to 120 stand for means from 1/12 to 100 at the paper's 10.",
    grid=_points_7(False),
    quick=_points_7(True),
    charts=[
        _chart_7("the paper's axis", beyond=False),
        _chart_7("beyond it: other propagation means", beyond=True),
        *(
            barrier_chart(
                title=f"{title}, at 10",
                x="dests",
                x_label="number of destinations, uniform",
                series=["reading"],
                where={"interval": 10.0},
                names=select_readings(readings),
                stated=[
                    PaperValue(f"paper: {100 * v:.0f} %", v, x=float(number))
                    for number, v in enumerate(FIG7_STATED.values())
                ],
                bars=True,
            )
            for title, readings in (
                ("single steps read otherwise", SINGLE_READINGS),
                ("other explanations tried", OTHER_READINGS),
            )
        ),
    ],
    claims=list(_claims_7()),
    tried=TRIED + TRENDS_7,
)
