"""Stored names are strings of their own: renaming a class, a field or a module changes no stored byte.

The lists here are literal. A name that is taken off one of them is in somebody's store.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import antecede
import antecede.runtime.roaming.unordered
from antecede.core.mobile import handoff, host, protocols
from antecede.core.snapshot import values
from antecede.core.wire import shapes
from antecede.runtime import frames
from antecede.runtime.node import departure
from antecede.runtime.roaming.host import durable_host
from antecede.runtime.roaming.station import seals
from antecede.runtime.state import format_1, format_2, log_entries, migration, outgoing, ownership, row_sum
from tests.golden.files import NEWEST, read

SOURCE = Path(antecede.__file__).parent
STAMPS = {
    1: "Baseline",
    2: "KsStamp",
    3: "RstStamp",
    4: "SesStamp",
    5: "VectorStamp",
    6: "BarrierStamp",
    7: "PrsStamp",
    8: "IsisStamp",
    9: "Chain2Stamp",
    10: "NoStamp",
    11: "HistoryStamp",
    12: "PhaseStamp",
    13: "Resynch",
    14: "Ack",
    15: "Number",
    16: "Turn",
    17: "Request",
    18: "Token",
    19: "Up",
    20: "Down",
    21: "Across",
    22: "SendRequest",
    23: "SendPermission",
    24: "DifferentialKsStamp",
    25: "ScalarPhase",
    26: "PsyncStamp",
    27: "ShortPhaseStamp",
    28: "BitStringStamp",
    29: "Resign",
    30: "Quiet",
    31: "RolePart",
    32: "Succeed",
    33: "Complete",
    34: "BareResynch",
    40: "Register",
    41: "Welcome",
    42: "Leave",
    43: "Uplink",
    44: "Taken",
    45: "Downlink",
    46: "Got",
    47: "RegisterFrom",
    50: "Begin",
    51: "Handover",
    52: "Moved",
    53: "Carried",
    54: "Cast",
    55: "Acknowledge",
    56: "Delete",
    57: "Relayed",
    58: "Old",
    59: "Notify",
    60: "Last",
    61: "Over",
    62: "AcknowledgeAll",
}
VALUES = {"Message", "MessageId", "Packet", "Roster", "HoldBack"}
PROCESSES = {
    *("Process", "Chain2", "Isis", "Ks", "Prs", "PrsBroadcast", "Rst", "Ses", "Vector", "Unordered", "History"),
    *("OutputBuffer", "Phases", "BroadcastPhases", "Serial", "Hierarchy", "Numbered", "AcyclicGroups"),
    *("BitStringPrs", "BarePhases", "Succession", "Role", "SenderPermission"),
    *("Rendezvous", "DifferentialKs", "ChannelView", "ScalarPhases", "Psync", "ShortPhases", "RepeatedHistory"),
    "KnownLinks",
}
ROAMING = {
    *("Host", "Station", "Cluster", "Berth", "Luggage", "Policy", "Terms", "Mind", "Direct", "Relay", "Flood"),
    *("FloodMind", "Casts", "CombiningFlood", "AnyOrderFlood", "AnyOrderMind", "PlainScheme"),
    "Seen",
}
LOG_ENTRIES = {
    1: ["dests"],
    2: ["sender", "roster"],
    3: [],
    4: ["name", "groups"],
    5: ["process"],
    6: ["now"],
    7: ["station", "skip"],
    8: [],
    9: ["sent", "got"],
    10: ["host"],
    11: ["host", "when_asleep", "stored_max"],
    12: ["dests"],
    13: ["group"],
    14: ["process", "groups"],
    15: ["host"],
}
NAMING = {"__name__", "__qualname__", "__module__"}


def test_every_stamp_has_the_number_and_the_name_that_it_always_had() -> None:
    assert {tag: values.NAMES[cls] for tag, cls in shapes.STAMPS.items()} == STAMPS


def test_every_stored_name_stands_for_a_type() -> None:
    assert values.STORABLE.keys() == VALUES | PROCESSES | ROAMING | set(STAMPS.values())
    assert {name: cls for cls, name in values.NAMES.items()} == values.STORABLE


def test_states_that_are_stored_as_words_are_the_same_words() -> None:
    assert {handoff.AWAY, handoff.AWAITED, handoff.HERE, handoff.SETTLING, handoff.DRAINING} == {
        *("away", "awaited", "here", "settling", "draining")
    }
    assert (host.OUT, host.ENTERING, host.IN) == ("out", "entering", "in")
    assert (*(b"begun", b"handed over", b"told", b"left"),) == (
        departure.BEGUN,
        departure.HANDED_OVER,
        departure.TOLD,
        departure.LEFT,
    )
    assert {info.addressing for info in antecede.algorithms().values()} == {
        *("multicast", "group", "broadcast", "unicast")
    }


def test_kinds_of_frames_have_the_numbers_that_they_always_had() -> None:
    assert (frames.PACKETS, frames.ROSTER, frames.FAREWELL, frames.LEAVING, frames.SETTLED) == (1, 2, 3, 7, 8)
    assert (frames.KNOWN, frames.PART, frames.REMOVED, frames.ENVELOPE) == (4, 5, 6, 9)
    assert (frames.BARE_FORM, frames.ENVELOPE_FORM) == (1, 2)


def test_words_in_a_store_are_the_same_words() -> None:
    assert (format_1.FRAME, format_1.LINES) == (-1, -2)
    assert (outgoing.PACKET, outgoing.FRAME, outgoing.LINES) == ("packet", "frame", "lines")
    facts = (migration.MIGRATED, ownership.CONFIRMED, ownership.CLAIMED, row_sum.FACT)
    assert facts == ("migrated from", "registration", "claimed registration", "sum of rows")
    assert (*("recent messages", "recent contents", "recent checksums"),) == (
        format_2.OF_PAYLOADS,
        format_2.OF_CONTENTS,
        format_2.RECENT,
    )
    assert (*("parcel ", "parcels", "parcels from ", "parcels to "),) == (
        format_2.PARCEL,
        format_2.PARCELS,
        format_2.PARCELS_FROM,
        format_2.PARCELS_TO,
    )
    assert (format_2.SPOKEN, format_2.TOLD) == ("spoken", "told ")
    assert (durable_host.LAST_GOT, seals.SEALED_FROM) == ("last got", "sealed frames only from")


def test_every_log_entry_has_the_number_and_the_fields_that_it_always_had() -> None:
    found = {number: log_entries.HEADS[entry] for number, entry in log_entries.KINDS.items()}
    assert found.keys().isdisjoint(format_2.RETIRED)
    assert found | format_2.RETIRED == LOG_ENTRIES
    assert [number for number, entry in log_entries.KINDS.items() if hasattr(entry, "data")] == [2, 3, 12, 13]


@pytest.fixture
def _renamed() -> Iterator[None]:
    """Give every storable class another name for a while."""
    names = {cls: (cls.__name__, cls.__qualname__) for cls in values.NAMES}
    for number, cls in enumerate(names):
        cls.__name__ = cls.__qualname__ = f"Renamed{number}"
    yield
    for cls, (name, qualified) in names.items():
        cls.__name__, cls.__qualname__ = name, qualified


@pytest.mark.usefixtures("_renamed")
def test_renamed_classes_read_and_write_the_same_bytes() -> None:
    restores: tuple[tuple[str, Callable[[bytes], Any]], ...] = (
        ("snapshots.json", antecede.restore),
        ("roaming-snapshots.json", protocols.restore),
    )
    for file, restore in restores:
        for entry in read(file, NEWEST):
            assert restore(bytes.fromhex(entry["snapshot"])).snapshot().hex() == entry["snapshot"]
    for entry in read("packets.json", NEWEST):
        packet = antecede.decode(bytes.fromhex(entry["encoded"]))
        assert antecede.encode(packet).hex() == entry["encoded"]
        assert values.dumps(values.loads(bytes.fromhex(entry["stored"]))).hex() == entry["stored"]


@pytest.mark.parametrize("folder", ["core", "runtime"])
def test_the_name_of_a_class_is_for_messages_to_people_only(folder: str) -> None:
    """What asks for the name of a class, function or module does so inside the text of an error."""
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted((SOURCE / folder).rglob("*.py"))
        for node in _outside_of_texts(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in NAMING
    ]
    assert wrong == []


@pytest.mark.parametrize("module", ["pickle", "marshal", "shelve", "copyreg"])
def test_nothing_is_stored_by_a_library_that_stores_names_of_classes(module: str) -> None:
    for path in [*(SOURCE / "core").rglob("*.py"), *(SOURCE / "runtime").rglob("*.py")]:
        assert f"import {module}" not in path.read_text(), path


def _outside_of_texts(node: ast.AST) -> Iterator[Any]:
    """Yield the nodes below `node` that are not inside an f-string."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield child
            yield from _outside_of_texts(child)
