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
    QuarantinedRow,
    Report,
    TimeBucket,
)
from antecede.web import charts, report
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
