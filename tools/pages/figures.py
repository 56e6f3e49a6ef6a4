"""docs/reproduction/index.html: all kept figures and claims as one page for a browser."""

from __future__ import annotations

from antecede.lab.pages import index_page
from tools.pages.reproduction import RESULTS


def page() -> str:
    return index_page(RESULTS, alone=False)
