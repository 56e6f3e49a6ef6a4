"""Stores of earlier releases are opened, and their owners go on: what was pending is sent, delivered and offered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.core.mobile.handoff import HERE
from antecede.judge.events import read_jsonl
from antecede.runtime import Host, MemoryNetwork, Node, join, serve_station
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.state.store import Store
from tests.golden.files import FOLDERS, copy
from tests.golden.stores import GROUPS, KEY, NOT_A_FRAME, PARTS, STATIONS, WAIT_S

pytestmark = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await asyncio.wait_for(scenario(), 3 * WAIT_S)

    asyncio.run(main())


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not done():
            await asyncio.sleep(0.01)


async def take(node: Node) -> bytes:
    """Return the payload of the next message, which is acknowledged."""
    message = await node.next_within(WAIT_S)
    assert message is not None
    await message.ack()
    return message.payload


async def hear(host: Host, count: int) -> list[bytes]:
    """Return the payloads of the next messages, which are acknowledged."""
    async with asyncio.timeout(WAIT_S):
        found = [await anext(host) for _ in range(count)]
    await host.ack(found)
    return [delivery.payload for delivery in found]


def test_nodes_go_on(folder: Path, tmp_path: Path) -> None:
    """c offers what was not acknowledged and sends what it owed; when a sends what it owed, c delivers in order."""
    copy(folder, "nodes", tmp_path)
    copy(folder, "traces", tmp_path / "traces")
    network = MemoryNetwork()

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            c = await stack.enter_async_context(
                join(network, space="orders", process="c", store=tmp_path, trace="jetstream:events")
            )
            assert await take(c) == b"unacknowledged"
            assert [str(held.message.id) for held in c.pending()] == ["b:2"]
            with pytest.raises(Misuse, match="has left"):
                await c.send({"gone"}, b"too late")
            d = await stack.enter_async_context(join(network, space="orders", process="d"))
            assert await take(d) == b"for d"
            a = await stack.enter_async_context(
                join(network, space="orders", process="a", store=tmp_path, trace=tmp_path / "traces")
            )
            assert [await take(c), await take(c)] == [b"cause", b"effect"]
            assert str(await c.send({"a"}, b"news")) == "c:3"
            assert await take(a) == b"news"
            assert str(await a.send({"c"}, b"answer")) == "a:3"
            assert await take(c) == b"answer"

    run(scenario)
    lines = [line for data in network.traces["events"] for line in data.decode().splitlines()]
    events, quarantine = read_jsonl(lines)
    assert not quarantine
    assert [event.index for event in events] == list(range(1, len(events) + 1))
    own = (tmp_path / "traces" / "a.jsonl").read_text().splitlines()
    assert [json.loads(line)["index"] for line in own] == list(range(1, len(own) + 1))
    with closing(Store(tmp_path / "orders_c.sqlite")) as store:
        (refused,) = [data for _, _, data in store.read_quarantine()]
        assert refused in (NOT_A_FRAME, NOT_A_FRAME.replace(b"\0", b"\xff"))


def test_a_timer_that_was_set_is_due(folder: Path, tmp_path: Path) -> None:
    copy(folder, "nodes", tmp_path)
    network = MemoryNetwork()
    now = [0.0]

    async def scenario() -> None:
        shared = {"algorithm": "mr", "groups": GROUPS, "processes": ["a", "b"], "resynch_after_s": 500.0}
        async with (
            join(network, space="phases", process="b", **shared) as b,  # type: ignore[arg-type]  # settings in a dict have no types of their own
            join(network, space="phases", process="a", store=tmp_path, clock=lambda: now[0], **shared),  # type: ignore[arg-type]  # settings in a dict have no types of their own
        ):
            assert b.counts()["received"] == 0
            now[0] = 1_000.0
            await until(lambda: b.counts()["received"] == 1)

    run(scenario)


def test_a_node_that_was_leaving_leaves(folder: Path, tmp_path: Path) -> None:
    copy(folder, "nodes", tmp_path)
    network = MemoryNetwork()

    async def scenario() -> None:
        async with join(network, space="leaving", process="f") as f:
            with pytest.raises(Misuse, match="has left space"):
                async with join(network, space="leaving", process="e", store=tmp_path):
                    raise AssertionError("it had begun to leave")
            await until(lambda: f.counts()["processes"] == 1)
        assert ("leaving", "e") not in network.inboxes

    run(scenario)


def test_stations_and_hosts_go_on(folder: Path, tmp_path: Path) -> None:
    """cat gets what was held back for it after what it depends on; fay gets what was stored; ann gets what cat sent."""
    for name in ("stations", "hosts", "traces"):
        copy(folder, name, tmp_path / name)
    network = MemoryNetwork()

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            at = {
                name: await stack.enter_async_context(
                    serve_station(network, name=name, stations=STATIONS, key=KEY, store=tmp_path / "stations")
                )
                for name in STATIONS
            }

            async def arrive(name: str, station: str, trace: Path | None = None) -> Host:
                url, path = f"ws://127.0.0.1:{at[station].port}", tmp_path / "hosts" / f"{name}.sqlite"
                return await stack.enter_async_context(Host([url], name, issue(KEY, name), path=path, trace=trace))

            cat = await arrive("cat", "s3")
            assert await hear(cat, 3) == [b"unacknowledged", b"one", b"two"]
            ann = await arrive("ann", "s1", tmp_path / "traces")
            assert await hear(ann, 2) == [b"unacknowledged", b"from cat"]
            assert (ann.sent, cat.sent, cat.unsent) == (1, 1, 0)
            assert await hear(await arrive("fay", "s2"), 1) == [b"while asleep"]
            durable = at["s3"].durable
            await until(lambda: "dan" in durable.station.berths and "eve" in durable.station.departed)
            await until(lambda: at["s1"].durable.station.berths["dan"].state == HERE)
            terms = at["s1"].durable.station.berths["dan"].terms
            assert terms is not None
            assert (terms.when_asleep, terms.stored_max) == ("drop", 5)
            for part in PARTS[1:]:
                assert durable.receive("s1", part)
            assert durable.store.facts["parcels from s1"] == b"[[1, 1]]"
            assert all(server.durable.counts["refused"] == 0 for server in at.values())

    run(scenario)
    lines = (tmp_path / "traces" / "ann.jsonl").read_text().splitlines()
    assert [json.loads(line)["index"] for line in lines] == list(range(1, len(lines) + 1))
