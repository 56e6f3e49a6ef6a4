"""Coverage: every item of every paper is declared once, and every module and test that it names exists."""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tools.pages import coverage

from antecede.lab.experiments import PLACES
from antecede.lab.papers import PAPERS
from tests.papers.coverage.claims import MEASURED, SETTINGS_ONLY
from tests.papers.coverage.row import Row, State
from tests.paths import ROOT

ITEMS = {"000": 54, "001": 38, "002": 51, "003": 29, "004": 32}
"""How many items each paper was split into."""
OUT_OF_SCOPE = {"2.50", "3.28", "4.16"}
HOLDS = "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds"
ROWS = [row for paper in PAPERS.values() for row in coverage.rows_of(paper)]


@cache
def names_of_tests(path: Path) -> frozenset[str]:
    """Return the tests of a file, as pytest names them, without parameters."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return frozenset(name for name in names if name.rpartition("::")[2].startswith("test_"))


def test_every_item_of_every_paper_has_its_row() -> None:
    for place, paper in enumerate(PAPERS.values()):
        numbers = [row.number for row in coverage.rows_of(paper)]
        assert numbers == [f"{place}.{item}" for item in range(1, ITEMS[paper.number] + 1)]
    assert len(ROWS) == 204


@cache
def anchors(page: str) -> frozenset[str]:
    """Return the anchors of the headings of a page of `docs`."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    return frozenset(coverage.anchor(line.lstrip("#").strip()) for line in lines if line.startswith("#"))


@cache
def claims_kept() -> dict[str, dict[str, Any]]:
    """Return what became of every claim in the results that are kept, by name."""
    files = (ROOT / "docs" / "reproduction").glob("*/claims.json")
    return {claim["id"]: claim for path in files for claim in json.loads(path.read_text("utf-8"))["claims"]}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
class TestRow:
    def test_every_module_it_names_exists(self, row: Row) -> None:
        for module in row.modules:
            path = ROOT / "src" / "antecede" / module.replace(".", "/")
            assert path.with_suffix(".py").exists() or (path / "__init__.py").exists(), module

    def test_every_test_it_names_exists(self, row: Row) -> None:
        for test in row.tests:
            path, _, name = test.partition("::")
            assert name in names_of_tests(ROOT / "tests" / path), test

    def test_it_has_what_its_state_asks_for(self, row: Row) -> None:
        is_there = row.state in (State.WORKS, State.PARTIAL, State.DIFFERS)
        assert bool(row.modules) == bool(row.tests) == is_there
        assert bool(row.note) == (row.state is not State.WORKS)
        assert bool(row.link) == (row.state is State.DIFFERS)
        assert row.says.endswith(".")
        assert row.section.startswith(("§", "Appendix", "Conclusion"))


def test_every_item_works_or_differs_and_only_what_the_papers_leave_out_is_out_of_scope() -> None:
    """2.50 and 3.28 are future work of the papers, and the figure of 4.16 is not in the text of its paper."""
    assert {row.number for row in ROWS if row.state is State.OUT_OF_SCOPE} == OUT_OF_SCOPE
    done = (State.WORKS, State.DIFFERS, State.OUT_OF_SCOPE)
    assert [f"{row.number} is {row.state}" for row in ROWS if row.state not in done] == []


def test_no_item_works_of_which_a_measurement_says_otherwise() -> None:
    by_number = {row.number: row for row in ROWS}
    assert [number for number in MEASURED if by_number[number].state is not State.WORKS] == []
    assert [number for number in MEASURED if HOLDS not in by_number[number].tests] == []
    for number, names in MEASURED.items():
        for claim in (claims_kept()[name] for name in names):
            is_against = claim["outcome"] == "qualitative" and not claim["holds"]
            assert not is_against, (number, claim["id"])
            assert claim["outcome"] != "not reproduced", (number, claim["id"])


def test_an_item_that_works_and_names_an_experiment_says_which_claims_it_rests_on() -> None:
    declaring = {f"lab.experiments.{place.partition('.')[0]}" for place in PLACES.values()}
    declaring |= {"lab.experiments.prs", "lab.experiments.av"}
    named = {row.number for row in ROWS if row.state is State.WORKS and declaring & set(row.modules)}
    assert named - MEASURED.keys() == set(SETTINGS_ONLY)


def test_a_link_leads_to_an_erratum_or_to_an_experiment() -> None:
    for row in ROWS:
        if row.link:
            page, _, heading = coverage.address(row.link).partition("#")
            assert heading in anchors(page), row.number
    with pytest.raises(KeyError):
        coverage.address("an erratum that there is not")


def test_the_page_says_how_many_there_are_of_each_and_shows_every_item() -> None:
    text = coverage.page()
    assert f"Of {len(ROWS)} items,\n{sum(row.state is State.WORKS for row in ROWS)} work" in text
    assert sum(line.startswith(("| 0.", "| 1.", "| 2.", "| 3.", "| 4.")) for line in text.splitlines()) == len(ROWS)


def test_an_anchor_is_that_of_github() -> None:
    assert coverage.anchor("§8.2 against §5.1: Is it?") == "82-against-51-is-it"
