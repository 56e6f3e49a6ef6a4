"""The tables of a checked trace, as Parquet under one folder: one folder each, by the names of `schema.TABLES`.

What is already there is replaced if it is a table that Spark has written; anything else is left alone and refused.
The input is never inside the output, nor the output inside the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from antecede.core.errors import Misuse
from antecede.pipeline import schema
from antecede.pipeline.read.files import ARROW_SCHEMES, is_local


def refuse_bad_folder(out: str, inputs: Sequence[str]) -> None:
    """Before any work is done for it. Only local folders can be looked at here."""
    if is_remote(out):
        scheme = out.split(":", maxsplit=1)[0]
        if scheme not in ARROW_SCHEMES:
            known = ", ".join(f"{one}://" for one in ARROW_SCHEMES)
            raise Misuse(f"--out {out}: tables are written with Arrow, which has no {scheme}: file system; use {known}")
        return
    folder = Path(out).resolve()
    if folder.exists() and not folder.is_dir():
        raise Misuse(f"--out {out}: that is a file; name a folder")
    for path in inputs:
        given = Path(path).resolve()
        if not is_remote(path) and (given.is_relative_to(folder) or folder.is_relative_to(given)):
            raise Misuse(
                f"--out {out} and the input {path} are inside each other; choose another folder for the output"
            )
    for name in schema.TABLES:
        table = folder / name
        if table.exists() and not (table / "_SUCCESS").exists():
            raise Misuse(
                f"--out {out}: {table} is there and is no table of a check; remove it, or choose another folder"
            )


def is_remote(path: str) -> bool:
    return not is_local(path)
