"""Snapshots that were taken by earlier releases are restored, and what was held back in them goes on."""

from __future__ import annotations

from typing import Any

import pytest

import antecede
from antecede.core.mobile import protocols
from antecede.core.snapshot import values
from tests.golden.files import NEWEST, read, read_all
from tests.golden.snapshots import apply, held_back

FILES = ("snapshots.json", "roaming-snapshots.json")
ENTRIES = [entry for name in FILES for entry in read_all(name)]


def title(entry: dict[str, Any]) -> str:
    return f"{entry['of']} {entry['what']}"


def restore(entry: dict[str, Any]) -> Any:
    data = bytes.fromhex(entry["snapshot"])
    return antecede.restore(data) if entry["of"] == "process" else protocols.restore(data)


@pytest.mark.parametrize("entry", ENTRIES, ids=title)
def test_a_restored_state_goes_on_as_the_one_that_was_stored(entry: dict[str, Any]) -> None:
    machine = restore(entry)
    assert held_back(machine) == entry["held back"]
    for step in entry["steps"]:
        assert apply(machine, step["call"], step["arguments"]) == step["effects"], step


@pytest.mark.parametrize("entry", [entry for name in FILES for entry in read(name, NEWEST)], ids=title)
def test_the_newest_form_is_what_is_written_now(entry: dict[str, Any]) -> None:
    assert restore(entry).snapshot().hex() == entry["snapshot"]


@pytest.mark.parametrize("algorithm", sorted(antecede.algorithms()))
def test_what_was_held_back_is_delivered_when_the_missing_packet_comes(algorithm: str) -> None:
    """Of every algorithm that holds messages back there is a snapshot in which some are, and they go on."""
    entry = next(entry for entry in ENTRIES if entry["what"] == f"{algorithm}, in the middle")
    held = set(entry["held back"])
    assert bool(held) == (algorithm not in ("history", "none"))
    going = {word for step in entry["steps"] for effect in step["effects"] for word in effect}
    assert not held or held & going


def test_there_is_a_golden_snapshot_with_every_stored_name() -> None:
    stored = "".join(entry["snapshot"] for entry in ENTRIES)
    stored += "".join(entry["stored"] for entry in read_all("packets.json"))
    assert [name for name in values.STORABLE if _as_stored(name) not in stored] == []


def _as_stored(name: str) -> str:
    return (b"s" + len(name).to_bytes(4, "big") + name.encode()).hex()
