"""Nodes to test with: join several at once, take messages from them, wait for a condition, judge their traces."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from antecede.judge.events import Event, read_jsonl
from antecede.judge.judge import Verdict, judge
from antecede.runtime import Node, join
from antecede.runtime.transport.contract import Network
from tests.replay import Drawing, describe_event

WAIT_S = 20.0


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test that is a coroutine. Fail if it takes longer than twice `WAIT_S`."""

    async def main() -> None:
        await asyncio.wait_for(test(), 2 * WAIT_S)

    asyncio.run(main())


@asynccontextmanager
async def nodes(network: Network, names: str, **settings: object) -> AsyncIterator[list[Node]]:
    """Join one node for each of the `names`, which are separated by spaces. If they write traces, a failure of the test
    draws them.
    """
    if isinstance(trace := settings.get("trace"), Path):
        draw_traces(trace)
    async with AsyncExitStack() as stack:
        joined = [join(network, space="s", process=name, **settings) for name in names.split()]  # type: ignore[arg-type]  # settings in a dict have no types of their own
        yield [await stack.enter_async_context(one) for one in joined]


async def take(node: Node, count: int) -> list[bytes]:
    """Return the payloads of the next `count` messages, and acknowledge them."""
    taken: list[bytes] = []
    for _ in range(count):
        message = await node.next_within(WAIT_S)
        assert message is not None, f"only {taken}, {node.counts()}, {node.pending()}"
        taken.append(message.payload)
        await message.ack()
    return taken


async def eventually(true: Callable[[], bool]) -> None:
    """Wait until a condition is true. Fail if it is not within `WAIT_S`."""

    async def wait() -> None:
        while not true():
            await asyncio.sleep(0.005)

    await asyncio.wait_for(wait(), WAIT_S)


def judge_traces(folder: Path) -> Verdict:
    """Return the judge's answer about all the traces in a folder, as one execution."""
    return judge(read_traces(folder))


def read_traces(folder: Path) -> list[Event]:
    """Return the events of all the traces in a folder."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]
    return read_jsonl(lines)[0]


def draw_traces(folder: Path) -> Drawing:
    """Begin a drawing of the traces in a folder, as they are when it is drawn, by the clock of the machine.

    `nodes` does this itself. A test that joins its nodes one by one calls it before it joins them.
    """
    return Drawing(
        lambda: [describe_event(event) for event in sorted(read_traces(folder), key=lambda event: event.time or 0.0)]
    )
