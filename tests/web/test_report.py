"""The page: complete, bounded, harmless whatever the log says, and without any way to the network."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

import pytest

from antecede.judge.judge import COUNTS
from antecede.pipeline.report.model import (
    Figures,
    Histogram,
    HistogramBucket,
    LinkTotals,
    ProcessTotals,
    QuarantinedRow,
    Report,
    TimeBucket,
)
from antecede.web import charts, report
from antecede.web.step_links import parse_template
from tests.web.page import Page
from tests.web.samples import KNOWN, answer, busy_report, known_report, poisoned, run_answer, small

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style><svg onload=alert(1)>",
    "]]>--><!--",
    "\u202eevil\u0000\ud800\u2028",
    "$script ${policy} %s {0}",
    "x" * 65_536,
)


@pytest.mark.parametrize(
    ("data", "words", "icon"),
    [
        (known_report(), "Causal order is violated", "M15 3h18"),
        (small("holds", "Fine."), "Causal order holds", 'circle cx="24"'),
        (
            small("holds", "It holds for 9 of 10 rows.", complete=False),
            "Causal order holds, as far as the input could be read",
            "M24 4l22",
        ),
        (small("undecidable", "No message identities."), "Causal order is undecidable", "M24 2l22"),
    ],
    ids=["violated", "holds", "incomplete", "undecidable"],
)
def test_the_verdict_comes_first_in_words_and_shape(data: Report, words: str, icon: str) -> None:
    page = report.render(data)
    parsed = Page(page)
    assert parsed.text.index(words) < parsed.text.index("Counts")
    assert data.answer.reason in parsed.text
    assert icon in page


def test_a_page_is_green_only_if_everything_was_read_and_holds() -> None:
    whole = report.render(small("holds", "Fine."))
    partly = report.render(small("holds", "Fine.", complete=False))
    assert 'class="verdict holds"' in whole
    assert 'class="verdict holds"' not in partly
    assert 'class="verdict incomplete"' in partly
    assert "No violation was found in the part of the input that could be read" in Page(partly).text


def test_the_counts_of_the_command_are_all_there_under_their_names() -> None:
    values = {name: 1000 + place for place, name in enumerate(COUNTS)}
    *counts, quarantined = values.values()
    found = answer("violated", "Some came early.", *counts)
    text = Page(report.render(replace(known_report(), answer=found, quarantined=quarantined))).text
    for field, value in values.items():
        assert f"{field} {value:,} " in text


def test_the_known_violation_is_explained_in_words_and_steps() -> None:
    text = Page(report.render(known_report())).text
    assert f"{KNOWN.words}." in text
    assert "a sends m1 event 0, 0 s a sends m2 event 1, 0.01 s c delivers m2 event 0" in text
    assert "first: b delivers m3 event 0, 0.052 s too late: b delivers m1 event 1, 0.12 s" in text


def test_the_verdict_comes_first_then_the_worst_violation_then_the_counts() -> None:
    page = report.render(busy_report())
    places = [page.index(f'id="{anchor}"') for anchor in ("verdict", "worst", "counts", "violations", "method")]
    assert places == sorted(places)
    assert page.rindex("<section id=") == page.index('<section id="locality"')
    assert 'href="#worst">Skip' in page
    assert 'href="#counts">Skip' in report.render(small("holds", "Fine."))


STEP = replace(
    KNOWN.chain[0],
    file="/logs/three.jsonl",
    line=1_700,
    attributes={"trace": "0af7", "span": "b7ad", "order": "<7>", "name": "publish"},
)


def test_a_step_has_file_line_ids_and_attributes() -> None:
    known = replace(KNOWN, chain=(STEP, *KNOWN.chain[1:]))
    text = Page(report.render(replace(known_report(), explained=(known,)))).text
    assert "a sends m1 event 0, 0 s three.jsonl, line 1,700 · trace 0af7 · span b7ad 2 attributes" in text
    assert "2 attributes order <7> name publish a sends m2 event 1" in text


def test_steps_that_have_the_value_are_links() -> None:
    known = replace(KNOWN, chain=(STEP, *KNOWN.chain[1:]))
    template = parse_template("https://jaeger.example/trace/{trace_id}?a=1&b={order}")
    parsed = Page(report.render(replace(known_report(), explained=(known,)), link=template))
    outside = [anchor for anchor in parsed.all("a") if not anchor["href"].startswith("#")]
    assert outside == [
        {
            "href": "https://jaeger.example/trace/0af7?a=1&b=%3C7%3E",
            "target": "_blank",
            "rel": "noopener noreferrer",
        }
    ]


def test_messages_are_named_by_their_topic_first() -> None:
    named = replace(KNOWN, titles={"m1": "orders", "m3": "payments"})
    text = Page(report.render(replace(known_report(), explained=(named,)))).text
    assert "1. payments (m3) overtook orders (m1) at b" in text
    assert "a sends orders (m1) event 0, 0 s a sends m2 event 1" in text


def shapes(total: int, *links: LinkTotals) -> str:
    """Return the text of a page with five violations of two shapes, of so many."""
    other = replace(KNOWN, sender="a", chain=KNOWN.chain[:2])
    found = answer("violated", "Some came early.", 1, 3, 6, 3, 3, total, 1, 0, 0, 0)
    figures = Figures(violated_links=links, violated_link_count=len(links))
    data = replace(known_report(), answer=found, explained=(KNOWN, other, KNOWN, KNOWN, other), figures=figures)
    return Page(report.render(data)).text


def test_violations_of_one_shape_stand_together_and_are_counted() -> None:
    text = shapes(5, LinkTotals("c", "b", 9, 3, None))
    path = "a sends, a sends, c delivers, c sends; b delivers the last before the first"
    assert f"3 of 5 violations have this shape: {path}. 3 of all 5 violations are on the link c → b." in text
    assert "2 of 5 violations have this shape: a sends, a sends; b delivers the last before the first. 2. m3" in text
    assert "2 more of this shape" in text
    assert "Links with violations: 1 link" in text
    assert "Link c → b, with 3 of 5 violations" in text


def test_shapes_are_counted_among_the_explained_if_there_are_more() -> None:
    text = shapes(589, LinkTotals("c", "b", 900, 412, None))
    assert "3 of 5 explained violations have this shape" in text
    assert "412 of all 589 violations are on the link c → b." in text


def test_a_single_violation_is_not_listed_again() -> None:
    text = Page(report.render(known_report())).text
    assert "The violation 1. m3 overtook m1 at b" in text
    assert "have this shape" not in text
    assert text.count("m3 overtook m1 at b") == 1
    assert "violation 1 delivery that came before one of its causes" in text


def test_a_violation_without_events_has_its_whole_names_and_no_diagram() -> None:
    late = replace(KNOWN, overtaking="what the receiver got at 12", sender="", chain=(), events=(), messages=())
    page = report.render(replace(known_report(), explained=(late,)))
    assert "1. what the receiver got at 12 overtook m1 at b" in Page(page).text
    assert "Link (not known) → b" in Page(page).text
    assert "<figure" not in page
    assert 'class="legend"' not in page


def test_a_filter_is_offered_for_processes_and_links() -> None:
    data = replace(known_report(), explained=(KNOWN, replace(KNOWN, sender="<d>", chain=())))
    parsed = Page(report.render(data))
    assert "Process all <d> a b c Link all <d> → b c → b" in parsed.text
    entries = [attributes for _, attributes in parsed.elements if "data-link" in attributes]
    assert [(entry["data-process"], entry["data-link"]) for entry in entries] == [("1 2 3", "1"), ("0 2", "0")]


def test_few_values_are_not_drawn() -> None:
    few = Figures(
        histograms={"delay_s": Histogram(12, 0.5, 2.0, ((50, 0.4),), (HistogramBucket(0, 4, 12),))},
        timeline=(TimeBucket(0, 4, 12, 1),),
    )
    page = report.render(replace(known_report(), figures=few))
    assert 'class="chart"' not in page
    text = Page(page).text
    assert "Delivery delay, 12 values Figure Value Mean 500 ms Longest 2 s" in text
    assert "12 deliveries in that time." in text
    many = replace(few, histograms={"delay_s": replace(few.histograms["delay_s"], count=30)})
    assert page.count("chart") < report.render(replace(known_report(), figures=many)).count("chart")


def test_what_was_not_held_back_is_not_drawn() -> None:
    none = Figures(histograms={"hold_s": Histogram(99, 0.0, 0.0, (), (HistogramBucket(0, 0, 99),))}, held=0)
    text = Page(report.render(replace(known_report(), figures=none))).text
    assert "No message was held back between receive and deliver." in text


def test_the_plan_is_printed() -> None:
    runs = (
        replace(run_answer("r1", "holds", 1, 1, 1, 1, 1, 1, 1), windows=3),
        replace(run_answer("r2", "holds", 1, 1, 1, 1, 1, 1, 1), one_task="as one task, because it is odd"),
        run_answer("r3", "holds", 1, 1, 1, 1, 1, 1, 1),
    )
    found = replace(known_report().answer, runs=runs)
    text = Page(report.render(replace(known_report(), answer=found, plan="80 rows: 2 tasks read them"))).text
    assert "How this was computed The plan: 80 rows: 2 tasks read them." in text
    assert "Run r1 was cut into 3 windows. Run r2 was verified as one task, because it is odd." in text
    assert "Run r3" not in text


def test_the_page_is_one_file_that_may_load_nothing() -> None:
    page = report.render(busy_report())
    parsed = Page(page)
    policy = next(meta["content"] for meta in parsed.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        inline = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert len(inline) == 1
        assert f"{tag}-src 'sha256-{b64encode(sha256(inline[0].encode()).digest()).decode()}'" in policy
    assert "unsafe" not in policy
    assert [link["href"] for link in parsed.all("link")] == ["data:,"]
    assert all(anchor["href"].startswith("#") for anchor in parsed.all("a"))
    for _, attributes in parsed.elements:
        assert not {"src", "style", "srcset", "action"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
    assert not re.search(r"https?://|@import|url\(", page)


def test_links_within_the_page_lead_somewhere() -> None:
    parsed = Page(report.render(busy_report()))
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {anchor["href"][1:] for anchor in parsed.all("a")} <= set(ids)
    assert {
        attributes["aria-labelledby"] for _, attributes in parsed.elements if "aria-labelledby" in attributes
    } <= set(ids)


def test_tables_and_headings_are_made_for_readers_who_do_not_see_them() -> None:
    page = report.render(busy_report())
    parsed = Page(page)
    assert page.count("<table>") == page.count("<caption>") > 6
    assert all(cell.get("scope") in ("col", "row") for cell in parsed.all("th"))
    levels = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(two <= one + 1 for one, two in pairwise(levels))
    assert all("aria-label" in svg or svg.get("aria-hidden") == "true" for svg in parsed.all("svg"))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    page = report.render(poisoned(text), written=text)
    parsed = Page(page)
    assert page.encode()
    assert [tag for tag, _ in parsed.elements].count("script") == 1
    assert not parsed.all("img")
    assert not [name for _, attributes in parsed.elements for name in attributes if name.startswith("on")]
    assert len(page) < 400_000
    assert max(map(len, parsed.words)) < 2100


def test_long_lists_are_cut_and_say_so() -> None:
    runs = (run_answer("r", "violated", 1, 1, 1, 1, 1, 1, 1),) * 400
    data = replace(
        known_report(),
        answer=answer("violated", "Many came early.", 5_000, 3, 6, 3, 3, 12_345, 1, 0, 0, 0, runs=runs),
        explained=(KNOWN,) * 300,
        quarantined=70_000,
        figures=Figures(
            quarantined=(QuarantinedRow("f", 1, "unknown kind", "{}"),) * 1000, reasons=(("unknown kind", 70_000),)
        ),
    )
    page = report.render(data)
    text = Page(page).text
    assert "Showing 100 of 12,345 violations, the worst first." in text
    assert "The worst violation is the deliver that overtook the most messages, and the earliest of these." in text
    assert "showing 50 of 5,000 runs" in text
    assert "showing 50 of 70,000 rows" in text
    assert page.count("<article") == 100
    fewer = report.render(data, report.PageLimits(violations=2))
    assert fewer.count("<article") == 2


def test_the_matrix_shows_the_busiest_and_all_three_readings() -> None:
    page = report.render(busy_report())
    assert "showing 16 of 20 processes, the busiest" in page
    for reading in ("messages", "delay", "violations"):
        assert f'value="{reading}"' in page
        assert f'<span class="{reading} level-' in page


def test_the_matrix_shows_the_busiest_and_not_the_first_by_name() -> None:
    links = tuple(LinkTotals(f"p{number:02}", "hub", 100 + number, 0, None) for number in range(30))
    parsed = Page(report.render(replace(known_report(), figures=Figures(links=links, process_count=31))))
    rows = [cell["title"] for cell in parsed.all("th") if cell.get("scope") == "row" and "title" in cell]
    assert rows == ["hub", *(f"p{number:02}" for number in range(15, 30))]


def test_all_processes_are_counted_if_there_are_no_links() -> None:
    rows = tuple(ProcessTotals(f"p{number}", 1, 0, 0, 0, 0) for number in range(200))
    figures = Figures(processes=rows, process_count=230)
    text = Page(report.render(replace(known_report(), figures=figures))).text
    assert "Processes: showing 50 of 230 processes" in text


def test_cells_of_wide_tables_carry_the_names_of_their_columns() -> None:
    page = report.render(busy_report())
    assert '<div class="scroll stack" tabindex="0" role="region" aria-label="Processes: 20 processes">' in page
    assert '<td class="number" data-column="Violations">' in page


def test_what_the_source_does_not_tell_is_said_and_not_drawn() -> None:
    text = Page(report.render(known_report())).text
    assert "delays are not known" in text
    assert "there is no timeline" in text
    assert "hold-back is not known" in text
    assert "Every row of the input was a valid event." in text
    assert "There are no clock readings to compare." in text


def test_no_violation_is_not_claimed_where_nothing_could_be_decided() -> None:
    assert "Violations There are no violations." in Page(report.render(small("holds", "Fine."))).text
    assert (
        "Violations No violation was found in the part of the input that could be read and judged."
        in Page(report.render(small("undecidable", "A cycle."))).text
    )


def test_many_buckets_are_merged_and_none_is_lost() -> None:
    buckets = [HistogramBucket(step, step + 1, step) for step in range(1000)]
    merged = charts.merge_buckets(buckets)
    assert len(merged) <= charts.BUCKETS_MAX
    assert sum(bucket.count for bucket in merged) == sum(range(1000))
    assert (merged[0].start_s, merged[-1].end_s) == (0, 1000)


def test_empty_and_single_buckets_have_a_chart() -> None:
    one = Histogram(0, None, None, ((50, 7.0),), (HistogramBucket(0.0, 0.0, 0),))
    assert "<svg" in charts.histogram(one, "nothing")
    assert "<svg" in charts.timeline([TimeBucket(5.0, 5.0, 0, 0)])


def test_the_same_data_gives_the_same_page() -> None:
    assert report.render(busy_report()) == report.render(busy_report())


def test_a_number_that_is_not_finite_is_a_dash() -> None:
    data = replace(known_report(), explained=(replace(KNOWN, late_seconds=float("nan")),))
    assert "m3 overtook m1 at b – late" in Page(report.render(data)).text


def test_the_page_names_the_input_and_the_date() -> None:
    data = replace(known_report(), paths=("logs/one.jsonl", "two/"))
    parsed = Page(report.render(data, written="2026-05-13 08:12 UTC"))
    assert "one.jsonl, two" in parsed.text
    assert "logs/one.jsonl, two/" in parsed.text
    assert "Written 2026-05-13 08:12 UTC" in parsed.text


def test_the_time_of_a_step_has_its_date_and_its_zone() -> None:
    dated = replace(KNOWN, chain=tuple(replace(event, time=1_760_000_000.25) for event in KNOWN.chain))
    text = Page(report.render(replace(known_report(), explained=(dated,)))).text
    assert f"event {KNOWN.chain[0].index}, 2025-10-09 08:53:20.25 UTC" in text
