"""Refuse wrong arguments before Spark starts: missing paths, wrong patterns and mappings, and unknown formats.

Spark takes seconds to start, and nobody should wait so long to hear of a mistyped path. Only tasks on this machine see
its files, so paths are looked at here only for masters whose tasks run on this machine. `open_input` looks at all paths
again where the tasks run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from antecede.pipeline.read import files
from antecede.pipeline.read.detection.detect_format import detect_format, read_heads
from antecede.pipeline.read.formats import mapped, shiviz

MASTERS_HERE = ("local", "in-process")
"""The beginnings of the names of those masters whose tasks see the files of this machine."""


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
    """Raise `UnreadableInput` if an argument cannot be used. The input may be wrong even if nothing is raised."""
    shiviz.refuse_bad_expressions(regex, delimiter, receives)
    loaded = None if mapping is None else mapped.load_mapping(mapping)
    here = [path for path in paths if files.is_local(path)]
    if here and (master is None or master.startswith(MASTERS_HERE)):
        listed = [file for file in files.list_files(here) if file.bytes]
        if len(here) == len(paths):
            detect_format(listed, read_heads(listed), format, regex=regex, mapping=loaded)
