"""What stores of format 2 wrote in another way means what it meant."""

from __future__ import annotations

import json
from dataclasses import astuple

import pytest

from antecede.core.mobile.host import OUT, Host
from antecede.runtime.roaming.station.fragments import Fragments
from antecede.runtime.state.format_2 import MIGRATED, RECENT, SPOKEN, convert_facts, read_entry
from antecede.runtime.state.log_entries import (
    HearEntry,
    JoinEntry,
    LogEntry,
    MeetEntry,
    SendEntry,
    SendToGroupEntry,
    TickEntry,
    encode_entry,
)
from antecede.runtime.state.recent_messages import RecentMessages
from antecede.runtime.state.store import Store

NODE, GROUPED = ({"process": b"a", "algorithm": name} for name in (b"ks", b"mr"))
BROADCAST, UNICAST = ({"process": b"a", "algorithm": name} for name in (b"vector", b"mf"))
STATION, HOST = {"station": b"s1", "stations": b"s1 s2 s3"}, {"host": b"ann"}


def old_entry(kind: int, *head: object, data: bytes = b"") -> bytes:
    """Return a log entry as format 2 has it."""
    text = json.dumps(head).encode()
    return bytes((kind, len(text))) + text + data


@pytest.mark.parametrize(
    ("facts", "entry", "meant"),
    [
        (NODE, old_entry(1, ["b", "c"], data=b"x"), SendEntry(("b", "c"), b"x")),
        (NODE, old_entry(1, "b", data=b"x"), SendEntry(("b",), b"x")),
        (NODE, old_entry(1, [], data=b""), SendEntry((), b"")),
        (GROUPED, old_entry(1, "g1", data=b"x"), SendToGroupEntry("g1", b"x")),
        (BROADCAST, old_entry(1, "b", data=b"x"), SendEntry(("b",), b"x")),
        (UNICAST, old_entry(1, "b", data=b"x"), SendEntry(("b",), b"x")),
        (HOST, old_entry(1, ["bob"], data=b"x"), SendEntry(("bob",), b"x")),
        (HOST, old_entry(1, "bob", data=b"x"), SendEntry(("bob",), b"x")),
        (NODE, old_entry(4, "b", []), JoinEntry("b")),
        (GROUPED, old_entry(4, "b", ["g1", "g2"]), JoinEntry("b", ("g1", "g2"))),
        (STATION, old_entry(4, "ann", []), MeetEntry("ann")),
        (STATION, encode_entry(HearEntry(b"packet")), HearEntry(b"packet")),
    ],
)
def test_an_entry_means_what_it_meant(facts: dict[str, bytes], entry: bytes, meant: LogEntry) -> None:
    found = read_entry(entry, facts)
    assert (type(found), astuple(found)) == (type(meant), astuple(meant))


@pytest.mark.parametrize("entry", [old_entry(1), old_entry(4, "b"), b"\1\x7f[]", b"\4", b""])
def test_what_is_not_an_entry_is_refused(entry: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        read_entry(entry, NODE)


def convert(
    facts: dict[str, bytes], snapshot: bytes | None = None, entries: tuple[LogEntry, ...] = ()
) -> dict[str, bytes]:
    return convert_facts(facts, snapshot, list(entries), is_of_format_1=False)


def test_facts_that_did_not_change_are_kept() -> None:
    facts = NODE | {"sent": b"3", "part 0 1 s1": b"x", "parcels of another kind": b"1"}
    assert convert(facts) == facts


def test_packets_that_came_in_parts_are_ranges_of_numbers() -> None:
    parcels = {f"parcel {number} {sender}": b"" for sender in ("s2", "s 3") for number in (10, 9, 2, 1, 4)}
    ranges = b"[[1, 2], [4, 4], [9, 10]]"
    assert convert(STATION | parcels) == STATION | {"parcels from s2": ranges, "parcels from s 3": ranges}


def test_the_number_of_cut_packets_goes_on_at_each_destination() -> None:
    """No number is used again: a station that has got it would drop the packet as a repetition."""
    assert convert(STATION | {"parcels": b"7"}) == STATION | {"parcels": b"7"}
    store = Store(None)
    store.put("parcels", b"7")
    assert [Fragments(store).next_number(to) for to in ("s2", "north hall", "s2")] == [8, 8, 9]


def test_whom_a_roster_was_told_is_not_kept() -> None:
    assert convert(NODE | {"told b": b"2"}) == NODE


def test_all_checksums_of_messages_are_one_fact() -> None:
    """Of a payload as of contents: none is forgotten, or taken for one of the other kind."""
    payload, content = bytes.fromhex("0161023322bf38"), bytes.fromhex("01610312345678")
    assert convert({"recent messages": payload}) == {RECENT: b"\1" + payload}
    assert convert({"recent contents": content}) == {RECENT: b"\0" + content}
    other = payload.replace(b"a", b"b")
    both = convert({"recent messages": payload + other, "recent contents": content})
    assert both == {RECENT: b"\2" + payload + other + content}
    store = Store(None)
    store.put(RECENT, both[RECENT])
    RecentMessages(store).save()
    assert store.facts[RECENT] == both[RECENT]


def sent_three() -> bytes:
    host = Host("ann", "-", "-", state=OUT, retry_s=1.0, unsent_max=10)
    for number in range(3):
        host.send(["bob"], b"%d" % number)
    return host.snapshot()


def test_a_host_of_format_1_may_have_said_all_that_it_has_sent() -> None:
    sends = (SendEntry(("bob",), b"3"), TickEntry(1.0), SendEntry(("bob",), b"4"))
    facts = HOST | {MIGRATED: b"1"}
    assert convert(facts, sent_three(), sends) == facts | {SPOKEN: b"5"}
    assert convert_facts(HOST, sent_three(), list(sends), is_of_format_1=True) == HOST | {SPOKEN: b"5"}
    assert convert(HOST, sent_three(), sends) == HOST, "a host of format 2 has written down what it said"
    assert convert(facts | {SPOKEN: b"4"}, sent_three(), sends) == facts | {SPOKEN: b"4"}


def test_the_snapshot_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="snapshot"):
        convert(HOST | {MIGRATED: b"1"}, b"not a snapshot")
