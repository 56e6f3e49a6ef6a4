"""Why a deliver is a violation: the smallest chain of messages from the one overtaken to the one that overtook it.

The words follow the chain: "b delivered m3 before m1: m1 was sent by a, then a sent m2 to c, c delivered m2 and sent
m3". In a chain of the fewest messages only the first link can be two sends of one process; every other link is
a deliver and a later send, since otherwise a message could be left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from antecede.core.errors import Misuse
from antecede.judge.causes import Link, causes, chain_from
from antecede.judge.events import Event
from antecede.judge.judge import Violation
from antecede.judge.trace import Run, arrange, message_of, sift


@dataclass(frozen=True, slots=True)
class Explanation:
    """`chain` is the witness: the send of the overtaken message, and on to the send of the one that overtook it.
    Each event of it happened before the next, in one process or as a send and its deliver."""

    words: str
    chain: tuple[Event, ...]


def explain(events: Iterable[Event], violation: Violation) -> Explanation:
    """Explain a violation that the judge found in these events. Of several messages overtaken it takes the one that is
    the fewest messages away. Reads the whole run: for many violations of one trace, arrange it once and use
    `explain_in`."""
    kept, _ = sift(event for event in events if event.run == violation.run)
    for run in arrange(kept):
        return explain_in(run, violation)
    raise Misuse(f"there are no events of run {violation.run!r}: give the events that were judged")


def explain_in(run: Run, violation: Violation) -> Explanation:
    """Explain a violation of this run. Reads at most what happened before it, each event once."""
    delivered = run.firsts.get((violation.message, violation.process))
    if delivered is None or delivered.index != violation.index or violation.message not in run.sends:
        raise Misuse(f"{_place(violation)} is not in these events: give the events that were judged")
    links: dict[str, Link] = {}
    for link in causes(run, violation.message, run.processes):
        links[link.cause] = link
        if _is_late(run, link.cause, delivered):
            return _explanation(run, violation, chain_from(link.cause, links, violation.message))
    raise Misuse(f"{_place(violation)} overtook nothing: give a violation that the judge found in these events")


def _is_late(run: Run, message: str, delivered: Event) -> bool:
    """Was this message sent to the same process, and first delivered there later?"""
    first = run.firsts.get((message, delivered.process))
    return first is not None and first.index > delivered.index and run.is_addressed(message, delivered.process)


def _explanation(run: Run, violation: Violation, links: list[Link]) -> Explanation:
    chain = [run.sends[links[0].cause]]
    for link in links:
        if link.at is not chain[-1]:
            chain.append(link.at)
        chain.append(run.sends[link.effect])
    return Explanation(_words(run, violation, chain), tuple(chain))


def _words(run: Run, violation: Violation, chain: list[Event]) -> str:
    first = chain[0]
    words = [
        f"{violation.process} delivered {violation.message} before {first.message}: "
        f"{first.message} was sent by {first.process}"
    ]
    for place, event in enumerate(chain[1:], start=1):
        if event.kind != "send":
            stray = "" if run.is_addressed(message_of(event), event.process) else ", which was not sent to it,"
            words.append(f", {event.process} delivered {event.message}{stray} and")
        else:
            then = f", then {event.process}" if chain[place - 1].kind == "send" else ""
            words.append(f"{then} sent {event.message}{_to(run, event, chain[place + 1 :])}")
    return "".join(words)


def _to(run: Run, send: Event, rest: list[Event]) -> str:
    """The destination through which the chain goes on, if it is one."""
    goes_on = bool(rest) and run.is_addressed(message_of(send), rest[0].process)
    return f" to {rest[0].process}" if goes_on else ""


def _place(violation: Violation) -> str:
    return f"the deliver of {violation.message!r} at index {violation.index} of process {violation.process!r}"
