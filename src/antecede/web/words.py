"""Say events and messages in words, with the names that a page gives them."""

from __future__ import annotations

from antecede.judge.events import Event
from antecede.pipeline.report.model import MessageArrow
from antecede.web.names import DiagramNames
from antecede.web.text import moment, name, plural

ROLE_WORDS = {
    "overtaken": "the overtaken message",
    "overtaking": "the message that overtook it",
    "witness": "part of the witness chain",
    "context": "not part of the witness chain",
}
ENDS_MAX = 5


def event_words(event: Event, names: DiagramNames) -> str:
    """Return an event in words: who did what, the number of the event, and the reading of its clock if there is one."""
    when = f", clock {moment(event.time)}" if event.time is not None else ""
    return f"{action_words(event, names)} (event {event.index}{when})"


def action_words(event: Event, names: DiagramNames) -> str:
    """Return the process and the action of an event in words."""
    what = f" {names.message(event.message)}" if event.message else ""
    verb = f" {event.kind}s" if event.kind in ("send", "receive", "deliver") else f": {name(event.kind)}"
    return f"{names.process(event.process)}{verb}{what}"


def message_words(arrow: MessageArrow, names: DiagramNames) -> str:
    """Return a message in words: its name, its ends and its role."""
    ends = ", ".join(names.process(process) for process, _ in arrow.delivers[:ENDS_MAX])
    left = len(arrow.delivers) - ENDS_MAX
    more = f" and {plural(left, 'other')}" if left > 0 else ""
    ends = f"from {names.process(arrow.sender)} to {ends}{more}"
    return f"Message {names.message(arrow.id)} {ends}: {ROLE_WORDS[arrow.role]}"
