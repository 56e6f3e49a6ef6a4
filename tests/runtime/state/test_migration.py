"""A store of an earlier release is brought to the present format as a whole, or not at all if the process dies."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from antecede.core.mobile.protocols import restore as restore_roaming
from antecede.core.registry import restore
from antecede.runtime.state import format_2, migration
from antecede.runtime.state.log_entries import HearEntry, ReceiveEntry, SendEntry
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import StoreError
from tests.golden.files import HERE as GOLDEN

FORMAT_2 = sorted(path for version in range(2, 11) for path in (GOLDEN / f"v{version}").rglob("*.sqlite"))
FORMAT_1 = sorted((GOLDEN / "v1").rglob("*.sqlite"))
KILLED = 9
WITH_DATA = (SendEntry, ReceiveEntry, HearEntry)


def content_1(path: Path) -> dict[str, list[Any]]:
    """All rows of a store of format 1."""
    with closing(sqlite3.connect(path)) as database:
        tables = ("fact", "snapshot", "input", "outbox", "inbox", "quarantine", "sqlite_sequence")
        return {table: database.execute(f"SELECT * FROM {table}").fetchall() for table in tables}


def content(store: Store) -> tuple[Any, ...]:
    """Everything that a process has of a store."""
    entries = list(store.log_entries())
    return store.facts, store.snapshot(), entries, store.outbox(), store.inbox(), store.read_quarantine()


@pytest.mark.parametrize("original", FORMAT_1, ids=lambda path: path.stem)
def test_everything_is_there_after_a_migration(original: Path, tmp_path: Path) -> None:
    before = content_1(original)
    path = Path(shutil.copy(original, tmp_path))
    with closing(Store(path)) as store:
        facts, snapshot, entries, outbox, inbox, quarantine = content(store)
        kept = {key: value for key, value in before["fact"] if key != "format" and not key.startswith("told ")}
        assert {key: facts[key] for key in kept} == kept
        assert (facts["format"], facts["log codec"], facts[migration.MIGRATED]) == (b"3", b"2", b"1")
        assert snapshot == before["snapshot"][0][1]
        assert len(entries) == len(before["input"])
        packets = [row[3] for row in before["input"] if row[1] in ("send", "receive", "hear")]
        assert [entry.data for entry in entries if isinstance(entry, WITH_DATA)] == packets
        assert [(out.n, list(out.dests), out.data) for out in outbox] == [
            (n, json.loads(dests), data) for n, dests, _, data in before["outbox"]
        ]
        assert [(one.n, *one.message.id, one.message.payload) for one in inbox] == [
            (n, sender, seq, payload) for n, sender, seq, _, _, payload in before["inbox"]
        ]
        assert quarantine == [tuple(row[1:]) for row in before["quarantine"]]
        numbers = dict(before["sqlite_sequence"])
        assert store.enqueue_frame(["b"], b"next").n == numbers.get("outbox", 0) + 1
    with closing(Store(path)) as again:
        assert content(again) == (facts, snapshot, entries, outbox, inbox, quarantine)


def open_traced(path: Path, traced: Callable[[str], None]) -> None:
    """Open and close a store, and call `traced` before each statement."""
    connect = sqlite3.connect

    def connect_traced(*arguments: Any, **settings: Any) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(*arguments, **settings)
        database.set_trace_callback(traced)
        return database

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect_traced)
        Store(path).close()


def die_at(path: Path, number: int) -> int:
    """Open a store in another process, which dies before statement `number`. Return how it ended."""
    child = os.fork()
    if not child:
        statements = count(1)

        def kill(_: str) -> None:
            if next(statements) == number:
                os._exit(KILLED)

        open_traced(path, kill)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def rows_2(path: Path) -> dict[str, list[Any]]:
    """All rows of a store of format 2 or 3."""
    with closing(sqlite3.connect(path)) as database:
        tables = ("fact", "snapshot", "log", "outbox", "inbox", "quarantine", "sqlite_sequence")
        return {table: database.execute(f"SELECT * FROM {table}").fetchall() for table in tables}


@pytest.mark.parametrize("original", FORMAT_2, ids=lambda path: f"{path.parts[-3]} {path.stem}")
def test_a_store_of_format_2_changes_in_log_entries_and_facts_only(original: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(original, tmp_path))
    before = rows_2(path)
    with closing(Store(path)) as store:
        facts, _, entries, *_ = content(store)
    after = rows_2(path)
    for table in ("snapshot", "outbox", "inbox", "quarantine", "sqlite_sequence"):
        assert after[table] == before[table]
    assert [row[0] for row in after["log"]] == [row[0] for row in before["log"]]
    was = {key: value for key, value, _ in before["fact"]}
    assert len(entries) == len(before["log"])
    assert not {row[1][0] for row in after["log"]} & set(format_2.RETIRED)
    assert (facts["format"], facts["log codec"], facts.get(migration.MIGRATED)) == (b"3", b"2", None)
    changed = ("format", "log codec", "sum of rows", "recent messages", "recent contents", "told ", "parcel")
    kept = {key: value for key, value in was.items() if not key.startswith(changed)}
    assert {key: facts[key] for key in kept} == kept
    assert facts.keys() - kept.keys() <= {"format", "log codec", format_2.RECENT}


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE fact SET value = x'39' WHERE key = 'sent'", "the fact 'sent' is not what was written"),
        ("UPDATE log SET entry = x'0600'", "entry [0-9]+ of the log is not what was written"),
        ("DELETE FROM fact WHERE key = 'sent'", "a row is missing"),
        ("DELETE FROM fact WHERE key = 'sum of rows'", "a row is missing"),
        ("DELETE FROM outbox", "a row is missing"),
        ("DELETE FROM log WHERE n = (SELECT max(n) FROM log)", "entry [0-9]+ of the log is missing"),
        ("UPDATE snapshot SET state = zeroblob(10)", "the snapshot is not what was written"),
        ("UPDATE outbox SET data = x'00'", "of the outbox is not what was written"),
    ],
)
def test_damage_is_not_hidden_by_a_migration(statement: str, named: str, tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN / "v10" / "nodes" / "orders_c.sqlite", tmp_path))
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement)
        database.commit()
    with pytest.raises(StoreError, match=named), closing(Store(path)) as store:
        content(store)


DYING = [
    f"{version}/{name}" for version in ("v1", "v10") for name in ("nodes/orders_c", "stations/roam_s1", "hosts/cat")
]


@pytest.mark.parametrize("name", DYING)
def test_a_process_that_dies_while_it_migrates_leaves_the_store_as_it_was(name: str, tmp_path: Path) -> None:
    """At every statement: the file is of the format before, whole, and the next process migrates it."""
    original = GOLDEN / f"{name}.sqlite"
    read = content_1 if name.startswith("v1/") else rows_2
    before = read(original)
    whole = Path(shutil.copy(original, tmp_path / "whole.sqlite"))
    statements: list[str] = []
    open_traced(whole, statements.append)
    with closing(Store(whole)) as store:
        expected = content(store)
    midway = 0
    for number in range(1, len(statements) + 1):
        path = Path(shutil.copy(original, tmp_path / f"{number}.sqlite"))
        assert die_at(path, number) == KILLED
        with closing(sqlite3.connect(path)) as database:
            (found,) = database.execute("SELECT value FROM fact WHERE key = 'format'").fetchone()
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if found != b"3":
            assert read(path) == before
            midway += 1
        with closing(Store(path)) as store:
            assert content(store) == expected
    assert midway > 15, "most statements are part of the migration"


def test_an_input_of_format_1_that_nobody_can_read_is_told_in_words(tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN / "v1" / "nodes" / "orders_a.sqlite", tmp_path))
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO input (kind, who, data) VALUES ('fly', 'b', x'')")
        database.commit()
    with pytest.raises(StoreError, match="cannot be migrated from format 1: a node has no input of the kind 'fly'"):
        Store(path)
    assert content_1(path)["input"][-1][1] == "fly", "what is refused is left as it is"


def test_a_file_without_a_first_commit_is_a_new_store(tmp_path: Path) -> None:
    """The process of an earlier release made the tables and died."""
    path = tmp_path / "s.sqlite"
    shutil.copy(GOLDEN / "v1" / "nodes" / "orders_a.sqlite", path)
    with closing(sqlite3.connect(path)) as database:
        for table in ("fact", "snapshot", "input", "outbox", "inbox", "quarantine", "sqlite_sequence"):
            database.execute(f"DELETE FROM {table}")
        database.commit()
    with closing(Store(path)) as store:
        assert (store.snapshot(), store.outbox(), store.inbox()) == (None, [], [])


def test_golden_snapshots_in_migrated_stores_are_restored(tmp_path: Path) -> None:
    for original in FORMAT_1:
        path = Path(shutil.copy(original, tmp_path / original.name))
        with closing(Store(path)) as store:
            state = store.snapshot()
            assert state is not None
            assert (restore if original.parent.name == "nodes" else restore_roaming)(state).snapshot() == state
