"""The log: every entry comes back as it was, and bytes that are not an entry are refused."""

import random
from dataclasses import fields
from typing import Any

import pytest

from antecede.runtime.state.log_entries import (
    KINDS,
    AdoptEntry,
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
    SendToGroupEntry,
    SwitchOffEntry,
    TickEntry,
    decode_entry,
    encode_entry,
)

ENTRIES: list[LogEntry] = [
    SendToGroupEntry("g1", b"to a group"),
    SendEntry(("b", "zoë"), b"\0\xff"),
    SendEntry((), b""),
    ReceiveEntry("zoë", 300, b"packet"),
    HearEntry(b"packet"),
    JoinEntry("c"),
    JoinEntry("c", ("g1", "g2")),
    MeetEntry("ann"),
    LeaveEntry("c"),
    TickEntry(0.1 + 0.2),
    EnterEntry("s1"),
    EnterEntry("s1", 2**50),
    SwitchOffEntry(),
    AdoptEntry(7, 4),
    RemoveEntry("ann"),
    AgreeEntry("ann", None, None),
    AgreeEntry("ann", "drop", 5),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=repr)
def test_an_entry_comes_back(entry: LogEntry) -> None:
    assert decode_entry(encode_entry(entry)) == entry


def test_every_kind_of_entry_is_in_the_list_above() -> None:
    assert {type(entry) for entry in ENTRIES} == set(KINDS.values())


@pytest.mark.parametrize("data", [b"", b"\0", b"\1\2[]", b"\x0c\x05[1]", b"\x0c\3{}\0", b"\x0e\2[]", b"\6\3[0"])
def test_what_is_not_an_entry_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        decode_entry(data)


def test_damaged_entries_are_refused_or_are_entries() -> None:
    """Nothing else is raised than what the store knows how to tell in words."""
    chance = random.Random(1)
    for _ in range(5_000):
        data = bytearray(encode_entry(chance.choice(ENTRIES)))
        data[chance.randrange(len(data))] = chance.randrange(256)
        entry: Any = None
        try:
            entry = decode_entry(bytes(data))
        except (ValueError, TypeError, RecursionError):
            continue
        assert all(hasattr(entry, field.name) for field in fields(entry))
