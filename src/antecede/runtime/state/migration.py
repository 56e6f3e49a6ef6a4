"""The formats of a store, and the way from an earlier one to the present one.

| format | what it has |
|---|---|
| 1 | inputs as a kind, a name and data; an outbox in which negative rosters mean other things; no checksums |
| 2 | a log of typed entries with one codec; words for what the outbox holds; a checksum in every row, and of all rows |
| 3 | each kind of log entry means one thing in every store; facts that stay small |

A store is migrated when it is opened, in one transaction. A process that dies on the way leaves the store as it was.
Until it is known that the file is a store, and of a format that is read here, nothing is written to it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from antecede.core.errors import Misuse, too_new
from antecede.runtime.state import format_1, format_2
from antecede.runtime.state.log_entries import CODEC, encode_entry
from antecede.runtime.state.outgoing import FRAME, LINES, PACKET
from antecede.runtime.state.row_sum import RowSum
from antecede.runtime.state.store_error import checksum, unreadable

FORMAT = 3
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
MIGRATED = format_2.MIGRATED
"""The fact that a store was made in format 1."""


def check(database: sqlite3.Connection, path: Path | None) -> int:
    """Return the format of the store, or 0 if the file is empty, and change nothing.

    Raise `Misuse` if a later release made it, and `StoreError` if it is not a store.
    """
    found = _read_format(database, path)
    if found > FORMAT:
        raise Misuse(too_new(f"the store {path}", found, FORMAT))
    return found


def prepare(database: sqlite3.Connection, path: Path | None, found: int) -> None:
    """Bring a store of the format `found` to the present one: make its tables, or migrate it."""
    if found == FORMAT:
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        if found == 1:
            _migrate_1(database)
        elif found == 2:
            _migrate_2(database)
        else:
            _make_tables(database)
        _write_sum(database)
    except (ValueError, TypeError, IndexError) as error:
        database.execute("ROLLBACK")
        raise unreadable(path, f"it cannot be migrated from format {found}: {error}") from error
    database.execute("COMMIT")


def _read_format(database: sqlite3.Connection, path: Path | None) -> int:
    """Return the format that the store says it has, or 0 if it has no tables.

    Every format has the table of facts, with the fact `format`. From format 2 on, its row has a checksum.
    """
    if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return 0
    columns = {row[1] for row in database.execute("PRAGMA table_info(fact)")}
    if not columns >= {"key", "value"}:
        raise unreadable(path, "it is a database of another program")
    if "checksum" not in columns:
        row = database.execute("SELECT value FROM fact WHERE key = 'format'").fetchone()
        if row is None and format_1.is_new(database):
            return 1  # the process that made the file died before its first commit
        row = row or (None,)
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


def _write_sum(database: sqlite3.Connection) -> None:
    database.execute("INSERT INTO fact VALUES (?, ?, ?)", RowSum(database).row())


def _set_last_number(database: sqlite3.Connection, table: str, number: int) -> None:
    database.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    database.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number))


def _put_fact(database: sqlite3.Connection, key: str, value: bytes) -> None:
    database.execute("INSERT OR REPLACE INTO fact VALUES (?, ?, ?)", (key, value, checksum(key, value)))


def _migrate_1(database: sqlite3.Connection) -> None:
    numbers = dict(database.execute("SELECT name, seq FROM sqlite_sequence"))
    format_1.check(database)
    for table in format_1.TABLES:
        database.execute(f"ALTER TABLE {table} RENAME TO {table}_1")
    _make_tables(database)
    facts = dict(database.execute("SELECT key, value FROM fact_1 WHERE key != 'format'"))
    state = None
    for (state,) in database.execute("SELECT state FROM snapshot_1").fetchall():
        database.execute("INSERT INTO snapshot VALUES (1, 0, ?, ?)", (state, checksum(0, state)))
    read = format_1.reader(facts)
    inputs = database.execute("SELECT kind, who, data FROM input_1 ORDER BY n").fetchall()
    entries = [read(kind, who, data) for kind, who, data in inputs]
    for n, entry in enumerate(entries, start=1):
        data = encode_entry(entry)
        database.execute("INSERT INTO log VALUES (?, ?, ?)", (n, data, checksum(n, data)))
    for key, value in format_2.convert_facts(facts, state, entries, is_of_format_1=True).items():
        _put_fact(database, key, value)
    _put_fact(database, MIGRATED, b"1")
    for n, dests, roster, data in database.execute("SELECT n, dests, roster, data FROM outbox_1").fetchall():
        kind = {format_1.FRAME: FRAME, format_1.LINES: LINES}.get(roster, PACKET)
        row = (n, dests, kind, max(roster, 0), data)
        database.execute("INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)", (*row, checksum(*row)))
    for row in database.execute('SELECT n, sender, seq, dests, "group", payload FROM inbox_1').fetchall():
        database.execute("INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, checksum(*row)))
    for row in database.execute("SELECT n, sender, reason, data FROM quarantine_1").fetchall():
        database.execute("INSERT INTO quarantine VALUES (?, ?, ?, ?, ?)", (*row, checksum(*row)))
    for table in format_1.TABLES:
        database.execute(f"DROP TABLE {table}_1")
    for table in ("outbox", "inbox"):
        _set_last_number(database, table, numbers.get(table, 0))


def _migrate_2(database: sqlite3.Connection) -> None:
    facts = format_2.read_facts(database)
    log = list(format_2.read_log(database, facts))
    (state,) = database.execute("SELECT state FROM snapshot").fetchone() or (None,)
    converted = format_2.convert_facts(facts, state, [entry for _, entry in log], is_of_format_1=False)
    converted |= {"format": b"%d" % FORMAT, "log codec": b"%d" % CODEC}
    for n, entry in log:
        data = encode_entry(entry)
        database.execute("UPDATE log SET entry = ?, checksum = ? WHERE n = ?", (data, checksum(n, data), n))
    database.execute("DELETE FROM fact")
    for key, value in converted.items():
        _put_fact(database, key, value)
