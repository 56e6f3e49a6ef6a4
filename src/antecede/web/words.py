"""Describe events and messages in words that are safe for a page, alike in a diagram and in a list."""

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
    """Return an event in words: who did what, the number of the event, and the reading of its clock if there is one."""
    when = f", clock {moment(event.time)}" if event.time is not None else ""
    return f"{action_words(event)} (event {event.index}{when})"


def action_words(event: EventPoint) -> str:
    """Return the process and the action of an event in words."""
    what = f" {name(event.message)}" if event.message else ""
    verb = f"{event.kind}s" if event.kind in ("send", "receive", "deliver") else f": {name(event.kind)}"
    return f"{name(event.process)}{'' if verb.startswith(':') else ' '}{verb}{what}"


def message_words(arrow: MessageArrow) -> str:
    """Return a message in words: its name, its ends and its role."""
    ends = ", ".join(name(process) for process, _ in arrow.delivers[:5])
    more = f" and {plural(len(arrow.delivers) - 5, 'other')}" if len(arrow.delivers) > 5 else ""
    return f"Message {name(arrow.id)} from {name(arrow.sender)} to {ends}{more}: {ROLE_WORDS[arrow.role]}"
