"""Format 1 of a store: what its rows mean. It has no checksums, so everything is looked at before it is believed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from functools import partial
from math import isfinite

from antecede.runtime.state.log_entries import (
    AgreeEntry,
    EnterEntry,
    HearEntry,
    JoinEntry,
    LeaveEntry,
    LogEntry,
    MeetEntry,
    ReceiveEntry,
    RemoveEntry,
    SendEntry,
    SwitchOffEntry,
    TickEntry,
    make_send,
)

TABLES = ("fact", "snapshot", "input", "outbox", "inbox", "quarantine")
FRAME, LINES = -1, -2
"""What a negative roster means in the outbox."""
NUMBERS = {"sent", "roster", "turn of leaving", "parcels", "trace index"}
NAMES = {"roster names", "inboxes seen when leaving"}
WORDS = {"space", "process", "station", "stations", "host", "algorithm", "options", "incarnation"}
ROWS = (
    "SELECT (SELECT count(*) FROM fact WHERE key != 'format') + (SELECT count(*) FROM snapshot)"
    " + (SELECT count(*) FROM input) + (SELECT count(*) FROM outbox) + (SELECT count(*) FROM inbox)"
    " + (SELECT count(*) FROM quarantine)"
)
"""The number of rows, without the fact that says which format it is."""
BYTES = (
    "SELECT 'fact', value FROM fact UNION ALL SELECT 'snapshot', state FROM snapshot"
    " UNION ALL SELECT 'input', data FROM input UNION ALL SELECT 'outbox', data FROM outbox"
    " UNION ALL SELECT 'inbox', payload FROM inbox UNION ALL SELECT 'quarantine', data FROM quarantine"
)
DESTS = "SELECT 'outbox', n, dests FROM outbox UNION ALL SELECT 'inbox', n, dests FROM inbox"


def is_new(database: sqlite3.Connection) -> bool:
    """Return whether nothing was ever committed to the tables."""
    (rows,) = database.execute(ROWS).fetchone()
    return not rows


def check(database: sqlite3.Connection) -> None:
    """Raise `ValueError` if a row is missing that every store has, or has a value that no release wrote."""
    for table, value in database.execute(BYTES):
        if not isinstance(value, bytes):
            raise ValueError(f"a row of the table {table} has {value!r}, and not bytes")
    facts = dict(database.execute("SELECT key, value FROM fact WHERE key != 'format'"))
    has_snapshot = database.execute("SELECT 1 FROM snapshot").fetchone() is not None
    if has_snapshot and "incarnation" not in facts:
        raise ValueError("it does not say whose it is")
    if not has_snapshot and not is_new(database):
        raise ValueError("its snapshot is missing")
    for key, value in facts.items():
        _check_fact(key, value)
    for table, n, dests in database.execute(DESTS):
        if not _are_names(json.loads(dests)):
            raise ValueError(f"the destinations of entry {n} of the {table} are {dests!r}")


def _check_fact(key: str, value: bytes) -> None:
    if key in NUMBERS and not value.isdigit():
        raise ValueError(f"the fact {key!r} is {value!r}, and not a number")
    if key in WORDS or key.startswith("host "):
        value.decode()
    if (key in NAMES or key.startswith("roster ")) and not _are_names(json.loads(value)):
        raise ValueError(f"the fact {key!r} is not a list of names")
    if key == "timers" and not (isinstance(times := json.loads(value), list) and all(map(_is_time, times))):
        raise ValueError(f"the fact 'timers' is {value!r}, and not a list of times")
    if key == "clock" and not isfinite(float(value)):
        raise ValueError(f"the fact 'clock' is {value!r}, and not a time")
    if key == "trace" and len([int(part) for part in value.split()]) != 2:
        raise ValueError(f"the fact 'trace' is {value!r}, and not a file and its length")


def _are_names(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(name, str) for name in found)


def _is_time(found: object) -> bool:
    return isinstance(found, int | float) and isfinite(found)


def reader(facts: dict[str, bytes]) -> Callable[[str, str, bytes], LogEntry]:
    """Return the function that reads an input. A word means different things to a node, a station and a host."""
    if "station" in facts:
        return _read_station_input
    algorithm = facts.get("algorithm", b"").decode()
    return _read_host_input if "host" in facts else partial(_read_node_input, algorithm)


def _read_node_input(algorithm: str, kind: str, who: str, data: bytes) -> LogEntry:
    if kind == "send":
        return make_send(_read_dests(who), data, algorithm)
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
        return MeetEntry(who)
    if kind == "agree":
        return AgreeEntry(who, *(json.loads(data) if data else (None, None)))
    raise ValueError(f"a station has no input of the kind {kind!r}")


def _read_host_input(kind: str, who: str, data: bytes) -> LogEntry:
    if kind == "send":
        dests = _read_dests(who)
        return SendEntry((dests,) if isinstance(dests, str) else dests, data)
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
