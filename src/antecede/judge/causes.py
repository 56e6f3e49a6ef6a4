"""Find the messages that may have caused a message, nearest first, each with the link that leads on from it.

One message is one link before another if its send, or a deliver of it, comes before the send of the other in the order
of that sender. The search is breadth first and backwards, so the first link that names a message lies on a chain of the
fewest messages. The search reads each event of a run at most once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from antecede.judge.events import Event
from antecede.judge.trace import Run, message_of


@dataclass(frozen=True, slots=True)
class CausalLink:
    """One step of a causal chain: an event of `cause` that came before the send of `effect` at the same process.

    `at` is that event: a send or a deliver of `cause`. `steps` is the number of links from `cause` to the message at
    which the search began.
    """

    cause: str
    at: Event
    effect: str
    steps: int


def find_causes(run: Run, message: str, within: Mapping[str, Sequence[Event]]) -> Iterator[CausalLink]:
    """Yield a link for each message that happened before `message`, nearest first.

    `within` holds the events to search, by process and in the order of index. If happened-before has a cycle through
    `message`, the links name `message` itself too.
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
            if at.message in run.sends and at.message not in known and (at.kind == "send" or run.is_deliver(at)):
                known.add(message_of(at))
                ahead.append((run.sends[message_of(at)], steps + 1))
                yield CausalLink(message_of(at), at, message_of(send), steps)


def chain_from(cause: str, links: Mapping[str, CausalLink], end: str) -> list[CausalLink]:
    """Return the links that lead from `cause` to `end`. `links` holds one link for each cause found so far."""
    chain = [links[cause]]
    while chain[-1].effect != end:
        chain.append(links[chain[-1].effect])
    return chain
