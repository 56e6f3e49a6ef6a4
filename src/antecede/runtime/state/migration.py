"""The formats of a store, and the way from an earlier one to the present one.

| format | what it has |
|---|---|
| 1 | inputs as a kind, a name and data; an outbox in which negative rosters mean other things; no checksums |
| 2 | a log of typed entries with one codec; words for what the outbox holds; a checksum in every row |

A store is migrated when it is opened, in one transaction. A process that dies on the way leaves the store as it was.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

from antecede.core.errors import Misuse, too_new
from antecede.runtime.state.log_entries import (
    CODEC,
    AgreeEntry,
    EnterEntry,
    HearEntry,
    JoinEntry,
    LeaveEntry,
    LogEntry,
    ReceiveEntry,
    RemoveEntry,
    SendEntry,
    SwitchOffEntry,
    TickEntry,
    encode_entry,
)
from antecede.runtime.state.outgoing import FRAME, LINES, PACKET
from antecede.runtime.state.store_error import checksum, unreadable

FORMAT = 2
SCHEMA = (
    "CREATE TABLE fact (key TEXT PRIMARY KEY, value BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE snapshot (one INTEGER PRIMARY KEY CHECK (one = 1), log_n INTEGER NOT NULL, state BLOB NOT NULL,"
    " checksum INTEGER NOT NULL)",
    "CREATE TABLE log (n INTEGER PRIMARY KEY AUTOINCREMENT, entry BLOB NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE outbox (n INTEGER PRIMARY KEY AUTOINCREMENT, dests TEXT NOT NULL, kind TEXT NOT NULL,"
    " roster INTEGER NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE inbox (n INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, seq INTEGER NOT NULL,"
    ' dests TEXT NOT NULL, "group" TEXT, payload BLOB NOT NULL, checksum INTEGER NOT NULL)',
    "CREATE TABLE quarantine (n INTEGER PRIMARY KEY, sender TEXT, reason TEXT NOT NULL, data BLOB NOT NULL,"
    " checksum INTEGER NOT NULL)",
)
NUMBERED = ("log", "outbox", "inbox")
"""Tables whose last number SQLite keeps, though the row is deleted."""
TABLES_1 = ("fact", "snapshot", "input", "outbox", "inbox", "quarantine")
FRAME_1, LINES_1 = -1, -2
"""What a negative roster meant in the outbox of format 1."""
MIGRATED = "migrated from"
"""The fact that a store was made by an earlier release: the format that it had."""


def prepare(database: sqlite3.Connection, path: Path | None) -> None:
    """Bring the store to the present format: make its tables, or migrate it. Raise `Misuse` if it is of a later one."""
    found = _read_format(database, path)
    if found > FORMAT:
        raise Misuse(too_new(f"the store {path}", found, FORMAT))
    if found == FORMAT:
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        if found == 1:
            _migrate_1(database)
        else:
            _make_tables(database)
    except (ValueError, TypeError, IndexError) as error:
        database.execute("ROLLBACK")
        raise unreadable(path, f"it cannot be migrated from format {found}: {error}") from error
    database.execute("COMMIT")


def _read_format(database: sqlite3.Connection, path: Path | None) -> int:
    """Return the format that the store says it has, or 0 if it has no tables.

    Every format has the table of facts, with the fact `format`. From format 2 on, its row has a checksum.
    """
    columns = {row[1] for row in database.execute("PRAGMA table_info(fact)")}
    if not columns:
        return 0
    if "checksum" not in columns:
        row = database.execute("SELECT value FROM fact WHERE key = 'format'").fetchone()
        if row is None:
            return 1  # the process that made the file died before its first commit
    else:
        row = database.execute("SELECT value, checksum FROM fact WHERE key = 'format'").fetchone()
        if row is None or checksum("format", row[0]) != row[1]:
            raise unreadable(path, "the fact that says which format it has is damaged")
    if not isinstance(row[0], bytes) or not row[0].isdigit():
        raise unreadable(path, "the fact that says which format it has is damaged")
    return int(row[0])


def _make_tables(database: sqlite3.Connection) -> None:
    for statement in SCHEMA:
        database.execute(statement)
    for table in NUMBERED:
        _set_last_number(database, table, 0)
    for key, value in (("format", b"%d" % FORMAT), ("log codec", b"%d" % CODEC)):
        _put_fact(database, key, value)


def _set_last_number(database: sqlite3.Connection, table: str, number: int) -> None:
    database.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    database.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number))


def _put_fact(database: sqlite3.Connection, key: str, value: bytes) -> None:
    database.execute("INSERT OR REPLACE INTO fact VALUES (?, ?, ?)", (key, value, checksum(key, value)))


def _migrate_1(database: sqlite3.Connection) -> None:
    numbers = dict(database.execute("SELECT name, seq FROM sqlite_sequence"))
    for table in TABLES_1:
        database.execute(f"ALTER TABLE {table} RENAME TO {table}_1")
    _make_tables(database)
    facts = dict(database.execute("SELECT key, value FROM fact_1 WHERE key != 'format'"))
    for key, value in facts.items():
        _put_fact(database, key, value)
    _put_fact(database, MIGRATED, b"1")
    for (state,) in database.execute("SELECT state FROM snapshot_1").fetchall():
        database.execute("INSERT INTO snapshot VALUES (1, 0, ?, ?)", (state, checksum(0, state)))
    read = _reader_1(facts)
    inputs = database.execute("SELECT kind, who, data FROM input_1 ORDER BY n").fetchall()
    for n, (kind, who, data) in enumerate(inputs, start=1):
        entry = encode_entry(read(kind, who, data))
        database.execute("INSERT INTO log VALUES (?, ?, ?)", (n, entry, checksum(n, entry)))
    for n, dests, roster, data in database.execute("SELECT n, dests, roster, data FROM outbox_1").fetchall():
        kind = {FRAME_1: FRAME, LINES_1: LINES}.get(roster, PACKET)
        row = (n, dests, kind, max(roster, 0), data)
        database.execute("INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)", (*row, checksum(*row)))
    for row in database.execute('SELECT n, sender, seq, dests, "group", payload FROM inbox_1').fetchall():
        database.execute("INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, checksum(*row)))
    for row in database.execute("SELECT n, sender, reason, data FROM quarantine_1").fetchall():
        database.execute("INSERT INTO quarantine VALUES (?, ?, ?, ?, ?)", (*row, checksum(*row)))
    for table in TABLES_1:
        database.execute(f"DROP TABLE {table}_1")
    for table in ("outbox", "inbox"):
        _set_last_number(database, table, numbers.get(table, 0))


def _reader_1(facts: dict[str, bytes]) -> Callable[[str, str, bytes], LogEntry]:
    """Return what reads an input of format 1, in which a word means different things to a node, station and host."""
    if "station" in facts:
        return _read_station_input
    return _read_host_input if "host" in facts else _read_node_input


def _read_node_input(kind: str, who: str, data: bytes) -> LogEntry:
    if kind == "send":
        return SendEntry(_read_dests(who), data)
    if kind == "join":
        return JoinEntry(who, tuple(json.loads(data)))
    if kind == "leave":
        return LeaveEntry(who)
    if kind == "tick":
        return TickEntry(float(who))
    if kind == "receive":
        roster, _, sender = who.partition(" ")
        return ReceiveEntry(sender, int(roster), data)
    raise ValueError(f"a node has no input of the kind {kind!r}")


def _read_station_input(kind: str, who: str, data: bytes) -> LogEntry:
    if kind == "hear":
        return HearEntry(data)
    if kind == "receive":
        return ReceiveEntry(who, 0, data)
    if kind == "tick":
        return TickEntry(float(who))
    if kind == "remove":
        return RemoveEntry(who)
    if kind == "join":
        return JoinEntry(who)
    if kind == "agree":
        return AgreeEntry(who, *(json.loads(data) if data else (None, None)))
    raise ValueError(f"a station has no input of the kind {kind!r}")


def _read_host_input(kind: str, who: str, data: bytes) -> LogEntry:
    if kind == "send":
        return SendEntry(_read_dests(who), data)
    if kind == "hear":
        return HearEntry(data)
    if kind == "enter":
        return EnterEntry(who)
    if kind == "leave":
        return SwitchOffEntry()
    if kind == "tick":
        return TickEntry(float(who))
    raise ValueError(f"a host has no input of the kind {kind!r}")


def _read_dests(who: str) -> tuple[str, ...] | str:
    """Return destinations as format 1 has them: the JSON of one name, or of a list of names."""
    dests = json.loads(who)
    return dests if isinstance(dests, str) else tuple(dests)
