"""A station or a host notices when the store of a station fell back, names it, and loses nothing in silence."""

import asyncio
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from antecede.core.errors import RemoteViolation, WireError
from antecede.core.mobile.luggage import Luggage
from antecede.core.types import Message, MessageId
from antecede.runtime import HostRefused, MemoryNetwork, NumberReused, StationFellBack, serve_station
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.station.evidence import FELL_BACK_MAX, Evidence
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.roaming.websocket import HostMemory, read_hello
from antecede.runtime.state.recent_messages import message_checksum
from antecede.runtime.state.store import Store
from tests.runtime.cells import KEY, WAIT_S, acquainted, host, stored, taken, until
from tests.runtime.ports import free_port

BOTH: dict[str, Any] = {"stations": ["s1", "s2"], "key": KEY}
ALONE: dict[str, Any] = {"stations": ["s1"], "key": KEY, "name": "s1"}


def keep_copy(folder: Path) -> Path:
    """Copy the stores of a folder as they are."""
    return Path(shutil.copytree(folder, folder.with_name(f"{folder.name}, copied")))


def put_back(network: MemoryNetwork, copied: Path, folder: Path) -> None:
    """Put an older store back, of which the broker does not know that it is older, because it has lost its data."""
    shutil.rmtree(folder)
    shutil.copytree(copied, folder)
    del network.registrations["roam", "s1"]


def kinds(server: StationServer) -> list[str]:
    return sorted(problem.kind for problem in server.problems())


async def send(one: Host, *texts: bytes) -> None:
    for text in texts:
        await one.send({"bob"}, text)
    await one.drained()


def test_another_station_refuses_a_number_that_an_older_store_uses_again_and_names_the_station(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The host keeps no state, so it begins with what s1 knows. Only s2 has seen the numbers before."""
    network, folder = MemoryNetwork(), tmp_path / "s1"
    s1: dict[str, Any] = {"name": "s1", "store": folder, **BOTH}

    async def scenario() -> None:
        async with serve_station(network, name="s2", store=tmp_path / "s2", **BOTH) as s2, host(s2, "bob") as bob:
            async with serve_station(network, **s1) as at, host(at, "ann") as ann:
                await acquainted({"s1": at, "s2": s2}, ann, bob)
                await send(ann, b"one")
                await until(lambda: not at.counts()["outbox"])
            copied = keep_copy(folder)
            async with serve_station(network, **s1) as at, host(at, "ann") as ann:
                await send(ann, b"two", b"three")
                assert await taken(bob, 3) == [b"one", b"two", b"three"]
            put_back(network, copied, folder)
            async with serve_station(network, **s1) as at, host(at, "ann") as ann:
                await send(ann, b"four", b"five", b"six", b"seven")
                assert await taken(bob, 2) == [b"six", b"seven"]
                told = [problem for problem in s2.problems() if isinstance(problem, NumberReused)]
                assert [str(problem.message) for problem in told] == ["ann:2", "ann:3"]
                assert all("the store of ann or of s1 fell back" in str(problem) for problem in told)
                assert s2.counts()["refused"] == 2
                assert len(s2.durable.store.read_quarantine()) == 2
                await until(lambda: "s2: ann has sent two different messages with number 3" in caplog.text)
                assert "the store of ann or of s1 fell back" in json.dumps(s2.status()["problems"])

    asyncio.run(scenario())


def test_what_a_station_has_seen_survives_its_restart(tmp_path: Path) -> None:
    """What is in the log and what is in the snapshot."""
    network, folder = MemoryNetwork(), tmp_path / "s1"
    s1: dict[str, Any] = {"name": "s1", "store": folder, **BOTH}
    s2: dict[str, Any] = {"name": "s2", "store": tmp_path / "s2", **BOTH}

    async def scenario() -> None:
        async with serve_station(network, **s2) as at_2, host(at_2, "bob") as bob:
            async with serve_station(network, **s1) as at, host(at, "ann") as ann:
                await acquainted({"s1": at, "s2": at_2}, ann, bob)
            copied = keep_copy(folder)
            async with serve_station(network, **s1) as at, host(at, "ann") as ann:
                await send(ann, b"one")
                assert await taken(bob, 1) == [b"one"]
                at_2.durable._journal.want_snapshot()
                await send(ann, b"two")
                assert await taken(bob, 1) == [b"two"]
                await send(ann, b"three")
                assert await taken(bob, 1) == [b"three"]
        put_back(network, copied, folder)
        async with serve_station(network, **s2) as at_2, serve_station(network, **s1) as at, host(at, "ann") as ann:
            await send(ann, b"four", b"five", b"six")
            await until(lambda: kinds(at_2) == ["number used twice"] * 3)

    asyncio.run(scenario())


def test_a_number_that_a_host_uses_again_at_its_station_is_told(tmp_path: Path) -> None:
    """To the core it is a repetition, and would be answered as taken."""
    network = MemoryNetwork()

    async def scenario() -> None:
        async with serve_station(network, **ALONE) as server, host(server, "bob") as bob:
            await bob.connected()
            async with host(server, "ann", **stored(tmp_path, "ann")) as ann:
                await send(ann, b"one", b"two")
                assert await taken(bob, 2) == [b"one", b"two"]
                ann._durable.host.sent = 1  # as if it had forgotten the second one
                with pytest.raises(HostRefused, match="number 2 of ann was used for another message before"):
                    await send(ann, b"another")
            assert kinds(server) == ["number used twice"]
            assert "the store of ann fell back" in str(server.problems()[0])

    asyncio.run(scenario())


def test_a_host_that_has_sent_more_than_its_station_knows_is_refused_and_loses_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes on when the station has the right store again."""
    network, folder = MemoryNetwork(), tmp_path / "s1"
    ann_file = stored(tmp_path, "ann")

    async def scenario() -> None:
        async with (
            serve_station(network, store=folder, **ALONE) as at,
            host(at, "bob", **stored(tmp_path, "bob")) as bob,
            host(at, "ann", **ann_file) as ann,
        ):
            await acquainted({"s1": at}, ann, bob)
            await send(ann, b"one")
            assert await taken(bob, 1) == [b"one"]
        older = keep_copy(folder)
        async with serve_station(network, store=folder, **ALONE) as at, host(at, "ann", **ann_file) as ann:
            await send(ann, b"two", b"three")
        right = folder.rename(tmp_path / "right")
        folder.mkdir()
        put_back(network, older, folder)
        async with serve_station(network, store=folder, **ALONE) as at:
            async with host(at, "ann", **ann_file) as ann:
                with pytest.raises(
                    HostRefused, match="s1 knows of 1 message from ann, and 3 were taken: the store of a"
                ):
                    await send(ann, b"four")
            (problem,) = at.problems()
            assert isinstance(problem, StationFellBack)
            assert "ann was refused, because s1 knows of 1 message from ann, and 3 were taken" in str(problem)
            await until(lambda: "Start that station with the store that was used last" in caplog.text)
        put_back(network, right, folder)
        async with serve_station(network, store=folder, **ALONE) as at:
            async with host(at, "ann", **ann_file) as ann, host(at, "bob", **stored(tmp_path, "bob")) as bob:
                await ann.drained()
                assert await taken(bob, 3) == [b"two", b"three", b"four"]
            assert at.problems() == []

    asyncio.run(scenario())


@pytest.mark.parametrize("meanwhile", [0, 1, 2], ids=lambda count: f"{count} other messages")
@pytest.mark.parametrize("keeps_state", [True, False], ids=["with a path", "in memory"])
def test_a_host_that_has_got_more_or_other_messages_than_its_station_knows_is_refused(
    tmp_path: Path, meanwhile: int, keeps_state: bool
) -> None:
    """If others use the numbers again before it comes back, the station believes that it has their messages."""
    network, folder = MemoryNetwork(), tmp_path / "s1"
    settings = stored(tmp_path, "bob") if keeps_state else {}

    listen = ("127.0.0.1", free_port())
    s1: dict[str, Any] = {"store": folder, "listen": listen, **ALONE}

    async def scenario() -> None:
        async with Host([f"ws://127.0.0.1:{listen[1]}"], "bob", issue(KEY, "bob"), **settings) as bob:
            async with serve_station(network, **s1) as at, host(at, "cat") as cat, asyncio.timeout(WAIT_S):
                await bob.connected()
                await send(cat, b"one")
                assert await taken(bob, 1) == [b"one"]
                await until(lambda: not at.counts()["stored"])
            older = keep_copy(folder)
            async with serve_station(network, **s1) as at, host(at, "cat") as cat:
                await send(cat, b"two", b"three")
                assert await taken(bob, 2) == [b"two", b"three"]
            put_back(network, older, folder)
            elsewhere = {**s1, "listen": ("127.0.0.1", 0)}  # where bob does not find it
            async with serve_station(network, **elsewhere) as at, host(at, "dan") as dan:
                await send(dan, *[b"other %d" % n for n in range(meanwhile)])
            async with serve_station(network, **s1) as at:
                words = "another message 3" if meanwhile == 2 else f"s1 knows of {1 + meanwhile} message.* to bob"
                with pytest.raises(HostRefused, match=words):
                    async with asyncio.timeout(WAIT_S):
                        await anext(bob)
                assert kinds(at) == ["station fell back"]

    asyncio.run(scenario())


MESSAGE = Message(MessageId("cat", 7), frozenset({"bob"}), b"seven")
LUGGAGE = Luggage("bob", sent=5, serial=9, outbox={9: (MESSAGE, None)})


@pytest.mark.parametrize(
    "has",
    [
        HostMemory(),
        HostMemory(5, 9, message_checksum(MESSAGE)),
        HostMemory(5, 9),  # a host with a store of an earlier release does not know what it got last
        HostMemory(4, 8, 1),  # the host has acknowledged message 8, and nothing of it is kept
    ],
)
def test_what_fits_the_luggage_is_no_evidence(has: HostMemory) -> None:
    with closing(Store(None)) as store:
        evidence = Evidence(store)
        evidence.compare(has, LUGGAGE, "s1")
        assert evidence.fell_back == {}


@pytest.mark.parametrize("has", [HostMemory(6, 9), HostMemory(5, 10), HostMemory(5, 9, message_checksum(MESSAGE) ^ 1)])
def test_what_does_not_fit_the_luggage_is_evidence(has: HostMemory) -> None:
    with closing(Store(None)) as store:
        evidence = Evidence(store)
        with pytest.raises(RemoteViolation, match=r"^s1 .*: the store of a station fell back$"):
            evidence.compare(has, LUGGAGE, "s1")
        assert [*evidence.fell_back] == ["bob"]


def test_hosts_that_lie_fill_no_memory() -> None:
    with closing(Store(None)) as store:
        evidence = Evidence(store)
        for number in range(2 * FELL_BACK_MAX):
            with pytest.raises(RemoteViolation):
                evidence.compare(HostMemory(1), Luggage(f"h{number}"), "s1")
        assert [*evidence.fell_back] == [f"h{number}" for number in range(FELL_BACK_MAX, 2 * FELL_BACK_MAX)]


def test_a_hello_says_what_a_host_has_and_nothing_if_it_is_new() -> None:
    assert "has" not in json.loads(websocket.hello("token", "1", "ann"))
    for has in (HostMemory(), HostMemory(3, 2), HostMemory(3, 2, 2**32 - 1)):
        assert read_hello(websocket.hello("token", "1", "ann", has)).has == has


@pytest.mark.parametrize(
    "has", [None, 7, {}, [], [1, 2], [1, 2, 3, 4], [-1, 0, 0], [0, 2**60, 0], [True, 0, 0], [0, 0, "1"], [1.0, 0, 0]]
)
def test_a_hello_that_says_anything_else_is_refused(has: object) -> None:
    said = {**json.loads(websocket.hello("token", "1", "ann")), "has": has}
    with pytest.raises(WireError):
        read_hello(json.dumps(said))
