"""A packet that comes in parts is whole once, in whichever order the parts come, and leaves nothing that grows."""

import random
from contextlib import closing
from pathlib import Path

import pytest

from antecede.runtime import frames
from antecede.runtime.roaming.station.fragments import Fragments, cut
from antecede.runtime.state.store import Store


def parts_of(number: int, data: bytes) -> list[frames.Part]:
    found = [frames.parse(frame) for frame in cut(number, data, 4)]
    return [part for part in found if isinstance(part, frames.Part)]


def take_all(fragments: Fragments, sender: str, parts: list[frames.Part]) -> list[bytes]:
    """Take parts, and deal with each packet that is whole. Return these packets."""
    packets = []
    for part in parts:
        packet = fragments.take(sender, part)
        if packet is not None:
            packets.append(packet)
            fragments.finish(sender, part.number)
    return packets


@pytest.mark.parametrize("seed", range(20))
def test_every_packet_is_whole_once_and_the_store_does_not_grow(seed: int) -> None:
    chance, store = random.Random(seed), Store(None)
    fragments = Fragments(store)
    sent = [b"packet %d" % number for number in range(1, 101)]
    parts = [part for number, data in enumerate(sent, start=1) for part in parts_of(number, data)]
    parts += chance.choices(parts, k=100)
    chance.shuffle(parts)
    assert sorted(take_all(fragments, "s2", parts)) == sorted(sent)
    assert store.facts["parcels from s2"] == b"[[1, 100]]"
    left = {key for key in store.facts if key.startswith(("part ", "parcel "))}
    assert left == set(), "what comes again is of packets that were dealt with"
    assert take_all(fragments, "s2", parts) == []


def test_a_packet_that_is_not_dealt_with_is_offered_again() -> None:
    """The station had no room for it."""
    fragments, parts = Fragments(Store(None)), parts_of(2, b"a packet")
    assert [fragments.take("s2", part) for part in [*parts, *parts]] == [None, *[b"a packet"] * 3]
    fragments.finish("s2", 2)
    assert fragments.take("s2", parts[0]) is None
    assert take_all(fragments, "s2", parts_of(1, b"an earlier one")) == [b"an earlier one"]


def test_packets_are_numbered_for_each_destination_over_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with closing(Store(path)) as store:
        fragments = Fragments(store)
        assert [fragments.next_number(to) for to in ("s2", "s3", "s2")] == [1, 1, 2]
        store.commit()
    with closing(Store(path)) as store:
        assert [Fragments(store).next_number(to) for to in ("s2", "s3")] == [3, 2]
