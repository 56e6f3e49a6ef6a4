"""Whether a witness of a broken order is true, by looking at the events alone: which comes before which, and where.

Deliberately naive, and shares nothing with the judge of orders or with the pipeline but the rows of a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from antecede.judge.events import Event
from antecede.judge.trace import Run

WORDS = {
    "fifo": r"(?P<at>.+) delivered (?P<one>.+) before (?P<other>.+), which the same sender had sent earlier",
    "causal": r"(?P<at>.+) delivered (?P<one>.+) before (?P<other>.+), which may have caused it",
    "agreed": r"(?P<at>.+) delivered (?P<one>.+) before (?P<other>.+), and (?P<there>.+) delivered (?P=other) before "
    r"(?P=one)",
}
CROWN_OF_TWO = r"(?P<one>.+) and (?P<other>.+) cannot both be instantaneous: each has an event before an event of .+"
CROWN = r"(?P<names>.+?)( and (?P<more>\d+) more)? cannot all be instantaneous: each has an event before an event of .+"


def check_words(run: Run, order: str, words: str) -> None:
    """Raise `AssertionError` if the words of a check do not name a witness that is true of the run.

    A check that has numbered the messages of a large run names them by their sends: "what p0 sent at 9".
    """
    for message, send in run.sends.items():
        words = re.sub(rf"\bwhat {re.escape(send.process)} sent at {send.index}\b", lambda _, name=message: name, words)  # type: ignore[misc]  # bound by its default
    if order == "synchronous":
        two, crown = re.fullmatch(CROWN_OF_TWO, words), re.fullmatch(CROWN, words)
        assert two or crown, words
        messages = [two["one"], two["other"]] if two else crown["names"].split(", ")  # type: ignore[index]  # one of them
        check_crown(run, messages, more=0 if two else int(crown["more"] or 0))  # type: ignore[index]  # one of them
        return
    found = re.fullmatch(WORDS[order], words)
    assert found, words
    processes = (found["at"], found["there"]) if order == "agreed" else (found["at"],)
    check_witness(run, order, processes, (found["one"], found["other"]))


def check_witness(run: Run, order: str, processes: Sequence[str], messages: Sequence[str]) -> None:
    """Raise `AssertionError` if these messages do not break the order at these processes of the run."""
    if order == "synchronous":
        check_crown(run, messages)
        return
    first, second = messages
    for place, process in enumerate(processes):
        here = {event.message: event.index for event in _delivers(run, process)}
        assert first in here, f"{process} did not deliver {first}"
        assert second in here, f"{process} did not deliver {second}"
        assert (here[first] < here[second]) == (place == 0), f"{process} delivered them in the other order"
    if order == "agreed":
        assert first != second
        assert processes[0] != processes[1]
        return
    assert all(processes[0] in run.dests[message] for message in messages), "one was not sent to that process"
    late, early = run.sends[first], run.sends[second]
    if order == "fifo":
        assert late.process == early.process, "they have two senders"
        assert late.index > early.index, "they were sent in the order in which they were delivered"
    else:
        assert early in _past(run, late), f"{second} was not sent before {first}"


def check_crown(run: Run, messages: Sequence[str], more: int = 0) -> None:
    """Raise `AssertionError` if these messages, with `more` that are not named, do not form a crown."""
    assert len(set(messages)) == len(messages) > 1
    for one, other in pairwise(messages):
        assert other in _followers(run, one), f"no event of {one} is before one of {other}"
    reached, found = {messages[-1]}, 0
    while found < len(reached) and more:  # through those that are not named
        found = len(reached)
        reached |= {follower for one in reached for follower in _followers(run, one)} - set(messages[:-1])
    assert any(messages[0] in _followers(run, one) for one in reached), f"no way leads back to {messages[0]}"


def _followers(run: Run, message: str) -> set[str]:
    """Return the other messages that have an event after an event of this one, at the same process."""
    found = set()
    for process in run.processes:
        places = [event.index for event in _counted(run, process) if event.message == message]
        if places:
            found |= {str(event.message) for event in _counted(run, process) if event.index > min(places)}
    return found - {message}


def _past(run: Run, event: Event) -> list[Event]:
    """Return the events before an event: those before it at its process, the sends of what these deliver, and so on."""
    found: list[Event] = []
    to_do = [event]
    while to_do:
        last = to_do.pop()
        before = [one for one in run.processes[last.process] if one.index < last.index]
        if run.is_deliver(last) and last.message in run.sends:
            before.append(run.sends[str(last.message)])
        new = [one for one in before if one not in found]
        found += new
        to_do += new
    return found


def _counted(run: Run, process: str) -> Iterator[Event]:
    """Yield the sends of a process, and of the messages that were sent its first delivers."""
    yield from (event for event in run.processes[process] if event.kind == "send")
    yield from _delivers(run, process)


def _delivers(run: Run, process: str) -> Iterator[Event]:
    seen = set()
    for event in run.processes[process]:
        if run.is_deliver(event) and event.message in run.sends and event.message not in seen:
            seen.add(event.message)
            yield event
