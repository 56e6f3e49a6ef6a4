"""Refuse what is known to be wrong before Spark starts: paths that are not there, patterns and mappings that are wrong.

Spark takes seconds to start, and a mistyped path should not. Only tasks on this machine see its files, so paths are
looked at here for such masters alone. `files.list_files` looks at all of them again where the tasks run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from antecede.pipeline.read import files
from antecede.pipeline.read.formats import mapped, shiviz

MASTERS_HERE = ("local", "in-process")
"""How the names of masters begin whose tasks see the files of this machine."""


def refuse(
    paths: Sequence[str],
    master: str | None,
    *,
    regex: str | None = None,
    delimiter: str | None = None,
    receives: str | None = None,
    mapping: str | Mapping[str, object] | None = None,
) -> None:
    """Raise `UnreadableInput` if an argument cannot serve. If none is raised, the input may still be wrong."""
    shiviz.refuse_bad_expressions(regex, delimiter, receives)
    if mapping is not None:
        mapped.load_mapping(mapping)
    here = [path for path in paths if files.is_local(path)]
    if here and (master is None or master.startswith(MASTERS_HERE)):
        files.list_files(here)
