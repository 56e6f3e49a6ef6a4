"""The diagram as SVG: well-formed, labelled in words, and telling its parts apart by more than colour."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from antecede.pipeline.report.model import ExplainedViolation, Figures, MessageArrow
from antecede.web.diagram.arrows import edge_roles
from antecede.web.diagram.layout import place
from antecede.web.diagram.space_time import svg, verdict_labels
from antecede.web.names import diagram_names, page_names
from antecede.web.report import asset
from tests.web.samples import KNOWN, Execution, event, long_chain


def drawn(violation: ExplainedViolation) -> ElementTree.Element:
    names = diagram_names(violation, page_names([violation], Figures()))
    return ElementTree.fromstring(svg(place(violation), "label", names))


def texts(root: ElementTree.Element, css: str) -> list[str]:
    return [found.text or "" for found in root.iter("text") if found.get("class") == css]


def groups(root: ElementTree.Element, css: str) -> list[ElementTree.Element]:
    return [found for found in root.iter("g") if css in (found.get("class") or "").split()]


def test_the_known_violation_shows_the_overtaken_message_the_chain_and_both_delivers() -> None:
    root = drawn(KNOWN)
    assert [group.findtext("title") for group in groups(root, "overtaken") if group.find("title") is not None] == [
        "Message m1 from a to b: the overtaken message"
    ]
    assert len(groups(root, "arrow")) == 3
    assert texts(root, "step") == ["1", "2", "3", "4"]
    assert texts(root, "verdict-word") == ["first", "too late"]
    assert len([line for line in root.iter("line") if line.get("class") == "chain"]) == 2
    assert [group.findtext("title") for group in groups(root, "judged")] == [
        "b delivers m3 (event 0, clock 0.052 s): first",
        "b delivers m1 (event 1, clock 0.12 s): too late",
    ]


def test_roles_differ_by_width_or_dash_as_well_as_colour() -> None:
    style = asset("page.css")
    assert ".arrow .line { fill: none; stroke: var(--soft); stroke-width: 1.25; }" in style
    assert ".arrow.witness .line { stroke: var(--chain); stroke-width: 3; }" in style
    assert ".arrow.overtaking .line { stroke: var(--chain); stroke-width: 5; }" in style
    assert ".arrow.overtaken .line { stroke: var(--wrong); stroke-width: 3; stroke-dasharray: 9 5; }" in style


def test_a_multicast_is_overtaken_at_one_destination_and_part_of_the_chain_at_another() -> None:
    arrow = MessageArrow("m1", "a", 0, (("b", 1), ("c", 0), ("d", 0)), "overtaken")
    chain = (event("a", 0, "send", "m1"), event("c", 0, "deliver", "m1"), event("c", 1, "send", "m3"))
    assert edge_roles(replace(KNOWN, chain=chain), arrow) == ["overtaken", "witness", "context"]


def test_the_picture_of_a_receive_only_trace_is_judged_too() -> None:
    events = tuple(replace(event, kind=event.kind.replace("deliver", "receive")) for event in KNOWN.events)
    labels = verdict_labels(place(replace(KNOWN, events=events, chain=events[:4])))
    assert labels == {("b", 0): "first", ("b", 1): "too late"}


def test_a_message_to_oneself_is_drawn_beside_the_line() -> None:
    events = (*KNOWN.events, event("b", 2, "send", "self"), event("b", 3, "deliver", "self"))
    root = drawn(replace(KNOWN, events=events, messages=(*KNOWN.messages, MessageArrow("self", "b", 2, (("b", 3),)))))
    paths = [path.get("d") or "" for path in root.iter("path") if path.get("class") == "line"]
    assert sum("C" in path for path in paths) == 1


def test_a_gap_in_the_chain_is_stated_and_the_numbers_go_on_after_it() -> None:
    root = drawn(long_chain(500))
    assert [found.text for found in groups(root, "gap")[0].iter("text")] == ["960 steps of the chain not drawn"]
    assert texts(root, "step")[:2] == ["1", "2"]
    assert texts(root, "step")[-1] == "1000"


def test_events_left_out_break_the_line() -> None:
    moved = replace(KNOWN.events[5], index=7)
    messages = (replace(KNOWN.messages[0], delivers=(("b", 7),)), *KNOWN.messages[1:])
    assert len(groups(drawn(replace(KNOWN, events=(*KNOWN.events[:5], moved), messages=messages)), "elided")) == 1
    assert groups(drawn(KNOWN), "elided") == []


def test_labels_do_not_lie_on_each_other() -> None:
    for violation in Execution(seed=5, processes=6, sends=120).violations():
        labels = [group.find("text") for group in groups(drawn(violation), "message")]
        places = [(found.get("x"), found.get("y")) for found in labels if found is not None]
        assert len(set(places)) == len(places)


def test_every_diagram_of_an_execution_is_well_formed_and_inside_its_frame() -> None:
    for violation in Execution(seed=9, processes=12, sends=200).violations()[:60]:
        root = drawn(violation)
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        for mark in root.iter("circle"):
            assert 0 < float(mark.get("cx", -1)) < width
            assert 0 < float(mark.get("cy", -1)) < height
