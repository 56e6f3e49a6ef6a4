"""Draw the steps of a violation: each event of its chain, with all that helps to find it in the system.

A step says who did what, the number and the time of the event, its file and line, the ids of its trace and span, and
its attributes. With a link template, it is a link to another tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from antecede.pipeline.report.message_names import TITLED_ID_CHARS_MAX
from antecede.pipeline.report.model import LoggedEvent
from antecede.pipeline.report.span_ids import IDS, find_attribute
from antecede.web.diagram import layout
from antecede.web.diagram.layout import DiagramLayout
from antecede.web.diagram.space_time import verdict_labels
from antecede.web.names import DiagramNames
from antecede.web.step_links import LinkTemplate
from antecede.web.text import LINE_CHARS_MAX, moment, name, number, plural, safe
from antecede.web.words import action_words

ATTRIBUTES_SHOWN_MAX = 21


@dataclass(frozen=True, slots=True)
class StepWriter:
    """Writes steps as HTML, with the names of one violation and a link template if there is one."""

    names: DiagramNames
    template: LinkTemplate | None

    def steps(self, placed: DiagramLayout) -> str:
        """Return the chain as numbered steps, and the two delivers in the wrong order."""
        items = "".join(self._chain_items(placed))
        chain = f"<h4>Why the order was wrong</h4><ol>{items}</ol>" if items else ""
        return chain + self._delivers(placed)

    def _chain_items(self, placed: DiagramLayout) -> Iterator[str]:
        chain = placed.violation.chain
        half = len(chain) // 2
        for step, event in enumerate(chain, 1):
            if placed.chain_left_out and step == half + 1:
                yield f'<li class="left-out">{plural(placed.chain_left_out, "step")} not shown</li>'
            number_here = step + placed.chain_left_out if placed.chain_left_out and step > half else step
            yield f'<li value="{number_here}">{self._event(event)}</li>'

    def _delivers(self, placed: DiagramLayout) -> str:
        labels = verdict_labels(placed)
        events = {layout.key(event): event for event in placed.violation.events}
        items = "".join(
            f"<li><strong>{word}:</strong> {self._event(events[where])}</li>" for where, word in labels.items()
        )
        return f"<p>But at the process that delivered both:</p><ul>{items}</ul>" if items else ""

    def _event(self, event: LoggedEvent) -> str:
        clock = f", {moment(event.time)}" if event.time is not None else ""
        when = f'<span class="when">event {event.index}{clock}</span>'
        return f"{action_words(event, self.names)} {when}{self._place(event)}{self._attributes(event)}"

    def _place(self, event: LoggedEvent) -> str:
        """Return where the event can be found: in its file, and in a tracing tool."""
        places = [f"{self.names.page.file(event.file)}, line {number(event.line)}"] if event.file else []
        for title, key in (("trace", "trace_id"), ("span", "span_id")):
            found = find_attribute(event.attributes, key)
            places += [f"{title} {name(found)}"] if found else []
        address = None if self.template is None else self.template.link(event)
        words = " · ".join(places)
        if address is not None:
            words = (
                f'<a href="{safe(address, len(address))}" target="_blank" rel="noopener noreferrer">'
                f"{words or 'open'}</a>"
            )
        return f'<span class="place">{words}</span>' if words else ""

    def _attributes(self, event: LoggedEvent) -> str:
        """Return the attributes of an event, and the whole id of its message if its name has only a part of it."""
        others = [(key, value) for key, value in (event.attributes or {}).items() if key not in IDS]
        if event.message and len(event.message) > TITLED_ID_CHARS_MAX:
            others.insert(0, ("message", event.message))
        items = "".join(
            f"<div><dt>{name(key)}</dt><dd>{safe(value, LINE_CHARS_MAX)}</dd></div>"
            for key, value in others[:ATTRIBUTES_SHOWN_MAX]
        )
        title = plural(len(others), "attribute")
        return f'<details class="attributes"><summary>{title}</summary><dl>{items}</dl></details>' if others else ""
