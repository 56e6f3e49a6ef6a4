"""A process of the fault tests that leaves: `python -m tests.runtime.leaver URL FOLDER PROCESS OTHERS MESSAGES SEED`.

It sends MESSAGES messages, leaves the space, and ends. It can be killed at any time and started again: it goes on where
it was, and ends at once if it has left.
"""

import asyncio
import sys
from pathlib import Path

from antecede.core.errors import Misuse
from antecede.runtime import join
from tests.runtime.conditions import nats_options
from tests.runtime.worker import send_all


async def main(url: str, folder: Path, process: str, *, others: list[str], messages: int, seed: str) -> None:
    try:
        async with join(
            url, space="faults", process=process, store=folder / "stores", trace=folder / "trace", nats=nats_options()
        ) as node:
            await send_all(node, others, messages, seed)
            await node.leave()
    except Misuse as error:
        if "has left space" not in str(error):
            raise


if __name__ == "__main__":
    url, folder, process, others, messages, seed = sys.argv[1:]
    asyncio.run(main(url, Path(folder), process, others=others.split(","), messages=int(messages), seed=seed))
