"""One member of the group in a process of its own: `python -m bench.runtime.member TASK`, for `bench.runtime.run`.

It says when it is open, is told when to begin, says what it has measured, and leaves when it is told so. Times are of
the clock that all processes of a machine share.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.runtime.contenders import CONTENDERS, Member

DONE_S_MAX = 100.0
FETCHING_S = 0.3
"""After so long everybody fetches: who sends earlier measures how a subscription is made."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a member has to do: each sends `messages` to all others, `in_flight` at a time without a `rate_s`, or so
    many a second."""

    contender: str
    url: str
    folder: str
    me: str
    everybody: tuple[str, ...]
    payload_bytes: int
    messages: int
    in_flight: int = 1
    rate_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """When the last message was taken, how long each was under way, and what processor time it took this member."""

    ended: float
    under_way_s: tuple[float, ...]
    processor_s: float


async def main(task: Task) -> None:
    others = [name for name in task.everybody if name != task.me]
    opened = CONTENDERS[task.contender](task.url, Path(task.folder), task.me, others, 1 if task.rate_s else 256)
    async with opened as member:
        print("open", flush=True)
        begin = float(await asyncio.to_thread(sys.stdin.readline))
        result = await _measured(member, task, begin, task.messages * len(others))
        print(json.dumps(asdict(result)), flush=True)
        await asyncio.to_thread(sys.stdin.readline)


async def _measured(member: Member, task: Task, begin: float, wanted: int) -> Result:
    under_way_s: list[float] = []
    done = asyncio.Event()

    def taken(payload: bytes) -> None:
        (sent,) = struct.unpack_from(">d", payload)
        under_way_s.append(time.monotonic() - sent)
        if len(under_way_s) == wanted:
            done.set()

    async def send() -> None:
        await member.send(struct.pack(">d", time.monotonic()).ljust(task.payload_bytes, b"\0"))

    taking = asyncio.create_task(member.take(taken))
    await asyncio.sleep(begin + FETCHING_S - time.monotonic())
    worked_s = time.process_time()
    sending = asyncio.create_task(_steadily(send, task) if task.rate_s else _busily(send, task))
    await asyncio.wait_for(done.wait(), DONE_S_MAX)
    ended, worked_s = time.monotonic(), time.process_time() - worked_s
    await sending
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    return Result(ended, tuple(under_way_s), worked_s)


async def _steadily(send: Callable[[], Awaitable[None]], task: Task) -> None:
    """Members begin one after the other, so that their messages do not come all at once."""
    await asyncio.sleep(task.everybody.index(task.me) / len(task.everybody) / task.rate_s)
    for _ in range(task.messages):
        await send()
        await asyncio.sleep(1 / task.rate_s)


async def _busily(send: Callable[[], Awaitable[None]], task: Task) -> None:
    async def some() -> None:
        for _ in range(task.messages // task.in_flight):
            await send()

    await asyncio.gather(*(some() for _ in range(task.in_flight)))


if __name__ == "__main__":
    asyncio.run(main(Task(**json.loads(sys.argv[1]))))
