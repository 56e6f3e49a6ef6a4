"""Links from steps to another tool: made from a template that is checked, and from values that cannot lead astray."""

from __future__ import annotations

import pytest

from antecede.core.errors import Misuse
from antecede.pipeline.report.explanations import ATTRIBUTE_CHARS_MAX
from antecede.pipeline.report.model import LoggedEvent
from antecede.web.step_links import VALUE_CHARS_MAX, note_missing_names, parse_template

EVENT = LoggedEvent(
    "run 1",
    "a&b",
    0,
    "send",
    message='"><script>',
    attributes={"trace": "0af7", "span": "b7ad", "order.id": "A/7?x=1#y", "up": "..", "long": "x" * 300, "none": ""},
    file="/logs/ü.jsonl",
    line=17,
)


@pytest.mark.parametrize(
    ("template", "link"),
    [
        ("https://jaeger.example/trace/{trace_id}?uiFind={span_id}", "https://jaeger.example/trace/0af7?uiFind=b7ad"),
        ("http://[::1]:16686/trace/{trace}", "http://[::1]:16686/trace/0af7"),
        ("https://x.example/{order.id}", "https://x.example/A%2F7%3Fx%3D1%23y"),
        ("https://x.example/{run}/{process}/{message}", "https://x.example/run%201/a%26b/%22%3E%3Cscript%3E"),
        ("https://x.example/view#{file}:{line}", "https://x.example/view#%2Flogs%2F%C3%BC.jsonl:17"),
        ("https://x.example/{missing}", None),
        ("https://x.example/{trace_id}/{missing}", None),
        ("https://x.example/{none}", None),
        ("https://x.example/a/{up}/b", None),
        ("https://x.example/{long}", None),
    ],
)
def test_a_template_becomes_a_link_if_the_step_has_every_value(template: str, link: str | None) -> None:
    assert parse_template(template).link(EVENT) == link


def test_lone_surrogates_in_a_value_do_no_harm() -> None:
    event = LoggedEvent("r", "a", 0, "send", attributes={"x": "\ud800"})
    assert parse_template("https://x.example/{x}").link(event) == "https://x.example/%3F"


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("javascript:alert({trace_id})", "does not begin with http"),
        ("JavaScript://x/{trace_id}", "does not begin with http"),
        ("data:text/html,{trace_id}", "does not begin with http"),
        ("//x.example/{trace_id}", "does not begin with http"),
        ("/trace/{trace_id}", "does not begin with http"),
        ("{trace_id}", "does not begin with http"),
        ("https://{process}/x", "does not begin with http"),
        ("https://x.example{process}/x", "does not begin with http"),
        ("https://{process}@x.example/", "does not begin with http"),
        ("https://user@x.example/{process}", "does not begin with http"),
        ("https://x.example:{line}/x", "does not begin with http"),
        (" https://x.example/{trace_id}", "percent-encoded, as %20"),
        ('https://x.example/"{trace_id}', "percent-encoded, as %22"),
        ("https://x.example/\n{trace_id}", "percent-encoded, as %0A"),
        ("https://x.example/{trace_id", "percent-encoded, as %7B"),
        ("https://x.example/{}", "percent-encoded, as %7B"),
        ("https://x.example/ü/{trace_id}", "percent-encoded, as %C3%BC"),
        ("https://x.example/\\{trace_id}", "percent-encoded, as %5C"),
        ("https://x.example/trace", "no name in braces"),
        ("https://x.example/{trace_id}" + "x" * 2_000, "at most 2,000"),
        ("", "does not begin with http"),
    ],
)
def test_a_template_that_may_lead_astray_is_refused(template: str, words: str) -> None:
    with pytest.raises(Misuse, match=words):
        parse_template(template)


def test_a_value_that_was_cut_makes_no_link() -> None:
    assert VALUE_CHARS_MAX < ATTRIBUTE_CHARS_MAX


def test_a_name_that_no_step_has_is_told_with_those_that_there_are() -> None:
    template = parse_template("https://x.example/{trace_id}/{spann}")
    (note,) = note_missing_names(template, [EVENT])
    assert note.startswith(
        "no step has a link, because none has a value for {spann} (did you mean 'span'?) of --link; "
    )
    assert note.endswith("there are run, process, message, file, line, long, none, order.id, span, trace, up")
    assert note_missing_names(parse_template("https://x.example/{trace_id}"), [EVENT]) == ()
    assert note_missing_names(template, []) == ()
