"""A cycle in happened-before, in words: what makes a run undecidable.

Along a cycle each process delivers one message and later sends the next, until it comes round to the first. That can
not have happened, so the indices or the message ids of the trace are wrong, and the words say where to look.

A first cycle is found by following what each stuck process waits for. It has at most one message per process. Shorter
ones are then sought backwards from each send in turn. That would take the square of the events where there are many,
so the number of steps is bounded; what is named is the shortest cycle seen by then.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from antecede.judge.causes import Link, causes, chain_from
from antecede.judge.events import Event
from antecede.judge.trace import Run, message_of, walk

STEPS_MAX = 2_000_000
WORDED_LINKS_MAX = 20


def cycle_in_words(run: Run) -> str:
    """The cycle of a run that has one."""
    messages = shortest_cycle(run)
    pairs = list(zip(messages, messages[1:] + messages[:1], strict=True))
    words = [_words(run, cause, effect) for cause, effect in pairs[:WORDED_LINKS_MAX]]
    if len(pairs) > WORDED_LINKS_MAX:
        words.append(f"and so on over {len(pairs) - WORDED_LINKS_MAX} more messages")
    return f"happened-before has a cycle: {', '.join(words)}"


def shortest_cycle(run: Run, *, steps_max: int = STEPS_MAX) -> list[str]:
    """Messages such that each was delivered where, later, the next was sent; and the last, where the first was."""
    stuck = _stuck(run)
    best = _waited_for(run, stuck)
    delivers = {process: [event for event in own if run.is_first(event)] for process, own in stuck.items()}
    sends = [message_of(event) for process in sorted(stuck) for event in stuck[process] if event.kind == "send"]
    searches_max = steps_max // sum(map(len, stuck.values()))  # each reads an event at most once
    for message in islice(sends, searches_max):
        best = _cycle_through(run, message, delivers, len(best)) or best
    return best


def _stuck(run: Run) -> dict[str, list[Event]]:
    """The events that a walk does not reach, by process; none but they can be on a cycle."""
    walked = Counter(event.process for event in walk(run))
    rest = {process: own[walked[process] :] for process, own in run.processes.items()}
    return {process: own for process, own in rest.items() if own}


def _waited_for(run: Run, stuck: dict[str, list[Event]]) -> list[str]:
    """A stuck process stands at a deliver, and the send of that is stuck too: follow until a process comes again."""
    process = min(stuck)
    awaited: list[str] = []
    seen: dict[str, int] = {}
    while process not in seen:
        seen[process] = len(awaited)
        awaited.append(message_of(stuck[process][0]))
        process = run.sends[awaited[-1]].process
    return awaited[seen[process] :][::-1]


def _cycle_through(run: Run, message: str, delivers: dict[str, list[Event]], shorter_than: int) -> list[str] | None:
    links: dict[str, Link] = {}
    for link in causes(run, message, delivers):
        if link.steps >= shorter_than:
            return None
        links[link.cause] = link
        if link.cause == message:
            return [link.cause for link in chain_from(message, links, message)]
    return None


def _words(run: Run, cause: str, effect: str) -> str:
    process = run.sends[effect].process
    return f"{process} delivered {cause} and only then sent {'it' if cause == effect else effect}"
