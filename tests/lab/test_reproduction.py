"""What the kept results decide, and what the page counts: a claim is against a paper only if a run of it decided so."""

import json
import re
from collections import Counter
from functools import partial
from typing import Any

import pytest

from antecede.lab import pages
from antecede.lab.experiments import experiment_names, find_experiment
from antecede.lab.experiments.av_fig2 import excess_over_minimum
from antecede.lab.experiments.errata_forms import FORMS
from antecede.lab.experiments.prs import SPREAD
from antecede.lab.results import Results, estimate, read_results
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


@pytest.mark.parametrize("name", sorted(name for name in DECLARED if name.startswith("prs-fig6-same")))
def test_figure_6_is_judged_by_the_four_per_cent_of_the_paper_itself(name: str) -> None:
    claim = CLAIMS[name]
    low, high = claim["confidence_95"]
    inside, outside = low > 1 - SPREAD and high < 1 + SPREAD, high <= 1 - SPREAD or low >= 1 + SPREAD
    assert claim["outcome"] == ("qualitative" if inside or outside else "undecided")
    assert claim["holds"] is inside


def test_figure_6_says_how_many_comparisons_are_undecided_and_how_far_they_are() -> None:
    """The page says why it is not reproduced: two of six within four per cent, the others on both sides of it."""
    claims = [claim for name, claim in CLAIMS.items() if name.startswith("prs-fig6-same")]
    assert sorted(claim["outcome"] for claim in claims) == ["qualitative"] * 2 + ["undecided"] * 4
    assert all(0.92 < end < 1.08 for claim in claims for end in claim["confidence_95"])
    for claim in claims:
        if claim["outcome"] == "undecided":
            low, high = claim["confidence_95"]
            assert low < 1 - SPREAD < high or low < 1 + SPREAD < high


def half_intervals(name: str) -> list[float]:
    """Return how far the interval of each delay reaches to one side, as a part of the delay, the least first."""
    found = Results.from_table(read_results(KEPT / name))
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
    found = Results.from_table(read_results(KEPT / "av-fig2"))
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
