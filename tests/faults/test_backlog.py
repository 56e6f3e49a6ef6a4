"""A hundred thousand messages wait for a process that is not running, and come in order when it is."""

import asyncio
from pathlib import Path

import pytest

from antecede.runtime import Node, join

pytestmark = pytest.mark.slow

MESSAGES, AT_ONCE = 100_000, 500
MEMORY_BYTES_MAX = 600 * 2**20
DEADLINE_S = 400


async def send_all(node: Node) -> None:
    for first in range(0, MESSAGES, AT_ONCE):
        await asyncio.gather(*(node.send({"late"}, b"%d" % number) for number in range(first, first + AT_ONCE)))
    assert await node.flush(60)


async def take_all(node: Node) -> list[int]:
    taken: list[int] = []
    async for batch in node.batches(AT_ONCE):
        await node.ack(batch)
        taken += [int(delivery.payload) for delivery in batch]
        if len(taken) == MESSAGES:
            return taken
    return taken


def memory(name: str) -> int:
    """Return a line of the status of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def test_a_hundred_thousand_messages_of_backlog(tmp_path: Path) -> None:
    url = f"embedded://{tmp_path / 'nats'}"

    async def scenario() -> list[int]:
        async with join(url, space="backlog", process="early") as early:
            async with join(url, space="backlog", process="late"):
                pass  # it has an inbox now, and is not running
            await send_all(early)
            assert early.problems() == []
            async with join(url, space="backlog", process="late") as late:
                return await take_all(late)

    async def main() -> list[int]:
        return await asyncio.wait_for(scenario(), DEADLINE_S)

    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here on: other tests needed memory too
    before = memory("VmRSS")
    assert asyncio.run(main()) == list(range(MESSAGES))
    assert memory("VmHWM") - before < MEMORY_BYTES_MAX
    for path in (tmp_path / "nats" / "stores").glob("*.sqlite"):
        assert path.stat().st_size < 32 * 2**20, "a store does not grow with what has passed through it"
