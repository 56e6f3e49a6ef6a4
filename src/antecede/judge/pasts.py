"""Keep explicit causal pasts: for each process and each message in flight, the set of messages sent before it.

A past is a set in the plain sense. Nothing in it is numbered by sender or compared entry by entry: message k of the
walk is in the set or not. The set is stored as the bits of an integer, so that union, intersection and size are one
operation each, with one bit per message. Only a message that is delivered somewhere can be overtaken, so only such
messages are members. The module holds a past for each process, and for each message until the last process delivers it
for the first time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from antecede.judge.events import Event
from antecede.judge.trace import Run, message_of


class Pasts:
    """The causal pasts of one run.

    The caller must record every send and every first deliver, in the order of a walk.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._members: list[str] = []  # the messages that have a bit, from the lowest
        self._bit: dict[str, int] = {}  # the place of its bit, by message
        self._past = dict.fromkeys(run.processes, 0)
        self._due = dict.fromkeys(run.processes, 0)  # messages sent to this process and not yet delivered there
        self._carried: dict[str, int] = {}  # by message in flight: its past and the message itself
        self._unread = Counter(message for message, _ in run.firsts)  # number of first delivers to come, by message

    def record_send(self, event: Event) -> None:
        """Add a send to the past of its process."""
        message = message_of(event)
        awaiting = [process for process in event.dests or () if (message, process) in self._run.firsts]
        if awaiting:
            own = 1 << len(self._members)
            self._bit[message] = len(self._members)
            self._members.append(message)
            self._past[event.process] |= own
            for process in awaiting:
                self._due[process] |= own
        if self._unread[message]:
            self._carried[message] = self._past[event.process]

    def record_deliver(self, event: Event) -> int:
        """Add a first deliver to the past of its process, and return the set of the messages that it overtook."""
        message, process = message_of(event), event.process
        if message not in self._carried:
            return 0  # the message was never sent, so it has no past
        past = self._carried[message]
        self._past[process] |= past
        self._unread[message] -= 1
        if not self._unread[message]:
            del self._carried[message]
        if not self._run.is_addressed(message, process):
            return 0
        self._due[process] ^= 1 << self._bit[message]
        return past & self._due[process]

    def members(self, overtaken: int) -> Iterator[str]:
        """Yield the messages of a set, in the order of the walk."""
        digits = bin(overtaken)[:1:-1]
        at = digits.find("1")
        while at >= 0:
            yield self._members[at]
            at = digits.find("1", at + 1)
