"""Ending tasks so that they have ended.

Until Python 3.12 `asyncio.wait_for` swallows a cancellation that comes in the same turn as what it waited for. We do
not use it, but the clients that we use do; a task that was cancelled once may then go on for ever, and whoever waits
for its end with it. So a cancellation is said again until it is heard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

AGAIN_S = 0.2


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel, and return when all of them are over; how they ended does not matter any more."""
    everyone = set(tasks)
    left = {task for task in everyone if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN_S)
    for task in everyone:
        if not task.cancelled():
            task.exception()  # or it would be complained about that nobody asked
