"""Tasks that nodes, stations, hosts and transports run by themselves, and how they are ended so that they have ended.

Until Python 3.12 `asyncio.wait_for` swallows a cancellation that comes in the same turn as what it waited for. We do
not use it, but the clients that we use do; a task that was cancelled once may then go on for ever, and whoever waits
for its end with it. So a cancellation is said again until it is heard.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

AGAIN_S = 0.2
T = TypeVar("T")


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel these tasks, and return when all of them have ended, however they ended."""
    everyone = set(tasks)
    left = {task for task in everyone if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN_S)
    for task in everyone:
        if not task.cancelled():
            task.exception()  # otherwise asyncio complains that nobody asked for it


@asynccontextmanager
async def run_beside(work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Run `work` as a task beside a block, and end it with the block.

    The task is for the block, which hears what the task returns or raises if it awaits the task or asks for its result.
    """
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        await end([task])


class BackgroundTasks:
    """Tasks that run until they are ended together. `failed` is called with what one of them raises."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, *works: Callable[[], Awaitable[None]]) -> None:
        """Start each of these works as a task of its own."""
        for work in works:
            task = asyncio.create_task(self.guard(work))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """End all tasks, and return when they have ended."""
        await end(self._tasks)

    async def guard(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work`, and call `failed` with the error that it raises."""
        try:
            await work()
        except Exception as error:
            self._failed(error)
