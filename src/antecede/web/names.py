"""Name processes, messages and files on a page: short, harmless, and different if they differ.

Labels are made for the whole page at once, so that one process has one label everywhere. Places in a diagram are
narrower, and have shorter labels, which differ inside the diagram. A label is safe HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from antecede.pipeline.report.message_names import ID_CHARS_MAX, TITLED_ID_CHARS_MAX, tell_apart
from antecede.pipeline.report.model import ExplainedViolation, Figures, LoggedEvent
from antecede.web.text import NAME_CHARS_MAX, make_visible, name, safe

FILE_CHARS_MAX = 60
PROCESS_SHORT, MESSAGE_SHORT = 13, 12
POINTS_MAX = 8  # characters that stand for one invisible character


@dataclass(frozen=True, slots=True)
class PageNames:
    """The labels of a page, by name, message id and file. `short_ids` are for messages that have a title too."""

    processes: Mapping[str, str]
    ids: Mapping[str, str]
    short_ids: Mapping[str, str]
    files: Mapping[str, str]

    def process(self, text: str) -> str:
        """Return the label of a process."""
        return self.processes.get(text) or name(text)

    def file(self, text: str) -> str:
        """Return the label of a file."""
        return self.files.get(text) or safe(text, FILE_CHARS_MAX)


@dataclass(frozen=True, slots=True)
class DiagramNames:
    """The labels of one violation. `short_processes` and `short_messages` are for narrow places."""

    page: PageNames
    titles: Mapping[str, str]
    short_processes: Mapping[str, str]
    short_messages: Mapping[str, str]
    numbers: Mapping[str, int]

    def process(self, text: str) -> str:
        """Return the label of a process."""
        return self.page.process(text)

    def message(self, text: str) -> str:
        """Return what a message is about, and its id."""
        title = self.titles.get(text)
        if not title:
            return self.page.ids.get(text) or name(text, ID_CHARS_MAX)
        return f"{safe(title)} ({self.page.short_ids.get(text) or name(text, TITLED_ID_CHARS_MAX)})"


def page_names(violations: Sequence[ExplainedViolation], figures: Figures) -> PageNames:
    """Return the labels for everything that a page names."""
    events = [event for violation in violations for event in (*violation.chain, *violation.events)]
    processes = [event.process for event in events]
    processes += [one for violation in violations for one in (violation.sender, violation.process)]
    processes += [one for link in (*figures.links, *figures.violated_links) for one in (link.sender, link.process)]
    processes += [row.process for row in figures.processes]
    ids = [event.message for event in events if event.message]
    ids += [one for violation in violations for one in (violation.overtaking, violation.overtaken)]
    titled = [one for violation in violations for one in violation.titles]
    return PageNames(
        processes=label(processes, NAME_CHARS_MAX),
        ids=label(ids, ID_CHARS_MAX),
        short_ids=label(titled, TITLED_ID_CHARS_MAX),
        files=_label_files(events),
    )


def diagram_names(violation: ExplainedViolation, page: PageNames) -> DiagramNames:
    """Return the labels for a violation and its diagram."""
    events = (*violation.chain, *violation.events)
    ids = sorted({arrow.id for arrow in violation.messages} | {event.message or "" for event in events})
    processes = sorted({event.process for event in events} | {violation.process})
    whole = {one: f"{title} {one}" if (title := violation.titles.get(one)) else one for one in ids}
    short = label(whole.values(), MESSAGE_SHORT)
    return DiagramNames(
        page=page,
        titles=violation.titles,
        short_processes=label(processes, PROCESS_SHORT),
        short_messages={one: short[text] for one, text in whole.items()},
        numbers={one: number for number, one in enumerate(ids)},
    )


def label(texts: Iterable[str], chars_max: int) -> dict[str, str]:
    """Return a label for each text as safe HTML. Different texts have different labels."""

    def show(text: str) -> str:
        return make_visible(text, POINTS_MAX * chars_max) or "(no name)"

    return {text: escape(shown, quote=True) for text, shown in tell_apart(texts, chars_max, show).items()}


def _label_files(events: Iterable[LoggedEvent]) -> dict[str, str]:
    """Return labels for files, without the folder that all of them share."""
    files = sorted({event.file for event in events if event.file})
    if not files:
        return {}
    shared = 0
    for place, (one, two) in enumerate(zip(files[0], files[-1], strict=False)):
        if one != two:
            break
        shared = place + 1 if one == "/" else shared
    short = label((file[shared:] for file in files), FILE_CHARS_MAX)
    return {file: short[file[shared:]] for file in files}
