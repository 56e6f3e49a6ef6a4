"""Find the files that paths mean, through Arrow's file systems.

A path is a file, a folder (searched at every depth), or a glob with `*`, `?`, `[...]` and `{a,b}`, in which a backslash
takes the meaning of the next character away. Names in a folder that begin with `_` or `.` are ignored, as Spark does. A
file that is named twice is read once. Only regular files are read: a FIFO or a device in a folder is ignored, and
refused if it is named itself.

`list_files` runs where the tasks run, because only there it is known which files the tasks can open.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs

from antecede.pipeline.errors import UnreadableInput

PATHS = pa.schema([("path", pa.string())])
"""A table of paths."""
GLOB = re.compile(r"[*?\[{]")
ESCAPED = re.compile(r"\\(.)")
BRACES = re.compile(r"(?<!\\)\{([^{}]*)\}")
HIDDEN = ("_", ".")
LOCAL = re.compile(r"^file:(/{3,}|/(?!/))")
SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:/")
STANDARD_INPUT = "standard input"
STANDARD_INPUT_FOLDER = "antecede-standard-input-"
"""The beginning of the name of the temporary folder that holds a copy of standard input."""
ARROW_SCHEMES = ("file", "s3", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss")
"""The file systems that Arrow has. Some need a library of their own."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of the input. `path` is for opening it. `name` is shown to people: the path as it was given."""

    path: str
    name: str
    bytes: int
    version: str | None = None
    """Length and time of change, to notice that the file is replaced while it is read."""


class FileChanged(UnreadableInput):
    """A file is no longer the one that was listed."""


class UnknownFileSystem(UnreadableInput):
    """Arrow cannot open a path where the tasks run."""


def is_local(path: str) -> bool:
    """Return whether a path is one of this machine's own file system."""
    return SCHEME.match(path) is None or LOCAL.match(path) is not None


def name_for_people(path: str) -> str:
    """Return the name to show for a path that was given. The copy of standard input is called "standard input"."""
    return STANDARD_INPUT if Path(path).parent.name.startswith(STANDARD_INPUT_FOLDER) else path


def locate(path: str) -> tuple[Any, str]:
    """Return the file system of a path, and the name of the file in it."""
    if is_local(path):
        return pyarrow.fs.LocalFileSystem(), os.path.abspath(LOCAL.sub("/", path))
    try:
        return pyarrow.fs.FileSystem.from_uri(path)
    except (OSError, pa.ArrowException, ValueError) as error:
        raise UnknownFileSystem(f"{path}: cannot be opened with Arrow: {error}") from error


def version_of(info: pyarrow.fs.FileInfo) -> str | None:
    """Return a text that differs between a file and another one that has taken its place: size and time of change."""
    return f"{info.size} {info.mtime_ns}"


def check_version(path: str, version: str | None) -> None:
    """Raise `FileChanged` if the file is no longer the one that was listed."""
    if version is None:
        return
    system, name = locate(path)
    if version_of(system.get_file_info(name)) != version:
        raise FileChanged(f"{path}: the file changed while it was read; check it again when no program writes to it")


def list_files(paths: Sequence[str]) -> tuple[InputFile, ...]:
    """Return the files that `paths` mean, each once, in the order of their names. Empty files are listed too.

    Raise `UnreadableInput` if a path means no file, or only empty ones.
    """
    if not paths:
        raise UnreadableInput("no input is given; give a file, a folder or a glob")
    found: dict[str, InputFile] = {}
    for path in paths:
        refuse_odd_name(path)
        files = list(_files_at(path))
        if not any(file.bytes for file in files):
            raise UnreadableInput(empty(files) if files else no_files(path))
        found.update((file.path, file) for file in files)
    return tuple(found[path] for path in sorted(found))


def refuse_odd_name(path: str) -> None:
    """Raise `UnreadableInput` if a path is empty, or not UTF-8 and could not be shown or handed to a task."""
    if not path:
        raise UnreadableInput("a path is empty; give a file, a folder or a glob ('.' is the current folder)")
    if "\0" in path:
        raise UnreadableInput(f"{path!r}: a path cannot have a zero byte; correct it")
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode(errors="replace").decode()
        raise UnreadableInput(f"{shown}: the name of this file is not UTF-8; rename the file") from None


def _files_at(path: str) -> Iterator[InputFile]:
    system, name = locate(path)
    prefix = (
        ""
        if is_local(path)
        else path[: len(path) - len(name)]
        if path.endswith(name)
        else f"{path.split('://', maxsplit=1)[0]}://"
    )
    infos = [system.get_file_info(name)]
    if infos[0].type == pyarrow.fs.FileType.NotFound:
        infos = list(_match_glob(system, name)) if GLOB.search(name) else []
        if not infos:
            raise UnreadableInput(not_found(path))
    is_relative = is_local(path) and LOCAL.match(path) is None and not os.path.isabs(path)
    for info in infos:
        for file in _files_below(system, info, prefix, named=len(infos) == 1):
            yield replace(file, name=os.path.relpath(file.path)) if is_relative else file


def _files_below(system: Any, info: pyarrow.fs.FileInfo, prefix: str, *, named: bool) -> Iterator[InputFile]:
    """Yield a file itself, or the files in a folder at every depth. `named` is true if the path names it alone."""
    if info.type == pyarrow.fs.FileType.Directory:
        if isinstance(system, pyarrow.fs.LocalFileSystem):
            yield from _local_folder(Path(info.path), set())
            return
        for inner in system.get_file_info(pyarrow.fs.FileSelector(info.path, recursive=True)):
            below = inner.path[len(info.path) :].strip("/").split("/")
            if inner.type == pyarrow.fs.FileType.File and not any(part.startswith(HIDDEN) for part in below):
                yield _input_file(inner, prefix)
    elif isinstance(system, pyarrow.fs.LocalFileSystem):
        yield from _local_file(Path(info.path), named=named)
    else:
        yield _input_file(info, prefix)


def _local_folder(folder: Path, above: set[str]) -> Iterator[InputFile]:
    """Yield the files in a folder at every depth. A link to a folder above it is not followed."""
    here = os.path.realpath(folder)
    if here in above:
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except PermissionError:
        raise UnreadableInput(not_permitted(str(folder))) from None
    for entry in entries:
        if entry.name.startswith(HIDDEN):
            continue
        if _is_folder(entry):
            yield from _local_folder(Path(entry.path), above | {here})
        else:
            yield from _local_file(Path(entry.path), named=False)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _local_file(path: Path, *, named: bool) -> Iterator[InputFile]:
    """Yield a regular file. Raise `UnreadableInput` if something else is `named`, and ignore it otherwise."""
    name = str(path)
    refuse_odd_name(name)
    try:
        found = path.stat()
    except OSError:
        if not named:
            return  # a link to nothing
        raise UnreadableInput(not_found(name)) from None
    if not stat.S_ISREG(found.st_mode):
        if named:
            raise UnreadableInput(
                f"{name}: this is {_kind_of_file(found.st_mode)}, not a regular file; write its content to a file, or "
                "pipe it to `antecede check -`"
            )
        return
    if not os.access(path, os.R_OK):
        raise UnreadableInput(not_permitted(name))
    yield InputFile(name, name_for_people(name), found.st_size, f"{found.st_size} {found.st_mtime_ns}")


def _kind_of_file(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a FIFO"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "a socket"


def _input_file(info: pyarrow.fs.FileInfo, prefix: str) -> InputFile:
    path = f"{prefix}{info.path}"
    return InputFile(path, path, info.size or 0, version_of(info))


def _match_glob(system: Any, pattern: str) -> Iterator[pyarrow.fs.FileInfo]:
    """Yield the files and folders that match a pattern, folder by folder."""
    for one in _expand_braces(pattern):
        parts = one.split("/")
        first = next((at for at, part in enumerate(parts) if GLOB.search(part)), len(parts))
        folders = ["/".join(parts[:first]) or "/"]
        for part in parts[first:]:
            folders = [path for folder in folders for path in _match_in(system, folder, part)]
        for path in folders:
            info = system.get_file_info(path)
            if info.type != pyarrow.fs.FileType.NotFound:
                yield info


def _match_in(system: Any, folder: str, part: str) -> Iterator[str]:
    if not GLOB.search(part):
        yield f"{folder.rstrip('/')}/{part}"
        return
    wanted = re.compile(translate(ESCAPED.sub(r"[\1]", part)))
    for name in sorted(_names_in(system, folder)):
        if wanted.match(name) and not (name.startswith(HIDDEN) and not part.startswith(HIDDEN)):
            refuse_odd_name(name)
            yield f"{folder.rstrip('/')}/{name}"


def _names_in(system: Any, folder: str) -> list[str]:
    """Return the names in a folder, or none if it is not a folder. A local name may not be UTF-8."""
    try:
        if isinstance(system, pyarrow.fs.LocalFileSystem):
            return os.listdir(folder)
        return [info.base_name for info in system.get_file_info(pyarrow.fs.FileSelector(folder))]
    except OSError:
        return []


def _expand_braces(pattern: str) -> list[str]:
    """Return the patterns that `{a,b}` in a pattern stands for. Braces inside braces are not expanded."""
    pieces = BRACES.split(pattern)
    choices = [piece.split(",") if at % 2 else [piece] for at, piece in enumerate(pieces)]
    return ["".join(chosen) for chosen in product(*choices)]


def not_found(path: str) -> str:
    return f"{path}: no such file or folder; check the path, and quote a glob so that the shell does not expand it"


def empty(files: Sequence[InputFile]) -> str:
    what = "the file is empty" if len(files) == 1 else f"this file is empty, and so are {len(files) - 1:,} others"
    return f"{files[0].name}: {what}, so there is nothing to check; give the path of a trace"


def no_files(path: str) -> str:
    return (
        f"{path}: the folder has no files (files whose names begin with _ or . are ignored); give the path of a trace"
    )


def not_permitted(path: str) -> str:
    return f"{path}: permission denied; use a user that can read it"
