"""The pages that are made by running the code: `python -m tools.docs` writes them, `--check` says which are stale.

A page is a path and a module with a function `page() -> str`; another page is one line in `PAGES`. Pages are made anew
from nothing each time and must come out the same each time: no clock, no chance without a seed, no order of a set.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES: Mapping[str, str] = {
    "docs/coverage.md": "tools.pages.coverage",
    "docs/errata.md": "tests.errata.page",
    "docs/reproduction.md": "tools.pages.reproduction",
    "docs/reproduction/index.html": "tools.pages.figures",
    "docs/topologies.md": "tools.topologies",
    "docs/violation.svg": "tools.pages.violation",
    "docs/reference/algorithms.md": "tools.pages.algorithms",
    "docs/reference/api.md": "tools.pages.api",
    "docs/reference/tables.md": "tools.pages.tables",
}


def main(arguments: Sequence[str] | None = None, pages: Mapping[str, str] = PAGES, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description="Make the generated pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 naming the pages that are stale")
    check = parser.parse_args(arguments).check
    stale = {path: text for path, module in pages.items() if (text := make(path, module)) != _written(root / path)}
    for path, text in stale.items():
        if check:
            print(f"{path} is stale: run `make docs` and commit it", file=sys.stderr)
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path}")
    return 1 if check and stale else 0


def make(path: str, module: str) -> str:
    """Return the page that `module` makes, with a last line on where it comes from."""
    text: str = import_module(module).page()
    origin = f"Made by `make docs` from `{module}`. Change that, not this page."
    note = f"---\n*{origin}*" if path.endswith(".md") else f"<!-- {origin} -->"
    return f"{text.rstrip()}\n\n{note}\n"


def _written(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
