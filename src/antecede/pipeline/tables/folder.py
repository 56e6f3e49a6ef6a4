"""Guard the folder to which a check writes its tables: a folder of Parquet for each name of `schema.TABLES`.

A table of an earlier check is replaced. If something else has the name of a table, the folder is refused, and nothing
in it is changed. The input must not be inside the output, nor the output inside the input. One check at a time writes
to a folder of this machine.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from antecede.core.errors import Misuse
from antecede.pipeline import schema
from antecede.pipeline.read.files import ARROW_SCHEMES, is_local, locate

LOCK = ".lock"
PARTS = ".parts-"
"""The beginning of the names of folders in which the tasks of a check write."""


def refuse_bad_folder(out: str, inputs: Sequence[str]) -> None:
    """Raise `Misuse` if the tables of a check cannot be written to `out`. Call this before any work is done.

    `inputs` are the paths of the input. Only local folders can be looked at.
    """
    if not out or "\0" in out:
        raise Misuse(f"--out {out!r}: that is not the name of a folder; name a folder")
    try:
        out.encode()
    except UnicodeEncodeError:
        raise Misuse(f"--out {out.encode(errors='replace').decode()}: the name is not UTF-8; name a folder") from None
    if is_remote(out):
        scheme = out.split(":", maxsplit=1)[0]
        if scheme not in ARROW_SCHEMES:
            known = ", ".join(f"{one}://" for one in ARROW_SCHEMES)
            raise Misuse(f"--out {out}: tables are written with Arrow, which has no {scheme}: file system; use {known}")
        return
    folder = _resolve(out)
    _refuse_bad_place(out, folder)
    for path in inputs:
        if is_remote(path):
            continue
        given = _resolve(path)
        if given.is_relative_to(folder) or folder.is_relative_to(given):
            raise Misuse(
                f"--out {out} and the input {path} are inside each other; choose another folder for the output"
            )
    for name in schema.TABLES:
        table = folder / name
        if table.exists() and not (table / "_SUCCESS").exists():
            raise Misuse(
                f"--out {out}: {table} is there and is no table of a check; remove it, or choose another folder"
            )


def _refuse_bad_place(out: str, folder: Path) -> None:
    """Raise `Misuse` if a folder cannot be made, or written to. Nothing is made."""
    there = next(path for path in (folder, *folder.parents) if os.path.exists(path))
    if not there.is_dir():
        raise Misuse(f"--out {out}: {'that' if there == folder else there} is a file; name a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Misuse(f"--out {out}: permission denied in {there}; name a folder that you can write to")


@contextmanager
def claim_folder(out: str | None) -> Iterator[None]:
    """Make a local folder, and keep other checks of this machine out of it inside a `with` block.

    Raise `Misuse` if another check is at work in the folder. The claim ends with the process, however it ends. The
    files of a check that was killed are removed.
    """
    if out is None or is_remote(out):
        yield
        return
    folder = Path(out.removeprefix("file:"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("a")
    except OSError as error:
        raise Misuse(f"--out {out}: cannot write there: {error.strerror}; choose another folder") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Misuse(f"--out {out}: another check is writing there; wait for it, or name another folder") from None
        for left in folder.glob(f"{PARTS}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def _resolve(path: str) -> Path:
    """Return a path of this machine, which may be written as `file:/...`, without links."""
    return Path(os.path.realpath(locate(path)[1]))


def is_remote(path: str) -> bool:
    return not is_local(path)
