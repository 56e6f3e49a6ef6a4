"""The two contenders: a node of the runtime, and plain JetStream through nats-py, as one member of a group.

Both have an inbox stream for each member on the same server, file storage, one publication for each destination or
better, and every delivery acknowledged. Plain JetStream keeps several publications under way, as nats-py offers it,
and fetches in batches when it is busy; when it is idle it asks for one message at a time, because a fetch of more
waits for all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
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


class Contender(Protocol):
    """Opens the member `me`, who goes on sending to `others`, and has left when it is closed."""

    def __call__(
        self, url: str, folder: Path, me: str, others: list[str], batch: int
    ) -> AbstractAsyncContextManager[Member]: ...


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
async def plain(url: str, folder: Path, me: str, others: list[str], batch: int) -> AsyncIterator[Member]:
    del folder
    client = await nats.connect(url)
    js = client.jetstream()
    await js.add_stream(
        name=f"plain-{me}",
        subjects=[f"plain.{me}"],
        retention=RetentionPolicy.WORK_QUEUE,
        storage=StorageType.FILE,
    )
    yield Plain(js, me, others, batch)
    await js.delete_stream(f"plain-{me}")
    await client.close()


@asynccontextmanager
async def ordered(url: str, folder: Path, me: str, others: list[str], batch: int) -> AsyncIterator[Member]:
    space = f"bench-{folder.name}"  # each measurement has its own, since a name that has left cannot be used again
    async with join(url, space=space, process=me, store=folder) as node:
        yield Ordered(node, others, batch)
        await node.leave()


CONTENDERS: dict[str, Contender] = {"plain JetStream": plain, "antecede": ordered}
