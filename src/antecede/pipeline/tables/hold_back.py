"""Tell whether a hold-back was needed, exactly, from the causal past of every message, for runs of a bounded size.

A message that is received and not delivered at once is held back. This is needless if, at the moment of its receive,
every message that happened before it and was sent to the same process had been delivered there already. The past of a
message is a set of messages, kept as the bits of an integer. So a run costs about events times messages bits, and runs
of more than `NEEDLESS_EVENTS_MAX` events are left out. The loop goes over events along happened-before, which no column
expression can do.
"""

from __future__ import annotations

from collections.abc import Iterator

from antecede.judge.events import Event
from antecede.judge.trace import Run, message_of, walk

NEEDLESS_EVENTS_MAX = 50_000


def hold_backs(run: Run) -> Iterator[tuple[Event, bool]]:
    """Yield each first deliver that came after a receive of its message, and whether that wait was needless."""
    if run.deliver_kind != "deliver":
        return
    bit: dict[str, int] = {}
    past = dict.fromkeys(run.processes, 0)  # by process: the messages that were sent before now
    carried: dict[str, int] = {}  # by message: the messages that were sent before it, and itself
    addressed: dict[str, int] = {}  # by process: the messages that were sent to it
    delivered = dict.fromkeys(run.processes, 0)  # by process: the messages that it has delivered
    at_receive: dict[tuple[str, str], int] = {}  # by message and process: what it had delivered at the receive
    for event in walk(run):
        process = event.process
        if event.kind == "send":
            message = message_of(event)
            bit[message] = own = 1 << len(bit)
            carried[message] = past[process] = past[process] | own
            for dest in sorted(run.dests[message]):
                addressed[dest] = addressed.get(dest, 0) | own
        elif event.kind == "receive":
            at_receive.setdefault((message_of(event), process), delivered[process])
        elif run.is_first(event):
            message = message_of(event)
            causes = carried.get(message, 0) & ~bit.get(message, 0) & addressed.get(process, 0)
            past[process] |= carried.get(message, 0)
            delivered[process] |= bit.get(message, 0)
            if (message, process) in at_receive:
                yield event, not causes & ~at_receive[message, process]
