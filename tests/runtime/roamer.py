"""A host of the fault tests: `python -m tests.runtime.roamer URLS FOLDER NAME TOKEN OTHERS MESSAGES SEED`.

It waits until all OTHERS have been connected once, sends MESSAGES messages to some of them, moves between the stations
all the while, takes and acknowledges what comes, and goes on until `FOLDER/stop` is there. It can be killed at any time
and started again.
"""

import asyncio
import random
import sys
from pathlib import Path

from antecede.runtime.roaming.host.host import Host
from tests.runtime.conditions import host_limits, longest_pause_s

MOVE_CHANCE = 0.03
REFUSED = "somebody was not known when a message was sent to it"


async def send_all(host: Host, others: list[str], messages: int, seed: str) -> None:
    while host.sent < messages:
        chance = random.Random(f"{seed} {host.id} {host.sent}")
        dests = chance.sample(others, chance.randint(1, len(others)))
        await host.send(set(dests), f"{host.id} {host.sent}".encode())
        await asyncio.sleep(chance.random() * longest_pause_s(0.02))


async def wander(host: Host, urls: list[str], seed: str) -> None:
    chance = random.Random(f"{seed} {host.id} moves")
    while True:
        await asyncio.sleep(chance.expovariate(3.0))
        await host.move(chance.choice(urls))


async def take_all(host: Host) -> None:
    async for message in host:
        await message.ack()


async def main(
    urls: list[str], folder: Path, name: str, token: str, *, others: list[str], messages: int, seed: str
) -> None:
    path, trace = folder / f"{name}.sqlite", folder / "trace"
    async with Host(urls, name, token, path=path, trace=trace, **host_limits()) as host:
        await host.connected()
        (folder / f"{name}.known").touch()
        while not all((folder / f"{other}.known").exists() for other in others):
            await asyncio.sleep(0.02)
        tasks = [asyncio.create_task(work) for work in (take_all(host), wander(host, urls, seed))]
        await send_all(host, others, messages, seed)
        while not (folder / "stop").exists():
            for task in tasks:
                if task.done():
                    task.result()
            assert not host.refusals(), REFUSED
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    urls, folder, name, token, others, messages, seed = sys.argv[1:]
    asyncio.run(
        main(urls.split(","), Path(folder), name, token, others=others.split(","), messages=int(messages), seed=seed)
    )
