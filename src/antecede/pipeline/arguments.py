"""Refuse wrong arguments of a check before a runner starts: values, patterns, mappings, paths, and the output folder.

Spark takes seconds to start, and nobody should wait so long to hear of a mistyped path. Only tasks on this machine see
its files, so paths are looked at here only for masters whose tasks run on this machine. `open_input` looks at all paths
again where the tasks run.

An error names the option of the command line with its value: `--worst -1: give ...`. `antecede.checked` makes of it the
argument of a call: `worst=-1: give ...`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import pyarrow as pa

from antecede.core.errors import Misuse
from antecede.judge.orders import ORDERS
from antecede.judge.rule import QUARANTINE_MAX, check_quarantine_max
from antecede.pipeline.errors import BadPattern, UnknownFormat, UnreadableInput
from antecede.pipeline.read import files
from antecede.pipeline.read.detection.detect_format import detect_format, read_heads
from antecede.pipeline.read.formats import FORMATS, shiviz
from antecede.pipeline.read.formats.expressions import compile_expression
from antecede.pipeline.read.formats.mapped import load_mapping
from antecede.pipeline.read.sources.given_rows import TABLE, needed_columns
from antecede.pipeline.tables.folder import refuse_bad_folder

MASTERS_HERE = ("local", "in-process")
"""The beginnings of the names of those masters whose tasks see the files of this machine."""
COUNT_MAX = 1_000_000
"""The most windows of a run, and the most violations that are explained."""
VALUE_CHARS_MAX = 80


def check_arguments(
    given: Sequence[str] | pa.Table, master: object, *, is_running: bool = False, **options: Any
) -> Mapping[str, object] | None:
    """Return the mapping, loaded. Raise `Misuse` if an argument of a check of `given` cannot be used.

    `options` are those of `check_values`. If `is_running`, there is a session of Spark already, and paths are left to
    its tasks. The input may be wrong even if nothing is raised.
    """
    if master is not None and not isinstance(master, str):
        raise _wrong("master", master, "give the address of a Spark master, or in-process")
    if isinstance(given, pa.Table):
        mapping = check_values((), **options)
        needed_columns(given.column_names, mapping, TABLE)
        return mapping
    for path in given:
        files.refuse_odd_name(path)
    mapping = check_values(given, **options)
    if not is_running and runs_here(master):
        _look_at_paths(given, mapping, options)
    return mapping


def check_values(
    inputs: Sequence[str],
    *,
    format: object = "auto",
    regex: object = None,
    delimiter: object = None,
    receives: object = None,
    mapping: object = None,
    out: object = None,
    windows: object = None,
    worst: object = 100,
    quarantine_max: object = QUARANTINE_MAX,
    require: object = "causal",
) -> Mapping[str, object] | None:
    """Return the mapping, loaded. Raise `Misuse` if an argument cannot be used, whatever the input holds.

    `inputs` are the paths of the input, which the folder `out` may not touch.
    """
    if format not in ("auto", *FORMATS):
        raise UnknownFormat(str(_wrong("format", format, f"there is no such format; there are auto, {_list(FORMATS)}")))
    if require not in ORDERS:
        raise _wrong("require", require, f"there is no such order; there are {_list(ORDERS)}")
    if windows is not None:
        _refuse_bad_count("windows", windows, least=1)
    _refuse_bad_count("worst", worst, least=0)
    if isinstance(quarantine_max, bool) or not isinstance(quarantine_max, Real):
        raise _wrong("quarantine_max", quarantine_max, "give a share between 0 and 1, such as 0.05 for 5 %")
    check_quarantine_max(float(quarantine_max))
    _refuse_bad_expression("regex", regex, shiviz.REQUIRED_GROUPS)
    _refuse_bad_expression("delimiter", delimiter)
    _refuse_bad_expression("receives", receives)
    if out is not None:
        if not isinstance(out, str):
            raise _wrong("out", out, "give the path of a folder")
        refuse_bad_folder(out, inputs)
    if mapping is not None and not isinstance(mapping, str | Mapping):
        what = "give the meaning of each field, JSON, the path of a file as text, or the name of a built-in mapping"
        raise _wrong("mapping", mapping, what)
    return None if mapping is None else load_mapping(mapping)


def refuse_needless_receives(receives: str | None, format: str, *, has_clocks: bool) -> None:
    """Raise `UnreadableInput` if there is an expression for receives, and the input has no vector clocks."""
    if receives is not None and not has_clocks:
        raise UnreadableInput(f"--receives is for logs with vector clocks; this one is read as {format}")


def runs_here(master: str | None) -> bool:
    """Return whether the tasks of a master see the files of this machine."""
    return not master or master.startswith(MASTERS_HERE)


def _look_at_paths(paths: Sequence[str], mapping: Mapping[str, object] | None, options: Mapping[str, Any]) -> None:
    here = [path for path in paths if files.is_local(path)]
    listed = [file for file in files.list_files(here) if file.bytes] if here or not paths else []
    if here and len(here) == len(paths):
        wanted, regex = options.get("format", "auto"), options.get("regex")
        found = detect_format(listed, read_heads(listed), wanted, regex=regex, mapping=mapping)
        refuse_needless_receives(options.get("receives"), found.name, has_clocks=found.reader == "shiviz")


def _refuse_bad_count(name: str, value: object, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= COUNT_MAX:
        raise _wrong(name, value, f"give {least} or more, and at most {COUNT_MAX:,}, as a whole number")


def _refuse_bad_expression(name: str, expression: object, groups: Sequence[str] = ()) -> None:
    if expression is None:
        return
    if not isinstance(expression, str):
        raise _wrong(name, expression, "give a regular expression as text")
    try:
        compile_expression(expression, groups)
    except BadPattern as error:
        raise BadPattern(f"in --{name}, {error}") from None


def _wrong(name: str, value: object, advice: str) -> Misuse:
    shown = " ".join(repr(value).split())
    shown = shown if len(shown) <= VALUE_CHARS_MAX else f"{shown[:VALUE_CHARS_MAX]}…"
    return Misuse(f"--{name.replace('_', '-')} {shown}: {advice}")


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)
