"""A process that runs notices that the broker has lost its data, and stops."""

import asyncio
import shutil
from pathlib import Path

import pytest

from antecede.runtime import NameLost, Node, join
from antecede.runtime.transport.nats.options import NatsOptions
from antecede.runtime.transport.nats.short_connection import visit
from tests.runtime.nodes import WAIT_S, run, take
from tests.runtime.servers import Server, server


async def lose_data(at: Server, what: str) -> None:
    """Lose everything while the server is stopped, or only some streams while it runs."""
    if what == "everything":
        at.kill()
        shutil.rmtree(at.home / "jetstream")
        at.start_again()
        return
    async with visit([f"nats://{at}"], NatsOptions()) as client:
        for info in await client.jetstream().streams_info():
            if str(info.config.name).startswith(what):
                await client.jetstream().delete_stream(str(info.config.name))


async def notices(node: Node) -> None:
    """Wait until the node, which only reads, has stopped."""
    with pytest.raises(NameLost, match="the broker has lost its data"):
        async with asyncio.timeout(WAIT_S):
            await node.next_within(None)


@pytest.mark.parametrize("what", ["everything", "antecede_", "antecede-names"])
def test_a_process_that_runs_notices_that_the_broker_has_lost_its_data(tmp_path: Path, what: str) -> None:
    async def test() -> None:
        with server(tmp_path, "n") as at:
            url = f"nats://{at}"
            async with join(url, space="s", process="a", store=tmp_path / "a") as a:
                await a.send({"a"}, b"before")
                assert await take(a, 1) == [b"before"]
                await lose_data(at, what)
                if what == "antecede-names":
                    await a.send({"a"}, b"one step, which is reported")
                    assert await take(a, 1) == [b"one step, which is reported"]
                await notices(a)
            async with join(url, space="s", process="a", store=tmp_path / "a") as a:
                await a.send({"a"}, b"after")
                assert await take(a, 1) == [b"after"]

    run(test)
