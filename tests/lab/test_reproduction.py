"""What the kept results decide, and what the page counts: a claim is against a paper only if a run of it decided so."""

import json
from collections import Counter
from typing import Any

import pytest

from antecede.lab import pages
from antecede.lab.experiments import experiment_names
from antecede.lab.experiments.errata_forms import FORMS
from tests.paths import ROOT

KEPT = ROOT / "docs" / "reproduction"
CLAIMS: dict[str, dict[str, Any]] = {
    claim["id"]: claim
    for name in experiment_names()
    for claim in json.loads((KEPT / name / "claims.json").read_text(encoding="utf-8"))["claims"]
}


def outcomes(prefix: str) -> Counter[str]:
    return Counter(claim["outcome"] for name, claim in CLAIMS.items() if name.startswith(prefix))


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


@pytest.mark.parametrize(
    ("prefix", "reason"),
    [
        ("av-table1-inhibition-av3", "n_h much larger than n_s"),
        ("av-fig2-", "too short"),
        ("ks-growth-average", "first two messages"),
        ("prs-fig6-", "does not say how large a difference is perceptible"),
    ],
)
def test_runs_that_do_not_test_the_paper_say_why_and_decide_nothing(prefix: str, reason: str) -> None:
    found = [claim for name, claim in CLAIMS.items() if name.startswith(prefix)]
    assert found
    for claim in found:
        assert claim["outcome"] == "not decided by this run"
        assert reason in claim["outside"]


def test_upper_bounds_are_kept_and_not_reproduced() -> None:
    assert outcomes("ks-growth-bound-") == {"bound kept": 17}
    assert outcomes("prs-fig5-never-above") == outcomes("prs-fig5-full-bound") == {"bound kept": 1}


def test_what_is_measured_with_a_repaired_form_reproduces_nothing() -> None:
    """Table 1: Algorithm 1 does not inhibit. As printed it does, which is in the errata; ours does not."""
    assert outcomes("av-table1-inhibition-av1") == {"tried": 1}


def test_claims_of_ours_are_told_from_those_of_the_papers() -> None:
    ours = {name for name, claim in CLAIMS.items() if claim["ours"]}
    assert {name for name in CLAIMS if name.startswith(("errata-", "mobile-", "av-fig1-cost-"))} <= ours
    assert all(claim["ours"] for claim in CLAIMS.values() if claim["where"] in ("ours", "registry"))
    assert not [name for name in ours if name.startswith(("prs-fig4", "prs-fig5", "av-table1", "av-fig2", "msv", "mr"))]


def test_the_forms_of_the_errata_say_what_they_are() -> None:
    assert "mr own groups" not in FORMS, "its groups were a ring, and §4.3 is about graphs without a cycle"
    assert "rst own" not in FORMS, "in 001 a message goes to another host"
    assert FORMS["prs own"].says.startswith("Outside the assumption of §5.1")
    assert "our registration" in FORMS["av2"].says
    assert "never delivered, or is passed on without end" in FORMS["av2"].counted
    others = [form.says for name, form in FORMS.items() if name not in ("prs own", "av2")]
    assert all(says.startswith("As printed") for says in others)


def test_the_page_counts_the_papers_claims_apart_from_ours_and_the_undecided_in_their_own_column() -> None:
    text = pages.reproduction_page(KEPT)
    papers, _, rest = text.partition(pages.OURS)
    ours = rest.partition("\n## ")[0]
    for table, is_ours in ((papers, False), (ours, True)):
        head = next(line for line in table.splitlines() if line.startswith("| experiment"))
        total = next(line for line in table.splitlines() if line.startswith("| **all**"))
        cells = dict(zip(_cells(head)[2:], map(int, _cells(total)[2:]), strict=True))
        claims = [claim for claim in CLAIMS.values() if claim["ours"] is is_ours]
        assert sum(cells.values()) == sum(claim["outcome"] != "tried" for claim in claims)
        for outcome in ("reproduced", "not reproduced", "bound kept", "undecided", "not decided by this run"):
            assert cells[outcome] == sum(claim["outcome"] == outcome for claim in claims)
    assert "elsewhere" not in text


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
