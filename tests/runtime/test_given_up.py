"""What is due to a process that was given up is told from what is not."""

from __future__ import annotations

from antecede.judge.events import Event
from antecede.judge.judge import judge
from tests.runtime.given_up import pasts, unexplained


def trace(*steps: str) -> list[Event]:
    """Return events from words such as "a sends 1 to c,d" and "c has 1"."""
    events: list[Event] = []
    for step in steps:
        process, verb, message, *to = step.split()
        index = sum(event.process == process for event in events)
        dests = tuple(to[1].split(",")) if to else None
        kind = "send" if verb == "sends" else "deliver"
        events.append(Event(run="r", process=process, index=index, kind=kind, message=message, dests=dests))
    return events


def left(gone: str, events: list[Event]) -> list[str]:
    found = judge(events)
    assert found.violations
    return [overtaken for _, overtaken in unexplained(events, found.found, gone)]


STOOD_FOR = trace(
    "a sends 1 to c,d", "c has 1", "c sends 2 to b,d", "b has 2", "b sends 3 to d", "d has 3", "d has 1"
)  # fmt: skip


def test_what_a_missing_message_of_who_was_given_up_stood_for_may_be_overtaken() -> None:
    assert left("c", STOOD_FOR) == []
    assert left("b", STOOD_FOR) == ["1"]


def test_what_precedes_no_missing_message_of_it_may_not() -> None:
    direct = trace("a sends 1 to b,d", "b has 1", "c sends 2 to b,d", "b has 2", "b sends 3 to d", "d has 3", "d has 1")
    assert left("c", direct) == ["1"]


def test_a_message_of_it_that_was_here_explains_nothing() -> None:
    here = trace(
        *("a sends 1 to c,d", "c has 1", "c sends 2 to b,d", "b has 2", "b sends 3 to d"),
        *("d has 2", "d has 3", "d has 1"),
    )
    assert left("c", here) == ["1", "1"]


def test_the_past_of_a_message_is_all_that_its_sender_knew() -> None:
    assert pasts(reversed(STOOD_FOR)) == {"1": set(), "2": {"1"}, "3": {"1", "2"}}
