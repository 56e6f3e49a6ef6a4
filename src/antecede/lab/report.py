"""Write the results of an experiment: results.parquet, times.parquet, figure.svg, figure.png and claims.json.

results.parquet, the figures and the claims are the same, byte for byte, wherever the experiment is run. If an
experiment measures time, the figures and claims that show times differ. times.parquet holds the wall-clock times.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from antecede import __version__
from antecede.core.errors import Misuse
from antecede.lab import claims, results
from antecede.lab.papers import cite
from antecede.lab.results import Results
from antecede.lab.run import ExperimentRun

WRITTEN = {"experiment", "paper", "figure", "title", "command", "version", "quick", "rows", "failed", "claims"}
WRITTEN_OF_A_CLAIM = {"says", "where", "stated", "ours", "outcome", "holds", "is_bound", "measured", "confidence_95"}


def write_report(ran: ExperimentRun, folder: Path) -> dict[str, Any]:
    """Write all files of an experiment to `folder`, and return the content of claims.json."""
    from antecede.lab import draw  # noqa: PLC0415 - matplotlib takes a second to import, and executors need none

    lasting, passing = results.split_times(ran.table, ran.experiment.timed)
    results.write_table(lasting, folder / results.LASTING_FILE)
    results.write_table(passing, folder / results.PASSING_FILE)
    found = Results.from_table(ran.table)
    made = {
        "experiment": ran.experiment.name,
        "paper": cite(ran.experiment.paper),
        "figure": cite(ran.experiment.figure),
        "title": ran.experiment.title,
        "command": f"antecede lab run {ran.experiment.name}{' --quick' * ran.quick}",
        "version": __version__,
        **({} if ran.code is None else {"code": ran.code}),
        "quick": ran.quick,
        "rows": ran.table.num_rows,
        "failed": [str(failure) for failure in ran.failures],
        "claims": claims.judge_claims(ran.experiment, found),
    }
    try:
        part = folder / "claims.json.part"
        part.write_text(claims.as_json(made), encoding="utf-8")
        part.replace(folder / "claims.json")
        draw.write_figure(ran.experiment, found, folder)
    except OSError as error:
        raise Misuse(f"cannot write to {folder}: {error.strerror}; give a folder that can be written to") from error
    return made


def read_claims(folder: Path) -> dict[str, Any] | None:
    """Return the content of claims.json in `folder`.

    Return None if there is none, if another version wrote it, or if it was changed since.
    """
    try:
        made = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(made, dict) or not made.keys() >= WRITTEN:
        return None
    return made if all(claim.keys() >= WRITTEN_OF_A_CLAIM for claim in made["claims"]) else None
