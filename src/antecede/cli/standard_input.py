"""Give standard input to a check as a file, because a check reads its input more than once and in pieces."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from antecede.core.errors import Misuse

DASH = "-"
FILE_NAME = "standard-input"


@contextmanager
def read_standard_input(paths: Sequence[str], master: str | None) -> Iterator[list[str]]:
    """Yield the paths, with a private temporary file that has all of standard input in place of `-`."""
    if DASH not in paths:
        yield list(paths)
        return
    if master is not None and not master.startswith(("local", "in-process")):
        raise Misuse(f"- is standard input of this machine, which tasks on {master} cannot read; give a path")
    if sys.stdin.isatty():
        print("reading standard input until its end (Ctrl-D)", file=sys.stderr)
    from antecede.pipeline.read.files import STANDARD_INPUT_FOLDER  # loads Arrow

    with TemporaryDirectory(prefix=STANDARD_INPUT_FOLDER) as folder:
        copy = Path(folder) / FILE_NAME
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield [str(copy) if path == DASH else path for path in paths]
