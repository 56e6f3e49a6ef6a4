"""Each file of tests of a paper begins with the authors, the title and the number of that paper."""

import ast
from pathlib import Path

import pytest

from antecede.lab.papers import PAPERS
from tests.paths import ROOT

FILES = sorted((ROOT / "tests" / "papers").glob("test_0*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_names_its_paper(path: Path) -> None:
    paper = PAPERS[path.stem.split("_")[1]]
    said = ast.get_docstring(ast.parse(path.read_text()))
    assert said is not None
    first, *_ = said.split("\n\n")
    assert " ".join(first.split()) == f'{paper.author_names}: "{paper.title}" ({paper.number}).'


def test_every_paper_has_tests() -> None:
    assert {path.stem.split("_")[1] for path in FILES} == set(PAPERS)
