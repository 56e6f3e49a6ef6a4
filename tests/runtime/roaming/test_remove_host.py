"""Hosts that are removed for good: nothing waits for them, nothing grows with them, and nobody takes their names."""

import asyncio
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

from antecede.core.errors import RemoteViolation
from antecede.runtime import Host, HostRefused, MemoryNetwork
from antecede.runtime.roaming.host.link import NoStation
from antecede.runtime.roaming.remove_host import remove_host
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.tokens import TokenRefused, holder, issue
from tests.runtime.cells import KEY, cat_lacks_one, cells, host, one_at_each, state_of, stored, taken, until, url
from tests.runtime.command import main


def size(at: dict[str, StationServer]) -> int:
    return sum(len(state_of(server)) for server in at.values())


def facts(at: dict[str, StationServer]) -> list[str]:
    return sorted(f"{name} {fact}" for name, server in at.items() for fact in server.durable.store.facts)


async def gone(at: dict[str, StationServer], name: str) -> None:
    await until(lambda: all(name in server.durable.station.departed for server in at.values()))


def test_stations_are_as_they_were_when_guests_were_removed(tmp_path: Path) -> None:
    """Twenty guests come, talk to everybody, move, and are removed, some while they are connected. Of each its name
    remains at each station, and nothing else: not in luggage, nor in packets."""

    async def scenario() -> None:
        async with cells(store=tmp_path) as at, host(at["s1"], "ann") as ann, host(at["s2"], "bob") as bob:
            await ann.connected()
            await bob.connected()
            await ann.send({"bob"}, b"hello")
            assert await taken(bob, 1) == [b"hello"]
            await bob.send({"ann"}, b"hello")
            assert await taken(ann, 1) == [b"hello"]
            await until(lambda: not any(server.counts()["outbox"] for server in at.values()))
            before, known = size(at), facts(at)
            names = [f"guest{number:02}" for number in range(20)]
            for number, name in enumerate(names):
                async with host(at["s3"], name) as guest:
                    await guest.connected()
                    await until(lambda name=name: all(server.durable.berth(name) for server in at.values()))
                    await guest.send({"ann", "bob"}, b"hello")
                    await taken(ann, 1)
                    await taken(bob, 1)
                    await ann.send({"bob", name}, b"hello")
                    await taken(bob, 1)
                    await taken(guest, 1)
                    await guest.drained()
                    if number % 2:
                        await remove_host(url(at["s1"]), name, KEY)
                        await gone(at, name)
                        await until(lambda guest=guest: guest.station is None)
                        with pytest.raises(HostRefused, match="was removed"):
                            await guest.connected()
                if not number % 2:
                    await remove_host(url(at["s1"]), name, KEY)
                    await gone(at, name)
            await bob.send({"ann"}, b"all gone")
            assert await taken(ann, 1) == [b"all gone"]
            await until(
                lambda: not any(server.counts()["outbox"] + server.counts()["stored"] for server in at.values())
            )
            tombstones = sum(len(name) + 5 for name in names) * len(at)
            assert size(at) <= before + tombstones + 100  # numbers that are larger now
            assert facts(at) == known
            for server in at.values():
                assert not [name for name in server.durable.station.berths if "guest" in name]
        async with cells(MemoryNetwork(), store=tmp_path) as at:
            assert all(len(server.durable.station.departed) == 20 for server in at.values())

    asyncio.run(scenario())


def test_nothing_waits_for_a_host_that_was_removed(tmp_path: Path) -> None:
    """bob does not get a message of zed, which is cut off, and waits with what depends on it; until zed is removed."""

    async def scenario() -> None:
        network = MemoryNetwork()
        async with one_at_each(network, "ann", "bob", "zed") as (at, (ann, bob, zed)):
            for one in (ann, bob):
                await one.send({"zed"}, b"here I am")  # so that s3 knows where they are
                assert await taken(zed, 1) == [b"here I am"]
            network.partition({"s3"}, {"s2"})
            await zed.send({"ann", "bob"}, b"found it")
            assert await taken(ann, 1) == [b"found it"]
            await ann.send({"bob"}, b"glad to hear")
            await until(lambda: at["s2"].counts()["held_back"] == 1)
            await remove_host(url(at["s1"]), "zed", KEY)
            assert await taken(bob, 1) == [b"glad to hear"]
            network.heal()
            await until(lambda: not at["s3"].counts()["outbox"])
            assert at["s2"].counts()["refused"] == 0
            await ann.send({"bob", "zed"}, b"to somebody who is not there")
            await until(lambda: ann._refusals)
            assert ann.refusals() == [("ann:3", "zed")]
            with pytest.raises(HostRefused, match="was removed"):
                await zed.connected()

    asyncio.run(scenario())


def test_what_is_held_back_of_a_removed_host_goes_to_nobody() -> None:
    """cat waits for ann, who is cut off, with two messages of bob, who is removed: ann's message is all she gets."""

    async def scenario() -> None:
        network = MemoryNetwork()
        async with cat_lacks_one(network) as (at, (ann, bob, cat)):
            for payload in (b"two", b"three"):
                await bob.send({"cat"}, payload)
            await until(lambda: at["s3"].counts()["held_back"] == 2)
            await remove_host(url(at["s3"]), "bob", KEY)
            assert at["s3"].counts()["held_back"] == 0
            network.heal()
            await gone(at, "bob")
            await ann.send({"cat"}, b"four")
            assert await taken(cat, 2) == [b"one", b"four"]
            with pytest.raises(HostRefused, match="was removed"):
                await bob.drained()

    asyncio.run(scenario())


def test_only_the_operator_removes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not a host with its token, nor a removal order as the token of a host."""
    key = tmp_path / "key"
    key.write_bytes(KEY)

    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
            with pytest.raises(HostRefused, match="not one of this system"):
                await remove_host(url(at["s1"]), "ann", b"another key, which is just as long as it")
            with pytest.raises(NoStation):
                await remove_host("ws://127.0.0.1:9", "ann", KEY)
            assert at["s1"].durable.berth("ann") is not None
            arguments = ["--host", "ann", "--station", url(at["s1"]), "--key", str(key)]
            assert await asyncio.to_thread(main, "remove", arguments) == 0
            assert at["s1"].durable.berth("ann") is None
            async with Host([url(at["s1"])], "ann", issue(KEY, "ann"), **stored(tmp_path, "ann")) as ann:
                with pytest.raises(HostRefused, match="cannot be used again"):
                    await ann.connected()
            with pytest.raises(RemoteViolation, match="name of a station"):
                at["s1"].durable.remove("s1")

    asyncio.run(scenario())
    assert capsys.readouterr().out == "s1 has removed ann\n"
    with pytest.raises(TokenRefused, match="not for a host"):
        holder(KEY, issue(KEY, "ann", removes=True))


@pytest.mark.parametrize("said", ["{}", "rubbish", '{"station": "s1", "frame_bytes": 8192}'])
def test_whoever_does_not_say_that_the_host_is_removed_is_not_a_station(said: str) -> None:
    async def answer(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(said)
        await socket.wait_closed()

    async def scenario() -> None:
        async with serve(answer, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            with pytest.raises(NoStation, match="is not a station"):
                await remove_host(f"ws://127.0.0.1:{port}", "ann", KEY)

    asyncio.run(scenario())
