"""What survives: one SQLite file, in which a group of steps is there as a whole or not at all.

The core is deterministic, so the state of a process is its last snapshot and the log entries that came after it. A step
costs one short row instead of a snapshot, and a restart replays the rows. Beside the log stand the effects that
somebody still has to act on: the **outbox** (what some inbox may not have yet), the **inbox** (messages that were
delivered and not acknowledged by the application), and **facts** (small values by key). A caller stages changes with
the methods below and makes them durable together with `commit`; nothing may be shown to anybody before that returns.

Durability is "process" or "power". With "process" (SQLite's WAL with synchronous=NORMAL) a committed group survives
the death of the process at any instant, but a power cut or a crash of the operating system may lose the last groups;
the file is consistent all the same, only older. With "power" (synchronous=FULL) every commit is flushed to the disk,
which takes milliseconds; use it together with a broker that flushes too.

`progress` is a number that rises with every step. A copy of the file, or a file that lost its last groups, has less
progress than the broker knows of, and is refused (`ownership`): it would number new messages like old ones, and what
was taken from the broker since then would never come again.

Every row has a checksum, there is one of all rows (`row_sum`), and SQLite checks its pages when the file is opened: a
file that is damaged is refused (its log, too: `wal`).
A file is open in one process at a time. Numbers of outbox and inbox rise for ever and give the order.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from antecede.core.errors import Misuse, too_new
from antecede.core.types import Message, MessageId, ProcessId
from antecede.runtime.limits import SNAPSHOT_BYTES_MIN
from antecede.runtime.number_ranges import to_ranges
from antecede.runtime.state import migration, row_sum
from antecede.runtime.state.log_entries import CODEC, LogEntry, decode_entry, encode_entry
from antecede.runtime.state.outgoing import (
    Outgoing,
    OutgoingFrame,
    OutgoingLines,
    OutgoingPacket,
    kind_of,
    make_outgoing,
)
from antecede.runtime.state.row_sum import RowSum
from antecede.runtime.state.store_error import SAFE, StoreError, checksum, unreadable
from antecede.runtime.state.wal import check_log

DURABILITY = {"process": "NORMAL", "power": "FULL"}
CHECKPOINT_PAGES = 4_000
QUARANTINE_ROWS_MAX = 1_000
INSERTS = {
    "log": "INSERT INTO log VALUES (?, ?, ?)",
    "outbox": "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)",
    "inbox": "INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?, ?)",
    "quarantine": "INSERT INTO quarantine VALUES (?, ?, ?, ?, ?)",
    "done": "DELETE FROM outbox WHERE n BETWEEN ? AND ?",
    "acknowledged": "DELETE FROM inbox WHERE n BETWEEN ? AND ?",
    "fact": "INSERT OR REPLACE INTO fact VALUES (?, ?, ?)",
    "no fact": "DELETE FROM fact WHERE key = ?",
}
MAKE_ROOM = "Make room, then start again with this file"
LAST_LOG = "SELECT max(coalesce((SELECT max(n) FROM log), 0), coalesce((SELECT log_n FROM snapshot), 0))"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Delivered:
    """The `n`-th message that the application is to get."""

    n: int
    message: Message


@lru_cache(maxsize=4_096)
def _names_as_json(names: frozenset[ProcessId]) -> str:
    return json.dumps(sorted(names))


def _advice(error: Exception) -> str:
    """Return what to do about a store that cannot be opened, as the end of a sentence about `error`."""
    if isinstance(error, OSError):
        return ""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return f". {MAKE_ROOM}"
    return f". {SAFE}"  # SQLite's words may be damaged too: ValueError


class Store:
    """One file, or memory alone if `path` is None.

    Whoever logs inputs takes a snapshot when those since the last one are longer than `snapshot_bytes_min`, and twice
    as long as that snapshot. The file has at most `pages_max` pages.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        durability: str = "process",
        pages_max: int | None = None,
        snapshot_bytes_min: int = SNAPSHOT_BYTES_MIN,
    ) -> None:
        if durability not in DURABILITY:
            raise Misuse(f"durability must be one of {', '.join(sorted(DURABILITY))}, not {durability!r}")
        self.path, self.snapshot_bytes_min = path, snapshot_bytes_min
        self.flushes = durability == "power"
        self._staged: dict[str, list[Sequence[Any]]] = {name: [] for name in INSERTS}
        self._deleted: dict[str, list[int]] = {"done": [], "acknowledged": []}
        self._changed_facts: dict[str, bytes | None] = {}
        self._snapshot: bytes | None = None
        self._snapshot_n = 0  # the number of the last log entry that the staged snapshot has
        self._database = self._connect(DURABILITY[durability], pages_max)
        try:
            self._load()
        except BaseException:
            self._database.close()
            raise

    def _connect(self, synchronous: str, pages_max: int | None) -> sqlite3.Connection:
        database: sqlite3.Connection | None = None
        try:
            if self.path is not None:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # nobody else puts files there
                self.path.touch(mode=0o600)  # payloads are nobody else's; SQLite gives its other files the same mode
                check_log(self.path)
            database = sqlite3.connect(
                self.path or ":memory:", isolation_level=None, timeout=0, check_same_thread=False
            )
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._check_pages(database)
            found = migration.check(database, self.path)
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the next log has nothing of an interrupted commit
            database.execute("PRAGMA journal_mode = WAL")
            database.execute(f"PRAGMA synchronous = {synchronous}")
            database.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
            if pages_max is not None:
                database.execute(f"PRAGMA max_page_count = {int(pages_max)}")
            migration.prepare(database, self.path, found)
        except (sqlite3.Error, OSError, ValueError, TypeError, RecursionError, Misuse, StoreError) as error:
            if database is not None:
                database.close()
            if isinstance(error, Misuse | StoreError):
                raise
            if isinstance(error, sqlite3.Error) and "locked" in str(error):
                raise Misuse(
                    f"{self.path} is open in another process: a name can be used in one place at a time. Stop the "
                    "other process, or give this one another name"
                ) from error
            raise StoreError(f"{self.path} cannot be opened: {error}{_advice(error)}") from error
        return database

    def _check_pages(self, database: sqlite3.Connection) -> None:
        """Raise `StoreError` if SQLite finds a page that is damaged."""
        if self.path is None:
            return
        (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise unreadable(self.path, found)

    def _load(self) -> None:
        """Read the facts, and the last numbers that were given."""
        rows = self._read("the fact {0!r}", "SELECT key, value, checksum FROM fact", lambda key, value: (key, value))
        self.facts: dict[str, bytes] = dict(rows)
        codec = self.facts.get("log codec", b"")
        if not codec.isdigit():
            raise unreadable(self.path, "it does not say how its log is written")
        if int(codec) > CODEC:
            raise Misuse(too_new(f"the log of {self.path}", int(codec), CODEC))
        try:
            last_log, self._last_out, self._last_in = map(self._last, migration.NUMBERED)
            (self._quarantined,) = self._one("SELECT coalesce(max(n), 0) FROM quarantine")
            (unacknowledged,) = self._one("SELECT count(*) FROM inbox")
            (logged,) = self._one(LAST_LOG)
            if int(logged) < last_log:
                raise ValueError(f"entry {last_log} of the log is missing")
            self._acknowledged = self._last_in - int(unacknowledged)
            self._last_log = int(logged)
            self.progress = self._last_log + self._acknowledged  # what is staged does not count yet
            self._sum = RowSum(self._database)
            if self.facts.pop(row_sum.FACT, None) != self._sum.row()[1]:
                raise ValueError("a row is missing, or is older than the others")
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise unreadable(self.path, error) from error

    def _one(self, query: str, *values: str) -> Sequence[Any]:
        row: Sequence[Any] = self._database.execute(query, values).fetchone()
        return row

    def _last(self, table: str) -> int:
        """Return the highest number ever given, even if its row is deleted: a broker remembers it as a key."""
        (number,) = self._one("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", table)
        if not isinstance(number, int):
            raise ValueError(f"the last number of the {table} is missing")
        return number

    def _read(self, what: str, query: str, make: Callable[..., T]) -> Iterator[T]:
        """Yield what `make` returns for each row. The last column of a row is its checksum, which `make` does not get.

        Raise `StoreError` if a checksum is wrong. `what` names a row in the error, with its columns by number.
        """
        try:
            for row in self._database.execute(query):
                *values, found = row
                if checksum(*values) != found:
                    raise unreadable(self.path, f"{what.format(*values)} is not what was written")
                yield make(*values)
        except (sqlite3.Error, ValueError, TypeError, IndexError, RecursionError) as error:
            raise unreadable(self.path, error) from error

    # What a restart begins with.

    def snapshot(self) -> bytes | None:
        """Return the state at the last snapshot, or None."""
        rows = self._read("the snapshot", "SELECT log_n, state, checksum FROM snapshot", lambda _, state: state)
        return next(rows, None)

    def log_entries(self) -> Iterator[LogEntry]:
        """Yield the log entries that came after the snapshot, in order."""
        (expected,) = self._one("SELECT coalesce((SELECT log_n FROM snapshot), 0)")

        def read(n: int, entry: bytes) -> LogEntry:
            nonlocal expected
            expected += 1
            if n != expected:
                raise ValueError(f"entry {expected} of the log is missing")
            return decode_entry(entry)

        yield from self._read("entry {0} of the log", "SELECT n, entry, checksum FROM log ORDER BY n", read)

    def outbox(self) -> list[Outgoing]:
        """Return the entries of the outbox that some inbox may not have yet."""
        query = "SELECT n, dests, kind, roster, data, checksum FROM outbox ORDER BY n"

        def read(n: int, dests: str, kind: str, roster: int, data: bytes) -> Outgoing:
            return make_outgoing(n, tuple(json.loads(dests)), kind, roster, data)

        return list(self._read("entry {0} of the outbox", query, read))

    def inbox(self) -> list[Delivered]:
        """Return the messages that the application has not acknowledged."""
        query = 'SELECT n, sender, seq, dests, "group", payload, checksum FROM inbox ORDER BY n'

        def read(n: int, *row: Any) -> Delivered:
            sender, seq, dests, group, payload = row
            return Delivered(n, Message(MessageId(sender, seq), frozenset(json.loads(dests)), payload, group))

        return list(self._read("message {1}:{2} in the inbox", query, read))

    def read_quarantine(self) -> list[tuple[ProcessId | None, str, bytes]]:
        """Return the first 1,000 packets that were refused, each with its alleged sender, the reason, and its bytes."""
        query = "SELECT n, sender, reason, data, checksum FROM quarantine ORDER BY n"

        def read(_: int, sender: ProcessId | None, reason: str, data: bytes) -> tuple[ProcessId | None, str, bytes]:
            return sender, reason, data

        return list(self._read("row {0} of the quarantine", query, read))

    # What is staged for the next commit.

    def log(self, entry: LogEntry) -> int:
        """Log an input that the machine has taken. Return the length of its row."""
        self._last_log += 1
        data = encode_entry(entry)
        self._staged["log"].append((self._last_log, data, checksum(self._last_log, data)))
        return len(data)

    def take_snapshot(self, state: bytes) -> None:
        """Replace the log by the state after all entries that were logged so far."""
        self._snapshot, self._snapshot_n = state, self._last_log
        self._staged["log"].clear()

    def enqueue_packet(self, dests: Sequence[ProcessId], roster: int, data: bytes) -> Outgoing:
        """Stage a packet for the inboxes of `dests`, and return its entry of the outbox."""
        return self._enqueue(OutgoingPacket(self._last_out + 1, tuple(dests), roster, data), roster)

    def enqueue_frame(self, dests: Sequence[ProcessId], data: bytes) -> Outgoing:
        """Stage a whole frame for the inboxes of `dests`, and return its entry of the outbox."""
        return self._enqueue(OutgoingFrame(self._last_out + 1, tuple(dests), data))

    def enqueue_lines(self, dest: ProcessId, data: bytes) -> Outgoing:
        """Stage lines of the trace for a stream, and return their entry of the outbox."""
        return self._enqueue(OutgoingLines(self._last_out + 1, (dest,), data))

    def _enqueue(self, outgoing: Outgoing, roster: int = 0) -> Outgoing:
        self._last_out = outgoing.n
        row = (outgoing.n, json.dumps(outgoing.dests), kind_of(outgoing), roster, outgoing.data)
        self._stage("outbox", row)
        return outgoing

    def _stage(self, table: str, row: Sequence[Any]) -> None:
        """Stage a new row, whose number comes first."""
        found = checksum(*row)
        self._staged[table].append((*row, found))
        self._sum.put(table, row[0], found)

    def done(self, n: int) -> None:
        """Delete entry `n` of the outbox, because the inboxes of all its destinations have it."""
        self._deleted["done"].append(n)
        self._sum.drop("outbox", n)

    def deliver(self, message: Message) -> Delivered:
        """Keep a message for the application until it is acknowledged."""
        self._last_in += 1
        row = (self._last_in, *message.id, _names_as_json(message.dests), message.group, message.payload)
        self._stage("inbox", row)
        return Delivered(self._last_in, message)

    def acknowledge(self, n: int) -> None:
        """Delete message `n` of the inbox, because the application is done with it."""
        self._acknowledged += 1
        self._deleted["acknowledged"].append(n)
        self._sum.drop("inbox", n)

    def quarantine(self, sender: ProcessId | None, reason: str, data: bytes) -> None:
        """Keep a frame or packet that was refused, and why, as long as there is room."""
        if self._quarantined < QUARANTINE_ROWS_MAX:
            self._quarantined += 1
            self._stage("quarantine", (self._quarantined, sender, reason, data))

    def put(self, key: str, value: bytes) -> None:
        """Set a fact."""
        if self.facts.get(key) != value:
            self.facts[key] = value
            self._changed_facts[key] = value

    def drop(self, key: str) -> None:
        """Remove a fact."""
        if self.facts.pop(key, None) is not None:
            self._changed_facts[key] = None

    def commit(self) -> None:
        """Write everything that was staged. If this raises `StoreError`, nothing is written: call only `close` then."""
        for name, numbers in self._deleted.items():
            self._staged[name] += to_ranges(numbers)
        self._stage_facts()
        staged = [(INSERTS[name], rows) for name, rows in self._staged.items() if rows]
        try:
            if self._snapshot is None and len(staged) == 1 and len(staged[0][1]) == 1:
                self._database.execute(staged[0][0], staged[0][1][0])  # one statement is a transaction by itself
            elif staged or self._snapshot is not None:
                self._write(staged)
        except sqlite3.Error as error:
            self._undo()
            raise StoreError(f"{self.path} cannot be written: {error}. {MAKE_ROOM}") from error
        self.progress = self._last_log + self._acknowledged
        self._snapshot = None
        self._changed_facts.clear()
        for rows in self._staged.values():
            rows.clear()
        for numbers in self._deleted.values():
            numbers.clear()

    def _stage_facts(self) -> None:
        """Stage the facts that were changed, and the sum of all rows if a row other than a log entry is staged."""
        for key, value in self._changed_facts.items():
            if value is None:
                self._staged["no fact"].append((key,))
                self._sum.drop("fact", key)
            else:
                self._stage("fact", (key, value))
        if self._snapshot is not None:
            self._sum.put("snapshot", 1, checksum(self._snapshot_n, self._snapshot))
        if self._snapshot is not None or any(rows for name, rows in self._staged.items() if name != "log"):
            self._staged["fact"].append(self._sum.row())

    def _write(self, staged: list[tuple[str, list[Sequence[Any]]]]) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        if self._snapshot is not None:
            row = (self._snapshot_n, self._snapshot)
            self._database.execute("DELETE FROM log")
            self._database.execute("INSERT OR REPLACE INTO snapshot VALUES (1, ?, ?, ?)", (*row, checksum(*row)))
        for statement, rows in staged:
            self._database.executemany(statement, rows)
        self._database.execute("COMMIT")

    def _undo(self) -> None:
        try:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
        except sqlite3.Error:
            pass  # the transaction ends with the connection, as it would with the process

    def close(self) -> None:
        """Close the file; what was staged and not committed is forgotten."""
        self._database.close()
