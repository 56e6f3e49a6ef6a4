"""Tasks that are ended have ended, though the library they wait in did not hear of it the first time."""

import asyncio

from antecede.runtime.background import end


async def deaf(times: int, heard: list[int]) -> None:
    """Swallows so many cancellations, as `asyncio.wait_for` of Python 3.11 can one."""
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            heard.append(len(heard))
            if len(heard) > times:
                raise


async def fails() -> None:
    raise ValueError


def test_a_cancellation_is_said_again_until_it_is_heard() -> None:
    async def scenario() -> None:
        heard: list[int] = []
        tasks = [asyncio.create_task(deaf(2, heard)), asyncio.create_task(fails())]
        await asyncio.sleep(0)
        await end(tasks)
        assert heard == [0, 1, 2]
        assert all(task.done() for task in tasks)
        await end(tasks)
        await end([])

    asyncio.run(scenario())
