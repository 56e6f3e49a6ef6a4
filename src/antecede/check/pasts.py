"""Explicit causal pasts: for each process and each message in flight, the set of messages sent before it.

A past is a set in the plain sense, and nothing about it is numbered by sender or compared entry by entry: message k
of the walk is in it or not. The set is kept as the bits of an integer, so that union, intersection and size
are one operation each, on one bit per message.

Only a message that will still be delivered somewhere can be overtaken, so only such messages are members at all, and
those older than the oldest of them that is still awaited are dropped from every set now and then. What a past costs is
thus one bit per message sent since the oldest one still awaited; a past is held for each process, and for each message
until its last deliver.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from antecede.check.events import Event
from antecede.check.trace import Run, message_of

DROP_MESSAGES_MIN = 1_024  # dropping touches every set: not worth it for less


class Pasts:
    """The pasts of one run. To be told every send and every first deliver, in the order of a walk."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._awaited = Counter(message for message, process in run.firsts if run.is_addressed(message, process))
        self._unread = Counter(message for message, _ in run.firsts)
        self._past = dict.fromkeys(run.processes, 0)
        self._due = dict.fromkeys(run.processes, 0)  # sent to this process, and to be delivered there later
        self._carried: dict[str, int] = {}  # by message in flight: its past, and itself
        self._members: list[str] = []  # the messages that have a bit, from the lowest
        self._number: dict[str, int] = {}  # of a member, in the order of the walk
        self._dropped = 0  # the number of the member at the lowest bit
        self._settled = 0  # all members with a lower number have been delivered wherever they will be

    def send(self, event: Event) -> None:
        message = message_of(event)
        past = self._past[event.process]
        if self._awaited[message]:
            own = self._admit(message)
            past |= own
            self._past[event.process] = past
            for process in self._run.dests[message]:
                if (message, process) in self._run.firsts:
                    self._due[process] |= own
        if self._unread[message]:
            self._carried[message] = past

    def deliver(self, event: Event) -> int:
        """Take note of a first deliver; the result is the set of the messages that it overtook."""
        message, process = message_of(event), event.process
        if message not in self._carried:
            return 0  # never sent: it brings nothing
        past = self._carried[message]
        self._past[process] |= past
        self._unread[message] -= 1
        if not self._unread[message]:
            del self._carried[message]
        if not self._run.is_addressed(message, process):
            return 0
        self._due[process] ^= 1 << (self._number[message] - self._dropped)
        overtaken = past & self._due[process]
        self._awaited[message] -= 1
        return overtaken

    def members(self, overtaken: int) -> Iterator[str]:
        """The messages of a set that `deliver` returned, in the order of the walk; to be asked at once."""
        digits = bin(overtaken)[:1:-1]
        at = digits.find("1")
        while at >= 0:
            yield self._members[at]
            at = digits.find("1", at + 1)

    def _admit(self, message: str) -> int:
        self._drop_settled()
        self._number[message] = self._dropped + len(self._members)
        self._members.append(message)
        return 1 << (len(self._members) - 1)

    def _drop_settled(self) -> None:
        """Forget the members below the oldest that is still awaited, once they are most of every set."""
        settled = self._settled - self._dropped
        while settled < len(self._members) and not self._awaited[self._members[settled]]:
            settled += 1
        self._settled = self._dropped + settled
        if settled < DROP_MESSAGES_MIN or 2 * settled < len(self._members):
            return
        for sets in (self._past, self._due, self._carried):
            for key in sets:
                sets[key] >>= settled
        for message in self._members[:settled]:
            del self._number[message]
        del self._members[:settled]
        self._dropped = self._settled
