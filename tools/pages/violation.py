"""`docs/violation.svg`: the smallest violation of causal order, found by the judge and drawn by the report's own code.

a sends m1 to b, then m2 to c; c delivers m2 and sends m3 to b. m1 is slow, and b delivers m3 first.

The picture stands alone as an image: it has a background of its own, and carries the part of the report's style sheet
that a diagram needs. So it can be read on a light and on a dark page.
"""

from __future__ import annotations

from antecede.judge.explain import explain
from antecede.judge.judge import judge
from antecede.pipeline.report.arrows import violation_arrows
from antecede.pipeline.report.model import ExplainedViolation, Figures, LoggedEvent
from antecede.web.diagram.layout import place
from antecede.web.diagram.space_time import svg
from antecede.web.names import diagram_names, page_names
from antecede.web.report import asset
from antecede.web.text import safe

TRACE = (
    LoggedEvent("r", "a", 0, "send", message="m1", dests=("b",)),
    LoggedEvent("r", "a", 1, "send", message="m2", dests=("c",)),
    LoggedEvent("r", "c", 0, "deliver", message="m2"),
    LoggedEvent("r", "c", 1, "send", message="m3", dests=("b",)),
    LoggedEvent("r", "b", 0, "deliver", message="m3"),
    LoggedEvent("r", "b", 1, "deliver", message="m1"),
)
STYLE_STARTS, STYLE_ENDS = "/* The space-time diagram. */", "/* Charts and the link matrix. */"
FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif"


def page() -> str:
    found = found_violation()
    placed = place(found)
    names = diagram_names(found, page_names([found], Figures()))
    drawing = svg(placed, safe(found.words, 400), names)
    head, _, body = drawing.partition(">")
    head = head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return f'{head}>\n<style>\n{style()}</style>\n<rect class="paper" width="100%" height="100%" rx="6"/>\n{body}\n'


def found_violation() -> ExplainedViolation:
    """Return the violation that the judge finds in the trace, as the report would show it."""
    (found,) = judge(TRACE).found
    explained = explain(TRACE, found)
    (overtaken,) = found.overtaken
    return ExplainedViolation(
        run=found.run,
        process=found.process,
        index=found.index,
        overtaking=found.message,
        overtaken=overtaken,
        overtaken_count=found.overtaken_count,
        words=explained.words,
        chain=tuple(event for event in explained.chain if isinstance(event, LoggedEvent)),
        events=TRACE,
        messages=tuple(violation_arrows(TRACE, explained.chain, overtaken=overtaken, overtaking=found.message)),
    )


def style() -> str:
    """Return what the report's style sheet says about colours and about a diagram, for an image."""
    sheet = asset("page.css")
    colours = sheet.partition("@media print")[0]
    diagram = sheet.partition(STYLE_STARTS)[2].partition(STYLE_ENDS)[0]
    own = f".space-time {{ font-family: {FONT}; }}\n.paper {{ fill: var(--panel); stroke: var(--line); }}\n"
    return colours + diagram.strip() + "\n" + own
