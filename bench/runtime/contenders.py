"""The two contenders: nodes of the runtime, and plain JetStream through nats-py, as members of one group.

Both have an inbox stream for each member on the same server, file storage, one publication for each destination or
better, and every delivery acknowledged. Plain JetStream keeps several publications under way, as nats-py offers it,
and fetches in batches when it is busy; when it is idle it asks for one message at a time, because a fetch of more
waits for all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Protocol

import nats
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import RetentionPolicy, StorageType

from antecede.runtime import Node, join

Taken = Callable[[bytes], None]


class Member(Protocol):
    """One of the group: sends to all the others, and tells `taken` of what it gets."""

    async def send(self, payload: bytes) -> None: ...

    async def take(self, taken: Taken) -> None: ...


class Plain:
    """JetStream and nothing else: no order across inboxes, nothing kept by the member itself."""

    def __init__(self, js: nats.js.JetStreamContext, me: str, others: list[str], batch: int) -> None:
        self._js, self._me, self._others, self._batch = js, me, others, batch

    async def send(self, payload: bytes) -> None:
        """Durable in every inbox when this returns, the publications to all of them being under way together."""
        answers = [await self._js.publish_async(f"plain.{other}", payload) for other in self._others]
        await asyncio.gather(*answers)

    async def take(self, taken: Taken) -> None:
        subscription = await self._js.pull_subscribe(f"plain.{self._me}", durable="c", stream=f"plain-{self._me}")
        while True:
            try:
                batch = await subscription.fetch(self._batch, timeout=1)
            except NatsTimeout:
                continue
            for message in batch:
                taken(message.data)
                await message.ack()


class Ordered:
    """A node of the runtime."""

    def __init__(self, node: Node, others: list[str], batch: int) -> None:
        self._node, self._others, self._batch = node, others, batch

    async def send(self, payload: bytes) -> None:
        await self._node.send(self._others, payload)

    async def take(self, taken: Taken) -> None:
        async for batch in self._node.batches(self._batch):
            for message in batch:
                taken(message.payload)
            await self._node.ack(batch)


@asynccontextmanager
async def plain(url: str, folder: Path, names: list[str], batch: int) -> AsyncIterator[list[Member]]:
    del folder
    members: list[Member] = []
    clients = [await nats.connect(url) for _ in names]
    for client, name in zip(clients, names, strict=True):
        js = client.jetstream()
        await js.add_stream(
            name=f"plain-{name}",
            subjects=[f"plain.{name}"],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
        )
        members.append(Plain(js, name, [other for other in names if other != name], batch))
    yield members
    for client, name in zip(clients, names, strict=True):
        await client.jetstream().delete_stream(f"plain-{name}")
        await client.close()


@asynccontextmanager
async def ordered(url: str, folder: Path, names: list[str], batch: int) -> AsyncIterator[list[Member]]:
    async with AsyncExitStack() as stack:
        nodes = [
            await stack.enter_async_context(join(url, space="bench", process=name, store=folder / "stores"))
            for name in names
        ]
        yield [Ordered(node, [other for other in names if other != node.process], batch) for node in nodes]
        for node in nodes:
            await node.leave()
