"""Format 2 of a store: what was written in another way than today, in the tables that are still the same.

| format 2 | format 3 |
|---|---|
| a log entry of kind 1: sent to names, to one name, or to a group | kind 12 is sent to names, 13 to a group |
| a log entry of kind 4: a peer of a node joins, or a station meets a host | kind 14 is the peer, 15 the host |
| the facts `recent messages` (checksums of payloads) and `recent contents` | one fact, `recent checksums` |
| a fact `parcel N SENDER` for each packet that came in parts, for good | ranges of numbers, for each sender |
| the fact `parcels`: how many packets were cut, for whomever | the same; each destination goes on from there |
| a fact `told PROCESS` for each process that was told a roster | nothing: each start tells its roster again |
| no fact `spoken` in a store that a host had in format 1, until it spoke | the fact, if the host has sent |
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from antecede.core.errors import AntecedeError
from antecede.core.mobile.host import Host
from antecede.core.mobile.protocols import restore
from antecede.core.types import ProcessId
from antecede.runtime.number_ranges import to_ranges, write_ranges
from antecede.runtime.state.log_entries import (
    JoinEntry,
    LogEntry,
    MeetEntry,
    SendEntry,
    decode_entry,
    make_send,
    split_entry,
)
from antecede.runtime.state.row_sum import FACT, RowSum
from antecede.runtime.state.store_error import checksum
from antecede.runtime.varint import read_number, write_number

SEND, JOIN = 1, 4
"""The kinds of log entries that meant several things. Nothing else is ever written with these numbers."""
RETIRED = {SEND: ["dests"], JOIN: ["name", "groups"]}
CHECKSUM_BYTES = 4
TOLD, PARCEL, PARCELS = "told ", "parcel ", "parcels"
OF_PAYLOADS, OF_CONTENTS = "recent messages", "recent contents"

# Words that are written instead.
MIGRATED = "migrated from"
SPOKEN = "spoken"
RECENT = "recent checksums"
PARCELS_FROM, PARCELS_TO = "parcels from ", "parcels to "


def read_facts(database: sqlite3.Connection) -> dict[str, bytes]:
    """Return all facts. Raise `ValueError` if one is not what was written, or a row of the store is missing."""
    rows = database.execute("SELECT key, value, checksum FROM fact").fetchall()
    for key, value, found in rows:
        if checksum(key, value) != found:
            raise ValueError(f"the fact {key!r} is not what was written")
    facts = {key: value for key, value, _ in rows}
    if facts.pop(FACT, None) != RowSum(database).row()[1]:
        raise ValueError("a row is missing, or is older than the others")
    return facts


def read_log(database: sqlite3.Connection, facts: dict[str, bytes]) -> Iterator[tuple[int, LogEntry]]:
    """Yield the number and the entry of each row of the log. Raise `ValueError` if one is not what was written."""
    for n, data, found in database.execute("SELECT n, entry, checksum FROM log ORDER BY n").fetchall():
        if checksum(n, data) != found:
            raise ValueError(f"entry {n} of the log is not what was written")
        yield n, read_entry(data, facts)


def read_entry(data: bytes, facts: dict[str, bytes]) -> LogEntry:
    """Return a log entry of format 2. What kinds 1 and 4 mean depends on whose store it is, which `facts` say."""
    if data[:1] == bytes((SEND,)):
        (dests,), payload = split_entry(data, len(RETIRED[SEND]))
        if "host" in facts:
            return SendEntry((dests,) if isinstance(dests, str) else dests, payload)
        return make_send(dests, payload, facts.get("algorithm", b"").decode())
    if data[:1] == bytes((JOIN,)):
        (name, groups), _ = split_entry(data, len(RETIRED[JOIN]))
        return MeetEntry(name) if "station" in facts else JoinEntry(name, groups)
    return decode_entry(data)


def convert_facts(
    facts: dict[str, bytes], snapshot: bytes | None, entries: list[LogEntry], *, is_of_format_1: bool
) -> dict[str, bytes]:
    """Return the facts of a store of format 1 or 2 as format 3 has them."""
    converted = {key: value for key, value in facts.items() if not key.startswith((TOLD, PARCEL))}
    for fact in (OF_PAYLOADS, OF_CONTENTS):
        converted.pop(fact, None)
    if OF_PAYLOADS in facts or OF_CONTENTS in facts:
        converted[RECENT] = join_checksums(facts.get(OF_PAYLOADS, b""), facts.get(OF_CONTENTS, b""))
    finished: dict[ProcessId, list[int]] = {}
    for number, sender in (_parcel(key) for key in facts if key.startswith(PARCEL)):
        finished.setdefault(sender, []).append(number)
    for sender, numbers in finished.items():
        converted[PARCELS_FROM + sender] = write_ranges(to_ranges(numbers))
    if "host" in facts and SPOKEN not in facts and (is_of_format_1 or MIGRATED in facts) and snapshot is not None:
        converted[SPOKEN] = b"%d" % _count_sent(snapshot, entries)
    return converted


def _parcel(key: str) -> tuple[int, ProcessId]:
    number, _, sender = key.removeprefix(PARCEL).partition(" ")
    return int(number), sender


def join_checksums(of_payloads: bytes, of_contents: bytes) -> bytes:
    """Return both facts as one.

    A checksum of a payload cannot be made one of the content, because nobody knows the destinations any more. It is not
    dropped: with it, a number that is used twice is noticed, and not taken for a repetition.
    """
    count = at = 0
    while at < len(of_payloads):
        size, at = read_number(of_payloads, at)
        _, at = read_number(of_payloads, at + size)
        at += CHECKSUM_BYTES
        count += 1
    joined = bytearray()
    write_number(count, joined)
    return bytes(joined) + of_payloads + of_contents


def _count_sent(snapshot: bytes, entries: list[LogEntry]) -> int:
    """Return how many messages a host has sent, any of which may have been on a link.

    Format 1 did not write down which it said. To take all of them for said is safe: the fact shows that somebody else
    used a number that this store never said.
    """
    try:
        host = restore(snapshot)
    except AntecedeError as error:
        raise ValueError(str(error)) from error
    if not isinstance(host, Host):
        raise ValueError("the snapshot is not of a host")
    return host.sent + sum(isinstance(entry, SendEntry) for entry in entries)
