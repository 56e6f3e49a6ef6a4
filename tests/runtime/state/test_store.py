"""The store: a group of steps is there as a whole or not at all, and numbers are never given twice."""

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.core.types import Message, MessageId
from antecede.runtime.state.log_entries import SendEntry
from antecede.runtime.state.outgoing import OutgoingPacket
from antecede.runtime.state.store import QUARANTINE_ROWS_MAX, Store
from antecede.runtime.state.store_error import StoreError

MESSAGE = Message(MessageId("a", 1), frozenset({"b", "c"}), b"payload", "g")


def as_after_a_crash(path: Path) -> Path:
    """The files as they are now, which is what is left when the process dies now."""
    copy = path.parent / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copy(file, copy)
    return copy / path.name


def test_what_is_committed_is_there_and_what_is_not_is_not(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with closing(Store(path)) as store:
        store.log(SendEntry(("b",), b"1"))
        store.enqueue_packet(["b", "c"], 3, b"packet")
        store.deliver(MESSAGE)
        store.put("k", b"v")
        store.commit()
        store.log(SendEntry(("b",), b"2"))
        store.enqueue_packet(["b"], 0, b"lost")
        store.put("k", b"lost")
        with closing(Store(as_after_a_crash(path))) as other:
            assert list(other.log_entries()) == [SendEntry(("b",), b"1")]
            assert other.outbox() == [OutgoingPacket(1, ("b", "c"), 3, b"packet")]
            assert [delivered.message for delivered in other.inbox()] == [MESSAGE]
            assert other.facts["k"] == b"v"


def test_a_snapshot_replaces_the_inputs_before_it(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "s.sqlite")) as store:
        store.log(SendEntry(("b",), b"1"))
        store.commit()
        store.log(SendEntry(("b",), b"2"))
        store.take_snapshot(b"state")
        store.log(SendEntry(("b",), b"3"))
        store.commit()
    with closing(Store(tmp_path / "s.sqlite")) as store:
        assert store.snapshot() == b"state"
        assert list(store.log_entries()) == [SendEntry(("b",), b"3")]


def test_a_number_is_never_given_twice(tmp_path: Path) -> None:
    """A broker remembers the key of a publication for a while: another one with the same would be dropped."""
    path = tmp_path / "s.sqlite"
    with closing(Store(path)) as store:
        numbers = [store.enqueue_packet(["b"], 0, b"x").n, store.deliver(MESSAGE).n]
        store.commit()
        store.done(numbers[0])
        store.acknowledge(numbers[1])
        store.commit()
    with closing(Store(path)) as store:
        assert (store.outbox(), store.inbox()) == ([], [])
        assert (store.enqueue_packet(["b"], 0, b"y").n, store.deliver(MESSAGE).n) == (numbers[0] + 1, numbers[1] + 1)


@pytest.mark.parametrize("done", [(1,), (2, 3), (3, 2, 1), (5, 1, 4), (1, 2, 4, 6), (1, 2, 3, 4, 5, 6), ()])
def test_only_what_is_done_or_acknowledged_is_gone(tmp_path: Path, done: tuple[int, ...]) -> None:
    path = tmp_path / "s.sqlite"
    with closing(Store(path)) as store:
        for _ in range(6):
            store.enqueue_packet(["b"], 0, b"x")
            store.deliver(MESSAGE)
        store.commit()
        for n in done:
            store.done(n)
            store.acknowledge(n)
        store.commit()
    with closing(Store(path)) as store:
        left = [n for n in range(1, 7) if n not in done]
        assert [outgoing.n for outgoing in store.outbox()] == left
        assert [delivered.n for delivered in store.inbox()] == left


def test_a_dropped_fact_stays_dropped(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "s.sqlite")) as store:
        store.put("k", b"v")
        store.commit()
        store.drop("k")
        store.commit()
    with closing(Store(tmp_path / "s.sqlite")) as store:
        assert "k" not in store.facts


def test_a_store_is_open_once(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "s.sqlite")), pytest.raises(Misuse, match="in one place at a time"):
        Store(tmp_path / "s.sqlite")


def test_a_full_disk_is_said_and_corrupts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with closing(Store(path, pages_max=20)) as store:
        store.put("k", b"v")
        store.commit()
        store.put("k", b"too late")
        store.enqueue_packet(["b"], 0, bytes(200_000))
        with pytest.raises(StoreError, match="full"):
            store.commit()
    with closing(Store(path)) as store:
        assert store.facts["k"] == b"v"
        assert store.outbox() == []


def test_a_file_that_is_none_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "s.sqlite")


def test_quarantine_is_bounded(tmp_path: Path) -> None:
    with closing(Store(None)) as store:
        for n in range(QUARANTINE_ROWS_MAX + 5):
            store.quarantine("a", f"reason {n}", b"x")
        store.commit()
        assert len(store.read_quarantine()) == QUARANTINE_ROWS_MAX


def test_durability_is_one_of_two(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="process"):
        Store(tmp_path / "s.sqlite", durability="none")
    with closing(Store(tmp_path / "s.sqlite", durability="power")) as store:
        store.put("k", b"v")
        store.commit()


def test_a_store_that_was_damaged_is_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "damaged.sqlite"
    store = Store(path)
    store.put("a", b"b" * 20_000)
    store.commit()
    store.close()
    data = bytearray(path.read_bytes())
    data[4_200:] = b"\xff" * (len(data) - 4_200)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="cannot be"):
        Store(path)


@pytest.mark.parametrize("first_page", [True, False], ids=["the first page too", "all but the first page"])
def test_who_can_not_read_a_store_is_told_what_is_safe(tmp_path: Path, first_page: bool) -> None:
    """An older copy would lose messages silently, so nobody is advised to bring one back."""
    path = tmp_path / "damaged.sqlite"
    with closing(Store(path)) as store:
        store.put("a", b"b" * 20_000)
        store.commit()
    start = 0 if first_page else 4_096
    path.write_bytes(path.read_bytes()[:start] + b"\xff" * (path.stat().st_size - start))
    with pytest.raises(StoreError, match=r"this file readable .* another name.* An older copy cannot") as told:
        Store(path)
    assert "Bring back" not in str(told.value)


def test_a_folder_that_can_not_be_made_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "file" / "x.sqlite")


def test_nobody_else_may_read_a_store(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "a.sqlite")) as store:
        store.put("key", b"value")
        store.commit()
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes
    assert set(modes.values()) == {0o600}


def test_nobody_else_may_put_files_into_the_folder_of_a_store(tmp_path: Path) -> None:
    """Or another user could put another store in its place, whatever the mask of this process is."""
    old = os.umask(0)
    try:
        Store(tmp_path / "stores" / "a.sqlite").close()
    finally:
        os.umask(old)
    assert (tmp_path / "stores").stat().st_mode & 0o777 == 0o700


def test_a_disk_that_is_full_when_a_store_is_opened_is_told_as_one(tmp_path: Path) -> None:
    """The file is not damaged, so nobody is told to use another name."""
    with pytest.raises(StoreError, match=r"is full\. Make room, then start again with this file$"):
        Store(tmp_path / "s_a.sqlite", pages_max=3)
