"""Orders of runs that are cut into windows: every two processes meet in a task."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from antecede.pipeline.verify.order_tasks import OrderBlocks, count_blocks
from antecede.pipeline.windows.window_plan import CutRun, WindowPlan


def test_two_blocks_have_about_as_many_events_as_a_task_takes() -> None:
    assert [count_blocks(events, 100) for events in (1, 100, 101, 200, 1_000)] == [1, 1, 3, 4, 20]


@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
def test_any_two_processes_meet_in_a_task(blocks: int) -> None:
    run = CutRun("r", tuple("abcdefghij"), 0.0, 1.0, (0,) * 10)
    plan = OrderBlocks(WindowPlan((run, run)), (0, blocks))
    tasks = int(plan.starts[-1])
    has: list[set[int]] = [set() for _ in range(tasks)]
    for block in range(blocks):
        for step in range(1, max(2, blocks)):
            (task,) = plan.task_of(np.array([1]), np.array([block]), np.array([(block + step) % blocks]))
            has[task] |= {process for process in range(10) if process % blocks == block}
    assert tasks == max(1, blocks * (blocks - 1) // 2)
    assert all(any({one, other} <= own for own in has) for one, other in combinations(range(10), 2))
