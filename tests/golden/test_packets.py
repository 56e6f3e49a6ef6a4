"""Packets that were encoded by earlier releases are decoded to what they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from antecede import decode, encode
from antecede.core.snapshot import values
from antecede.core.wire import shapes
from tests.golden.description import describe
from tests.golden.files import NEWEST, read, read_all

ENTRIES = read_all("packets.json")


def title(entry: dict[str, Any]) -> str:
    return str(entry["algorithm"])


@pytest.mark.parametrize("entry", ENTRIES, ids=title)
def test_an_encoded_packet_is_what_it_was(entry: dict[str, Any]) -> None:
    assert describe(decode(bytes.fromhex(entry["encoded"]))) == entry["packet"]
    assert describe(decode(bytes.fromhex(entry["encoded with the roster"]), entry["roster"])) == entry["packet"]


@pytest.mark.parametrize("entry", ENTRIES, ids=title)
def test_a_stored_packet_is_what_it_was(entry: dict[str, Any]) -> None:
    assert describe(values.loads(bytes.fromhex(entry["stored"]))) == entry["packet"]


@pytest.mark.parametrize("entry", read("packets.json", NEWEST), ids=title)
def test_the_newest_form_is_what_is_written_now(entry: dict[str, Any]) -> None:
    packet = decode(bytes.fromhex(entry["encoded"]))
    assert encode(packet).hex() == entry["encoded"]
    assert encode(packet, entry["roster"]).hex() == entry["encoded with the roster"]
    assert values.dumps(values.loads(bytes.fromhex(entry["stored"]))).hex() == entry["stored"]


def test_there_is_a_golden_packet_of_every_stamp() -> None:
    text = json.dumps(ENTRIES)
    assert [cls for cls in shapes.STAMPS.values() if f'"{values.NAMES[cls]}"' not in text] == []
