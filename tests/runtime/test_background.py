"""Tasks that are ended have ended, though the library they wait in did not hear of it the first time."""

import asyncio
from functools import partial

import pytest

from antecede.runtime.background import BackgroundTasks, end, run_beside


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


def test_what_runs_beside_a_block_ends_with_it() -> None:
    async def scenario() -> None:
        heard: list[int] = []
        async with run_beside(deaf(2, heard)):
            await asyncio.sleep(0)
        assert heard == [0, 1, 2]
        assert asyncio.all_tasks() == {asyncio.current_task()}
        with pytest.raises(ArithmeticError):
            async with run_beside(deaf(0, heard)):
                raise ArithmeticError
        assert asyncio.all_tasks() == {asyncio.current_task()}
        with pytest.raises(ValueError):
            async with run_beside(fails()) as failing:
                await failing

    asyncio.run(scenario())


def test_what_a_task_raises_is_told_and_the_others_go_on() -> None:
    async def scenario() -> None:
        told: list[Exception] = []
        tasks, over, goes_on = BackgroundTasks(told.append), asyncio.Event(), asyncio.Event()

        async def waits() -> None:
            await over.wait()
            goes_on.set()

        tasks.start(fails, waits, partial(asyncio.sleep, 60))
        while not told:
            await asyncio.sleep(0)
        over.set()
        await goes_on.wait()
        await tasks.end()
        assert [type(error) for error in told] == [ValueError], "that a task is ended is not a failure"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(scenario())
