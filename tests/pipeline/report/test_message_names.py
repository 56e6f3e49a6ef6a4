"""Messages are named for people, and short labels of names that differ still differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.judge.events import Event
from antecede.pipeline.report.message_names import ID_CHARS_MAX, cut_middle, name_messages, tell_apart, title_of

SPAN = "b8a1abcd1a6916c74da4f9fc3c6da5d7"


@pytest.mark.parametrize(
    ("send", "title"),
    [
        (Event("r", "a", 0, "send", message="m"), ""),
        (Event("r", "a", 0, "send", message="m", group="g1"), "g1"),
        (Event("r", "a", 0, "send", message="m", group="g1", attributes={"topic": "orders"}), "orders"),
        (Event("r", "a", 0, "send", message="m", attributes={"name": "publish order"}), "publish order"),
        (Event("r", "a", 0, "send", message="m", attributes={"name": "send m"}), ""),
        (Event("r", "a", 0, "send", message="1", attributes={"topic": "orders-1"}), "orders-1"),
        (
            Event("r", "a", 0, "send", message="m", attributes={"name": "x", "messaging.destination.name": "stock"}),
            "stock",
        ),
        (Event("r", "a", 0, "send", message="m", group="x" * 30 + "y" * 30), "x" * 20 + "…" + "y" * 19),
    ],
)
def test_a_message_is_about_its_topic_its_group_or_its_span(send: Event, title: str) -> None:
    assert title_of(send) == title


def test_a_name_is_the_title_and_then_the_id() -> None:
    ids = [f"{SPAN}/7a97c643656412a9", f"{SPAN}/0512bd1311072231", "m3"]
    assert name_messages(ids, {ids[0]: "orders", ids[1]: "stock"}) == {
        ids[0]: "orders (b8a1ab…412a9)",
        ids[1]: "stock (b8a1ab…72231)",
        "m3": "m3",
    }


def test_a_long_text_keeps_both_ends() -> None:
    assert cut_middle("0af76519-16cd-43dd-8448-eb211c80319c", 12) == "0af765…0319c"
    assert cut_middle("m1", 12) == "m1"


def test_texts_that_would_look_the_same_are_shown_from_where_they_differ() -> None:
    texts = [f"payments-service-{zone}-production-cluster" for zone in ("eu", "us")]
    assert tell_apart(texts, 14) == {texts[0]: "paym…eu-produ…", texts[1]: "paym…us-produ…"}


def test_texts_that_differ_too_far_apart_get_a_number() -> None:
    texts = ["x" * 100 + one + "y" * 100 + two + "z" * 100 for one in "ab" for two in "ab"]
    labels = tell_apart(texts, 12)
    assert list(labels.values()) == ["xxxx…ayyyyy…", "xxxx…ayyyy~2", "xxxx…byyyyy…", "xxxx…byyyy~2"]


@given(st.lists(st.text("ab", min_size=0, max_size=60)), st.integers(8, 30))
def test_labels_are_short_and_differ_if_the_texts_do(texts: list[str], chars_max: int) -> None:
    labels = tell_apart(texts, chars_max)
    assert set(labels) == set(texts)
    assert len(set(labels.values())) == len(labels)
    assert all(len(label) <= chars_max for label in labels.values())


def test_labels_differ_after_they_were_made_harmless() -> None:
    labels = tell_apart(["a\u200b", "a?"], ID_CHARS_MAX, lambda text: text.replace("\u200b", "?"))
    assert labels == {"a\u200b": "a?", "a?": "a?~2"}
