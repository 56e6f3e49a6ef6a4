"""Copies of stations and of hosts: one of two goes on, the other is told why; and none loses messages in silence."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import HostRefused, MemoryNetwork, NameLost, Stopped, serve_station
from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.tokens import issue
from tests.runtime.cells import KEY, WAIT_S, cells, host, stored, taken, until, url
from tests.runtime.logged import said


def copy(path: Path, to: str) -> Path:
    """Copy all files of a store as they are."""
    folder = path.parent / to
    folder.mkdir(exist_ok=True)
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copy(file, folder)
    return folder / path.name


def put_back(copied: Path, path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    for file in copied.parent.glob(f"{path.name}*"):
        shutil.copy(file, path.parent)


def test_an_older_copy_of_a_station_is_refused(tmp_path: Path) -> None:
    network = MemoryNetwork()
    station: dict[str, Any] = {"name": "s1", "stations": ["s1"], "key": KEY, "store": tmp_path}

    async def scenario() -> None:
        async with serve_station(network, **station) as server:
            path = tmp_path / "roam_s1.sqlite"
            copied = copy(path, "backup")
            async with host(server, "ann") as ann:
                await ann.connected()
        put_back(copied, path)
        with pytest.raises(Misuse, match=r"is a copy, or older .* start a new space"):
            async with serve_station(network, **station):
                pass

    asyncio.run(scenario())


def test_a_station_whose_copy_was_started_stops_and_says_why(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    network = MemoryNetwork()
    station: dict[str, Any] = {"name": "s1", "stations": ["s1"], "key": KEY}

    async def scenario() -> None:
        async with serve_station(network, **station, store=tmp_path) as server:
            copied = copy(tmp_path / "roam_s1.sqlite", "clone")
            async with host(server, "ann") as ann, serve_station(network, **station, store=copied.parent) as clone:
                async with asyncio.timeout(WAIT_S):
                    reason = await server.failed()
                assert "was started somewhere else" in str(reason)
                assert [problem.kind for problem in server.problems()] == ["stopped"]
                assert 'antecede_problems{kind="stopped",process="s1"} 1.0' in server.metrics.text()
                await ann.move(url(clone))
                assert await ann.connected() == "s1"

    asyncio.run(scenario())
    assert "s1 stops: 's1' in space 'roam' was started somewhere else" in caplog.text


def test_a_station_that_nobody_asks_raises_why_it_stopped_at_the_end(tmp_path: Path) -> None:
    network = MemoryNetwork()
    station: dict[str, Any] = {"name": "s1", "stations": ["s1"], "key": KEY}

    async def scenario() -> None:
        async with serve_station(network, **station, store=tmp_path) as server:
            copied = copy(tmp_path / "roam_s1.sqlite", "clone")
            async with serve_station(network, **station, store=copied.parent):
                await until(server.problems)

    with pytest.raises(NameLost, match="was started somewhere else"):
        asyncio.run(scenario())


@pytest.mark.parametrize("since", ["sent", "got"])
def test_an_older_copy_of_a_host_is_refused(tmp_path: Path, since: str) -> None:
    """The copy is from before the host sent or got a message, on the same connection."""
    path = stored(tmp_path, "ann")["path"]

    async def scenario() -> None:
        async with cells() as at, host(at["s2"], "bob") as bob:
            await bob.connected()
            async with host(at["s1"], "ann", path=path) as ann:
                await ann.connected()
                await ann.send({"bob"}, b"one")
                assert await taken(bob, 1) == [b"one"]
                copied = copy(path, "backup")
                if since == "sent":
                    await ann.send({"bob"}, b"two")
                    assert await taken(bob, 1) == [b"two"]
                else:
                    await bob.send({"ann"}, b"two")
                    assert await taken(ann, 1) == [b"two"]
                    await until(lambda: not at["s1"].counts()["stored"])
            put_back(copied, path)
            async with host(at["s3"], "ann", path=path) as ann:
                with pytest.raises(HostRefused, match="older copy"):
                    await asyncio.wait_for(_send_and_wait(ann), WAIT_S)

    asyncio.run(scenario())


async def _send_and_wait(ann: Host) -> None:
    await ann.send({"bob"}, b"other content")
    await ann.drained()
    await anext(ann)


def test_a_copy_of_a_host_from_before_its_last_connection_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, "ann")["path"]

    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            async with host(at["s1"], "ann", path=path) as ann:
                await ann.connected()
            copied = copy(path, "backup")
            for _ in range(3):
                async with host(at["s1"], "ann", path=path) as ann:
                    await ann.connected()
            put_back(copied, path)
            async with host(at["s1"], "ann", path=path) as ann:
                words = "registration 2 comes after 4: an older copy .* use the last one, or another name"
                with pytest.raises(HostRefused, match=words):
                    await ann.connected()

    asyncio.run(scenario())


@pytest.mark.parametrize("at_another_station", [False, True])
def test_a_host_whose_copy_connects_stops_and_says_why(tmp_path: Path, at_another_station: bool) -> None:
    path = stored(tmp_path, "ann")["path"]

    async def scenario() -> None:
        async with cells() as at, host(at["s1"], "ann", path=path) as ann:
            await ann.connected()
            copied = copy(path, "clone")
            async with host(at["s2" if at_another_station else "s1"], "ann", path=copied) as clone:
                await clone.connected()
                with pytest.raises(HostRefused, match="used in two places"):
                    async with asyncio.timeout(WAIT_S):
                        await anext(ann)

    asyncio.run(scenario())


def test_a_host_that_is_idle_stops_with_a_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The application makes no call: the log, `problems()`, the metrics and the end of the block say why it stopped."""
    path = stored(tmp_path, "ann")["path"]

    async def scenario() -> None:
        async with cells(names=["s1"]) as at, host(at["s1"], "ann", path=path) as ann:
            await ann.connected()
            async with host(at["s1"], "ann", path=copy(path, "clone")) as clone:
                await clone.connected()
                await until(lambda: any(isinstance(problem, Stopped) for problem in ann.problems()))
                (problem,) = ann.problems()  # that it is not connected is not one more
                assert "used in two places" in str(problem)
                assert 'antecede_problems{kind="stopped",process="ann"} 1.0' in ann.metrics.text()

    with pytest.raises(HostRefused, match="used in two places"):
        asyncio.run(scenario())
    assert said(caplog, "^ann stops: .*used in two places") == 1


def test_an_exception_of_the_application_is_not_replaced_by_that_of_the_host(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at, host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
            await ann.connected()
            async with host(at["s1"], "ann", path=copy(tmp_path / "ann.sqlite", "clone")):
                await until(ann.problems)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(scenario())


def test_a_message_that_another_copy_sent_under_the_same_number_is_noticed(tmp_path: Path) -> None:
    """The original wrote its message while it was away; the clone sent another with the same number meanwhile."""
    path = stored(tmp_path, "ann")["path"]

    async def scenario() -> None:
        async with cells() as at, host(at["s2"], "bob") as bob:
            await bob.connected()
            async with host(at["s1"], "ann", path=path) as ann:
                await ann.connected()
            copied = copy(path, "clone")
            async with Host(["ws://127.0.0.1:9"], "ann", issue(KEY, "ann"), path=path) as ann:
                await ann.send({"bob"}, b"of the original")
            async with host(at["s1"], "ann", path=copied) as clone:
                await clone.send({"bob"}, b"of the clone")
                assert await taken(bob, 1) == [b"of the clone"]
            for reason in ("used in two places", "an older copy, or another copy runs"):
                async with host(at["s3"], "ann", path=path) as ann:
                    with pytest.raises(HostRefused, match=reason):
                        async with asyncio.timeout(WAIT_S):
                            await ann.drained()

    asyncio.run(scenario())


def test_a_host_without_a_path_goes_on_under_its_name() -> None:
    """What it sent before counts, and what it did not acknowledge comes again."""

    async def scenario() -> None:
        async with cells() as at, host(at["s2"], "bob") as bob:
            await bob.connected()
            for number, station in enumerate(("s1", "s1", "s3", "s2")):
                async with host(at[station], "ann") as ann:
                    assert await ann.connected() == station
                    identity = await ann.send({"bob"}, b"%d" % number)
                    assert str(identity) == f"ann:{number + 1}"
                    assert await taken(bob, 1) == [b"%d" % number]
                    await bob.send({"ann"}, b"answer %d" % number)
                    assert await taken(ann, 1) == [b"answer %d" % number]
                    await until(lambda: not any(server.counts()["stored"] for server in at.values()))

    asyncio.run(scenario())


def test_a_host_without_a_path_gets_what_came_while_it_was_gone() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at, host(at["s1"], "bob") as bob:
            async with host(at["s1"], "ann") as ann:
                await ann.connected()
            await until(lambda: at["s1"].counts()["connections"] == 1)
            await bob.send({"ann"}, b"one")
            await bob.send({"ann"}, b"two")
            await bob.drained()
            async with host(at["s1"], "ann") as ann:
                assert await taken(ann, 2) == [b"one", b"two"]

    asyncio.run(scenario())


def test_a_name_is_used_with_a_path_or_without(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            async with host(at["s1"], "ann") as ann:
                await ann.connected()
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                with pytest.raises(HostRefused, match="this name was used without a path: give no path, or"):
                    await ann.connected()
            async with host(at["s1"], "bob", **stored(tmp_path, "bob")) as bob:
                await bob.connected()
            async with host(at["s1"], "bob") as bob:
                with pytest.raises(HostRefused, match="used with another store: give that file as path, or"):
                    await bob.connected()

    asyncio.run(scenario())
