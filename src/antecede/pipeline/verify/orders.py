"""Tell which orders of delivery runs break, besides causal order. `antecede.judge.orders` has their definitions.

The loops are in `kernel.order_walk`. They take time in proportion to the events. If messages are delivered in orders
that cannot be combined into one, they take longer: pairs of processes are compared until two disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from antecede.pipeline.arrow import Flags, Longs
from antecede.pipeline.kernel.findings import ORDER_WITNESSES, OTHER_ORDERS
from antecede.pipeline.kernel.layout import Layout, Rows
from antecede.pipeline.kernel.linear_order import SENT
from antecede.pipeline.kernel.loops import kernels
from antecede.pipeline.kernel.order_walk import MessageLists
from antecede.pipeline.kernel.pair import Paired

ORDER_STEPS_PER_EVENT = 16
NAMED_MAX = 8  # messages of a crown that are named


@dataclass(frozen=True, slots=True)
class OrderLanes:
    """The sends, and the first delivers of sent messages, lane after lane, each lane in its order.

    `kernel.order_walk` says what a lane is, and how messages are numbered.
    """

    group: Longs  # by lane: its run
    start: Longs  # by lane, and the end: its first event
    message: Longs  # by event: its message
    is_send: Flags
    is_addressed: Flags
    sender: Longs  # by message: a number for its sender

    def choose(self, chosen: Flags) -> OrderLanes:
        """Return the same lanes with the chosen events alone."""
        before = np.concatenate([[0], np.cumsum(chosen)])
        return OrderLanes(
            group=self.group,
            start=before[self.start],
            message=self.message[chosen],
            is_send=self.is_send[chosen],
            is_addressed=self.is_addressed[chosen],
            sender=self.sender,
        )


@dataclass(frozen=True, slots=True)
class Witness:
    """The lanes and messages by which a group breaks an order, as in `antecede.judge.orders.JudgedOrder`."""

    group: int
    order: str
    lanes: tuple[int, ...]
    messages: tuple[int, ...]


def lanes_of_runs(rows: Rows, layout: Layout) -> OrderLanes:
    """Return the lanes of whole runs. A message has the number of the event of its send."""
    lanes = layout.lanes
    is_send = lanes.source == SENT
    return OrderLanes(
        group=lanes.group.astype(np.int64),
        start=lanes.start,
        message=np.where(is_send, np.arange(len(is_send)), lanes.source),
        is_send=is_send,
        is_addressed=rows.addressed[layout.event_row],
        sender=lanes.lane_of.astype(np.int64),
    )


def find_witnesses(lanes: OrderLanes, orders: Collection[str] = OTHER_ORDERS) -> Iterator[Witness]:
    """Yield a witness for each group and each of the `orders` that it breaks.

    For synchronous order, the lanes must have the sends too.
    """
    if not len(lanes.message):
        return
    run = kernels(ORDER_STEPS_PER_EVENT * len(lanes.message))
    if "fifo" in orders:
        yield from _find_overtaken(lanes, run)
    if "agreed" in orders:
        yield from _find_disagreements(lanes.choose(~lanes.is_send), run)
    if "synchronous" in orders:
        yield from _find_crowns(lanes, run)


def witnesses_in_runs(paired: Paired, layout: Layout) -> pa.Table:
    """Return a witness for each whole run and each order that the run breaks, as `ORDER_WITNESSES`."""
    names = paired.names

    def message_name(event: int) -> str:
        return str(paired.message[int(layout.event_row[event])].as_py())

    rows = [
        {
            "run": names.runs[one.group].as_py(),
            "order": one.order,
            "words": describe_witness(one, lambda lane: str(names.processes[lane].as_py()), message_name),
        }
        for one in find_witnesses(lanes_of_runs(paired.rows, layout))
    ]
    return pa.Table.from_pylist(rows, ORDER_WITNESSES)


def _find_overtaken(lanes: OrderLanes, run: Any) -> Iterator[Witness]:
    found = np.full(2 * len(lanes.group), -1, np.int64)
    is_judged = ~lanes.is_send & lanes.is_addressed
    run.overtake_on_channels(lanes.start, lanes.message, is_judged, lanes.sender, found)
    violated = np.flatnonzero(found[::2] >= 0)
    _, first = np.unique(lanes.group[violated], return_index=True)
    for lane in violated[first].tolist():
        messages = lanes.message[found[2 * lane : 2 * lane + 2]].tolist()
        yield Witness(int(lanes.group[lane]), "fifo", (lane,), tuple(messages))


def _find_disagreements(lanes: OrderLanes, run: Any) -> Iterator[Witness]:
    lists = _list_messages(lanes, run)
    at = run.take_fronts(lists)
    if np.array_equal(at, lanes.start[1:]):
        return
    found = np.full(4 * (int(lanes.group[-1]) + 1), -1, np.int64)
    run.disagree(lists, at, lanes.group, found)
    for group in np.flatnonzero(found[::4] >= 0).tolist():
        one, other = found[4 * group + 1], found[4 * group + 3]
        messages = lanes.message[found[4 * group : 4 * group + 2]].tolist()
        yield Witness(group, "agreed", (int(lists.lane_of[one]), int(lists.lane_of[other])), tuple(messages))


def _find_crowns(lanes: OrderLanes, run: Any) -> Iterator[Witness]:
    is_new = np.ones(len(lanes.message), np.bool_)
    is_new[1:] = lanes.message[1:] != lanes.message[:-1]
    is_new[lanes.start[:-1][np.diff(lanes.start) > 0]] = True
    lanes = lanes.choose(is_new)
    lists = _list_messages(lanes, run)
    at = run.take_fronts(lists)
    stuck = np.flatnonzero(at < lanes.start[1:])
    _, first = np.unique(lanes.group[stuck], return_index=True)
    place_of, chain = np.full(len(lists.begin), -1, np.int64), np.empty(len(lists.begin), np.int64)
    for lane in stuck[first].tolist():
        crown = run.follow_crown(lists, at, lane, place_of, chain)
        from_first = np.roll(crown, -int(np.argmin(crown)))
        yield Witness(int(lanes.group[lane]), "synchronous", (), tuple(from_first.tolist()))


def _list_messages(lanes: OrderLanes, run: Any) -> MessageLists:
    begin, events = np.zeros(len(lanes.sender) + 1, np.int64), np.empty(len(lanes.message), np.int64)
    run.list_events(lanes.message, begin, events)
    lane_of = np.repeat(np.arange(len(lanes.group)), np.diff(lanes.start))
    return MessageLists(lanes.start, lane_of, lanes.message, begin, events)


def describe_witness(witness: Witness, lane_name: Callable[[int], str], message_name: Callable[[int], str]) -> str:
    """Return a witness in words. `lane_name` and `message_name` return the names of a lane and of a message."""
    names = [message_name(message) for message in witness.messages[:NAMED_MAX]]
    lanes = [lane_name(lane) for lane in witness.lanes]
    if witness.order == "fifo":
        return f"{lanes[0]} delivered {names[0]} before {names[1]}, which the same sender had sent earlier"
    if witness.order == "agreed":
        return (
            f"{lanes[0]} delivered {names[0]} before {names[1]}, and {lanes[1]} delivered {names[1]} before {names[0]}"
        )
    if len(witness.messages) == 2:
        return f"{names[0]} and {names[1]} cannot both be instantaneous: each has an event before an event of the other"
    more = len(witness.messages) - len(names)
    listed = ", ".join(names) + (f" and {more:,} more" if more else "")
    return (
        f"{listed} cannot all be instantaneous: each has an event before an event of the next, and the last before one "
        "of the first"
    )
