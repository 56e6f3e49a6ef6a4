"""A disk whose power can fail at any moment: what SQLite wrote and flushed, and what of it a power cut leaves.

`recorded` lets a store write through a VFS of SQLite that notes every write, truncation, deletion and flush, in order.
`Disk.cut` yields the files as they may be after a cut at any place in that list: whatever was flushed is there;
of what was written since the last flush of its file, any part may be there, and a write may be torn between two
sectors. A file that was made and never flushed may be missing.

The store is opened again with the SQLite of Python, which knows nothing of this.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

SECTOR_BYTES = 512
VFS = "antecede-recording"


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes at a place of a file, which is made if it is not there."""

    path: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncation:
    """A file has this size from now on."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class Deletion:
    """A file is gone; durably, if its folder was flushed as well."""

    path: str
    is_flushed: bool


@dataclass(frozen=True, slots=True)
class Flush:
    """What was written to a file is on the disk, and the file is in its folder.

    SQLite flushes the folder as well (`with_folder`) when it flushes a journal for the first time after it made it.
    """

    path: str
    with_folder: bool = False


Event = Write | Truncation | Deletion | Flush
Files = dict[str, bytearray]


@dataclass(slots=True)
class Disk:
    """Everything that was done to files, in order, since they had the contents `before`."""

    before: Mapping[str, bytes] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def flushes(self) -> list[int]:
        """Return where the flushes are: a cut at such a place is just before the flush."""
        return [at for at, event in enumerate(self.events) if isinstance(event, Flush)]

    def cut(self, places: Iterable[int], chance: random.Random) -> Iterator[tuple[int, Files]]:
        """Yield each place, in order, and the files as they may be if the power fails after so many events."""
        files, pending, done = _copy(self.before), dict[str, list[Event]](), 0
        for place in sorted(places):
            for event in self.events[done:place]:
                _note(files, pending, event)
            done = place
            left = _copy(files)
            for changes in pending.values():
                part = chance.choice([0.0, 0.5, 0.9, 1.0])
                for change in changes:
                    if chance.random() < part:
                        _apply(left, change if chance.random() < 0.9 else _tear(change, chance))
            yield place, left


def _copy(files: Mapping[str, bytes | bytearray]) -> Files:
    return {path: bytearray(content) for path, content in files.items()}


def _note(files: Files, pending: dict[str, list[Event]], event: Event) -> None:
    """Let `files` have what is on the disk after an event, and `pending` what was done and may be lost."""
    if not isinstance(event, Flush):
        pending.setdefault(event.path, []).append(event)
        if not isinstance(event, Deletion) or not event.is_flushed:
            return
    for change in pending.pop(event.path, []):
        _apply(files, change)
    if isinstance(event, Flush) and event.with_folder:
        for path, changes in pending.items():
            gone = max((at for at, change in enumerate(changes) if isinstance(change, Deletion)), default=None)
            if gone is not None:
                files.pop(path, None)
                del changes[: gone + 1]


def _apply(files: Files, change: Event) -> None:
    if isinstance(change, Deletion):
        files.pop(change.path, None)
        return
    content = files.setdefault(change.path, bytearray())
    if isinstance(change, Write):
        content.extend(bytes(max(0, change.offset - len(content))))
        content[change.offset : change.offset + len(change.data)] = change.data
    elif isinstance(change, Truncation):
        content.extend(bytes(max(0, change.size - len(content))))
        del content[change.size :]


def _tear(change: Event, chance: random.Random) -> Event:
    """Return a write of which only the first sectors, or the last ones, reached the disk."""
    if not isinstance(change, Write) or len(change.data) <= SECTOR_BYTES:
        return change
    at = SECTOR_BYTES * chance.randint(1, (len(change.data) - 1) // SECTOR_BYTES)
    if chance.random() < 0.5:
        return Write(change.path, change.offset, change.data[:at])
    return Write(change.path, change.offset + at, change.data[at:])


class RecordingFile(apsw.VFSFile):
    """A file of SQLite that notes in `disk` what is done to it."""

    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self._is_new = self._path.endswith(("-wal", "-journal")) and not Path(self._path).exists()
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        self._disk.events.append(Write(self._path, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self._disk.events.append(Truncation(self._path, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        """Note a flush without one: the disk is not ours, and the test is sooner done."""
        del flags
        self._disk.events.append(Flush(self._path, with_folder=self._is_new))
        self._is_new = False


class RecordingVFS(apsw.VFS):
    """The files of the system, with notes."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        super().__init__(VFS, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return RecordingFile(self._disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self._disk.events.append(Deletion(filename, syncdir))
        super().xDelete(filename, syncdir)


class CheckpointedConnection(apsw.Connection):
    """A connection that writes the log of SQLite back to its file after so many pages, whatever it is told."""

    def __init__(self, path: str, pages: int) -> None:
        super().__init__(path, vfs=VFS)
        self._pages = pages

    def execute(self, statements: str, bindings: Any = None, **more: Any) -> apsw.Cursor:
        if statements.startswith("PRAGMA wal_autocheckpoint"):
            statements = f"PRAGMA wal_autocheckpoint = {self._pages}"
        return super().execute(statements, bindings, **more)


@contextmanager
def recorded(folder: Path, checkpoint_pages: int) -> Iterator[Disk]:
    """Record what is done to every database that is opened while this lasts; there are files in `folder` already."""
    disk = Disk(before={str(path): path.read_bytes() for path in folder.glob("*")} if folder.exists() else {})
    vfs = RecordingVFS(disk)

    def connect(path: object, **_: object) -> sqlite3.Connection:
        return cast(sqlite3.Connection, CheckpointedConnection(str(path), checkpoint_pages))  # it has the same methods

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect)
        yield disk
    vfs.unregister()


def replace_files(folder: Path, contents: Files) -> None:
    """Put files with these contents into a folder, under the names that they have, and remove the others."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, content in contents.items():
        (folder / Path(name).name).write_bytes(content)
