"""Judge the orders of delivery of runs that are cut into windows.

Two delivers that break an order may lie in any two windows, so windows do not help here. If one task can hold the sends
and delivers of a run, as a few numbers each, this task judges all orders. Otherwise the processes are shared out to
blocks:

    FIFO order    a task for each block
    agreed order  a task for every two blocks, so that any two processes meet, with the delivers of those messages that
                  came to several processes

Synchronous order needs all events together. It is not judged if there is more than one block.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import pyarrow as pa

from antecede.pipeline.arrow import DELIVER, SEND, Flags, Longs, narrow_integers
from antecede.pipeline.dealing import DEALT, ROWS, deal_table, gather
from antecede.pipeline.kernel.findings import ORDER_WITNESSES, OTHER_ORDERS
from antecede.pipeline.limits import Limits
from antecede.pipeline.results import Told, tell
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.verify.orders import OrderLanes, describe_witness, find_witnesses
from antecede.pipeline.windows.cut import Windows
from antecede.pipeline.windows.window_plan import WindowPlan

BLOCK, PAIR = "block", "pair"
"""The names of dealt values with the rows of one block, and of two."""


@dataclass(frozen=True, slots=True)
class OrderBlocks:
    """The windows of some runs, and the number of blocks of each run. A run with 0 blocks is not judged.

    Tasks are numbered through, run after run. The tasks of a run are those for one block each, then those for two
    blocks each.
    """

    windows: WindowPlan
    blocks: tuple[int, ...]

    @property
    def starts(self) -> Longs:
        """Return the first task of each run, and the number of all tasks."""
        return np.cumsum([0, *(count + count * (count - 1) // 2 for count in self.blocks)])

    def count(self, run: Longs) -> Longs:
        """Return the number of blocks of each run."""
        return np.array(self.blocks, np.int64)[run]

    def task_of(self, run: Longs, block: Longs, other: Longs) -> Longs:
        """Return the task in which two blocks of a run meet, or the task for a block if they are the same."""
        count, low, high = self.count(run), np.minimum(block, other), np.maximum(block, other)
        pair = count + low * count - low * (low + 1) // 2 + high - low - 1
        return self.starts[run] + np.where(low == high, low, pair)


def judge_cut_orders(one: Windows, sizes: Mapping[str, int], limits: Limits) -> tuple[pa.Table, list[str]]:
    """Judge the orders of those runs whose cuts proved consistent.

    `sizes` has the number of events with a message of each run, by name. Return the results of the tasks, and the runs
    that were not judged for synchronous order.
    """
    counts = [ceil(sizes[run.name] / limits.order_events_max) for run in one.plan.runs]
    # Two blocks meet in a task, so each block is half as large as the only block of a smaller run.
    counts = [1 if count <= 1 else 2 * count for count in counts]
    plan = OrderBlocks(one.plan, tuple(count if run in one.good else 0 for run, count in enumerate(counts)))
    dealt = one.kept.where("name", (ROWS,)).map(deal_to_blocks(plan), DEALT).deal(int(plan.starts[-1]))
    large = [run.name for run, blocks in zip(one.plan.runs, plan.blocks, strict=True) if blocks > 1]
    return dealt.map(judge_blocks(plan), DEALT).collect(), large


def deal_to_blocks(plan: OrderBlocks) -> Task:
    """Return a task that deals delivers to the tasks of their blocks, and also sends if one task has a whole run."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is None:
            return
        rows, run, block, is_shared = _choose(table, plan)
        count = plan.count(run)
        for step in range(max(plan.blocks)):
            chosen = np.flatnonzero((step < count) & (is_shared | (step == 0)))
            part = plan.task_of(run[chosen], block[chosen], (block[chosen] + step) % count[chosen])
            if len(part):
                own = rows.take(pa.array(chosen))
                yield from deal_table(own, part, int(plan.starts[-1]), PAIR if step else BLOCK)

    return task


def _choose(table: pa.Table, plan: OrderBlocks) -> tuple[pa.Table, Longs, Longs, Flags]:
    """Return the rows that count for orders, and for each its run, its block, and whether its message is shared."""
    run = plan.windows.run(table["window"].to_numpy().astype(np.int64))
    role, count, sender = table["role"].to_numpy(), plan.count(run), table["sender"].to_numpy()
    is_send = (role == SEND) & (count == 1)
    kept = is_send | ((role == DELIVER) & table["first"].to_numpy() & (sender >= 0) & (count > 0))
    process, index = table["process"].to_numpy(), table["index"].to_numpy()
    columns = {
        "run": run,
        "process": process,
        "index": index,
        "sender": np.where(is_send, process, sender),
        "sent_index": np.where(is_send, index, table["sent_index"].to_numpy()),
        "is_send": is_send,
        "is_addressed": table["addressed"].to_numpy(),
    }
    rows = pa.table({name: values[kept] for name, values in columns.items()})
    if max(plan.blocks) == 1:  # otherwise names would travel many times
        rows = rows.append_column("message", table["message"].filter(pa.array(kept)))
    block = process[kept].astype(np.int64) % np.maximum(count[kept], 1)
    return narrow_integers(rows), run[kept], block, table["shared"].to_numpy()[kept]


def judge_blocks(plan: OrderBlocks) -> Task:
    """Return a task that tells a witness for each order that its blocks break."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        dealt = list(batches)
        for name, orders in ((BLOCK, ("fifo",)), (PAIR, ("agreed",))):
            table = gather(dealt, name)
            if table is not None:
                yield from _judge(table, plan, orders)

    return task


def _judge(table: pa.Table, plan: OrderBlocks, orders: Collection[str]) -> Told:
    """Judge one or two blocks of a run for these `orders`, or for all orders if the run has one block."""
    number = int(table["run"][0].as_py())
    run, is_whole = plan.windows.runs[number], plan.blocks[number] == 1
    lanes, processes, first_rows = _line_up(table)

    def message_name(message: int) -> str:
        row = table.slice(int(first_rows[message]), 1).to_pylist()[0]
        return str(row.get("message") or f"what {run.processes[row['sender']]} sent at {row['sent_index']}")

    found = [
        {
            "run": run.name,
            "order": one.order,
            "words": describe_witness(one, lambda lane: run.processes[processes[lane]], message_name),
        }
        for one in find_witnesses(lanes, OTHER_ORDERS if is_whole else orders)
    ]
    yield from tell("orders", pa.Table.from_pylist(found, ORDER_WITNESSES))


def _line_up(table: pa.Table) -> tuple[OrderLanes, Sequence[int], Longs]:
    """Return the rows of one run as lanes, the process of each lane, and a row of each message."""
    names = ("process", "index", "sender", "sent_index")
    process, index, sender, sent_index = (table[name].to_numpy().astype(np.int64) for name in names)
    order = np.lexsort((index, process))
    sends, first_rows, message = np.unique(
        np.stack([sender, sent_index], axis=1), axis=0, return_index=True, return_inverse=True
    )
    processes, start = np.unique(process[order], return_index=True)
    lanes = OrderLanes(
        group=np.zeros(len(processes), np.int64),
        start=np.append(start, len(order)).astype(np.int64),
        message=message.reshape(-1)[order].astype(np.int64),
        is_send=table["is_send"].to_numpy()[order],
        is_addressed=table["is_addressed"].to_numpy()[order],
        sender=sends[:, 0],
    )
    return lanes, processes.tolist(), first_rows
