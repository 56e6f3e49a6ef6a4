"""Orders of runs that are cut into windows: every two processes meet in a task."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from antecede.pipeline.verify.order_tasks import OrderBlocks
from antecede.pipeline.windows.window_plan import CutRun, WindowPlan


@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
def test_any_two_processes_meet_in_a_task_and_each_block_has_one_for_itself(blocks: int) -> None:
    run = CutRun("r", tuple("abcdefghij"), 0.0, 1.0, (0,) * 10)
    plan = OrderBlocks(WindowPlan((run, run, run)), (2, 0, blocks))
    assert plan.starts.tolist() == [0, 3, 3, 3 + blocks + blocks * (blocks - 1) // 2]
    has: dict[int, set[int]] = {}
    for block in range(blocks):
        for step in range(blocks):
            (task,) = plan.task_of(np.array([2]), np.array([block]), np.array([(block + step) % blocks])).tolist()
            has.setdefault(task, set()).update(process for process in range(10) if process % blocks == block)
    assert sorted(has) == list(range(3, plan.starts[-1]))
    assert all(any({one, other} <= own for own in has.values()) for one, other in combinations(range(10), 2))
    for block in range(blocks):
        assert has[3 + block] == {process for process in range(10) if process % blocks == block}
