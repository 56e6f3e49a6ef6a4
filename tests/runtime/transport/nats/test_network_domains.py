"""Inboxes on several servers: a hub and a leaf node with JetStream of their own, and a cluster that loses a server."""

import asyncio
from pathlib import Path

from antecede.judge.judge import judge
from antecede.runtime import NatsOptions, Node, join
from tests.runtime.crowd import read_trace
from tests.runtime.nodes import run, take
from tests.runtime.servers import cluster, hub_and_leaf

NAMES = ["a", "b", "c", "d"]


async def chatter(node: Node, messages: int) -> None:
    """Send to all others, answer nothing, take everything."""
    others = sorted(set(NAMES) - {node.process})
    for number in range(messages):
        await node.send(others, f"{node.process} {number}".encode())
        await asyncio.sleep(0)
    await take(node, messages * len(others))


def test_order_holds_between_inboxes_in_different_domains(tmp_path: Path) -> None:
    """Two processes have their inboxes at the hub, two at the leaf: nothing but the algorithm orders between them."""

    async def test() -> None:
        with hub_and_leaf(tmp_path) as (hub, leaf):
            hub_side = {"url": f"nats://{hub}", "nats": NatsOptions(domain="hub")}
            leaf_side = {"url": f"nats://{leaf}", "nats": NatsOptions(domain="leaf")}
            sides = {"a": hub_side, "b": hub_side, "c": leaf_side, "d": leaf_side}
            joined = [
                join(space="s", process=name, store=None, trace=tmp_path / "trace", **side)  # type: ignore[arg-type]  # settings in a dict have no types of their own
                for name, side in sides.items()
            ]
            async with joined[0] as a, joined[1] as b, joined[2] as c, joined[3] as d:
                await asyncio.gather(*(chatter(node, 40) for node in (a, b, c, d)))

    run(test)
    verdict = judge(read_trace(tmp_path / "trace"))
    assert (verdict.verdict, verdict.deliveries, verdict.lost, verdict.duplicates) == ("holds", 480, 0, 0)


def test_a_process_reaches_its_own_domain_through_another_server(tmp_path: Path) -> None:
    """Connected to the hub, with an inbox in the domain of the leaf."""

    async def test() -> None:
        with hub_and_leaf(tmp_path) as (hub, leaf):
            far = NatsOptions(domain="leaf")
            async with (
                join(f"nats://{hub}", space="s", process="a", store=None, nats=far) as a,
                join(f"nats://{leaf}", space="s", process="b", store=None, nats=far) as b,
            ):
                await a.send({"b"}, b"over")
                assert await take(b, 1) == [b"over"]
                await b.send({"a"}, b"and back")
                assert await take(a, 1) == [b"and back"]

    run(test)


def test_an_inbox_with_replicas_survives_the_loss_of_a_server(tmp_path: Path) -> None:
    """Three servers keep every inbox; one is killed, and everything goes on over the two that are left."""

    async def test() -> None:
        with cluster(tmp_path / "nats") as servers:
            url = ",".join(f"nats://{server}" for server in servers)
            settings = {"space": "s", "store": None, "nats": NatsOptions(replicas=3), "trace": tmp_path / "trace"}
            joined = [join(url, process=name, **settings) for name in NAMES]  # type: ignore[arg-type]  # settings in a dict have no types of their own
            async with joined[0] as a, joined[1] as b, joined[2] as c, joined[3] as d:
                nodes = (a, b, c, d)
                await asyncio.gather(*(chatter(node, 10) for node in nodes))
                servers[1].kill()
                await asyncio.gather(*(chatter(node, 10) for node in nodes))

    run(test)
    verdict = judge(read_trace(tmp_path / "trace"))
    assert (verdict.verdict, verdict.deliveries, verdict.lost, verdict.duplicates) == ("holds", 240, 0, 0)
