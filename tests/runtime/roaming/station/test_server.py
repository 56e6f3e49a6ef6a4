"""What hosts see of stations: messages, moves, being away, and both policies."""

import asyncio
from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.judge.judge import judge
from antecede.runtime import Faults, MemoryNetwork
from antecede.runtime.roaming.home_station import home
from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.station.serve import policy
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.roaming.websocket import AirLimits
from tests.runtime.cells import KEY, cells, host, state_of, stored, take, taken, until, url
from tests.runtime.crowd import read_trace
from tests.runtime.nodes import draw_traces


def test_two_hosts_at_two_stations() -> None:
    async def scenario() -> None:
        async with cells() as at, host(at["s1"], "ann") as ann, host(at["s2"], "bob") as bob:
            assert await ann.connected() == "s1"
            assert await bob.connected() == "s2"
            await ann.send({"bob"}, b"are you there?")
            assert await taken(bob, 1) == [b"are you there?"]
            await bob.send("ann", b"yes")
            assert await taken(ann, 1) == [b"yes"]

    asyncio.run(scenario())


def test_a_host_moves_and_what_it_is_owed_follows() -> None:
    async def scenario() -> None:
        async with cells() as at, host(at["s1"], "ann") as ann, host(at["s2"], "bob") as bob:
            await ann.connected()
            await bob.connected()
            for number, station in enumerate(("s3", "s1", "s2", "s1")):
                await ann.send({"bob"}, b"%d" % number)
                assert await bob.move(url(at[station])) == station
                assert await taken(bob, 1) == [b"%d" % number]
            assert sum(server.counts()["handed_over"] for server in at.values()) >= 4

    asyncio.run(scenario())


def test_a_station_goes_and_its_hosts_find_another() -> None:
    async def scenario() -> None:
        async with cells() as at:
            urls = [url(at[name]) for name in ("s1", "s2", "s3")]
            async with Host(urls, "ann", issue(KEY, "ann")) as ann, host(at["s3"], "bob") as bob:
                await ann.connected()
                await bob.connected()
                gone = at["s1"]._server
                assert gone is not None
                gone.close()
                await until(lambda: ann.station in ("s2", "s3"))
                await bob.send({"ann"}, b"found you")
                assert await taken(ann, 1) == [b"found you"]

    asyncio.run(scenario())


def test_a_host_resumes_after_a_restart(tmp_path: Path) -> None:
    """What it got and did not acknowledge is offered again; what came meanwhile follows; what it sent offline goes."""

    async def scenario() -> None:
        async with cells() as at, host(at["s2"], "bob") as bob:
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
                await bob.connected()
                await bob.send({"ann"}, b"one")
                (first,) = await take(ann, 1)
                assert first.payload == b"one"
            await until(lambda: not at["s1"].counts()["connections"])
            await bob.send({"ann"}, b"two")
            await bob.drained()
            async with Host(["ws://127.0.0.1:9"], "ann", "no token yet", **stored(tmp_path, "ann")) as ann:
                await ann.send({"bob"}, b"written on a plane")
            async with host(at["s3"], "ann", **stored(tmp_path, "ann")) as ann:
                assert await taken(ann, 2) == [b"one", b"two"]
                assert await taken(bob, 1) == [b"written on a plane"]
            async with host(at["s3"], "ann", **stored(tmp_path, "ann")) as ann:
                await bob.send({"ann"}, b"three")
                assert await taken(ann, 1) == [b"three"]

    asyncio.run(scenario())


def test_drop_lets_messages_go_while_the_host_is_away(tmp_path: Path) -> None:
    """Counted as delivered: what comes later, and depends on them, is not held back."""

    async def scenario() -> None:
        async with cells(rules=policy("drop")) as at, host(at["s2"], "bob") as bob:
            await bob.connected()
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
                await bob.send({"ann"}, b"heard")
                assert await taken(ann, 1) == [b"heard"]
            await until(lambda: not at["s1"].counts()["connections"])
            await bob.send({"ann"}, b"not heard")
            await until(lambda: sum(server.counts()["dropped"] for server in at.values()) == 1)
            async with host(at["s3"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
                await bob.send({"ann"}, b"heard again")
                assert await taken(ann, 1) == [b"heard again"]

    asyncio.run(scenario())


def test_store_keeps_so_many_and_drops_the_next(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with cells(rules=policy("store", 3)) as at, host(at["s2"], "bob") as bob:
            await bob.connected()
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
            await until(lambda: not at["s1"].counts()["connections"])
            for number in range(5):
                await bob.send({"ann"}, b"%d" % number)
            await until(lambda: sum(server.counts()["dropped"] for server in at.values()) == 2)
            async with host(at["s3"], "ann", **stored(tmp_path, "ann")) as ann:
                assert await taken(ann, 3) == [b"0", b"1", b"2"]

    asyncio.run(scenario())


def test_each_host_has_the_policy_of_its_token_wherever_it_goes(tmp_path: Path) -> None:
    """The stations store. ann's token says drop, and cat's to keep two; bob's says nothing. All are away."""

    async def scenario() -> None:
        async with cells() as at, host(at["s2"], "dan") as dan:
            await dan.connected()
            tokens = {
                "ann": issue(KEY, "ann", when_asleep="drop"),
                "bob": issue(KEY, "bob"),
                "cat": issue(KEY, "cat", stored_max=2),
            }
            for station in ("s1", "s3"):
                for name, token in tokens.items():
                    async with Host([url(at[station])], name, token, **stored(tmp_path, name)) as one:
                        await one.connected()
            await until(lambda: not at["s3"].counts()["connections"])
            for number in range(4):
                await dan.send(set(tokens), b"%d" % number)
            await until(lambda: at["s3"].counts()["dropped"] == 4 + 0 + 2)
            await until(lambda: at["s3"].counts()["stored"] == 4 + 2)
            kept = {"bob": [b"0", b"1", b"2", b"3"], "cat": [b"0", b"1"]}
            for name, payloads in kept.items():
                async with Host([url(at["s1"])], name, tokens[name], **stored(tmp_path, name)) as one:
                    assert await taken(one, len(payloads)) == payloads

    asyncio.run(scenario())


def test_a_token_gets_no_more_than_the_stations_allow(tmp_path: Path) -> None:
    """And a new token changes what was agreed."""

    async def scenario() -> None:
        async with cells(names=["s1"], rules=policy("drop", 3)) as at, host(at["s1"], "dan") as dan:
            await dan.connected()
            for token, dropped in (
                (issue(KEY, "ann", when_asleep="store", stored_max=1_000), 2),
                (issue(KEY, "ann"), 2 + 5),
            ):
                async with Host([url(at["s1"])], "ann", token, **stored(tmp_path, "ann")) as ann:
                    await ann.connected()
                await until(lambda: at["s1"].counts()["connections"] == 1)
                for number in range(5):
                    await dan.send({"ann"}, b"%d" % number)
                await until(lambda dropped=dropped: at["s1"].counts()["dropped"] == dropped)

    asyncio.run(scenario())


def test_luggage_that_is_longer_than_a_packet_of_the_broker_may_be(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with cells() as at, host(at["s2"], "bob") as bob:
            await bob.connected()
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
            await until(lambda: not at["s1"].counts()["connections"])
            long = [b"%03d" % number * 2_000 for number in range(200)]
            for payload in long:
                await bob.send({"ann"}, payload)
            await until(lambda: at["s1"].counts()["stored"] == 200)
            async with host(at["s3"], "ann", **stored(tmp_path, "ann")) as ann:
                assert await taken(ann, 200) == long
                await until(lambda: not at["s3"].counts()["stored"])
            assert not [key for key in at["s3"].durable.store.facts if key.startswith("part ")]

    asyncio.run(scenario())


def test_as_much_as_may_be_stored_can_be_handed_over(tmp_path: Path) -> None:
    """190 messages of 60,000 bytes, all of them unacknowledged: 11 MB, once in the luggage and not twice."""
    rules, limits = policy("store", 190), AirLimits(frame_bytes=64 * 2**10)

    async def scenario() -> None:
        async with cells(rules=rules, limits=limits) as at, host(at["s2"], "bob", payload_bytes_max=60_000) as bob:
            await bob.connected()
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
            await until(lambda: not at["s1"].counts()["connections"])
            long = [b"%03d" % number * 20_000 for number in range(190)]
            for payload in long:
                await bob.send({"ann"}, payload)
            await until(lambda: at["s1"].counts()["stored"] == 190)
            async with host(at["s3"], "ann", **stored(tmp_path, "ann")) as ann:
                assert await taken(ann, 190) == long

    asyncio.run(scenario())


def test_a_message_to_nobody_is_refused_to_its_sender() -> None:
    async def scenario() -> None:
        async with cells() as at, host(at["s1"], "ann") as ann, host(at["s1"], "bob") as bob:
            await ann.connected()
            await bob.connected()
            await ann.send({"bob", "zed"}, b"to somebody nobody knows, too")
            await ann.send({"bob"}, b"to bob")
            assert await taken(bob, 1) == [b"to bob"]
            await until(lambda: ann._refusals)
            assert ann.refusals() == [("ann:1", "zed")]

    asyncio.run(scenario())


def test_a_newcomer_is_known_everywhere_and_has_one_home() -> None:
    async def scenario() -> None:
        async with cells() as at:
            for number in range(12):
                name = f"host{number}"
                async with host(at["s1" if number % 2 else "s2"], name) as one:
                    await one.connected()
            await until(lambda: all(server.counts()["known"] == 12 for server in at.values()))
            assert sum(server.counts()["hosts"] for server in at.values()) == 12
        homes = [home(f"host{number}", ("s1", "s2", "s3")) for number in range(1_000)]
        assert all(homes.count(name) > 250 for name in ("s1", "s2", "s3"))
        assert homes == [home(f"host{number}", ("s3", "s1", "s2")) for number in range(1_000)]

    asyncio.run(scenario())


@pytest.mark.parametrize("seed", range(3))
def test_order_holds_over_wires_that_lose_repeat_and_shuffle(tmp_path: Path, seed: int) -> None:
    """The judge reads the trace that the hosts wrote; stations change all the time."""
    draw_traces(tmp_path)

    async def scenario() -> None:
        network = MemoryNetwork(seed, Faults(drop=0.2, duplicate=0.2, shuffle=0.3, delay_s=0.01))
        async with cells(network) as at:
            urls = [url(server) for server in at.values()]
            names = ["ann", "bob", "cat", "dan"]
            people = [host(at["s1"], name, trace=tmp_path) for name in names]
            for one in people:
                await one.__aenter__()
                await one.connected()

            async def chat(one: Host, at: int) -> None:
                others = set(names) - {one.id}
                for number in range(20):
                    await one.send(others, b"%d" % number)
                    if number % 5 == at:
                        await one.move(urls[(number + at) % 3])
                await taken(one, 60)

            await asyncio.gather(*(chat(one, number) for number, one in enumerate(people)))
            for one in people:
                await one.close()

    asyncio.run(scenario())
    verdict = judge(read_trace(tmp_path))
    assert (verdict.verdict, verdict.lost, verdict.duplicates, verdict.deliveries) == ("holds", 0, 0, 240), (
        f"seed {seed}"
    )


def test_a_station_goes_on_from_its_store(tmp_path: Path) -> None:
    async def scenario() -> None:
        network = MemoryNetwork()
        async with cells(network, store=tmp_path) as at, host(at["s2"], "bob") as bob:
            await bob.connected()
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
            await until(lambda: not at["s1"].counts()["connections"])
            await bob.send({"ann"}, b"kept")
            await until(lambda: at["s1"].counts()["stored"] == 1)
            states = {name: state_of(server) for name, server in at.items()}
        async with cells(network, store=tmp_path) as at:
            assert state_of(at["s1"]) == states["s1"]
            async with host(at["s3"], "ann", **stored(tmp_path, "ann")) as ann:
                assert await taken(ann, 1) == [b"kept"]

    asyncio.run(scenario())


def test_limits_that_can_not_hold_are_refused() -> None:
    async def scenario() -> None:
        async with cells(rules=policy("store", 1_000_000)):
            pass

    with pytest.raises(Misuse, match="store fewer"):
        asyncio.run(scenario())
