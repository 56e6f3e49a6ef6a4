"""How a process leaves for good, so that order is kept and nothing waits for it afterwards.

Whoever leaves is forgotten by everybody, and may be forgotten only when nobody wants a message of it any more. So it
goes in steps, each durable, so that a process that dies on the way goes on with the next when it is started again:

1. `BEGUN`: it sends no more messages, and tells everybody that it is `LEAVING`. Each answers that it has `SETTLED`
   when it has delivered all that it was ever sent by the one who leaves, and nothing that it sent to it waits in its
   algorithm. From then on a send to the one who leaves is refused. A broadcast, or a message to a group, is not: one
   that is sent after the answer need not be delivered by the one who leaves. If messages go through other processes,
   both say which message was their last to the other (`last_numbers`), and each waits until it has delivered that one.
2. `HANDED_OVER`: when all have, what the others need is handed over: the token of a serialised algorithm, or the role
   of a representative, which takes an exchange of packets.
3. `TOLD`: when that is complete and in their inboxes, everybody gets a `FAREWELL`, and forgets all but the name.
4. `LEFT`: when that is too, the inbox is deleted.

One leaves at a time, or one could hand over to another who has just gone. This is the mutual exclusion of Ricart and
Agrawala (1981): `LEAVING` has a turn, which is later than all turns heard of before, and who is leaving itself, at an
earlier turn, answers when it has left: by its farewell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from antecede.core.algorithm import HandsOver
from antecede.core.errors import Misuse
from antecede.core.registry import restore
from antecede.core.types import ProcessId
from antecede.runtime.frames import FAREWELL, LEAVING, SETTLED, LeavingWord, leaving_word

if TYPE_CHECKING:
    from antecede.runtime.node.durable_process import DurableProcess

STAYS, BEGUN, HANDED_OVER, TOLD, LEFT = b"", b"begun", b"handed over", b"told", b"left"
FACT, TURN, SEEN = "leaving", "turn of leaving", "inboxes seen when leaving"
ANSWERED = "settled with "
"""Begins the name of a fact: the one it names is leaving, and was told that this process has settled."""


class Departure:
    """The steps of one process, and its answers to those of others."""

    def __init__(self, durable: DurableProcess) -> None:
        self._durable = durable
        self._turn = 0  # of this process, once it has asked
        self._asked: set[ProcessId] = set()
        self._settled: dict[ProcessId, int] = {}  # who has, and which message was its last to this process

    @property
    def step(self) -> bytes:
        """Return how far this process has come on its way out, which the store knows."""
        return self._durable.store.facts.get(FACT, STAYS)

    @property
    def is_handing_over(self) -> bool:
        """Return whether the algorithm still exchanges packets with others before this process can go."""
        algorithm = self._durable.algorithm
        return isinstance(algorithm, HandsOver) and algorithm.is_handing_over

    @property
    def others(self) -> set[ProcessId]:
        """Return the processes that are known here and have not left, without this one."""
        return self._durable.members - self._durable.departed - {self._durable.process}

    @property
    def unsettled(self) -> set[ProcessId]:
        """Return the processes that have not settled, or whose last message to this process is not delivered yet."""
        return {other for other in self.others if not self._has_settled(other)}

    @property
    def awaited(self) -> set[ProcessId]:
        """Return the processes that this one waits for: they have not settled, or not answered the hand-over."""
        algorithm = self._durable.algorithm
        return self.unsettled | (algorithm.awaited_to_hand_over if isinstance(algorithm, HandsOver) else set())

    def _has_settled(self, other: ProcessId) -> bool:
        return other in self._settled and self._durable.last.has_delivered(other, self._settled[other])

    def find_gone(self, inboxes: Iterable[ProcessId]) -> set[ProcessId]:
        """Return the processes whose inboxes were seen before, and are not among `inboxes` now.

        A process whose inbox was never seen is not gone: its inbox may still come.
        """
        there = set(inboxes)
        before = set(json.loads(self._durable.store.facts.get(SEEN, b"[]")))
        self._durable.store.put(SEEN, json.dumps(sorted(before | there)).encode())
        return before - there

    def check_stay(self, dests: Iterable[ProcessId]) -> None:
        """Raise `Misuse` if one of `dests` is leaving, and may be gone before it gets another message."""
        leaving = [name for name in dests if ANSWERED + name in self._durable.store.facts]
        if leaving:
            raise Misuse(f"{leaving[0]!r} is leaving: remove it from the destinations")

    def begin(self) -> None:
        """Begin to leave. Raise `Misuse`, and change nothing, if the algorithm does not let this process go."""
        if self.step == STAYS:
            restore(self._durable.algorithm.snapshot()).leave(self._durable.process)
            self._durable.store.put(FACT, BEGUN)

    def ask(self) -> None:
        """Ask everybody who was not asked before whether it has settled. Call this when all inboxes have everything."""
        self._turn = self._turn or self._later_than(0)
        for last, whom in self._by_last_message(self.unsettled - self._asked).items():
            self._asked.update(whom)
            self._durable.tell(whom, leaving_word(LEAVING, self._turn, last))

    def _by_last_message(self, others: Iterable[ProcessId]) -> dict[int, list[ProcessId]]:
        """Return the processes by the number of the last message to each: those of one number are told the same."""
        found: dict[int, list[ProcessId]] = {}
        for other in sorted(others):
            found.setdefault(self._durable.last.to(other), []).append(other)
        return found

    def _later_than(self, turn: int) -> int:
        """Return a turn that is later than `turn` and all turns heard of, those before a restart included."""
        latest = max(turn, int(self._durable.store.facts.get(TURN, b"0")))
        self._durable.store.put(TURN, b"%d" % latest)
        return latest + 1

    def hand_over(self) -> None:
        """Let the algorithm hand over what others need of this process. Raise `Misuse` if that is not possible."""
        self._durable.hand_over(self._durable.process)  # which may be refused, and then nothing has changed
        self._durable.store.put(FACT, HANDED_OVER)

    def say_farewell(self) -> None:
        """Tell the others that this process is gone."""
        self._durable.store.put(FACT, TOLD)
        self._durable.tell(self.others, leaving_word(FAREWELL))
        self._durable.forget(self._durable.process)

    def end(self) -> None:
        """Note that this process has left for good."""
        self._durable.store.put(FACT, LEFT)

    def hear(self, sender: ProcessId, said: LeavingWord) -> bool:
        """Take a word about leaving from `sender`. Return False if it has to be offered again later."""
        if said.kind == SETTLED:
            self._settled[sender] = said.last
        if said.kind == SETTLED or sender in self._durable.departed:
            return True
        if self._durable.owes(sender) or not self._durable.last.has_delivered(sender, said.last):
            return False
        if said.kind == FAREWELL:
            self._durable.leave(sender)
            return True
        self._later_than(said.turn)
        if self._goes_before(sender, said.turn) or self._durable.has_queued_for(sender):
            return False
        self._durable.store.put(ANSWERED + sender, b"")
        self._durable.tell([sender], leaving_word(SETTLED, last=self._durable.last.to(sender)))
        return True

    def _goes_before(self, other: ProcessId, turn: int) -> bool:
        if self.step == BEGUN:
            return self._turn > 0 and (self._turn, self._durable.process) < (turn, other)
        return self.step != STAYS
