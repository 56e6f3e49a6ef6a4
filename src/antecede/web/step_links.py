"""Make links from the steps of a chain to another tool, by a template that the user of `antecede check` gives.

    https://jaeger.example/trace/{trace_id}?uiFind={span_id}

A name in braces is replaced by `run`, `process`, `message`, `file` or `line` of the step, or by its attribute of that
name. Values come from the log, so they are percent-encoded, and they cannot decide where a link leads: the scheme is
http or https, and the host is written in the template. A step that lacks a value has no link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from antecede.core.errors import Misuse
from antecede.pipeline.errors import did_you_mean
from antecede.pipeline.report.model import LoggedEvent
from antecede.pipeline.report.span_ids import find_attribute

COLUMNS = ("run", "process", "message", "file", "line")
TEMPLATE_CHARS_MAX = 2_000
VALUE_CHARS_MAX = 250
NAMES_SHOWN_MAX = 50
PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
LITERAL = re.compile(r"[!#-;=?-\[\]_a-z~]*")  # what an address may have without percent-encoding
START = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?[/?#]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LinkTemplate:
    """An address with names in braces: `literals` are the parts before, between and after the `names`."""

    literals: tuple[str, ...]
    names: tuple[str, ...]

    def link(self, event: LoggedEvent) -> str | None:
        """Return the address for an event, or None if the event lacks a value."""
        address = [self.literals[0]]
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            value = _value(event, name)
            if value is None:
                return None
            address += [quote(value, safe="", errors="replace"), literal]
        return "".join(address)


def parse_template(text: str) -> LinkTemplate:
    """Return the template that a text describes, or raise `Misuse` and say what is wrong with it."""
    if len(text) > TEMPLATE_CHARS_MAX:
        raise Misuse(f"--link has {len(text):,} characters; give at most {TEMPLATE_CHARS_MAX:,}")
    parts = PLACEHOLDER.split(text)
    literals, names = tuple(parts[::2]), tuple(parts[1::2])
    for literal in literals:
        wrong = LITERAL.sub("", literal)
        if wrong:
            raise Misuse(
                f"--link {text!r} has {wrong[0]!r} outside a name in braces; write it percent-encoded, as "
                f"{quote(wrong[0], safe='')}"
            )
    if not START.match(literals[0]):
        raise Misuse(
            f"--link {text!r} does not begin with http:// or https://, a host and a slash; names in braces may come "
            "after that, as in https://jaeger.example/trace/{trace_id}"
        )
    if not names:
        raise Misuse(f"--link {text!r} has no name in braces, such as {{trace_id}}, so all links would be the same")
    return LinkTemplate(literals, names)


def note_missing_names(template: LinkTemplate, events: Iterable[LoggedEvent]) -> tuple[str, ...]:
    """Return a note on the names of a template that none of the events has, with the names that there are."""
    steps = list(events)
    missing = [name for name in template.names if all(_value(event, name) is None for event in steps)]
    if not steps or not missing:
        return ()
    attributes = sorted({name for event in steps for name in event.attributes or ()})
    there = [*(name for name in COLUMNS if any(_value(event, name) for event in steps)), *attributes]
    shown = ", ".join(there[:NAMES_SHOWN_MAX]) + (", ..." if len(there) > NAMES_SHOWN_MAX else "")
    named = ", ".join(f"{{{name}}}{did_you_mean(name, there)}" for name in missing)
    return (f"no step has a link, because none has a value for {named} of --link; there are {shown}",)


def _value(event: LoggedEvent, name: str) -> str | None:
    """Return a value for a link. A value that was cut, or that would be a step up in a path, makes no link."""
    found = getattr(event, name) if name in COLUMNS else find_attribute(event.attributes, name)
    value = "" if found is None else str(found)
    return None if not value.strip(".") or len(value) > VALUE_CHARS_MAX else value
