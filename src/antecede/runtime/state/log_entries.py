"""The log of a state machine: every input of a node, a station or a host, as one typed union with one codec.

The core is deterministic, so an input that is replayed has the effects that it had. An entry holds exactly what the
machine was given. On disk it is

    kind (1 byte)   length of the head (a varint)   head (a JSON list)   data (the rest: bytes of a packet or payload)

The kind is a number that never changes its meaning. The head has the fields of the entry in order, without `data`.
Kinds 1 and 4 meant several things, and are in stores of earlier releases only (`format_2`).

A node, a station and a host each take some of the kinds: `NodeEntry`, `StationEntry`, `HostEntry`.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, TypeAlias

from antecede.core.registry import algorithms
from antecede.core.types import GroupId, ProcessId
from antecede.runtime.varint import read_number, write_number

CODEC = 2
"""The version of the codec. A store says in a fact which one its log was written with."""


@dataclass(frozen=True, slots=True)
class SendEntry:
    """The application of a node or host sends `data` to `dests`."""

    dests: tuple[ProcessId, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class SendToGroupEntry:
    """The application of a node sends `data` to the members of a group."""

    group: GroupId
    data: bytes


@dataclass(frozen=True, slots=True)
class ReceiveEntry:
    """A packet came in from the broker. `roster` is the number of the list of names that `sender` encoded it with."""

    sender: ProcessId
    roster: int
    data: bytes


@dataclass(frozen=True, slots=True)
class HearEntry:
    """A packet came in over the air: from a host at a station, or from a station at a host."""

    data: bytes


@dataclass(frozen=True, slots=True)
class JoinEntry:
    """A process joins a node's space, with the groups that it joins. The node itself joins further groups so."""

    process: ProcessId
    groups: tuple[GroupId, ...] = ()


@dataclass(frozen=True, slots=True)
class MeetEntry:
    """A host is known to a station from now on."""

    host: ProcessId


@dataclass(frozen=True, slots=True)
class LeaveEntry:
    """A process leaves a node's space, which may be the node itself."""

    process: ProcessId


@dataclass(frozen=True, slots=True)
class TickEntry:
    """Time has come to `now`, on the clock of the machine."""

    now: float


@dataclass(frozen=True, slots=True)
class EnterEntry:
    """A host registers at a station. `skip` is added to the number of its registration before."""

    station: ProcessId
    skip: int = 0


@dataclass(frozen=True, slots=True)
class SwitchOffEntry:
    """A host has no station from now on."""


@dataclass(frozen=True, slots=True)
class AdoptEntry:
    """A host without a state of its own goes on with the numbers that a station knows of it."""

    sent: int
    got: int


@dataclass(frozen=True, slots=True)
class RemoveEntry:
    """The operator removes a host from all stations."""

    host: ProcessId


@dataclass(frozen=True, slots=True)
class AgreeEntry:
    """A host showed a token with terms of its own, or, if both values are None, without any."""

    host: ProcessId
    when_asleep: str | None
    stored_max: int | None


NodeEntry: TypeAlias = SendEntry | SendToGroupEntry | ReceiveEntry | JoinEntry | LeaveEntry | TickEntry
StationEntry: TypeAlias = HearEntry | ReceiveEntry | TickEntry | MeetEntry | RemoveEntry | AgreeEntry
HostEntry: TypeAlias = SendEntry | HearEntry | EnterEntry | SwitchOffEntry | TickEntry | AdoptEntry
LogEntry: TypeAlias = NodeEntry | StationEntry | HostEntry

KINDS: dict[int, type[Any]] = {
    2: ReceiveEntry,
    3: HearEntry,
    5: LeaveEntry,
    6: TickEntry,
    7: EnterEntry,
    8: SwitchOffEntry,
    9: AdoptEntry,
    10: RemoveEntry,
    11: AgreeEntry,
    12: SendEntry,
    13: SendToGroupEntry,
    14: JoinEntry,
    15: MeetEntry,
}
NUMBERS = {entry: number for number, entry in KINDS.items()}
HEADS = {entry: [field.name for field in fields(entry) if field.name != "data"] for entry in NUMBERS}


def make_send(dests: Sequence[ProcessId] | ProcessId | GroupId, data: bytes, algorithm: str) -> NodeEntry:
    """Return the entry for a node that sends to `dests`. A single word is the name of a group, or of a process, as the
    algorithm has it.
    """
    if isinstance(dests, str):
        info = algorithms().get(algorithm)
        return (
            SendToGroupEntry(dests, data) if info is None or info.addressing == "group" else SendEntry((dests,), data)
        )
    return SendEntry(tuple(dests), data)


def encode_entry(entry: LogEntry) -> bytes:
    """Return the entry as bytes."""
    kind = type(entry)
    head = _encode_head(NUMBERS[kind], *[getattr(entry, name) for name in HEADS[kind]])
    data: bytes = getattr(entry, "data", b"")
    return head + data


@lru_cache(maxsize=4_096, typed=True)
def _encode_head(number: int, *values: Hashable) -> bytes:
    """Return an entry as bytes, without its data. The result is cached: packets of one sender have the same."""
    head = json.dumps(values).encode()
    out = bytearray((number,))
    write_number(len(head), out)
    return bytes(out) + head


def decode_entry(data: bytes) -> LogEntry:
    """Return the entry that `encode_entry` made these bytes of. Raise `ValueError` if they are not an entry."""
    kind = KINDS.get(data[0]) if data else None
    if kind is None:
        raise ValueError(f"a log entry of kind {data[:1].hex() or 'none'} is not known")
    head, rest = split_entry(data, len(HEADS[kind]))
    values = dict(zip(HEADS[kind], head, strict=True))
    if "data" in kind.__dataclass_fields__:
        values["data"] = rest
    entry: LogEntry = kind(**values)
    return entry


def split_entry(data: bytes, count: int) -> tuple[list[Any], bytes]:
    """Return the `count` values in the head of an entry, with lists as tuples, and what comes after the head.

    Raise `ValueError` if the head is not one of so many values.
    """
    size, at = read_number(data, 1)
    if size > len(data) - at:
        raise ValueError(f"a log entry of kind {data[0]} ends before its head does")
    head = json.loads(data[at : at + size])
    if not isinstance(head, list) or len(head) != count:
        raise ValueError(f"a log entry of kind {data[0]} has a head of another form")
    return [tuple(value) if isinstance(value, list) else value for value in head], data[at + size :]
