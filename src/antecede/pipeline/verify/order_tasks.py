"""Judge the orders of delivery of runs that are cut into windows: FIFO, agreed, and of small runs synchronous order.

Two delivers that break an order may lie in any two windows, so windows do not help here. The processes of a run are
shared out to blocks, and every two blocks meet in a task, so that any two processes do. Two blocks have about as many
delivers as one task takes. A run that fits into one task has one block, and only such a run is judged for synchronous
order, which needs all events together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import pyarrow as pa

from antecede.pipeline.arrow import Longs, narrow_integers
from antecede.pipeline.dealing import DEALT, ROWS, deal_table, gather
from antecede.pipeline.kernel.encode import DELIVER, SEND
from antecede.pipeline.kernel.findings import ORDER_WITNESSES
from antecede.pipeline.limits import Limits
from antecede.pipeline.results import Told, tell
from antecede.pipeline.runner import Batches, Task
from antecede.pipeline.verify.orders import OrderLanes, describe_witness, find_witnesses
from antecede.pipeline.windows.cut import Windows
from antecede.pipeline.windows.window_plan import WindowPlan


@dataclass(frozen=True, slots=True)
class OrderBlocks:
    """The windows of some runs, and for each run the number of blocks, 0 if it is not judged here."""

    windows: WindowPlan
    blocks: tuple[int, ...]

    @property
    def starts(self) -> Longs:
        """The first task of each run, and the number of all tasks."""
        return np.cumsum([0, *(max(count * (count - 1) // 2, min(count, 1)) for count in self.blocks)])

    def task_of(self, run: Longs, block: Longs, other: Longs) -> Longs:
        """Return the task in which two blocks of a run meet."""
        count = np.array(self.blocks, np.int64)[run]
        low, high = np.minimum(block, other), np.maximum(block, other)
        return self.starts[run] + np.where(count == 1, 0, low * count - low * (low + 1) // 2 + high - low - 1)


def judge_cut_orders(one: Windows, sizes: Mapping[str, int], limits: Limits) -> tuple[pa.Table, list[str]]:
    """Judge the good runs of some windows, of which `sizes` are the sends and delivers, by name.

    Return what the tasks tell, and the runs that were not judged for synchronous order.
    """
    counts = [count_blocks(sizes[run.name], limits.run_events_max) for run in one.plan.runs]
    plan = OrderBlocks(one.plan, tuple(count if run in one.good else 0 for run, count in enumerate(counts)))
    tasks = int(plan.starts[-1])
    dealt = one.kept.where("name", (ROWS,)).map(deal_to_pairs(plan), DEALT).deal(tasks)
    large = [run.name for run, blocks in zip(one.plan.runs, plan.blocks, strict=True) if blocks > 1]
    return dealt.map(judge_pairs(plan), DEALT).collect(), large


def count_blocks(events: int, events_max: int) -> int:
    """Return in how many blocks the processes of a run are put."""
    return 1 if events <= events_max else max(2, ceil(2 * events / events_max))


def deal_to_pairs(plan: OrderBlocks) -> Task:
    """Return a task that deals delivers, and sends if one task has all of a run, to the pairs of blocks."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is None:
            return
        table, run, block = _choose(table, plan)
        count = np.array(plan.blocks, np.int64)[run]
        for step in range(1, max([2, *plan.blocks])):
            chosen = np.flatnonzero((step < count) | ((count == 1) & (step == 1)))
            others = (block + step)[chosen] % count[chosen]
            part = plan.task_of(run[chosen], block[chosen], others)
            if len(part):
                yield from deal_table(table.take(pa.array(chosen)), part, int(plan.starts[-1]))

    return task


def _choose(table: pa.Table, plan: OrderBlocks) -> tuple[pa.Table, Longs, Longs]:
    """Return the rows that count for orders, with the run and the block of each."""
    run = plan.windows.run(table["window"].to_numpy().astype(np.int64))
    role, count = table["role"].to_numpy(), np.array(plan.blocks, np.int64)[run]
    sender = table["sender"].to_numpy()
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
    if max(plan.blocks) == 1 and "message" in table.column_names:  # otherwise names would travel many times
        rows = rows.append_column("message", table["message"].filter(pa.array(kept)))
    return narrow_integers(rows), run[kept], process[kept].astype(np.int64) % np.maximum(count[kept], 1)


def judge_pairs(plan: OrderBlocks) -> Task:
    """Return a task that tells a witness for each order that two blocks of a run break."""

    def task(batches: Batches) -> Iterator[pa.RecordBatch]:
        table = gather(batches)
        if table is not None:
            yield from _judge(table, plan)

    return task


def _judge(table: pa.Table, plan: OrderBlocks) -> Told:
    number = int(table["run"][0].as_py())
    run = plan.windows.runs[number]
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
        for one in find_witnesses(lanes, with_synchronous=plan.blocks[number] == 1)
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
