"""The files of a trace have what the store has, after any death and in no other place."""

import os
import stat
from contextlib import closing
from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.runtime.state.store import Store
from antecede.runtime.state.trace_recorder import TraceFiles

SHORT = 20


def write(folder: Path, *lines: str, committed: bool = True, file_bytes_max: int = 1_000) -> None:
    """What process `a` does with its store and its trace, until it ends or, where not committed, is killed."""
    with (
        closing(Store(folder / "a.sqlite")) as store,
        closing(TraceFiles(folder / "trace", "a", store, file_bytes_max)) as files,
    ):
        store.commit()
        for line in lines:
            files.append([line])
        if committed:
            store.commit()


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((folder / "trace").iterdir())}


def test_files_follow_each_other(tmp_path: Path) -> None:
    write(tmp_path, "x" * SHORT, "y" * SHORT, file_bytes_max=SHORT + 5)
    write(tmp_path, "z" * SHORT, file_bytes_max=SHORT + 5)
    assert [text[0] for text in texts(tmp_path).values()] == ["y", "z", "x"]
    assert list(texts(tmp_path)) == ["a.1.jsonl", "a.2.jsonl", "a.jsonl"]


def test_a_line_that_was_not_committed_is_cut(tmp_path: Path) -> None:
    write(tmp_path, "one")
    write(tmp_path, "never", committed=False)
    write(tmp_path, "two")
    assert texts(tmp_path) == {"a.jsonl": "one\ntwo\n"}


def test_a_file_that_was_begun_and_not_committed_is_removed(tmp_path: Path) -> None:
    """Killed after the first line of the next file: what it says never happened. Files of others are left alone."""
    write(tmp_path, "x" * SHORT)
    write(tmp_path, "never", committed=False, file_bytes_max=SHORT + 5)
    assert list(texts(tmp_path)) == ["a.1.jsonl", "a.jsonl"]
    others = dict.fromkeys(("a-b.1.jsonl", "b.1.jsonl"), "of another process\n")
    for name, text in others.items():
        (tmp_path / "trace" / name).write_text(text)
    write(tmp_path, "two")
    assert texts(tmp_path) == {"a.jsonl": "x" * SHORT + "\ntwo\n", **others}


def test_a_run_without_a_line_removes_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "trace" / "a.1.jsonl").write_text("of another run\n")
    write(tmp_path)
    assert texts(tmp_path) == {"a.1.jsonl": "of another run\n", "a.jsonl": ""}


@pytest.mark.parametrize("found", [None, "", "on"])
def test_a_trace_that_is_in_another_place_is_not_gone_on_with(tmp_path: Path, found: str | None) -> None:
    """Where there is no file, or a shorter one, it would have a gap; the place it was in is as good as ever."""
    write(tmp_path, "one")
    there = tmp_path / "trace"
    there.rename(tmp_path / "moved")
    if found is not None:
        there.mkdir()
        (there / "a.jsonl").write_text(found)
    with pytest.raises(Misuse, match=r"not in .*trace: the store has 4 bytes in a.jsonl. Give the folder it was in"):
        write(tmp_path, "two")
    if found is not None:
        assert texts(tmp_path) == {"a.jsonl": found}
        (there / "a.jsonl").unlink()
        there.rmdir()
    assert not there.exists()
    (tmp_path / "moved").rename(there)
    write(tmp_path, "two")
    assert texts(tmp_path) == {"a.jsonl": "one\ntwo\n"}


def test_the_files_of_a_trace_are_private_to_their_owner(tmp_path: Path) -> None:
    """Those that are made now, and those that an earlier release made for everybody to read."""
    old = os.umask(0)
    try:
        write(tmp_path, "x" * SHORT)
        (tmp_path / "trace" / "a.jsonl").chmod(0o644)
        write(tmp_path, "y" * SHORT)
        write(tmp_path, "z" * SHORT, file_bytes_max=SHORT + 5)
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "trace").iterdir()}
    assert modes == {"a.jsonl": 0o600, "a.1.jsonl": 0o600}
    assert stat.S_IMODE((tmp_path / "trace").stat().st_mode) == 0o700
