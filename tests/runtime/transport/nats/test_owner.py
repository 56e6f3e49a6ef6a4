"""A name is registered although a cluster refuses for a while; a process notices that the broker has lost its data."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from nats.aio.client import Client
from nats.js import JetStreamContext

from antecede.runtime import NameLost, NameTaken, Node, join
from antecede.runtime.state.identity import identify
from antecede.runtime.state.ownership import Ownership
from antecede.runtime.state.store import Store
from antecede.runtime.transport.contract import Unreachable
from antecede.runtime.transport.nats.options import NatsOptions
from antecede.runtime.transport.nats.owner import NameOwner
from antecede.runtime.transport.nats.register import Outdated
from antecede.runtime.transport.nats.short_connection import visit
from tests.runtime.nodes import WAIT_S, run, take
from tests.runtime.servers import Server, server

T = TypeVar("T")


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


class Asking:
    """Asks JetStream once, as a transport does. The first writes are done twice, as if the answer had been lost, or
    are refused, as a cluster without a leader does. The very first one may be refused and done `late`: when the entry
    was read once more.
    """

    def __init__(self, client: Client, *, twice: int = 0, refused: int = 0, late: bool = False) -> None:
        self.jetstream, self.twice, self.refused, self.late = client.jetstream(), twice, refused, late
        self.writes = 0
        self.adrift: Callable[[JetStreamContext], Awaitable[object]] | None = None

    async def __call__(self, ask: Callable[[JetStreamContext], Awaitable[T]]) -> T:
        if getattr(ask, "__name__", "") != "write":
            return await ask(self.jetstream)
        self.writes += 1
        if self.late and self.writes == 1:
            self.adrift = ask
            raise Outdated
        if self.adrift is not None:
            adrift, self.adrift = self.adrift, None
            await adrift(self.jetstream)
        if self.writes <= self.refused:
            raise Outdated
        if self.writes <= self.twice:
            await ask(self.jetstream)
        return await ask(self.jetstream)


def claiming(tmp_path: Path, work: Callable[[Client, Ownership], Awaitable[None]]) -> None:
    """Run `work` with a server and the owner of the name 'a'."""

    async def test() -> None:
        with server(tmp_path, "n") as at, closing(Store(tmp_path / "a.sqlite")) as store:
            identify(store, process="a")
            async with visit([f"nats://{at}"], NatsOptions()) as client:
                await work(client, Ownership(store, "s", "a", form=1, if_lost="use another name"))

    run(test)


def never(failure: NameLost) -> None:
    raise AssertionError(failure)


@pytest.mark.parametrize("faults", [{"refused": 5}, {"twice": 1}, {"twice": 3}, {"late": True}])
def test_a_name_is_registered_although_writes_are_refused_or_late_or_their_answers_lost(
    tmp_path: Path, faults: dict[str, Any]
) -> None:
    async def work(client: Client, claimant: Ownership) -> None:
        asking = Asking(client, **faults)
        owner = NameOwner("s", "a", NatsOptions(), asking, never)
        await owner.claim(client, claimant)
        assert owner.epoch == claimant.epoch
        await owner.make_sure()
        asking.writes = 0
        await owner.retire()
        with pytest.raises(NameTaken, match="'a' has left space 's'"):
            await NameOwner("s", "a", NatsOptions(), Asking(client), never).claim(client, claimant)

    claiming(tmp_path, work)


def test_a_broker_that_refuses_every_registration_is_named(tmp_path: Path) -> None:
    async def work(client: Client, claimant: Ownership) -> None:
        owner = NameOwner("s", "a", NatsOptions(), Asking(client, refused=1000), never, refused_s=0.1)
        with pytest.raises(Unreachable, match=r"refused for 0\.1 s to register 'a'.* most of them run"):
            await owner.claim(client, claimant)

    claiming(tmp_path, work)


def test_a_successor_that_is_heard_of_before_the_answer_to_the_claim_has_the_name(tmp_path: Path) -> None:
    async def work(client: Client, claimant: Ownership) -> None:
        lost: list[NameLost] = []
        asking = Asking(client)

        async def succeeded(ask: Callable[[JetStreamContext], Awaitable[T]]) -> T:
            """Let another register the name before the answer to our own registration is read."""
            answer = await asking(ask)
            if asking.writes == 1:
                asking.writes += 1
                await NameOwner("s", "a", NatsOptions(), asking, never).claim(client, claimant)
                await client.flush()
                await asyncio.sleep(0)  # the subscription of the first gets its turn
            return answer

        owner = NameOwner("s", "a", NatsOptions(), succeeded, lost.append)
        with pytest.raises(NameLost):
            await owner.claim(client, claimant)
        with pytest.raises(NameLost):
            owner.check_sure()
        assert len(lost) == 1

    claiming(tmp_path, work)
