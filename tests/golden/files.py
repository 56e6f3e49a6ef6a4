"""Where the golden files are, and how a test gets at them."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FOLDERS = sorted((path for path in HERE.glob("v*") if path.is_dir()), key=lambda path: int(path.name[1:]))
"""One folder for each time that golden files were written; the last is of the formats that the code writes now."""
NEWEST = FOLDERS[-1]
SUMS = "SHA256SUMS"
"""A file beside the golden files of one folder, in the form that `sha256sum` writes and checks."""


def read(name: str, folder: Path) -> list[dict[str, Any]]:
    """Return the entries of one JSON file."""
    entries: list[dict[str, Any]] = json.loads((folder / name).read_text(encoding="utf-8"))
    assert entries
    return entries


def read_all(name: str) -> list[dict[str, Any]]:
    """Return the entries of the files of this name in all folders that have one.

    An entry that several folders have alike is returned once: most formats did not change from one folder to the next.
    """
    entries = (entry for folder in FOLDERS if (folder / name).exists() for entry in read(name, folder))
    return list({json.dumps(entry, sort_keys=True): entry for entry in entries}.values())


def copy(folder: Path, name: str, to: Path) -> Path:
    """Copy a folder of golden files to where a test may change them."""
    return Path(shutil.copytree(folder / name, to, dirs_exist_ok=True))


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each golden file in a folder, by its path there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
