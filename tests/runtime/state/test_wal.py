"""A log of SQLite with damage in the middle is refused; one whose end was interrupted by a crash is not."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from antecede.runtime.state import wal
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import StoreError

STEPS = 30
PAGE_BYTES = 4_096


def store_of_a_killed_process(folder: Path) -> Path:
    """Copy a store while it is open: SQLite has not written its log back to the file."""
    path = folder / "s_a.sqlite"
    with closing(Store(path)) as store:
        for number in range(STEPS):
            store.put(f"fact {number}", b"%d" % number * 100)
            store.commit()
        killed = folder / "killed"
        killed.mkdir()
        for name in ("s_a.sqlite", "s_a.sqlite-wal"):
            shutil.copy(folder / name, killed)
    return killed / "s_a.sqlite"


def facts(path: Path) -> int:
    """Open a store, and return how many of the facts it has."""
    with closing(Store(path)) as store:
        return sum(key.startswith("fact ") for key in store.facts)


def test_a_log_that_is_whole_is_read(tmp_path: Path) -> None:
    assert facts(store_of_a_killed_process(tmp_path)) == STEPS


def test_a_bit_that_is_wrong_is_refused_and_the_files_are_left_as_they_are(tmp_path: Path) -> None:
    """Unless it is in the last transaction, which looks like a write that was interrupted."""
    path, chance, found = store_of_a_killed_process(tmp_path), random.Random(1), Counter[str]()
    log = path.with_name("s_a.sqlite-wal")
    whole = path.read_bytes(), log.read_bytes()
    frames = (len(whole[1]) - wal.HEADER.size) // (wal.FRAME.size + PAGE_BYTES)
    assert len(whole[1]) == wal.HEADER.size + frames * (wal.FRAME.size + PAGE_BYTES), "the pages have 4 KiB"
    for _ in range(200):
        at, bit = chance.randrange(len(whole[1])), 1 << chance.randrange(8)
        damaged = bytearray(whole[1])
        damaged[at] ^= bit
        path.write_bytes(whole[0])
        log.write_bytes(damaged)
        refusal, left = "", 0
        try:
            left = facts(path)
        except StoreError as error:
            refusal = str(error)
        found["refused" if refusal else "accepted"] += 1
        if refusal:
            assert "this file readable again, or start with another name" in refusal
            assert (path.read_bytes(), log.read_bytes()) == (whole[0], bytes(damaged))
        else:
            assert left >= STEPS - 1, f"bit {bit} of byte {at} of {len(damaged)} makes the store older"
    print(found)
    assert found["refused"] > 150


@pytest.mark.parametrize("place", ["in a frame", "between frames"])
def test_a_log_that_is_cut_off_looks_like_an_interrupted_write(tmp_path: Path, place: str) -> None:
    """So does every crash. What the broker knows of the store shows whether steps are missing."""
    path = store_of_a_killed_process(tmp_path)
    log = path.with_name("s_a.sqlite-wal")
    frame = wal.FRAME.size + PAGE_BYTES
    log.write_bytes(log.read_bytes()[: wal.HEADER.size + 10 * frame + (frame // 2 if place == "in a frame" else 0)])
    assert 0 < facts(path) < STEPS


def test_frames_of_an_earlier_log_are_not_damage(tmp_path: Path) -> None:
    """SQLite begins its log again from the front, and leaves what is behind."""
    path = tmp_path / "s_a.sqlite"
    with closing(Store(path)) as store:
        for number in range(STEPS):
            store.put(f"fact {number}", b"%d" % number * 100)
            store.commit()
        store._database.execute("PRAGMA wal_checkpoint(RESTART)")
        store.put("fact last", b"1")
        store.commit()
        killed = tmp_path / "killed"
        killed.mkdir()
        for name in ("s_a.sqlite", "s_a.sqlite-wal"):
            shutil.copy(tmp_path / name, killed)
    assert facts(killed / "s_a.sqlite") == STEPS + 1


def test_a_log_that_is_being_written_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner runs, and SQLite says so."""
    path = store_of_a_killed_process(tmp_path)
    log = path.with_name("s_a.sqlite-wal")
    whole = log.read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    log.write_bytes(damaged)
    monkeypatch.setattr("time.sleep", lambda _: log.write_bytes(whole))
    wal.check_log(path)


def copy_of_a_killed_process(store: Store, folder: Path) -> Path:
    """Copy an open store to a new folder, as it would be if its process was killed now."""
    assert store.path is not None
    folder.mkdir()
    for name in (store.path.name, f"{store.path.name}-wal"):
        shutil.copy(store.path.with_name(name), folder)
    return folder / store.path.name


def commit_ends(path: Path) -> dict[int, tuple[int, ...]]:
    """Return the headers of those frames in the log of a store, by place, that end a transaction of this log."""
    log = path.with_name(f"{path.name}-wal").read_bytes()
    salts = wal.HEADER.unpack_from(log)[4:6]
    frames = enumerate(fields for _, fields in wal._frames(log, PAGE_BYTES))
    return {place: fields for place, fields in frames if fields[1] and fields[2:4] == salts}


def tear(path: Path, place: int) -> None:
    """Undo the second half of the write of a frame: its header is written, and its page is not."""
    log = path.with_name(f"{path.name}-wal")
    content = bytearray(log.read_bytes())
    at = wal.HEADER.size + place * (wal.FRAME.size + PAGE_BYTES) + wal.FRAME.size
    content[at : at + PAGE_BYTES] = b"\xff" * PAGE_BYTES  # whatever was there before
    log.write_bytes(content)


def commit_pages(store: Store, name: str, count: int) -> None:
    """Commit one transaction that writes many pages."""
    for number in range(count):
        store.put(f"{name} {number}", b"x" * 900)
    store.commit()


def test_any_number_of_interrupted_commits_leaves_a_store_that_is_opened(tmp_path: Path) -> None:
    """Each is shorter than the one before, so what is left of those would be behind it in the same log."""
    path, kills = tmp_path / "s_a.sqlite", 6
    for kill in range(kills):
        with closing(Store(path)) as store:
            kept = [f"kept {number}" for number in range(kill)]
            assert [key for key in sorted(store.facts) if key.startswith("kept ")] == kept
            assert not any(key.startswith("interrupted ") for key in store.facts)
            store.put(f"kept {kill}", b"")
            store.commit()
            before = commit_ends(path)
            commit_pages(store, "interrupted", 8 * (kills - kill))
            path = copy_of_a_killed_process(store, tmp_path / f"kill {kill}")
        (written,) = dict(commit_ends(path).items() - before.items())
        tear(path, written)
    assert facts(path) == 0


def open_as_an_earlier_release(path: Path) -> sqlite3.Connection:
    """Open a store without a look at its log, and go on with that log."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    return database


def log_with_the_remains_of_two_commits(folder: Path, lost: int) -> Path:
    """Let an earlier release be killed in two commits, of which the second is shorter.

    The second time, it is killed in the last of the commits that it has made since. Or, if `lost` is positive, the
    frame is damaged in which the commit ended that is so many before the last.
    """
    path = folder / "s_a.sqlite"
    with closing(Store(path)) as store:
        commit_pages(store, "first", 40)
        commit_pages(store, "interrupted", 40)
        first = copy_of_a_killed_process(store, folder / "first kill")
    longest = max(commit_ends(first))
    tear(first, longest)
    with closing(open_as_an_earlier_release(first)) as database:
        for number in range(3):
            database.execute("INSERT INTO quarantine VALUES (?, NULL, '', x'', 0)", (number,))
        second = folder / "second kill"
        second.mkdir()
        for name in ("s_a.sqlite", "s_a.sqlite-wal"):
            shutil.copy(first.with_name(name), second)
    since = [place for place in commit_ends(second / "s_a.sqlite") if place < longest]
    tear(second / "s_a.sqlite", since[-1 - lost])
    return second / "s_a.sqlite"


def test_what_two_interrupted_commits_left_in_one_log_is_not_damage(tmp_path: Path) -> None:
    """Earlier releases went on with the log behind the last whole transaction, where the remains of the first are."""
    path = log_with_the_remains_of_two_commits(tmp_path, lost=0)
    wal.check_log(path)
    with closing(open_as_an_earlier_release(path)) as database:
        assert database.execute("SELECT count(*) FROM quarantine").fetchone() == (2,)


@pytest.mark.parametrize("lost", [1, 2])
def test_damage_before_the_remains_of_an_interrupted_commit_is_found(tmp_path: Path, lost: int) -> None:
    path = log_with_the_remains_of_two_commits(tmp_path, lost)
    with pytest.raises(StoreError, match="a transaction that ended after it was whole once"):
        wal.check_log(path)


def test_a_store_begins_an_empty_log_when_it_is_opened(tmp_path: Path) -> None:
    """The log has at most one interrupted commit, that of the process which writes it."""
    path = store_of_a_killed_process(tmp_path)
    assert commit_ends(path)
    with closing(Store(path)):
        assert path.with_name("s_a.sqlite-wal").read_bytes() == b""


@pytest.mark.parametrize("content", [b"", b"short", bytes(100)])
def test_a_log_without_frames_is_empty_and_one_without_a_header_is_damaged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s_a.sqlite"
    path.with_name("s_a.sqlite-wal").write_bytes(content)
    if len(content) == 100:
        with pytest.raises(StoreError, match="its header is damaged"):
            wal.check_log(path)
    else:
        wal.check_log(path)
