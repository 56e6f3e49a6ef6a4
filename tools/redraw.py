"""Judge and draw kept results again, after a change of claims or charts alone.

`python -m tools.redraw docs/reproduction/prs-fig4 ...` rewrites the figures and claims in each folder. Then `make docs`
makes the pages that show them. Nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from antecede.lab.experiments import find_experiment
from antecede.lab.report import write_report
from antecede.lab.results import read_results
from antecede.lab.run import ExperimentRun


def redraw(folder: Path) -> None:
    """Judge and draw the results in `folder` again. Exit with a message if there are none.

    Of the old claims only what made them is used, so that they may have been written in an earlier form.
    """
    try:
        made = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        sys.exit(f"there are no results in {folder}")
    ran = ExperimentRun(
        find_experiment(made["experiment"]), made["quick"], read_results(folder), 0, (), made.get("code")
    )
    write_report(ran, folder)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.redraw", description="Judge and draw kept results again.")
    parser.add_argument("folder", type=Path, nargs="+", help="a folder with the results of one experiment")
    for folder in parser.parse_args(arguments).folder:
        redraw(folder)


if __name__ == "__main__":
    main()
