"""Read standard input where a path is `-`: as text, or as a file for a check, which reads its input more than once."""

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
    if sys.stdin is None:
        raise Misuse("- is standard input, which is closed; give a path, or pipe the log into the command")
    if sys.stdin.isatty():
        print("reading standard input until its end (Ctrl-D)", file=sys.stderr)
    from antecede.pipeline.read.files import STANDARD_INPUT_FOLDER  # loads Arrow

    with TemporaryDirectory(prefix=STANDARD_INPUT_FOLDER) as folder:
        copy = Path(folder) / FILE_NAME
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield [str(copy) if path == DASH else path for path in paths]


def read_text(name: str, what: str) -> str:
    """Return the text of a file or of standard input. Both are decoded from bytes, whatever the locale is.

    `what` is in the file, in words. Raise `Misuse` if it cannot be read.
    """
    try:
        read = _standard_input() if name == DASH else Path(name).read_bytes()
        text = read if isinstance(read, str) else read.decode("utf-8")
        return text.removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"cannot read {what} from {name}: {error}; give a text file, or - for standard input") from error


def _standard_input() -> bytes | str:
    """Return the bytes of standard input, or its text if it was replaced by a text stream."""
    bytes_in = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read() if bytes_in is None else bytes_in.read()
