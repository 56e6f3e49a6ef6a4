"""What may have caused a message: the messages before it, nearest first, each with the link that leads on from it.

One message is one link before another if its send, or a deliver of it, comes before the send of the other in the order
of that sender. The search is breadth first and backwards, so the first link that names a message lies on a chain of
the fewest messages. It reads each event of a run at most once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from antecede.judge.events import Event
from antecede.judge.trace import Run, message_of


@dataclass(frozen=True, slots=True)
class Link:
    """`at`, a send or a deliver of `cause`, came before the send of `effect` at the same process; from `cause` there
    are `steps` links to where the search began."""

    cause: str
    at: Event
    effect: str
    steps: int


def causes(run: Run, message: str, within: Mapping[str, Sequence[Event]]) -> Iterator[Link]:
    """The causes of `message` among the events of `within`, which are given by process in the order of index.

    `message` itself is named too, where happened-before has a cycle through it.
    """
    known: set[str] = set()
    unread: dict[str, deque[Event]] = {}
    ahead = deque([(run.sends[message], 1)])
    while ahead:
        send, steps = ahead.popleft()
        if send.process not in unread:
            unread[send.process] = deque(within.get(send.process, ()))
        own = unread[send.process]
        while own and own[0].index < send.index:
            at = own.popleft()
            if at.message in run.sends and at.message not in known and (at.kind == "send" or run.delivers(at)):
                known.add(message_of(at))
                ahead.append((run.sends[message_of(at)], steps + 1))
                yield Link(message_of(at), at, message_of(send), steps)


def chain_from(cause: str, links: Mapping[str, Link], end: str) -> list[Link]:
    """The links from `cause` to `end`, out of those found so far by cause."""
    chain = [links[cause]]
    while chain[-1].effect != end:
        chain.append(links[chain[-1].effect])
    return chain
