"""`restore` of anything but a snapshot raises `SnapshotError`, and nothing else."""

from __future__ import annotations

import struct
import tracemalloc
import zlib
from random import Random

import pytest

import antecede
from antecede import SnapshotError
from antecede.core.snapshot import values
from tests.properties.packets import ALGORITHMS, spoiled
from tests.stage import destinations, stage_for

HEAD = len(values.MAGIC) + 8
SPOILED = 600
"""Spoiled snapshots of each algorithm, and as many whose checksum is right nevertheless."""


def snapshot(algorithm: str) -> bytes:
    """Of the process that holds most back among some that were brought the latest packets only."""
    random = Random(f"snapshot {algorithm}")
    stage = stage_for(algorithm, random, processes=4)
    for _ in range(16):
        sender = random.choice(stage.names)
        stage.send(sender, destinations(stage, sender, random))
        if stage.flying:
            stage.bring(stage.flying[-1])
    busiest = max(stage.names, key=lambda name: len(stage.held(name)))
    return stage.nodes[busiest].snapshot()


def sealed(body: bytes) -> bytes:
    """A snapshot with this body, whose length and checksum are right: only the reader itself can refuse it."""
    return values.MAGIC + struct.pack(">II", len(body), zlib.crc32(body)) + body


def refused(data: bytes) -> bool:
    try:
        antecede.restore(data)
    except SnapshotError:
        return True
    return False


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_damaged_snapshot_is_refused(algorithm: str) -> None:
    random = Random(f"damaged {algorithm}")
    data = snapshot(algorithm)
    assert not refused(data)
    for _ in range(SPOILED):
        damaged = spoiled(data, data, random)
        assert damaged == data or refused(damaged)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_forged_snapshot_is_refused_or_is_one(algorithm: str) -> None:
    """With the right checksum a change may by chance be a snapshot of something else; it never is any other error."""
    random = Random(f"forged {algorithm}")
    body = snapshot(algorithm)[HEAD:]
    turned_away = sum(refused(sealed(spoiled(body, body, random))) for _ in range(SPOILED))
    assert turned_away > SPOILED // 4


def test_plain_values_are_not_an_algorithm() -> None:
    for value in (None, True, 7, -1.5, "text", b"bytes", [1, 2], (3,), {"a": {1}}, frozenset("b")):
        with pytest.raises(SnapshotError):
            antecede.restore(values.dumps(value))


def test_a_short_snapshot_can_not_ask_for_much_room() -> None:
    hungry = [letter + struct.pack(">I", 2**32 - 1) for letter in (b"l", b"m", b"c", b"i", b"s", b"e")]
    nested = b"".join(b"l" + struct.pack(">I", 1) for _ in range(200))
    tracemalloc.start()
    try:
        for body in [*hungry, nested]:
            assert refused(sealed(body))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_the_empty_and_the_foreign() -> None:
    for data in (b"", b"antecede", values.MAGIC, values.MAGIC + bytes(8), b"\x80\x04]\x94."):
        assert refused(data)
