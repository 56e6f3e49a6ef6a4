"""A node that was stopped for a while, and goes on beside a clone that was started meanwhile.

The node has frames under way, and publishes more before it hears that its name was lost. What is promised then is in
`docs/design/durable-step.md`: nothing is delivered twice, and whoever sends or receives what is not delivered is told.
"""

import asyncio
import random
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from antecede.runtime import Node, NumberReused, join
from tests.replay import Drawing
from tests.runtime.nodes import WAIT_S, run
from tests.runtime.proxy import Proxy

pytestmark = pytest.mark.slow

ORIGINAL = """
import asyncio, sys
from antecede.runtime import NameLost, join

async def main(url, space, store):
    async with join(url, space=space, process="a", store=store) as a:
        try:
            while True:
                n = a.sent + 1
                await a.send({"b"}, b"original %d" % n)
                print(n, flush=True)
                await asyncio.sleep(0.002)
        except NameLost as error:
            print(error, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""
"""Sends again and again, says the number of each message that was sent, and in the end why it stopped."""
ROUNDS = 3
BY_CLONE = 40
SLOW_S = 1.0


@contextmanager
def stopped(process: Process) -> Iterator[None]:
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


async def take_all(node: Node, delivered: list[bytes], drawing: Drawing) -> None:
    async for message in node:
        delivered.append(message.payload)
        drawing.add("b", f"deliver {message.payload.decode()}")
        await message.ack()


async def send_as_clone(clone: Node, drawing: Drawing) -> list[int]:
    """Send messages whose numbers the original has used, or is about to use. Return the numbers."""
    numbers = []
    for _ in range(BY_CLONE):
        numbers.append((await clone.send({"b"}, b"clone %d" % (clone.sent + 1))).seq)
        drawing.add("clone", f"send {numbers[-1]}")
    return numbers


async def hear(original: Process, count: int | None, drawing: Drawing) -> list[bytes]:
    """Return the next lines of the original, or all that are left, and draw them: what it has sent, or why it stops."""
    assert original.stdout is not None
    lines: list[bytes] = []
    while (count is None or len(lines) < count) and (line := await original.stdout.readline()):
        lines.append(line)
        words = line.decode().strip()
        drawing.add("original", f"send {words}" if words.isdecimal() else f"stop: {words:.40}")
    return lines


def check(delivered: list[bytes], original: list[int], clone: list[int], told: set[int]) -> None:
    """Check that nothing was delivered twice, and that everything was delivered or told."""
    assert len(set(delivered)) == len(delivered)
    numbers = [int(payload.split()[1]) for payload in delivered]
    assert len(set(numbers)) == len(numbers), "two messages with one number were delivered"
    by_clone = {n for n in clone if b"clone %d" % n not in delivered}
    assert by_clone <= told, "nobody was told of a message of the clone"
    missing = sorted(n for n in original if b"original %d" % n not in delivered and n not in told)
    last = max((n for n in original if b"original %d" % n in delivered), default=0)
    assert all(n > last for n in missing), "the original was told that it sends nothing more, and lost something before"


@pytest.mark.parametrize("link", ["quick", "slow"])
def test_an_original_that_was_stopped_while_its_clone_was_started_loses_nothing_in_silence(
    tmp_path: Path, seed: int, proxy: Proxy, link: str
) -> None:
    """On a slow link it hears of the clone late, and publishes numbers that the clone has used."""

    async def play_round(folder: Path, chance: random.Random) -> None:
        url, space, store, delivered = f"embedded://{tmp_path / 'nats'}", folder.name, folder / "a", list[bytes]()
        drawing = Drawing()
        async with join(url, space=space, process="b", store=folder / "b") as b:
            taking = asyncio.create_task(take_all(b, delivered, drawing))
            arguments = ["-c", ORIGINAL, proxy.url, space, str(store)]
            process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=PIPE)
            try:
                said = await hear(process, chance.randrange(1, 60), drawing)
                with stopped(process):
                    drawing.add("original", "is stopped")
                    await asyncio.sleep(0.2)  # nothing is under way any more
                    proxy.delay_s = SLOW_S if link == "slow" else 0.0
                    ignored = shutil.ignore_patterns("*-shm")  # an index of the -wal file, which SQLite makes anew
                    shutil.copytree(store, folder / "clone", ignore=ignored)
                    async with join(url, space=space, process="a", store=folder / "clone") as clone:
                        by_clone = await send_as_clone(clone, drawing)
                        assert await clone.flush()
                drawing.add("original", "goes on")
                said += await hear(process, None, drawing)
                await process.wait()
            finally:
                proxy.delay_s = 0.0
                if process.returncode is None:
                    process.kill()
                    await process.wait()
            assert b"was started somewhere else with a copy of this store" in said[-1]
            async with asyncio.timeout(WAIT_S):
                while await b._transport.waiting() or b.counts()["inbox"]:
                    await asyncio.sleep(0.05)
            told = {problem.message.seq for problem in b.problems() if isinstance(problem, NumberReused)}
            taking.cancel()
            check(delivered, [int(number) for number in said[:-1]], by_clone, told)
            assert told or link == "quick", "the original has published something, and nobody noticed"

    chance = random.Random(seed)
    for number in range(ROUNDS):
        folder = tmp_path / f"round{number}"
        folder.mkdir()
        run(partial(play_round, folder, chance))
