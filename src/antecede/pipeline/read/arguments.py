"""What can be known to be wrong before a Spark is started for it: paths that are not there, patterns that do not parse.

Spark takes seconds to start, and a mistyped path should not. Only an embedded Spark sees the files of this machine, so
only for one are paths looked at here; `files` looks at all of them again, with Spark's own eyes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import glob
from pathlib import Path

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read import files
from antecede.pipeline.read.formats import mapped, shiviz


def refuse(
    paths: Sequence[str], master: str | None, *, regex: str | None, delimiter: str | None, mapping: str | None
) -> None:
    """Raise what `check` would raise later; or nothing, which promises nothing."""
    for expression, required in ((regex, shiviz.REQUIRED_GROUPS), (delimiter, ())):
        if expression is not None:
            shiviz.compiled(expression, required)
    if mapping is not None and mapping.lstrip().startswith("{"):
        mapped.checked(mapped.parsed(mapping))
    if master is None or master.startswith("local"):
        for path in paths:
            if "://" not in path:
                _refuse_path(path)


def _refuse_path(path: str) -> None:
    found = [Path(path)] if Path(path).exists() else [Path(name) for name in glob(path)]
    if not found and not any(sign in path for sign in "[]{}\\"):  # of those Spark has more to say than glob
        raise UnreadableInput(files.not_found(path))
    if len(found) == 1 and found[0].is_dir() and not any(True for _ in found[0].iterdir()):
        raise UnreadableInput(files.no_files(path))
    for one in found:
        if not os.access(one, os.R_OK):
            raise UnreadableInput(files.not_permitted(path))
