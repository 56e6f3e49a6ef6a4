"""Taking what waits in the inbox, before a process is given up: afterwards its messages are refused.

The broker says how much the inbox has that was not acknowledged. Some of that was offered and handed back, because it
cannot be taken now: it would be waited for in vain.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from antecede.core.types import ProcessId
from antecede.runtime.transport.contract import Transport, Unreachable

LOGGER = logging.getLogger("antecede")
LOOK_S = 0.02
QUIET_S = 2.0
"""How long nothing is taken from the inbox, or the broker does not answer, before this is not waited for any more."""


async def drain_inbox(transport: Transport, handed_back: Callable[[], int]) -> str:
    """Wait until the inbox has nothing but frames that were handed back. Return "", or a text that says why not.

    Go on as long as the inbox gets shorter.
    """
    loop = asyncio.get_running_loop()
    least, until = float("inf"), loop.time() + QUIET_S
    while True:
        try:
            async with asyncio.timeout(QUIET_S):
                left = await transport.waiting() - handed_back()
        except (TimeoutError, Unreachable):
            return "the broker does not say what waits in the inbox"
        if left <= 0:
            return ""
        if left < least:
            least, until = left, loop.time() + QUIET_S
        elif loop.time() >= until:
            return f"{left:,} frames wait in the inbox and are not taken: acknowledge messages"
        await asyncio.sleep(LOOK_S)


async def drain_before_giving_up(
    transport: Transport, handed_back: Callable[[], int], *, owner: ProcessId, process: ProcessId
) -> None:
    """Take what waits in the inbox of `owner` before `process` is given up, and log if that is not possible."""
    why = await drain_inbox(transport, handed_back)
    if why:
        LOGGER.warning(
            "%s: %s is given up, and its messages that were not taken before will be refused: %s", owner, process, why
        )
