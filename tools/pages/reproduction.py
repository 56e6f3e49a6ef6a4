"""docs/reproduction.md, from the results that are kept beside it in docs/reproduction."""

from __future__ import annotations

from pathlib import Path

from antecede.lab.pages import reproduction_page

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "reproduction"


def page() -> str:
    return reproduction_page(RESULTS)
