"""An account at the broker cannot speak for a station: frames between stations are sealed with the operator's key."""

import asyncio
import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from antecede.core.errors import WireError
from antecede.core.mobile.host_and_station_frames import Begin
from antecede.core.types import Packet
from antecede.core.wire.packets import encode
from antecede.runtime import MemoryNetwork, frames, serve_station
from antecede.runtime.roaming.station.seals import Seals, WrongSeal
from antecede.runtime.state.store import Store
from tests.golden.files import HERE as GOLDEN
from tests.runtime.cells import KEY, cells, host, state_of, taken, until

FORGED = {
    "a host is removed": bytes((6,)) + json.dumps(["ann"]).encode(),
    "a host has another store": bytes((4,)) + json.dumps(["ann", "0"]).encode(),
    "a host is handed over": frames.packets(0, [encode(Packet("s2", None, Begin("ann", 10**6, "s2", 0)))]),
}


def seal_with_another_key(frame: bytes) -> bytes:
    with closing(Store(None)) as store:
        return Seals(b"another key, of somebody else", "roam", "s2", store).wrap("s1", 2, frame)


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("seal", ["none", "of another key"])
def test_whoever_can_publish_and_has_no_key_changes_nothing(forged: bytes, seal: str) -> None:
    """A good host with a good token is served as before."""
    network = MemoryNetwork()

    async def scenario() -> None:
        async with cells(network) as at, host(at["s1"], "ann") as ann, host(at["s2"], "bob") as bob:
            await ann.connected()
            await bob.connected()
            await until(lambda: all(server.counts()["known"] == 2 for server in at.values()))
            before, inbox = state_of(at["s1"]), network.inboxes["roam", "s1"]
            serial = inbox.serial
            data = forged
            if seal != "none":
                data = seal_with_another_key(forged)
            await network.transport("roam", "s2", "forger").publish("s1", data, "key")
            await until(lambda: inbox.serial > serial and not inbox.waiting)
            await asyncio.sleep(0.05)
            assert state_of(at["s1"]) == before
            await bob.send({"ann"}, b"still there?")
            assert await taken(ann, 1) == [b"still there?"]

    asyncio.run(scenario())


def test_a_frame_of_another_key_is_kept_and_named() -> None:
    """The operator has changed the key at one station: nothing is lost when the keys are the same again."""
    network = MemoryNetwork()

    async def scenario() -> None:
        async with serve_station(network, name="s1", stations=["s1", "s2"], key=KEY) as server:
            data = seal_with_another_key(FORGED["a host is removed"])
            await network.transport("roam", "s2", "x").publish("s1", data, "key")
            await until(server.problems)
            (problem,) = server.problems()
            assert "does not fit: give all stations the same key" in str(problem)
            assert len(network.inboxes["roam", "s1"].unacknowledged) == 1

    asyncio.run(scenario())


def seals(store: Store, me: str = "s1", **settings: int) -> Seals:
    return Seals(KEY, "roam", me, store, **settings)


def test_a_seal_is_for_one_sender_one_destination_and_one_frame() -> None:
    with closing(Store(None)) as store:
        frame = frames.removed_host("ann")
        sealed = seals(store, "s2", epoch=7).wrap("s1", 2, frame)
        receiver = seals(store)
        assert receiver.open("s2", sealed, 1) == frame
        assert KEY not in sealed
        for reader, sender, data in (
            (receiver, "s3", sealed),
            (seals(store, "s3"), "s2", sealed),
            (Seals(KEY, "another space", "s1", store), "s2", sealed),
            (receiver, "s2", sealed[:-1] + b"x"),
            (receiver, "s2", sealed.replace(b"\x02\x07", b"\x02\x08", 1)),
        ):
            with pytest.raises(WrongSeal):
                reader.open(sender, data, 1)


def test_a_store_of_this_release_believes_no_frame_without_a_seal() -> None:
    with closing(Store(None)) as store, pytest.raises(WireError, match="a frame of s2 without a seal"):
        seals(store).open("s2", frames.removed_host("ann"), 0)


def test_a_migrated_store_believes_frames_that_were_on_their_way_and_no_later_ones(tmp_path: Path) -> None:
    """The inbox numbers what it gets: bare frames from before the first sealed one of a station are taken, if late."""
    path = Path(shutil.copy(GOLDEN / "v1" / "stations" / "roam_s1.sqlite", tmp_path))
    with closing(Store(path)) as store:
        receiver, bare = seals(store), frames.removed_host("ann")
        assert receiver.open("s2", bare, 5) == bare
        receiver.open("s2", seals(store, "s2").wrap("s1", 2, bare), 7)
        assert receiver.open("s2", bare, 6) == bare
        assert receiver.open("s3", bare, 8) == bare, "s3 is not upgraded yet"
        with pytest.raises(WireError, match="without a seal"):
            receiver.open("s2", bare, 8)


def test_frames_without_a_seal_that_were_on_their_way_when_the_operator_came_back_from_form_1_are_believed() -> None:
    bare = frames.removed_host("ann")
    with closing(Store(None)) as store:
        sealed = seals(store, "s2").wrap("s1", 2, bare)
        back = seals(store, form=1)
        back.open("s2", sealed, 4)
        assert back.open("s2", bare, 5) == bare
        again = seals(store)
        assert again.open("s2", bare, 6) == bare, "s2 sent it when s1 still read form 1"
        again.open("s2", sealed, 8)
        assert again.open("s2", bare, 7) == bare
        with pytest.raises(WireError, match="without a seal"):
            again.open("s2", bare, 9)


def test_the_form_is_what_the_destination_reads(tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN / "v1" / "stations" / "roam_s1.sqlite", tmp_path))
    bare = frames.removed_host("ann")
    with closing(Store(path)) as migrated, closing(Store(None)) as new:
        assert seals(migrated).wrap("s2", None, bare) == bare, "s2 may not be upgraded yet"
        assert seals(migrated).wrap("s2", 2, bare) != bare
        assert seals(new).wrap("s2", None, bare) != bare
        assert seals(new).wrap("s2", 1, bare) == bare, "the operator goes back to an earlier release"
        assert seals(new, form=1).open("s2", bare, 9) == bare
