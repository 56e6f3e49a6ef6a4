"""A process of the fault tests that gives up another: `python -m tests.runtime.survivor URL FOLDER PROCESS OTHERS
MESSAGES SEED GONE`.

It is a worker that sends to GONE as well. When `FOLDER/gone` is there, it gives up GONE, and sends to it no more. It
can be killed at any time and started again, in the middle of giving up, too. When it has sent everything, owes nothing
to anybody and nothing is wrong, it writes `FOLDER/PROCESS.well`.
"""

import asyncio
import sys
from pathlib import Path

from antecede.runtime import Limits, Node, join
from tests.runtime.conditions import nats_options
from tests.runtime.worker import send_all, take_all


async def give_up(node: Node, folder: Path, gone: str) -> None:
    while not (folder / "gone").exists():
        await asyncio.sleep(0.01)
    await node.give_up(gone)


async def main(url: str, folder: Path, process: str, *, others: list[str], messages: int, seed: str, gone: str) -> None:
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
        await send_all(node, [*others, gone], messages // 2, seed)
        await give_up(node, folder, gone)
        await send_all(node, others, messages, seed)
        while not (folder / "stop").exists():
            if taking.done():
                taking.result()
            if not node.problems() and not node.counts()["outbox"]:
                (folder / f"{process}.well").touch()
            await asyncio.sleep(0.05)
    await taking


if __name__ == "__main__":
    url, folder, process, others, messages, seed, gone = sys.argv[1:]
    asyncio.run(
        main(url, Path(folder), process, others=others.split(","), messages=int(messages), seed=seed, gone=gone)
    )
