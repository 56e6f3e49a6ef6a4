"""An account at the broker cannot speak for a station: frames between stations are sealed with the operator's key."""

import asyncio
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from antecede.core.mobile.host_and_station_frames import Begin
from antecede.core.types import Packet
from antecede.core.wire.packets import encode
from antecede.runtime import MemoryNetwork, SealsOff, UpgradeNeeded, frames, serve_station
from antecede.runtime.roaming.station.fragments import cut
from antecede.runtime.roaming.station.seals import UNSEALED_S, Seals, WrongSeal
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


def seals(store: Store, me: str = "s1", **settings: Any) -> Seals:
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


BARE = frames.packets(0, [encode(Packet("s2", None, Begin("ann", 1, "s2", 0)))])


class WallClock:
    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


def test_a_store_of_this_release_believes_no_frame_without_a_seal() -> None:
    with closing(Store(None)) as store, pytest.raises(WrongSeal, match="a frame of s2 without a seal"):
        seals(store).open("s2", BARE, 0)


def test_a_migrated_store_believes_frames_that_were_on_their_way_and_no_later_ones(tmp_path: Path) -> None:
    """The inbox numbers what it gets: bare frames from before the first sealed one of a station are taken, if late."""
    path = Path(shutil.copy(GOLDEN / "v1" / "stations" / "roam_s1.sqlite", tmp_path))
    with closing(Store(path)) as store:
        receiver = seals(store)
        assert receiver.open("s2", BARE, 5) == BARE
        receiver.open("s2", seals(store, "s2").wrap("s1", 2, BARE), 7)
        assert receiver.open("s2", BARE, 6) == BARE
        assert receiver.open("s3", BARE, 8) == BARE, "s3 has not heard of the upgrade yet"
        with pytest.raises(WrongSeal, match="without a seal"):
            receiver.open("s2", BARE, 8)


@pytest.mark.parametrize("origin", ["migrated", "announced form 1"])
def test_frames_that_are_on_their_way_for_too_long_are_not_believed(tmp_path: Path, origin: str) -> None:
    """Otherwise a station that never writes would leave the door open for ever. A restart does not open it again."""
    path, clock = tmp_path / "roam_s1.sqlite", WallClock()
    if origin == "migrated":
        shutil.copy(GOLDEN / "v1" / "stations" / "roam_s1.sqlite", path)
    else:
        with closing(Store(path)) as store:
            seals(store, form=1)
            store.commit()
    with closing(Store(path)) as store:
        assert seals(store, wall=clock).open("s2", BARE, 5) == BARE
        store.commit()
    clock.now += UNSEALED_S - 1
    with closing(Store(path)) as store:
        receiver = seals(store, wall=clock)
        assert receiver.open("s2", BARE, 6) == BARE
        assert "may be on their way" in receiver.off
        for now in (clock.now + 1, 1e9 - 1):  # also if the clock is set back
            clock.now = now
            assert receiver.off == ""
            with pytest.raises(WrongSeal, match="start s1 with --wire 1 until all are"):
                receiver.open("s2", BARE, 7)


def test_frames_without_a_seal_that_were_on_their_way_when_the_operator_came_back_from_form_1_are_believed() -> None:
    with closing(Store(None)) as store:
        sealed = seals(store, "s2").wrap("s1", 2, BARE)
        back = seals(store, form=1)
        back.open("s2", sealed, 4)
        assert back.open("s2", BARE, 5) == BARE
        again = seals(store)
        assert again.open("s2", BARE, 6) == BARE, "s2 sent it when s1 still read form 1"
        again.open("s2", sealed, 8)
        assert again.open("s2", BARE, 7) == BARE
        with pytest.raises(WrongSeal, match="without a seal"):
            again.open("s2", BARE, 9)


@pytest.mark.parametrize("what", FORGED)
def test_after_the_operator_came_back_from_form_1_whoever_has_no_key_changes_nothing(tmp_path: Path, what: str) -> None:
    """s1 ran with `--wire 1` and runs normally again. s2 is silent, so no sealed frame of it has come since."""
    network, clock = MemoryNetwork(), WallClock()
    station: dict[str, Any] = {"stations": ["s1", "s2"], "key": KEY, "store": tmp_path}

    async def scenario() -> None:
        async with (
            serve_station(network, name="s2", **station),
            serve_station(network, name="s1", **station, wire=1) as server,
            host(server, "ann") as ann,
        ):
            await ann.connected()
        async with serve_station(network, name="s1", **station, wall=clock) as server, host(server, "ann") as ann:
            await ann.connected()
            await until(lambda: not server.counts()["outbox"])
            if what == "a host is handed over":  # until then it may be one that was on its way
                clock.now += UNSEALED_S
            before, facts = state_of(server), dict(server.durable.store.facts)
            await network.transport("roam", "s2", "forger").publish("s1", FORGED[what], "key")
            await until(lambda: any(isinstance(problem, UpgradeNeeded) for problem in server.problems()))
            (problem,) = [problem for problem in server.problems() if isinstance(problem, UpgradeNeeded)]
            assert "a frame of s2 without a seal: somebody forges frames, or s2 is of an earlier" in str(problem)
            assert state_of(server) == before
            assert server.durable.store.facts["host ann"] == facts["host ann"]
            assert len(network.inboxes["roam", "s1"].unacknowledged) == 1, "it is kept, because it may be of s2"
            assert ann.station == "s1"

    asyncio.run(scenario())


def test_while_frames_are_on_their_way_none_without_a_seal_adds_or_removes_a_host(tmp_path: Path) -> None:
    """Not by a word about a host, and not by a packet that names one, whole or in parts."""
    network = MemoryNetwork()
    station: dict[str, Any] = {"name": "s1", "stations": ["s1", "s2"], "key": KEY, "store": tmp_path}
    packet = encode(Packet("s2", None, Begin("zoe", 1, "s2", 0)))
    forged = [
        frames.known_host("zoe", "0"),
        frames.removed_host("zoe"),
        frames.packets(0, [packet]),
        *cut(7, packet, len(packet) // 2 + 1),
    ]

    async def scenario() -> None:
        async with serve_station(network, **station, wire=1):
            pass
        async with serve_station(network, **station) as server:
            transport = network.transport("roam", "s2", "forger")
            for n, frame in enumerate(forged):
                await transport.publish("s1", frame, f"key {n}")
            await until(lambda: len(server.problems()) == 1 + len(forged) - 1)  # the first part tells nothing
            assert [problem.kind for problem in server.problems()].count("seals off") == 1
            assert not server.durable.station.berths.keys() | server.durable.station.departed
        async with serve_station(network, **station, wire=1) as server:
            await until(lambda: server.durable.station.departed == {"zoe"})
            assert [problem.kind for problem in server.problems()] == ["seals off"]
            assert not network.inboxes["roam", "s1"].unacknowledged

    asyncio.run(scenario())


def test_an_operator_who_lets_frames_be_believed_without_a_seal_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With `--wire 1`, a station of an earlier release can remove a host, and so can everybody else at the broker."""
    network = MemoryNetwork()
    station: dict[str, Any] = {"name": "s1", "stations": ["s1", "s2"], "key": KEY, "store": tmp_path}

    async def scenario() -> None:
        async with serve_station(network, **station, wire=1) as server:
            (problem,) = server.problems()
            assert isinstance(problem, SealsOff)
            assert "started with --wire 1, so whoever can publish at the broker can remove and take over" in str(
                problem
            )
            await network.transport("roam", "s2", "old").publish("s1", frames.removed_host("ann"), "key")
            await until(lambda: "ann" in server.durable.station.departed)
            await until(lambda: "s1: frames of stations are believed without a seal" in caplog.text)
            assert server.problem_counts() == {"seals off": 1}

    asyncio.run(scenario())


def test_the_form_is_what_the_destination_reads(tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN / "v1" / "stations" / "roam_s1.sqlite", tmp_path))
    bare = frames.removed_host("ann")
    with closing(Store(path)) as migrated, closing(Store(None)) as new:
        assert seals(migrated).wrap("s2", None, bare) == bare, "s2 may not be upgraded yet"
        assert seals(migrated).wrap("s2", 2, bare) != bare
        assert seals(new).wrap("s2", None, bare) != bare
        assert seals(new).wrap("s2", 1, bare) == bare, "the operator goes back to an earlier release"
        assert seals(new, form=1).open("s2", bare, 9) == bare
