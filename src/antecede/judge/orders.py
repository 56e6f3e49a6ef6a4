"""Judge which orders of delivery a run keeps, each by itself, from the definition of each order.

    fifo         two messages of one sender to one process are delivered there in the order in which they were sent
    causal       see `antecede.judge.judge`
    agreed       any two processes deliver the messages that both deliver in the same order
    synchronous  the run could have happened with messages that take no time: each is sent and delivered everywhere at
                 one instant (002 §1, Figure 1). This is so unless the messages form a crown: each has an event before
                 an event of the next at some process, and the last before the first

A run that is synchronous is causal, and a run that is causal is FIFO. Agreed order is independent of the three.

Only the first deliver of a message at a process counts, and only of messages that were sent. For FIFO order, as for
causal order, the process must be among the destinations of the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from antecede.judge.causes import find_causes
from antecede.judge.cycle import describe_cycle
from antecede.judge.events import Event
from antecede.judge.explain import is_late
from antecede.judge.judge import Violation, find_unpaired_reason, judge_run
from antecede.judge.rule import HOLDS, UNDECIDABLE, VIOLATED
from antecede.judge.trace import Run, message_of, walk

ORDER_NAMES = {"fifo": "FIFO order"} | {order: f"{order} order" for order in ("causal", "agreed", "synchronous")}
ORDERS = tuple(ORDER_NAMES)
"""The orders that a check tells of."""
ORDER_MEANINGS = {
    "fifo": "messages of one sender come to a process in the order in which they were sent",
    "causal": "no message comes to a process before a message that may have caused it",
    "agreed": "any two processes deliver the messages that both deliver in the same order",
    "synchronous": "all could have happened with messages that take no time",
}


@dataclass(frozen=True, slots=True)
class JudgedOrder:
    """The verdict on one order, with a witness if it is violated and with the reason if it is undecidable.

    The witness of FIFO order is a process that delivered the first of two messages before the second, which was sent
    earlier. That of agreed order are two processes, of which the first delivered the first of two messages before the
    second, and the other one after it. That of synchronous order is a crown, with no process. That of causal order is
    the process of the first violation by process and index, the message that it delivered, and of the messages that
    this one overtook the one whose send is the first by process and index.
    """

    verdict: str
    processes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    reason: str | None = None


def judge_orders(run: Run) -> dict[str, JudgedOrder]:
    """Return the verdict on each order, for a run of a trace that has been sifted and arranged."""
    causal = judge_run(run)
    unpaired = find_unpaired_reason(run)
    cycle = describe_cycle(run) if sum(1 for _ in walk(run)) < len(run.events) else None
    found = {
        "fifo": (next(_find_overtaken(run), None), unpaired),
        "agreed": (next(_find_disagreements(run), None), unpaired),
        "synchronous": (None if cycle else _find_crown(run), unpaired or cycle),
    }
    judged = {order: _decide(witness, reason) for order, (witness, reason) in found.items()}
    violated = _find_overtaken_cause(run, causal.found[0]) if causal.found else None
    return judged | {"causal": _decide(violated, unpaired or cycle)}


def _decide(witness: JudgedOrder | None, reason: str | None) -> JudgedOrder:
    if witness is not None:
        return witness
    return JudgedOrder(UNDECIDABLE, reason=reason) if reason else JudgedOrder(HOLDS)


def _find_overtaken(run: Run) -> Iterator[JudgedOrder]:
    """Yield every pair of messages of a channel that are delivered in the wrong order."""
    for process in run.processes:
        arrived = [event for event in _delivers(run, process) if run.is_addressed(message_of(event), process)]
        for first, second in combinations([message_of(event) for event in arrived], 2):
            one, other = run.sends[first], run.sends[second]
            if one.process == other.process and one.index > other.index:
                yield JudgedOrder(VIOLATED, (process,), (first, second))


def _find_overtaken_cause(run: Run, violation: Violation) -> JudgedOrder:
    """Return the first message that a violating deliver overtook, by the process and index of its send."""
    delivered = run.firsts[violation.message, violation.process]
    causes = (link.cause for link in find_causes(run, violation.message, run.processes))
    late = (run.sends[cause] for cause in causes if is_late(run, cause, delivered))
    first = min(late, key=lambda send: (send.process, send.index))
    return JudgedOrder(VIOLATED, (violation.process,), (violation.message, message_of(first)))


def _find_disagreements(run: Run) -> Iterator[JudgedOrder]:
    """Yield every two processes and two messages that they deliver in different orders."""
    orders = {process: [message_of(event) for event in _delivers(run, process)] for process in run.processes}
    for one, other in combinations(orders, 2):
        common = set(orders[one]) & set(orders[other])
        place = {message: number for number, message in enumerate(orders[other])}
        for first, second in combinations([message for message in orders[one] if message in common], 2):
            if place[first] > place[second]:
                yield JudgedOrder(VIOLATED, (one, other), (first, second))


def _find_crown(run: Run) -> JudgedOrder | None:
    """Return messages that form a crown, or None.

    Take away, again and again, a message all of whose events come before all other events that are left at their
    processes: it can be instantaneous. If events are left, every message that is left waits for another one.
    """
    left = {process: [message_of(event) for event in _events(run, process)] for process in run.processes}
    while True:
        fronts = {messages[0] for messages in left.values() if messages}
        free = next((one for one in sorted(fronts) if not any(_before(one, own) for own in left.values())), None)
        if free is None:
            break
        left = {process: [message for message in own if message != free] for process, own in left.items()}
    if not fronts:
        return None
    chain = [min(fronts)]
    while chain[-1] not in chain[:-1]:
        chain.append(next(before for own in left.values() if (before := _before(chain[-1], own))))
    crown = chain[chain.index(chain[-1]) + 1 :]
    return JudgedOrder(VIOLATED, (), tuple(reversed(crown)))


def _before(message: str, own: list[str]) -> str | None:
    """Return a message that has an event before an event of this one at a process, whose events are `own`."""
    last = max((place for place, one in enumerate(own) if one == message), default=-1)
    return next((one for one in own[: last + 1] if one != message), None)


def _events(run: Run, process: str) -> Iterator[Event]:
    """Yield the sends and the first delivers of sent messages of a process, in its order."""
    for event in run.processes[process]:
        if event.kind == "send" or (run.is_first(event) and message_of(event) in run.sends):
            yield event


def _delivers(run: Run, process: str) -> Iterator[Event]:
    return (event for event in _events(run, process) if event.kind != "send")
