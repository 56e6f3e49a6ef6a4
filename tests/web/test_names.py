"""Labels on a page: short, harmless, and different if the names differ."""

from __future__ import annotations

from dataclasses import replace

from antecede.pipeline.report.model import Figures, LinkTotals
from antecede.web.names import FILE_CHARS_MAX, diagram_names, label, page_names
from tests.web.samples import KNOWN

PODS = [f"notification-service-production-7d9f8b6c5d-{pod}-replica-of-the-second-zone" for pod in ("x2x4z", "k9p1q")]


def test_long_names_of_processes_differ_on_the_page_and_in_a_diagram() -> None:
    events = tuple(replace(event, process=PODS[event.process == "b"]) for event in KNOWN.events if event.process != "c")
    names = page_names([replace(KNOWN, events=events)], Figures())
    assert len({names.process(pod) for pod in PODS}) == 2
    in_diagram = diagram_names(replace(KNOWN, events=events, chain=()), names)
    assert len({in_diagram.short_processes[pod] for pod in PODS}) == 2


def test_a_process_of_a_link_has_the_label_that_it_has_elsewhere() -> None:
    links = tuple(LinkTotals(pod, "b", 1, 1, None) for pod in PODS)
    names = page_names([KNOWN], Figures(violated_links=links))
    assert len({names.process(pod) for pod in PODS}) == 2
    assert names.process("b") == "b"
    assert names.process("") == "(no name)"


def test_a_message_is_its_title_and_its_id() -> None:
    violation = replace(KNOWN, titles={"m1": "<orders>"})
    names = diagram_names(violation, page_names([violation], Figures()))
    assert (names.message("m1"), names.message("m2")) == ("&lt;orders&gt; (m1)", "m2")
    assert names.short_messages["m1"] == "&lt;orders&gt; m1"


def test_labels_show_what_is_invisible_and_still_differ() -> None:
    labels = label(["a\u202eb", "ab", "a[U+202E]b"], 12)
    assert labels["a\u202eb"] == "a[U+202E]b"
    assert len(set(labels.values())) == 3


def test_files_lose_the_folder_that_they_share() -> None:
    files = ["/logs/day/one.jsonl", "/logs/day/two.jsonl"]
    events = tuple(replace(event, file=files[event.index]) for event in KNOWN.events)
    names = page_names([replace(KNOWN, chain=(), events=events)], Figures())
    assert [names.file(file) for file in files] == ["one.jsonl", "two.jsonl"]
    alone = page_names([replace(KNOWN, chain=(), events=events[:1])], Figures())
    assert alone.file(files[0]) == "one.jsonl"
    long = replace(events[0], file="/" + "x" * 500)
    assert (
        len(page_names([replace(KNOWN, chain=(), events=(long,))], Figures()).file("/" + "x" * 500)) == FILE_CHARS_MAX
    )
