"""A log of SQLite with damage in the middle is refused; one whose end was interrupted by a crash is not."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from antecede.runtime.state import wal
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import StoreError

STEPS = 30


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
    frames = (len(whole[1]) - wal.HEADER.size) // (wal.FRAME.size + 4096)
    assert len(whole[1]) == wal.HEADER.size + frames * (wal.FRAME.size + 4096), "the pages have 4 KiB"
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
    frame = wal.FRAME.size + 4096
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


@pytest.mark.parametrize("content", [b"", b"short", bytes(100)])
def test_a_log_without_frames_is_empty_and_one_without_a_header_is_damaged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s_a.sqlite"
    path.with_name("s_a.sqlite-wal").write_bytes(content)
    if len(content) == 100:
        with pytest.raises(StoreError, match="its header is damaged"):
            wal.check_log(path)
    else:
        wal.check_log(path)
