"""What survives: one SQLite file, in which a group of steps is there as a whole or not at all.

The core is deterministic, so the state of a process is its last snapshot and the inputs that came after it. A step
costs one short row instead of a snapshot, and a restart replays the rows. Beside the inputs stand the effects that
somebody still has to act on: the **outbox** (packets that some inbox may not have yet), the **inbox** (messages that
were delivered and not acknowledged by the application), and **facts** (small values by key). A caller stages changes
with the methods below and makes them durable together with `commit`; nothing may be shown to anybody before that
returns.

Durability is "process" or "power". With "process" (SQLite's WAL with synchronous=NORMAL) a committed group survives
the death of the process at any instant, but a power cut or a crash of the operating system may lose the last groups;
the file is consistent all the same, only older, and a process that goes on from it would number new messages like
lost ones. With "power" (synchronous=FULL) every commit is flushed to the disk, which takes milliseconds; use it
together with a broker that flushes too.

For the same reason a copy of a store must not take its place. A copy that is older than the last commit is not refused,
because it has the same incarnation. Then new messages get the numbers of old ones and are dropped as duplicates, and
what was taken from the broker since the copy was made never comes again.

A file is open in one process at a time. Numbers of outbox and inbox rise for ever and give the order.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from antecede.core.errors import AntecedeError, Misuse, too_new
from antecede.core.types import Message, MessageId, ProcessId
from antecede.runtime.limits import SNAPSHOT_BYTES_MIN

FORMAT = 1
DURABILITY = {"process": "NORMAL", "power": "FULL"}
CHECKPOINT_PAGES = 4_000
QUARANTINE_ROWS_MAX = 1_000
SAFE = (
    "Make this file readable again, or start with another name. Do not put an older copy in its place: "
    "messages would be lost without notice"
)
"""What to do about a store that cannot be read."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS fact (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS snapshot (one INTEGER PRIMARY KEY CHECK (one = 1), state BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS input (n INTEGER PRIMARY KEY, kind TEXT NOT NULL, who TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS outbox (n INTEGER PRIMARY KEY AUTOINCREMENT, dests TEXT NOT NULL, roster INTEGER NOT NULL,
                                   data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS inbox (n INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, seq INTEGER NOT NULL,
                                  dests TEXT NOT NULL, "group" TEXT, payload BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS quarantine (n INTEGER PRIMARY KEY, sender TEXT, reason TEXT NOT NULL, data BLOB NOT NULL);
"""
INSERTS = {
    "input": "INSERT INTO input (kind, who, data) VALUES (?, ?, ?)",
    "outbox": "INSERT INTO outbox VALUES (?, ?, ?, ?)",
    "inbox": "INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?)",
    "quarantine": "INSERT INTO quarantine (sender, reason, data) VALUES (?, ?, ?)",
    "done": "DELETE FROM outbox WHERE n = ?",
    "acknowledged": "DELETE FROM inbox WHERE n = ?",
    "fact": "INSERT OR REPLACE INTO fact VALUES (?, ?)",
    "no fact": "DELETE FROM fact WHERE key = ?",
}


class StoreError(AntecedeError):
    """The store cannot be opened, read or written: the disk is full, read-only, damaged or gone. The process must stop.

    A full or read-only disk harms nothing that was committed: put it right, and start again with the same file. If the
    file is damaged or lost, begin with another name. An older copy of the file must not take its place.
    """


class Input(NamedTuple):
    """A call of the algorithm: its kind, whom it was about, and what it was given."""

    kind: str
    who: str
    data: bytes


WHOLE_FRAME, LINES = -1, -2


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Data that is owed to the inboxes of `dests`; `roster` as in `frames.Packets`, or what else the data is:
    `WHOLE_FRAME`, or `LINES` of a trace."""

    n: int
    dests: tuple[ProcessId, ...]
    roster: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Delivered:
    """The `n`-th message that the application is to get."""

    n: int
    message: Message


@lru_cache(maxsize=4_096)
def _written(dests: frozenset[ProcessId]) -> str:
    return json.dumps(sorted(dests))


class Store:
    """One file, or memory alone where `path` is None.

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
        self._facts: dict[str, bytes | None] = {}
        self._snapshot: bytes | None = None
        self._database = self._connect(DURABILITY[durability], pages_max)
        try:
            self.facts: dict[str, bytes] = dict(self._database.execute("SELECT key, value FROM fact"))
            self._check_format()
            self._last_out = self._last("outbox")
            self._last_in = self._last("inbox")
            (self._quarantined,) = self._database.execute("SELECT count(*) FROM quarantine").fetchone()
        except (sqlite3.Error, ValueError) as error:
            raise StoreError(f"{path} cannot be read: {error}. {SAFE}") from error

    def _connect(self, synchronous: str, pages_max: int | None) -> sqlite3.Connection:
        try:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.touch(mode=0o600)  # payloads are nobody else's; SQLite gives its other files the same mode
            database = sqlite3.connect(
                self.path or ":memory:", isolation_level=None, timeout=0, check_same_thread=False
            )
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("PRAGMA journal_mode = WAL")
            database.execute(f"PRAGMA synchronous = {synchronous}")
            database.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
            if pages_max is not None:
                database.execute(f"PRAGMA max_page_count = {int(pages_max)}")
            self._refuse_newer(database)  # before anything of the file is changed
            database.executescript(SCHEMA)
        except (sqlite3.Error, OSError) as error:
            if "locked" in str(error):
                raise Misuse(
                    f"{self.path} is open in another process: a name can be used by one process at a time"
                ) from error
            advice = f". {SAFE}" if isinstance(error, sqlite3.Error) else ""
            raise StoreError(f"{self.path} cannot be opened: {error}{advice}") from error
        return database

    def _refuse_newer(self, database: sqlite3.Connection) -> None:
        """Raise `Misuse` if a later release made the file. Every format has the table of facts, and says so there."""
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'fact'").fetchone():
            return
        row = database.execute("SELECT value FROM fact WHERE key = 'format'").fetchone()
        if row is not None and row[0].isdigit() and int(row[0]) > FORMAT:
            database.close()
            raise Misuse(too_new(f"the store {self.path}", int(row[0]), FORMAT))

    def _check_format(self) -> None:
        found = int(self.facts.get("format", b"0"))
        if found not in (0, FORMAT):
            raise Misuse(f"{self.path} has format {found}, this is format {FORMAT}: use the version that wrote it")
        if not found:
            self.put("format", b"%d" % FORMAT)

    def _last(self, table: str) -> int:
        """The highest number ever given, though its row be deleted: a number is a key that a broker remembers."""
        row = self._database.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return 0 if row is None else int(row[0])

    # What a restart begins with.

    def snapshot(self) -> bytes | None:
        """The state at the last snapshot."""
        row = self._database.execute("SELECT state FROM snapshot").fetchone()
        return None if row is None else bytes(row[0])

    def inputs(self) -> Iterable[Input]:
        """What was put in after that, in order."""
        return map(Input._make, self._database.execute("SELECT kind, who, data FROM input ORDER BY n"))

    def outbox(self) -> list[Outgoing]:
        rows = self._database.execute("SELECT n, dests, roster, data FROM outbox ORDER BY n")
        return [Outgoing(n, tuple(json.loads(dests)), roster, data) for n, dests, roster, data in rows]

    def inbox(self) -> list[Delivered]:
        rows = self._database.execute("SELECT * FROM inbox ORDER BY n")
        return [
            Delivered(n, Message(MessageId(sender, seq), frozenset(json.loads(dests)), payload, group))
            for n, sender, seq, dests, group, payload in rows
        ]

    def quarantined(self) -> list[tuple[ProcessId | None, str, bytes]]:
        """What was refused: who was said to have sent it, why it was refused, and the bytes. The first 1,000."""
        return list(self._database.execute("SELECT sender, reason, data FROM quarantine ORDER BY n"))

    # What is staged for the next commit.

    def log(self, kind: str, who: str, data: bytes) -> None:
        """An input was put in."""
        self._staged["input"].append((kind, who, data))

    def take_snapshot(self, state: bytes) -> None:
        """The state after all inputs logged so far, which are not needed any more."""
        self._snapshot = state
        self._staged["input"].clear()

    def enqueue(self, dests: Sequence[ProcessId], roster: int, data: bytes) -> Outgoing:
        """Something has to get to these inboxes."""
        self._last_out += 1
        outgoing = Outgoing(self._last_out, tuple(dests), roster, data)
        self._staged["outbox"].append((outgoing.n, json.dumps(outgoing.dests), roster, data))
        return outgoing

    def done(self, n: int) -> None:
        """It got to all of them."""
        self._staged["done"].append((n,))

    def deliver(self, message: Message) -> Delivered:
        """The application is to get a message."""
        self._last_in += 1
        row = (self._last_in, *message.id, _written(message.dests), message.group, message.payload)
        self._staged["inbox"].append(row)
        return Delivered(self._last_in, message)

    def acknowledge(self, n: int) -> None:
        """The application has it."""
        self._staged["acknowledged"].append((n,))

    def quarantine(self, sender: ProcessId | None, reason: str, data: bytes) -> None:
        """Something was refused. It is kept for whoever wants to look, as long as there is room."""
        if self._quarantined < QUARANTINE_ROWS_MAX:
            self._quarantined += 1
            self._staged["quarantine"].append((sender, reason, data))

    def put(self, key: str, value: bytes) -> None:
        """A fact."""
        if self.facts.get(key) != value:
            self.facts[key] = value
            self._facts[key] = value

    def drop(self, key: str) -> None:
        """No longer a fact."""
        if self.facts.pop(key, None) is not None:
            self._facts[key] = None

    def commit(self) -> None:
        """All that was staged, or nothing: `StoreError`, after which only `close` is left to call."""
        self._staged["fact"] = [row for row in self._facts.items() if row[1] is not None]
        self._staged["no fact"] = [(key,) for key, value in self._facts.items() if value is None]
        staged = [(INSERTS[name], rows) for name, rows in self._staged.items() if rows]
        try:
            if self._snapshot is None and len(staged) == 1 and len(staged[0][1]) == 1:
                self._database.execute(staged[0][0], staged[0][1][0])  # one statement is a transaction by itself
            elif staged or self._snapshot is not None:
                self._write(staged)
        except sqlite3.Error as error:
            self._undo()
            raise StoreError(
                f"{self.path} cannot be written: {error}. Make room, then start again with this file"
            ) from error
        self._snapshot = None
        self._facts.clear()
        for rows in self._staged.values():
            rows.clear()

    def _write(self, staged: list[tuple[str, list[Sequence[Any]]]]) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        if self._snapshot is not None:
            self._database.execute("DELETE FROM input")
            self._database.execute("INSERT OR REPLACE INTO snapshot VALUES (1, ?)", (self._snapshot,))
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
