"""Refuse what is known to be wrong before Spark starts: paths that are not there, patterns and mappings that are wrong,
and files in a format that is not known.

Spark takes seconds to start, and a mistyped path should not. Only tasks on this machine see its files, so paths are
looked at here for such masters alone. `open_input` looks at all of them again where the tasks run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from antecede.pipeline.read import files
from antecede.pipeline.read.detection.detect_format import detect_format, read_heads
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
    format: str = "auto",
) -> None:
    """Raise `UnreadableInput` if an argument cannot serve. If none is raised, the input may still be wrong."""
    shiviz.refuse_bad_expressions(regex, delimiter, receives)
    loaded = None if mapping is None else mapped.load_mapping(mapping)
    here = [path for path in paths if files.is_local(path)]
    if here and (master is None or master.startswith(MASTERS_HERE)):
        listed = [file for file in files.list_files(here) if file.bytes]
        if len(here) == len(paths):
            detect_format(listed, read_heads(listed), format, regex=regex, mapping=loaded)
