"""Draw the violations: the worst one first and by itself, then all that are explained, grouped by their shape.

A violation is explained in a sentence, as a diagram, and as numbered steps. The steps have the numbers that stand
beside the events in the diagram. Violations of one shape stand together, the worst of them first; some are listed, and
the others are listed on demand. In print all of them are shown. The page's script filters the list by process and link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from antecede.pipeline.report.model import ExplainedViolation, LinkTotals, TracePicture
from antecede.pipeline.report.shapes import Shape, group_by_shape
from antecede.web.diagram import layout
from antecede.web.diagram.space_time import svg
from antecede.web.legend import READING, legend
from antecede.web.names import DiagramNames, PageNames, diagram_names
from antecede.web.step_links import LinkTemplate
from antecede.web.steps import StepWriter
from antecede.web.tables import count_phrase
from antecede.web.text import TEXT_CHARS_MAX, duration, name, number, plural, safe

OPEN_AT_FIRST = 3
SHAPES_AT_FIRST = 10
"""What follows the violations should not be a hundred lines away."""
PATH_STEPS_MAX = 8
WORST = "The worst violation is the deliver that overtook the most messages, and the earliest of these."
FIRST = "Vector clocks do not tell how many messages were overtaken, so this is the first of the late receives."
Link = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ViolationWriter:
    """Writes explained violations as HTML.

    `violations` come worst first, and are the explained ones among `total`. `on_link` says how many of all violations
    lie on a link, of the links for which that is known.
    """

    violations: Sequence[ExplainedViolation]
    total: int
    names: PageNames
    on_link: Mapping[Link, int]
    template: LinkTemplate | None = None

    def worst(self) -> str:
        """Return the worst violation, why it is the worst, and how to read its diagram if it has one."""
        what = WORST if self.violations[0].overtaken_count else FIRST
        meaning = f'<p class="note">{what}</p>' if self.total > 1 else ""
        return meaning + self._article(1, is_open=True) + (legend() if self.violations[0].events else "")

    def section(self) -> str:
        """Return all violations, grouped by shape, with the filter for them."""
        title = count_phrase(len(self.violations), self.total, "violation")
        shapes = group_by_shape(self.violations)
        opened = [ranks[0] for ranks in shapes.values() if ranks[0] > 1][: OPEN_AT_FIRST - 1]
        groups = [self._group(shape, ranks, opened) for shape, ranks in shapes.items()]
        return (
            f'<p class="shown">{title[0].upper()}{title[1:]}, the worst first.</p>{self._filter()}'
            f'<div class="violations">{_first_few(groups, SHAPES_AT_FIRST, "more")}</div>'
        )

    def _group(self, shape: Shape, ranks: Sequence[int], opened: Sequence[int]) -> str:
        entries = [self._article(rank, is_open=rank in opened) if rank > 1 else self._pointer() for rank in ranks]
        if len(entries) == 1:
            return f'<div class="shape">{entries[0]}</div>'
        known = len(self.violations)
        many = "All" if len(ranks) == known else f"{number(len(ranks))} of"
        which = "violations" if known == self.total else "explained violations"
        share = self._link_share(shape.sender, shape.process)
        title = f"{many} {number(known)} {which} have this shape: {self._path(shape)}.{share}"
        return (
            f'<div class="shape"><p class="shape-title">{title}</p>{_first_few(entries, 1, "more of this shape")}</div>'
        )

    def _path(self, shape: Shape) -> str:
        """Return a code path in words."""
        steps = [
            f"{self.names.process(process)} {safe(kind)}s{f' {safe(title)}' if title else ''}"
            for process, kind, title in shape.path
        ]
        if len(steps) > PATH_STEPS_MAX:
            left_out = plural(len(steps) - PATH_STEPS_MAX, "step")
            steps = [*steps[: PATH_STEPS_MAX // 2], f"{left_out} more", *steps[-PATH_STEPS_MAX // 2 :]]
        if not steps:
            return f"{self._link(shape.sender, shape.process)}, by a chain that is not known"
        if all(kind == "receive" for _, kind, _ in shape.path):  # judged by vector clocks
            return f"{self.names.process(shape.process)} receives a message of which it knew already"
        return f"{', '.join(steps)}; {self.names.process(shape.process)} delivers the last before the first"

    def _link(self, sender: str, process: str) -> str:
        return f"{self.names.process(sender) if sender else '(not known)'} → {self.names.process(process)}"

    def _link_share(self, sender: str, process: str) -> str:
        """Return how many of all violations are on a link, as a sentence, or "" if that is not known."""
        count = self.on_link.get((sender, process))
        if not count:
            return ""
        are = "is" if count == 1 else "are"
        many = "All" if count == self.total else f"{number(count)} of all"
        return f" {many} {plural(self.total, 'violation')} {are} on the link {self._link(sender, process)}."

    def _filter(self) -> str:
        """Return the choice of a process and a link, which the script of the page shows and obeys."""
        if len(self.violations) < 2:
            return ""
        processes = enumerate(self._processes())
        links = enumerate(self._links())
        return (
            '<div class="filter" role="group" aria-label="Filter" hidden>'
            + _choice("process", "Process", [(at, self.names.process(one)) for at, one in processes])
            + _choice("link", "Link", [(at, self._link(*one)) for at, one in links])
            + '<p class="note" aria-live="polite"></p></div>'
        )

    def _processes(self) -> list[str]:
        return sorted({process for violation in self.violations for process in _taking_part(violation)})

    def _links(self) -> list[Link]:
        return sorted({(violation.sender, violation.process) for violation in self.violations})

    def _marks(self, violation: ExplainedViolation) -> str:
        """Return the attributes by which the script filters: the numbers of processes that take part, and of a link."""
        taking_part = _taking_part(violation)
        processes = " ".join(str(at) for at, one in enumerate(self._processes()) if one in taking_part)
        link = self._links().index((violation.sender, violation.process))
        return f'data-process="{processes}" data-link="{link}"'

    def _pointer(self) -> str:
        """Return an entry that leads to the worst violation, which is drawn at the top."""
        violation = self.violations[0]
        title = self._title(1, violation, diagram_names(violation, self.names))
        return (
            f'<div class="violation above" {self._marks(violation)}><a href="#violation-1">{title}</a> '
            '<span class="late">explained above</span></div>'
        )

    def _title(self, rank: int, violation: ExplainedViolation, names: DiagramNames) -> str:
        overtaking, overtaken = names.message(violation.overtaking), names.message(violation.overtaken)
        if not violation.events:  # nothing below the title has the whole names
            overtaking, overtaken = safe(violation.overtaking, 80), safe(violation.overtaken, 80)
        return f"{rank}. {overtaking} overtook {overtaken} at {names.process(violation.process)}"

    def _article(self, rank: int, *, is_open: bool) -> str:
        violation = self.violations[rank - 1]
        placed, names = layout.place(violation), diagram_names(violation, self.names)
        known = violation.late_seconds is not None
        late = f'<span class="late">{duration(violation.late_seconds)} late</span>' if known else ""
        marks = "" if rank == 1 else f" {self._marks(violation)}"
        label = f"Space-time diagram of violation {rank}: {names.message(violation.overtaking)} overtakes "
        label += names.message(violation.overtaken)
        figure = _diagram_figure(svg(placed, label, names), str(rank), placed.events_left_out)
        return (
            f'<article class="violation" id="violation-{rank}"{marks}><details{" open" if is_open else ""}>'
            f"<summary><h3>{self._title(rank, violation, names)}</h3>{late}</summary>"
            f'<p class="words">{safe(f"{violation.words}.", TEXT_CHARS_MAX)}</p>'
            f'<div class="explained">{figure if violation.events else ""}<div class="steps">'
            f"{StepWriter(names, self.template).steps(placed)}{self._facts(violation)}</div></div>"
            "</details></article>"
        )

    def _facts(self, violation: ExplainedViolation) -> str:
        share = self.on_link.get((violation.sender, violation.process))
        many = f", with {number(share)} of {plural(self.total, 'violation')}" if share else ""
        facts = [
            ("Run", name(violation.run)),
            ("Link", f"{self._link(violation.sender, violation.process)}{many}"),
        ]
        if violation.overtaken_count:  # vector clocks do not tell
            facts.append(("Messages overtaken by this deliver", number(violation.overtaken_count)))
        if violation.late_seconds is not None:
            facts.append(("Late by", duration(violation.late_seconds)))
        items = "".join(f"<div><dt>{term}</dt><dd>{fact}</dd></div>" for term, fact in facts)
        return f'<dl class="facts">{items}</dl>'


def link_counts(links: Iterable[LinkTotals]) -> dict[Link, int]:
    """Return the number of all violations on each link."""
    return {(link.sender, link.process): link.violations for link in links if link.violations}


def picture(some: TracePicture, names: PageNames) -> str:
    """Return a part of the trace without a violation, drawn by the same rules."""
    somewhere = some.events[0].process if some.events else ""
    drawn = ExplainedViolation(some.run, somewhere, 0, "", "", 0, "", (), some.events, some.messages)
    placed = layout.place(drawn)
    label = f"Space-time diagram of the first events of run {name(some.run)}"
    figure = svg(placed, label, diagram_names(drawn, names))
    return (
        f'<p class="note">{safe(some.words, TEXT_CHARS_MAX)} {READING}</p>'
        f'<div class="explained">{_diagram_figure(figure, "of the trace", placed.events_left_out)}</div>'
    )


def _taking_part(violation: ExplainedViolation) -> set[str]:
    """Return the processes of a violation: those of its chain, as far as it is shown, and the one that delivered."""
    chain, _ = layout.bound_chain(violation.chain)
    return {violation.sender, violation.process, *(event.process for event in chain)}


def _choice(kind: str, title: str, options: Sequence[tuple[int, str]]) -> str:
    listed = "".join(f'<option value="{at}">{text}</option>' for at, text in options)
    return f'<label>{title} <select data-filter="{kind}"><option value="">all</option>{listed}</select></label>'


def _first_few(entries: Sequence[str], count: int, words: str) -> str:
    """Return the first entries, and the others in a part of the page that can be opened."""
    first, rest = "".join(entries[:count]), entries[count:]
    return first + (
        f'<details class="more"><summary>{len(rest)} {words}</summary>{"".join(rest)}</details>' if rest else ""
    )


def _diagram_figure(drawing: str, which: str, events_left_out: int) -> str:
    """Return a diagram with the controls to move about in it."""
    left_out = (
        f'<p class="note">{plural(events_left_out, "event")} farther away left out.</p>' if events_left_out else ""
    )
    return (
        '<figure class="diagram"><div class="tools" hidden role="group" aria-label="Zoom">'
        '<button type="button" data-zoom="out" aria-label="Zoom out">−</button>'
        '<button type="button" data-zoom="in" aria-label="Zoom in">+</button>'
        '<button type="button" data-zoom="fit">Fit</button></div>'
        f'<div class="view" tabindex="0" role="region" aria-label="Diagram {which}: arrow keys move, plus and minus '
        f'zoom, 0 fits">{drawing}</div>'
        '<figcaption class="readout" aria-live="polite">Point at an event or a message, tap it, or move '
        "to it with the Tab key to see its details."
        f"</figcaption>{left_out}</figure>"
    )
