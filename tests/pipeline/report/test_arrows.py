"""The arrows of a diagram: messages with both ends among the events, and edges of vector clocks."""

from __future__ import annotations

from antecede.judge.events import Event
from antecede.pipeline.report.arrows import message_arrows, violation_arrows
from antecede.pipeline.report.model import MessageArrow


def event(process: str, index: int, kind: str, message: str | None = None) -> Event:
    return Event("r", process, index, kind, message=message)


EVENTS = (
    event("b", 1, "deliver", "m1"),
    event("b", 0, "deliver", "m3"),
    event("c", 1, "send", "m3"),
    event("c", 0, "deliver", "m2"),
    event("a", 2, "send", "elsewhere"),
    event("a", 1, "send", "m2"),
    event("a", 0, "send", "m1"),
    event("d", 0, "deliver", "from elsewhere"),
    event("d", 1, "internal"),
)


def test_a_message_with_both_ends_is_an_arrow_with_its_role() -> None:
    chain = (EVENTS[6], EVENTS[5], EVENTS[3], EVENTS[2])
    assert list(violation_arrows(EVENTS, chain, overtaken="m1", overtaking="m3")) == [
        MessageArrow("m1", "a", 0, (("b", 1),), "overtaken"),
        MessageArrow("m2", "a", 1, (("c", 0),), "witness"),
        MessageArrow("m3", "c", 1, (("b", 0),), "overtaking"),
    ]


def test_receives_are_the_ends_if_nothing_is_delivered() -> None:
    sent = event("a", 0, "send", "m")
    both = (sent, event("b", 0, "receive", "m"), event("b", 1, "deliver", "m"))
    assert [arrow.delivers for arrow in message_arrows(both, {})] == [(("b", 1),)]
    assert list(message_arrows(both[:2], {})) == [MessageArrow("m", "a", 0, (("b", 0),), "context")]
