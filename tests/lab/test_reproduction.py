"""What the kept results decide, and what the page counts: a claim is against a paper only if a run of it decided so."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

from antecede.lab import pages
from antecede.lab.claims import judge_claims
from antecede.lab.experiments import experiment_names, find_experiment
from antecede.lab.experiments.av_fig2 import excess_over_minimum
from antecede.lab.experiments.errata_forms import FORMS
from antecede.lab.experiments.prs import SPREAD
from antecede.lab.results import Estimate, Results, estimate, read_results
from tests.papers.coverage.claims import MEASURED
from tests.paths import ROOT

KEPT = ROOT / "docs" / "reproduction"
MADE: list[dict[str, Any]] = [
    json.loads((KEPT / name / "claims.json").read_text(encoding="utf-8"))
    for name in experiment_names()
    if (KEPT / name).is_dir()
]
CLAIMS: dict[str, dict[str, Any]] = {claim["id"]: claim for one in MADE for claim in one["claims"]}
DECLARED = {claim.id: claim for name in experiment_names() for claim in find_experiment(name).claims}
OUTCOMES = {"reproduced", "not reproduced", "undecided", "qualitative", "tried"}
HAVE_A_CLAIM = {
    "0.28": "prs-fig4-spread",
    "0.30": "prs-barriers-integers",
    "0.32": "prs-barriers-persists-10",
    "0.33": "prs-fig6-same-0-0.5",
    "0.36": "ks-growth-computation-prs",
    "0.53": "av-factors-air-bytes-prs-mobile",
    "1.11": "av-factors-host-steps-av1",
    "1.18": "av-factors-away-av1",
    "1.26": "av-table1-storage-bytes-less",
    "1.29": "av-factors-comparable",
    "2.36": "ks-cost-receive",
    "2.38": "ks-cost-family",
    "3.14": "mr-tradeoff-timers",
    "3.25": "mr-tradeoff-memory",
}
"""Items of the coverage page that are claims about measurements, and a claim that judges each."""


@pytest.mark.parametrize("item", MEASURED)
def test_what_works_because_it_was_measured_holds(item: str) -> None:
    assert [name for name in MEASURED[item] if not CLAIMS[name]["holds"]] == []


@pytest.mark.parametrize("item", HAVE_A_CLAIM)
def test_what_a_paper_says_of_its_measurements_is_judged(item: str) -> None:
    claim = DECLARED[HAVE_A_CLAIM[item]]
    assert not claim.ours
    assert claim.where.startswith(f"00{item[0]} ")


def test_a_claim_has_one_of_four_outcomes_and_what_was_tried_is_no_claim() -> None:
    assert {claim["outcome"] for claim in CLAIMS.values()} <= OUTCOMES


def test_nothing_that_does_not_hold_has_an_interval_with_both_sides() -> None:
    """The trends that fail are differences from zero, or ratios to one, or shares: none of these is in the interval."""
    failed = [one for one in CLAIMS.values() if one["outcome"] == "qualitative" and not one["holds"]]
    assert failed
    for claim in failed:
        low, high = claim["confidence_95"]
        assert not low < 0.0 < high


@pytest.mark.parametrize(
    "name", ["prs-fig5-selective-95-0.5", "prs-fig5-selective-95-10", "mobile-header-bytes-av2-hosts"]
)
def test_trends_whose_interval_spans_the_bound_are_undecided(name: str) -> None:
    assert CLAIMS[name]["outcome"] == "undecided"


def kept(name: str) -> Results:
    """Return the results of an experiment that are kept."""
    return Results.from_table(read_results(KEPT / name))


def uneven_and_even(selectivity: float, interval: float) -> tuple[Sequence[float], Sequence[float]]:
    """Return the sizes of Figure 6 with uneven and with even rates, by seed."""
    uneven, even = (
        kept("prs-fig6").values("of_n_squared", selectivity=selectivity, interval=interval, ratio=ratio)
        for ratio in (3, 1)
    )
    return uneven, even


@pytest.mark.parametrize("selectivity", [0, 95, 100])
@pytest.mark.parametrize("interval", [0.5, 10.0])
def test_figure_6_is_judged_by_the_four_per_cent_of_the_paper_itself(selectivity: int, interval: float) -> None:
    """In two readings: as a part of the barrier, and as a share of N x N."""
    claim = CLAIMS[f"prs-fig6-same-{selectivity}-{interval:g}"]
    pairs = list(zip(*uneven_and_even(selectivity, interval), strict=True))
    part, share = estimate([one / two for one, two in pairs]), estimate([one - two for one, two in pairs])
    of_part, of_share = part.low > 1 - SPREAD and part.high < 1 + SPREAD, share.low > -SPREAD and share.high < SPREAD
    assert claim["confidence_95"] == pytest.approx([part.low, part.high])
    assert of_share
    assert (claim["outcome"], claim["holds"]) == ("qualitative" if of_part else "undecided", of_part)
    assert f"as a share of N² the difference is {share.mean:.2g} " in claim["words"]


def test_figure_6_says_how_many_comparisons_are_undecided_and_how_far_they_are() -> None:
    """The page says why it is not reproduced: two of six within four per cent, the others on both sides of it."""
    claims = [claim for name, claim in CLAIMS.items() if name.startswith("prs-fig6-same")]
    assert sorted(claim["outcome"] for claim in claims) == ["qualitative"] * 2 + ["undecided"] * 4
    for claim in claims:
        if claim["outcome"] == "undecided":
            low, high = claim["confidence_95"]
            assert low < 1 - SPREAD < high or low < 1 + SPREAD < high
    pairs = {(point["selectivity"], point["interval"]) for point in find_experiment("prs-fig6").grid}
    assert len(pairs) == 18
    for pair in pairs:
        found = estimate([one / two for one, two in zip(*uneven_and_even(*map(float, pair)), strict=True)])
        assert 0.92 < found.low < found.high < 1.08


def test_barriers_are_smaller_with_less_traffic_but_for_50_and_80_per_cent_selectivity() -> None:
    trends = {name: CLAIMS[name] for name in CLAIMS if re.match(r"prs-fig(4-rises|5-falls|7-falls)-", name)}
    assert len(trends) == 3 + 5 + 3
    assert {claim["outcome"] for claim in trends.values()} == {"qualitative"}
    against = [name for name, claim in trends.items() if not claim["holds"]]
    assert against == ["prs-fig5-falls-50", "prs-fig5-falls-80"]


def test_selectivity_makes_barriers_larger_at_50_and_80_per_cent_and_smaller_at_100() -> None:
    for selectivity, outcome in ((50, "does not hold"), (80, "does not hold"), (95, "undecided"), (100, "holds")):
        for interval in ("0.5", "10"):
            claim = CLAIMS[f"prs-fig5-selective-{selectivity}-{interval}"]
            found = (
                claim["outcome"] if claim["outcome"] != "qualitative" else ("does not hold", "holds")[claim["holds"]]
            )
            assert found == outcome


def sizes(figure: str, over: str, **where: object) -> dict[float, Sequence[float]]:
    """Return the sizes of a figure of 000 as printed, by the values on its axis."""
    rows = kept(figure).select(reading="printed", **where)
    return {place: rows.values("of_n_squared", **{over: place}) for place in sorted(rows.distinct(over))}


def change(first: Sequence[float], last: Sequence[float]) -> Estimate:
    return estimate([two - one for one, two in zip(first, last, strict=True)])


def test_between_the_ends_figures_4_5_and_7_go_as_the_page_says() -> None:
    """Trends are judged by their ends."""
    of_fig4 = {n: sizes("prs-fig4", "propagation", n=n) for n in (10, 20, 30)}
    found = {n: change(of[2.0], of[3.0]) for n, of in of_fig4.items()}
    assert found[10].high < 0
    assert found[20].low < 0 < found[20].high
    assert found[30].high < 0
    assert [round(-100 * found[n].mean / estimate(of_fig4[n][2.0]).mean) for n in (10, 30)] == [2, 4]
    for selectivity in (0, 50, 80):
        means = {place: fmean(of) for place, of in sizes("prs-fig5", "interval", selectivity=selectivity).items()}
        places = [place for place in means if place >= 2.0]
        assert all(means[one] > means[two] for one, two in pairwise(places))
        assert max(means, key=means.__getitem__) == 2.0
    rises = []
    for dests in ("1-9", "6-14", "11-19"):
        of_fig7 = sizes("prs-fig7", "interval", dests=dests)
        rise = change(of_fig7[0.1], of_fig7[0.5])
        assert rise.low > 0
        rises.append(round(rise.mean, 2))
    assert (min(rises), max(rises)) == (0.08, 0.14)


def test_algorithm_2_is_slower_with_10_hosts_in_all_that_was_measured_with_constant_wires() -> None:
    claim = CLAIMS["av-fig1-10"]
    so, undecided = claim["words"].split("; ")
    assert so.count("constant") == 9
    assert undecided.count("constant") == 0
    assert "not so" not in claim["words"]


def test_inhibition_falls_with_k_only_with_many_hosts_wires_that_reorder_and_small_k() -> None:
    assert CLAIMS["av-table1-inhibition-av3"]["holds"]
    claim = CLAIMS["av-fig2-inhibition"]
    assert claim["outcome"] == "undecided"
    so, against, undecided = (part.partition(": ")[2].split(", ") for part in claim["words"].split("; "))
    assert so == [f"exponential {hosts}/{k}" for hosts in (60, 120) for k in (2, 3, 4)]
    assert [name for name in against if name.startswith("constant")] == [f"constant 30/{k}" for k in (2, 3, 4, 5, 6)]
    assert {name for name in (*so, *against, *undecided) if name.endswith("/6")} <= set(against)
    rows = kept("av-fig2")
    for hosts, fall in ((60, 9), (120, 24)):
        one, four = (fmean(rows.values("needless_ms", wires="exponential", hosts=hosts, k=k)) for k in (1, 4))
        assert round(100 * (one - four) / one) == fall


def test_the_four_numbers_of_section_7_of_004_are_undecided_because_they_cannot_be_computed() -> None:
    """They are claims of the paper, and other allocations in the place of its own are none."""
    names = [f"msv-triangle-{what}" for what in ("process", "message", "saves-process", "saves-message")]
    assert [CLAIMS[name]["outcome"] for name in names] == ["undecided"] * 4
    assert all("too many paths" in CLAIMS[name]["words"] for name in names)
    assert {CLAIMS[f"{name}-{tried}"]["outcome"] for name in names for tried in (5, 6)} == {"tried"}
    nothing = judge_claims(find_experiment("msv-topologies"), Results(()))
    assert {claim["outcome"] for claim in nothing} == {"not measured"}


def test_ks_growth_says_how_far_from_the_steady_state_its_stamps_are() -> None:
    percent = [round(100 * (CLAIMS[f"ks-growth-stationary-{name}"]["measured"] - 1)) for name in ("ks", "prs")]
    assert percent == [2, 1]
    assert "2 % and 1 % more entries" in find_experiment("ks-growth").about


def half_intervals(name: str) -> list[float]:
    """Return how far the interval of each delay reaches to one side, as a part of the delay, the least first."""
    found = kept(name)
    grid = [point for point in find_experiment(name).grid if point["hosts"]]
    delays = [estimate(found.values("delay_ms", **point)) for point in grid]
    return sorted((delay.high - delay.mean) / delay.mean for delay in delays)


def test_five_seeds_of_figure_1_of_001_give_the_intervals_that_the_page_states() -> None:
    """5 % of the delay or less at nine of ten points, and 14 % at most."""
    halves = half_intervals("av-fig1")
    assert len(halves) == 144
    assert halves[9 * len(halves) // 10] <= 0.05
    assert round(halves[-1], 2) == 0.14


def test_five_seeds_of_figure_2_of_001_give_the_intervals_that_the_page_states() -> None:
    """1.2 % of the delay or less at half of the points, 5.3 % at most at all but one, and 22 % there."""
    found = kept("av-fig2")
    halves = half_intervals("av-fig2")
    assert halves[len(halves) // 2 - 1] <= halves[len(halves) // 2] <= 0.012
    assert halves[-2] <= 0.0531
    assert round(halves[-1], 2) == 0.22
    of_five, of_a_thousand = 2.776 / 5**0.5, 1.962 / 1_000**0.5
    assert of_five == pytest.approx(20 * of_a_thousand, rel=0.01)
    undecided = [partial(excess_over_minimum, wires="exponential", hosts=hosts, last=False) for hosts in (30, 60)]
    for values in undecided:
        ends = estimate(values(found))
        assert -0.15 < ends.low < 0 < ends.high < 0.15


def test_the_variance_of_five_runs_is_that_of_the_kept_results() -> None:
    """The paper says four per cent, and not of what. They are not of the mean, and of N x N in some of the figures."""
    for figure in ("fig4", "fig5", "fig6", "fig7"):
        claim = CLAIMS[f"prs-{figure}-spread"]
        assert claim["measured"] > 2 * SPREAD
        of_whole = float(claim["words"].rpartition(" ")[2])
        assert claim["outcome"] == ("undecided" if of_whole <= SPREAD else "not reproduced")


def test_upper_bounds_are_kept_and_not_reproduced() -> None:
    for name in ("prs-fig5-never-above", "prs-fig5-full-bound"):
        assert (CLAIMS[name]["outcome"], CLAIMS[name]["is_bound"]) == ("qualitative", True)


def test_claims_of_ours_are_told_from_those_of_the_papers() -> None:
    ours = {name for name, claim in DECLARED.items() if claim.ours}
    assert {name for name in DECLARED if name.startswith(("errata-", "mobile-", "av-fig1-cost-"))} <= ours
    assert all(claim.ours for claim in DECLARED.values() if claim.where in ("ours", "registry"))
    assert not [name for name in ours if name.startswith(("prs-fig4", "prs-fig5", "av-table1", "av-fig2", "msv"))]
    assert [name for name in ours if name.startswith("mr")] == ["mr-tradeoff-early-ks"], "002 does not say so"


def test_the_forms_of_the_errata_say_what_they_are() -> None:
    outside = {
        "prs own": "Outside the assumption of §5.1",
        "ks look-ahead": "Outside the FIFO channels of §2.1",
        "av1 inhibits": "Not an error",
    }
    for name, form in FORMS.items():
        assert form.says.startswith(outside.get(name, "As printed"))


def test_the_page_begins_with_what_became_of_the_papers_claims() -> None:
    counted = Counter(
        claim["outcome"] for claim in CLAIMS.values() if not claim["ours"] and claim["outcome"] != "tried"
    )
    first = pages.reproduction_page(KEPT).partition("# Reproduction\n\n")[2].partition("\n")[0]
    found = re.match(
        r"Of the papers' (\d+) claims, (\d+) are reproduced, (\d+) are not, (\d+) are undecided, and (\d+) have no ",
        first,
    )
    assert found is not None
    kinds = ("reproduced", "not reproduced", "undecided", "qualitative")
    assert [int(number) for number in found.groups()] == [counted.total(), *(counted[kind] for kind in kinds)]


def test_the_page_counts_the_papers_claims_apart_from_ours() -> None:
    text = pages.reproduction_page(KEPT)
    papers, _, rest = text.partition(pages.OURS)
    ours = rest.partition("\n## ")[0]
    for table, is_ours in ((papers, False), (ours, True)):
        head = next(line for line in table.splitlines() if line.startswith("| experiment"))
        total = next(line for line in table.splitlines() if line.startswith("| **all**"))
        cells = dict(zip(_cells(head)[2:], map(int, _cells(total)[2:]), strict=True))
        claims = [claim for claim in CLAIMS.values() if claim["ours"] is is_ours]
        assert sum(cells.values()) == sum(claim["outcome"] != "tried" for claim in claims)
        for outcome in ("reproduced", "not reproduced", "undecided"):
            assert cells[outcome] == sum(claim["outcome"] == outcome for claim in claims)


def test_the_page_cites_papers_by_author_and_year_and_says_what_has_not_been_run() -> None:
    text = pages.reproduction_page(KEPT)
    assert "Prakash, Raynal, Singhal 1997 §7.1" in text
    assert not re.search(r"\(00\d §", text)
    kept = {one["experiment"] for one in MADE}
    waiting = [name for name in experiment_names() if name not in kept]
    assert (f"`antecede lab run {' '.join(waiting)} --out docs/reproduction`" in text) is bool(waiting)
    assert (f"The claims of {len(waiting)} more experiments are not measured yet" in text) is bool(waiting)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
