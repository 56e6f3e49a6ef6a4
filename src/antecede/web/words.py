"""Events and messages in words, safe for a page: the same sentence in a diagram's read-out and in a list."""

from __future__ import annotations

from antecede.web.model import EventPoint, MessageArrow
from antecede.web.text import moment, name, plural

ROLE_WORDS = {
    "overtaken": "the overtaken message",
    "overtaking": "the message that overtook it",
    "witness": "part of the witness chain",
    "context": "not part of the witness chain",
}


def event_words(event: EventPoint) -> str:
    """An event in words: who did what, which of its events it is, and its clock's reading where there is one."""
    when = f", clock {moment(event.time)}" if event.time is not None else ""
    return f"{deed(event)} (event {event.index}{when})"


def deed(event: EventPoint) -> str:
    """Who did what."""
    what = f" {name(event.message)}" if event.message else ""
    verb = f"{event.kind}s" if event.kind in ("send", "receive", "deliver") else f": {name(event.kind)}"
    return f"{name(event.process)}{'' if verb.startswith(':') else ' '}{verb}{what}"


def message_words(arrow: MessageArrow) -> str:
    ends = ", ".join(name(process) for process, _ in arrow.delivers[:5])
    more = f" and {plural(len(arrow.delivers) - 5, 'other')}" if len(arrow.delivers) > 5 else ""
    return f"Message {name(arrow.id)} from {name(arrow.sender)} to {ends}{more}: {ROLE_WORDS[arrow.role]}"
