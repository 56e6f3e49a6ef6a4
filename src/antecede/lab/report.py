"""Writes what came of an experiment: results.parquet, times.parquet, figure.svg, figure.png and claims.json.

results.parquet, the figures and the claims are the same, byte for byte, wherever the experiment is run, unless it
measures time: then those that show times differ. What is of the clock alone is in times.parquet.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from antecede import __version__
from antecede.core.errors import Misuse
from antecede.lab import claims, results
from antecede.lab.experiments import experiment
from antecede.lab.results import Results
from antecede.lab.run import Ran

WRITTEN = {"experiment", "paper", "figure", "title", "command", "version", "quick", "rows", "failed", "claims"}
WRITTEN_OF_A_CLAIM = {"says", "where", "stated", "ours", "outside", "outcome", "holds", "measured", "confidence_95"}


def write(ran: Ran, folder: Path, *, command: str) -> dict[str, Any]:
    """Returns what it wrote to claims.json."""
    from antecede.lab import draw  # noqa: PLC0415 - matplotlib takes a second to import, and executors need none

    lasting, passing = results.split(ran.table, ran.experiment.timed)
    results.write(lasting, folder / results.LASTING_FILE)
    results.write(passing, folder / results.PASSING_FILE)
    found = Results.from_table(ran.table)
    made = {
        "experiment": ran.experiment.name,
        "paper": ran.experiment.paper,
        "figure": ran.experiment.figure,
        "title": ran.experiment.title,
        "command": command,
        "version": __version__,
        "quick": ran.quick,
        "rows": ran.table.num_rows,
        "failed": [str(failure) for failure in ran.failures],
        "claims": claims.judged(ran.experiment, found),
    }
    try:
        part = folder / "claims.json.part"
        part.write_text(claims.as_json(made), encoding="utf-8")
        part.replace(folder / "claims.json")
        draw.write(ran.experiment, found, folder)
    except OSError as error:
        raise Misuse(f"cannot write to {folder}: {error.strerror}; give a folder that can be written to") from error
    return made


def kept(folder: Path) -> dict[str, Any] | None:
    """Return what was written to `folder`, or None if nothing was, or not by this version, or it was changed since."""
    try:
        made = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(made, dict) or not made.keys() >= WRITTEN:
        return None
    return made if all(claim.keys() >= WRITTEN_OF_A_CLAIM for claim in made["claims"]) else None


def redrawn(folder: Path) -> None:
    """Judge and draw anew what is kept in `folder`, after a change of claims or charts alone."""
    made = kept(folder)
    assert made is not None, f"nothing is kept in {folder}"
    ran = Ran(experiment(made["experiment"]), made["quick"], results.both(folder), 0, ())
    write(ran, folder, command=made["command"])
