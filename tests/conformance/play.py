"""One scenario on one system: what is done to it, what is seen of it, and the verdict.

`Play` stands between a scenario and a system. It writes down every send and every delivery in the order they are seen,
and at the end asks the judge, which knows nothing of the system, whether the order was causal, and whether everything
was delivered once and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from antecede.judge.events import Event
from antecede.judge.judge import Verdict, judge
from tests.conformance.adapter import System
from tests.replay import Drawing

Copy = tuple[str, str]
"""A message, and the process it is to arrive at."""


class Play:
    """`unasked` are copies that a sender may get of its own message though it is not among the destinations."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.events: list[Event] = []
        self.drawing = Drawing()
        self.processes: list[str] = []
        self.unasked: set[Copy] = set()
        self._seen: dict[str, int] = {}

    def start(self, processes: Collection[str], *sets: Collection[str]) -> None:
        """Begin with these processes; `sets` are all the sets, senders included, that will be sent to."""
        self.processes = sorted(processes)
        self.system.start(self.processes, {"".join(sorted(members)): sorted(members) for members in sets})

    def send(self, process: str, dests: Collection[str]) -> str:
        message = self.system.send(process, sorted(dests), b"payload")
        if process not in dests:
            self.unasked.add((message, process))  # whether a sender gets its own copy unasked is the system's affair
        self._record(process, "send", message, tuple(sorted(dests)))
        self._look()
        return message

    def bring(self, message: str, to: str) -> bool:
        """Let this copy arrive if it is on its way, and say whether `to` has delivered the message by then."""
        if (message, to) in self.system.arrivals():
            self.again(message, to)
        return message in self.system.delivered(to)

    def again(self, message: str, to: str) -> None:
        self.system.arrive(message, to)
        self._look()

    def bring_all_but(self, held: Iterable[Copy]) -> None:
        """Let everything arrive, the latest first, but for the copies named."""
        kept = set(held)
        while coming := [copy for copy in self.system.arrivals() if copy not in kept]:
            self.again(*coming[-1])

    def restart(self, process: str) -> None:
        self.drawing.add(process, "restart")
        self.system.restart(process)
        self._look()

    def join(self, process: str) -> None:
        self.drawing.add(process, "join")
        self.system.join(process)
        self.processes.append(process)
        self._look()

    def verdict(self) -> Verdict:
        self.bring_all_but(())
        return judge(self.events)

    def _look(self) -> None:
        """Who has delivered what since the last look? A step is at one process; deliveries elsewhere are later."""
        for process in self.processes:
            order = self.system.delivered(process)
            for message in order[self._seen.get(process, 0) :]:
                if (message, process) not in self.unasked:
                    self._record(process, "deliver", message, None)
            self._seen[process] = len(order)

    def _record(self, process: str, kind: str, message: str, dests: tuple[str, ...] | None) -> None:
        index = sum(event.process == process for event in self.events)
        event = Event("", process, index, kind, message=message, dests=dests)
        self.events.append(event)
        self.drawing.add_event(event)


def faults(verdict: Verdict) -> Mapping[str, int]:
    """What was wrong, by what is counted; nothing, if the system conforms."""
    counted = verdict.as_dict()
    names = ("violations", "lost", "duplicates", "spurious", "quarantined")
    return {name: int(str(counted[name])) for name in names if counted[name]}
