"""A process of the fault tests: `python -m tests.runtime.worker URL FOLDER PROCESS OTHERS MESSAGES SEED`.

It sends MESSAGES messages to random destinations, takes and acknowledges what comes, and writes down in FOLDER what the
application saw: `got <id>` before, `acked <id>` after every acknowledgement. It can be killed at any time and started
again: it goes on until `FOLDER/stop` is there.
"""

import asyncio
import random
import sys
from pathlib import Path

from antecede.runtime import Limits, Node, join
from tests.runtime.conditions import longest_pause_s, nats_options


async def send_all(node: Node, others: list[str], messages: int, seed: str) -> None:
    while node.sent < messages:
        chance = random.Random(f"{seed} {node.process} {node.sent}")
        dests = chance.sample(others, chance.randint(1, len(others)))
        await node.send(set(dests), f"{node.process} {node.sent}".encode())
        await asyncio.sleep(chance.random() * longest_pause_s(0.004))


async def take_all(node: Node, seen: Path) -> None:
    with open(seen, "a", buffering=1) as out:
        async for message in node:
            out.write(f"got {message.id}\n")
            await message.ack()
            out.write(f"acked {message.id}\n")


async def main(url: str, folder: Path, process: str, *, others: list[str], messages: int, seed: str) -> None:
    async with join(
        url,
        space="faults",
        process=process,
        store=folder / "stores",
        trace=folder / "trace",
        limits=Limits(stall_after_s=1),
        nats=nats_options(),
    ) as node:
        taking = asyncio.create_task(take_all(node, folder / f"{process}.seen"))
        await send_all(node, others, messages, seed)
        while not (folder / "stop").exists():
            if taking.done():
                taking.result()
            await asyncio.sleep(0.05)
    await taking


if __name__ == "__main__":
    url, folder, process, others, messages, seed = sys.argv[1:]
    asyncio.run(main(url, Path(folder), process, others=others.split(","), messages=int(messages), seed=seed))
