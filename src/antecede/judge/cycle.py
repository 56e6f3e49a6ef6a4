"""Describe a cycle in happened-before in words. A run that has a cycle is undecidable.

Along a cycle each process delivers one message and later sends the next, until the last process sends the first
message. That cannot have happened, so the indices or the message ids of the trace are wrong. The words say where to
look.

The module finds a first cycle by following what each stuck process waits for. That cycle has at most one message per
process. Then it searches backwards from each send in turn for a shorter cycle. An unlimited search could take a number
of steps that is quadratic in the events, so the number of steps is bounded. The shortest cycle found within the bound
is named.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from antecede.judge.causes import CausalLink, chain_from, find_causes
from antecede.judge.events import Event
from antecede.judge.trace import Run, message_of, walk

STEPS_MAX = 2_000_000
WORDED_LINKS_MAX = 20


def describe_cycle(run: Run) -> str:
    """Return a sentence that describes a cycle of `run`, which must have one."""
    messages = shortest_cycle(run)
    pairs = list(zip(messages, messages[1:] + messages[:1], strict=True))
    words = [_describe_link(run, cause, effect) for cause, effect in pairs[:WORDED_LINKS_MAX]]
    if len(pairs) > WORDED_LINKS_MAX:
        words.append(f"and so on over {len(pairs) - WORDED_LINKS_MAX} more messages")
    return f"happened-before has a cycle: {', '.join(words)}"


def shortest_cycle(run: Run, *, steps_max: int = STEPS_MAX) -> list[str]:
    """Return the messages of the shortest cycle found, in causal order.

    Each message was delivered at the process that later sent the next one, and the last was delivered at the process
    that later sent the first. The search ends after about `steps_max` steps.
    """
    stuck = _unreached_events(run)
    best = _follow_waits(run, stuck)
    delivers = {process: [event for event in own if run.is_first(event)] for process, own in stuck.items()}
    sends = [message_of(event) for process in sorted(stuck) for event in stuck[process] if event.kind == "send"]
    searches_max = steps_max // sum(map(len, stuck.values()))  # each reads an event at most once
    for message in islice(sends, searches_max):
        best = _cycle_through(run, message, delivers, len(best)) or best
    return best


def _unreached_events(run: Run) -> dict[str, list[Event]]:
    """Return the events that a walk does not reach, by process. Only these events can be on a cycle."""
    walked = Counter(event.process for event in walk(run))
    rest = {process: own[walked[process] :] for process, own in run.processes.items()}
    return {process: own for process, own in rest.items() if own}


def _follow_waits(run: Run, stuck: dict[str, list[Event]]) -> list[str]:
    """Return the messages of one cycle, found by following what each stuck process waits for.

    The first unreached event of a stuck process is a deliver, and the process that sent its message is stuck too. The
    messages from one visit of a process to the next visit of the same process form a cycle.
    """
    process = min(stuck)
    awaited: list[str] = []
    seen: dict[str, int] = {}
    while process not in seen:
        seen[process] = len(awaited)
        awaited.append(message_of(stuck[process][0]))
        process = run.sends[awaited[-1]].process
    return awaited[seen[process] :][::-1]


def _cycle_through(run: Run, message: str, delivers: dict[str, list[Event]], shorter_than: int) -> list[str] | None:
    """Return the shortest cycle through `message`, or None if every such cycle has `shorter_than` messages or more."""
    links: dict[str, CausalLink] = {}
    for link in find_causes(run, message, delivers):
        if link.steps >= shorter_than:
            return None
        links[link.cause] = link
        if link.cause == message:
            return [link.cause for link in chain_from(message, links, message)]
    return None


def _describe_link(run: Run, cause: str, effect: str) -> str:
    process = run.sends[effect].process
    return f"{process} delivered {cause} and only then sent {'it' if cause == effect else effect}"
