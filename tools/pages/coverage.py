"""`docs/coverage.md`: every item of every paper, what implements it, what shows it, and its state.

The items are declared in `tests/papers/coverage`, beside the tests that show them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib import import_module

from tests.errata.page import CHAPTERS
from tests.papers.coverage.row import Row, State

from antecede.lab.experiments import experiment_names
from antecede.lab.papers import PAPERS, Paper

MODULES = {"000": "prs", "001": "av", "002": "ks", "003": "mr", "004": "msv"}
INTRO = """\
# Coverage

What the five papers describe, item by item: mechanisms, lemmas, examples, experiments and claims. Of {total} items,
{counts}.

* *works*: a module implements it, and a test shows it.
* *partial*: a part of it is there; what is lacking is said.
* *missing*: nothing of it is there.
* *differs*: what the paper says is not so, or is done otherwise here. The link leads to the entry of the
  [errata](errata.md) or to the [experiment](reproduction.md) that shows it.
* *out of scope*: the paper itself leaves it to future work, or its text does not have it.

Modules are below `antecede`. A test is in the file that its name links to.
"""
PARTS = (State.WORKS, State.DIFFERS, State.PARTIAL, State.MISSING, State.OUT_OF_SCOPE)
VERBS = {
    State.WORKS: "{} work",
    State.DIFFERS: "{} differ",
    State.PARTIAL: "{} are there in part",
    State.MISSING: "{} are missing",
    State.OUT_OF_SCOPE: "{} are out of scope",
}


def rows_of(paper: Paper) -> Sequence[Row]:
    """Return the items of a paper, in their order."""
    found: Sequence[Row] = import_module(f"tests.papers.coverage.{MODULES[paper.number]}").ROWS
    return found


def page() -> str:
    """Return the page."""
    states = Counter(row.state for paper in PAPERS.values() for row in rows_of(paper))
    counts = [VERBS[state].format(states[state]) for state in PARTS]
    intro = INTRO.format(total=states.total(), counts=f"{', '.join(counts[:-1])}, and {counts[-1]}")
    return "\n".join([intro, *map(_paper, PAPERS.values())])


def _paper(paper: Paper) -> str:
    head = [
        f"## {paper}\n",
        f"*{paper.title}*, {paper.published}\n",
        "| item | section | the paper describes | modules | tests | state |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *map(_row, rows_of(paper)), ""])


def _row(row: Row) -> str:
    modules = ", ".join(f"`{module}`" for module in row.modules) or "-"
    tests = ", ".join(map(_test, row.tests)) or "-"
    return f"| {row.number} | {row.section} | {row.says} | {modules} | {tests} | {_state(row)} |"


def _test(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[{name.rpartition('::')[2]}](../tests/{path})"


def _state(row: Row) -> str:
    note = f": {row.note}" if row.note else ""
    return f"[{row.state}]({address(row.link)}){note}" if row.link else f"{row.state}{note}"


def address(link: str) -> str:
    """Return where an entry of the errata page of this title, or an experiment of this name, is shown.

    Raise `KeyError` if it is nowhere.
    """
    if link in experiment_names():
        return f"reproduction.md#{link}"
    return f"errata.md#{anchor(headings()[link])}"


def headings() -> dict[str, str]:
    """Return the headings of the errata page by the titles of errata and assumptions."""
    found = {one.title: f"{one.section}: {one.title}" for chapter in CHAPTERS for one in chapter.errata()}
    for chapter in CHAPTERS:
        for one in chapter.assumptions():
            found[one.title] = f"{chapter.paper.number} {one.section}: {one.title}"
    return found


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
