"""Explain why a deliver is a violation, by the smallest chain of messages that proves it.

The chain leads from the overtaken message to the one that overtook it, and the words follow it: "b delivered m3 before
m1: m1 was sent by a, then a sent m2 to c, c delivered m2 and sent m3". In a chain of the fewest messages only the first
link can be two sends of one process. Every other link is a deliver and a later send, since otherwise a message could be
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from antecede.core.errors import Misuse
from antecede.judge.causes import CausalLink, chain_from, find_causes
from antecede.judge.events import Event
from antecede.judge.judge import Violation
from antecede.judge.trace import Run, arrange, message_of, sift


@dataclass(frozen=True, slots=True)
class Explanation:
    """A violation in words, and the chain of events that proves it.

    `chain` begins with the send of the overtaken message and ends with the send of the message that overtook it. Each
    event happened before the next one, in one process or as a send and its deliver.
    """

    words: str
    chain: tuple[Event, ...]


def explain(events: Iterable[Event], violation: Violation) -> Explanation:
    """Explain a violation that the judge found in these events.

    If the deliver overtook several messages, the explanation is about the one that is the fewest messages away. This
    function reads the whole run: to explain many violations of one trace, arrange it once and use `explain_in`.
    """
    kept, _ = sift(event for event in events if event.run == violation.run)
    for run in arrange(kept):
        return explain_in(run, violation)
    raise Misuse(f"there are no events of run {violation.run!r}: give the events that were judged")


def explain_in(run: Run, violation: Violation) -> Explanation:
    """Explain a violation of this run. Read each event that happened before the violation at most once."""
    delivered = run.firsts.get((violation.message, violation.process))
    if delivered is None or delivered.index != violation.index or violation.message not in run.sends:
        raise Misuse(f"{_describe_place(violation)} is not in these events: give the events that were judged")
    links: dict[str, CausalLink] = {}
    for link in find_causes(run, violation.message, run.processes):
        links[link.cause] = link
        if is_late(run, link.cause, delivered):
            return _explain_chain(run, violation, chain_from(link.cause, links, violation.message))
    raise Misuse(
        f"{_describe_place(violation)} overtook nothing: give a violation that the judge found in these events"
    )


def is_late(run: Run, message: str, delivered: Event) -> bool:
    """Return whether `message` was sent to the same process as `delivered` and first delivered there later."""
    first = run.firsts.get((message, delivered.process))
    return first is not None and first.index > delivered.index and run.is_addressed(message, delivered.process)


def _explain_chain(run: Run, violation: Violation, links: list[CausalLink]) -> Explanation:
    chain = [run.sends[links[0].cause]]
    for link in links:
        if link.at is not chain[-1]:
            chain.append(link.at)
        chain.append(run.sends[link.effect])
    return Explanation(describe_chain(run, violation, chain), tuple(chain))


def describe_chain(
    run: Run, violation: Violation, chain: Sequence[Event], names: Mapping[str, str] | None = None
) -> str:
    """Return the words of an explanation. `names` are the names of messages for people, by id; default: the ids."""

    def name(message: str | None) -> str | None:
        return message if message is None or names is None else names.get(message, message)

    first = chain[0]
    words = [
        f"{violation.process} delivered {name(violation.message)} before {name(first.message)}: "
        f"{name(first.message)} was sent by {first.process}"
    ]
    for place, event in enumerate(chain[1:], start=1):
        if event.kind != "send":
            stray = "" if run.is_addressed(message_of(event), event.process) else ", which was not sent to it,"
            words.append(f", {event.process} delivered {name(event.message)}{stray} and")
        else:
            then = f", then {event.process}" if chain[place - 1].kind == "send" else ""
            words.append(f"{then} sent {name(event.message)}{_describe_destination(run, event, chain[place + 1 :])}")
    return "".join(words)


def _describe_destination(run: Run, send: Event, rest: Sequence[Event]) -> str:
    """Return the destination at which the chain continues, as words.

    Return "" if the next event is not at a destination of `send`.
    """
    goes_on = bool(rest) and run.is_addressed(message_of(send), rest[0].process)
    return f" to {rest[0].process}" if goes_on else ""


def _describe_place(violation: Violation) -> str:
    return f"the deliver of {violation.message!r} at index {violation.index} of process {violation.process!r}"
