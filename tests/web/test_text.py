"""Text from logs is hostile; numbers are for people."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.web.text import (
    data_size,
    duration,
    make_visible,
    moment,
    name,
    number,
    percent,
    plural,
    safe,
)

ANY_TEXT = st.text(st.characters(), max_size=400)


@given(ANY_TEXT, st.integers(2, 300))
def test_safe_text_can_not_leave_its_place(text: str, chars_max: int) -> None:
    shown = safe(text, chars_max)
    assert not set("<>\"'") & set(shown)
    assert shown.encode().decode() == shown  # a lone surrogate would raise
    assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown)


@given(ANY_TEXT, st.integers(2, 300))
def test_visible_text_is_bounded_and_keeps_plain_text_whole(text: str, chars_max: int) -> None:
    assert len(make_visible(text, chars_max)) <= 2 * chars_max + 1
    plain = "".join(char for char in text if char.isascii() and char.isprintable())[:chars_max]
    assert make_visible(plain, chars_max) == plain


def test_a_name_of_65536_characters_is_cut_with_an_ellipsis() -> None:
    assert name("x" * 65_536) == "x" * 47 + "…"


def test_what_is_invisible_is_shown_by_its_code_point() -> None:
    assert make_visible("pay\u202eroll") == "pay[U+202E]roll"
    assert make_visible("a\u200bb") != make_visible("ab")
    assert make_visible("\x00\ud800") == "[U+0000][U+D800]"
    assert make_visible("two\nlines\tand") == "two lines and"


def test_marks_do_not_pile_up() -> None:
    assert make_visible("e" + "\u0301" * 9).count("\u0301") == 4


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (3e-8, "30 ns"),
        (1.25e-5, "12.5 µs"),
        (0.0032, "3.2 ms"),
        (0.9999, "1 s"),
        (-0.25, "-250 ms"),
        (90, "90 s"),
        (600, "10 min"),
        (86_400, "24 h"),
        (86_400 * 1000, "1,000 d"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_durations(seconds: float | None, shown: str) -> None:
    assert duration(seconds) == shown


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_every_number_has_a_form(value: float) -> None:
    for shown in (duration(value), number(value), moment(value)):
        assert shown
        assert "e+" not in shown


def test_moments_are_dates_only_where_they_can_be() -> None:
    assert moment(1_760_000_000.25) == "2025-10-09 08:53:20.25 UTC"
    assert moment(12.5) == "12.5 s"


def test_counts_and_shares() -> None:
    assert number(12_345) == "12,345"
    assert plural(1, "run") == "1 run"
    assert plural(2, "process", "processes") == "2 processes"
    assert percent(1, 1_000_000) == "less than 0.1 %"
    assert percent(999_999, 1_000_000) == "more than 99.9 %"
    assert percent(1, 0) == "–"
    assert data_size(32_600) == "32.6 kB"
