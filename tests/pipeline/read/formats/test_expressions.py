"""Expressions of other people: which are refused and why, and that a hostile one ends."""

import re
import time
from random import Random

import pytest

from antecede.pipeline.errors import BadPattern
from antecede.pipeline.read.formats.expressions import (
    MATCH_BYTES_MAX,
    SearchBudget,
    SearchStopped,
    compile_expression,
    find_matches,
)
from antecede.pipeline.read.formats.shiviz import DELIMITER, KNOWN, REQUIRED_GROUPS


def find(expression: str, data: bytes, seconds_max: float = 10.0) -> list[tuple[int, int]]:
    pattern = compile_expression(expression)
    return [match.span() for match in find_matches(pattern, data, 0, len(data), SearchBudget(seconds_max))]


@pytest.mark.parametrize("expression", [*KNOWN.values(), DELIMITER])
def test_the_known_expressions_find_what_they_find_in_python(expression: str) -> None:
    text = (
        '=== one ===\n12 x\nb {"b":1}\nc {"c":1} \n'
        '[INFO] [10/13/2014 04:23:20.113] [d-4] [akka://Broadcast/user/n0] {"n0" : 1} hällo\n\n'
        '[2013-05-24 23:28:00,637 v.M] INFO init().\nm[1,2] {"m[1,2]":1}  \n=== two ===\n'
        '24.22.130.14 5/27/2013 10:53:39 AM GET /timeline\nalice {"alice":1}\nlast {"x"'
    )
    same = re.compile(re.sub(r"\(\?<", "(?P<", expression), re.MULTILINE | re.ASCII)
    spans = [(len(text[: m.start()].encode()), len(text[: m.end()].encode())) for m in same.finditer(text)]
    assert find(expression, text.encode()) == spans


@pytest.mark.parametrize(
    ("regex", "words"),
    [
        ("(?<host>a)(?<clock>b", "at character 20: missing )"),
        ("(?<host>a)(?<clock>b)", "(?<event>...)"),
        ("*", "at character 1: no argument for repetition operator"),
        ("a[b", "at character 2: missing ]"),
        ("a(?=b)", "at character 2: lookaheads and lookbehinds are not supported"),
        ("(?!b)a", "at character 1: lookaheads and lookbehinds are not supported"),
        ("(?<=x)(?<host>y)(?<!z)", "at character 1: lookaheads and lookbehinds are not supported"),
        ("(?<host>y)(?<!z)", "at character 11: lookaheads and lookbehinds are not supported"),
        (r"(a)\1", "at character 4: references to a group are not supported"),
        (r"(?<a>x)\k<a>", "references to a group are not supported"),
        ("(?P<a>x)(?P=a)", "references to a group are not supported"),
        ("x" * 10_001, "has 10,001 characters"),
        ("(.{0,30}){0,30}", "steps at each character"),
        ("\udc80", "at character 1: it is not UTF-8"),
    ],
)
def test_a_wrong_expression_says_where_and_what_to_do(regex: str, words: str) -> None:
    with pytest.raises(BadPattern) as refusal:
        compile_expression(regex, REQUIRED_GROUPS)
    assert words in str(refusal.value)


def test_letters_may_be_escaped_as_in_javascript() -> None:
    assert find(r"\u00e4\/", "xä/".encode()) == [(1, 4)]
    assert find(r"\\u00e4", rb"\u00e4") == [(0, 6)]


@pytest.mark.parametrize(
    ("expression", "data"),
    [
        ("(a+)+$b", b"a" * 100_000),
        ("(a|aa)+$b", b"a" * 100_000),
        ("(.*)*,(.*)*;", b"x" * 100_000),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", b"a" * 100_000),
    ],
)
def test_expressions_that_run_for_days_in_python_end_at_once(expression: str, data: bytes) -> None:
    begin = time.process_time()
    assert find(expression, data) == []
    assert time.process_time() - begin < 2


def test_a_search_that_looks_far_ahead_at_every_match_is_stopped() -> None:
    begin = time.process_time()
    with pytest.raises(SearchStopped):
        find(r"[\s\S]*[^A-Z]|[A-Z]", b"A" * 1_000_000, seconds_max=0.5)
    assert time.process_time() - begin < 10


def test_an_expression_that_makes_every_byte_costly_is_stopped() -> None:
    data = (bytes(Random(1).choices(b"ab", k=600_000)) + b"\n") * 8
    begin = time.process_time()
    with pytest.raises(SearchStopped):
        find("a[ab]{60}c", data, seconds_max=0.1)
    assert time.process_time() - begin < 20


def test_matches_are_found_across_the_parts_that_are_searched() -> None:
    lines = [b"x" * (n * 7919 % 100_000) + b" hit %d" % n for n in range(300)]
    data = b"\n".join(lines)
    assert len(data) > 4 * MATCH_BYTES_MAX
    found = [data[start:end] for start, end in find(r"x* hit \d+$", data)]
    assert found == lines


def test_a_match_over_the_limit_is_not_cut() -> None:
    long = b"y" * (3 * MATCH_BYTES_MAX)
    data = b"one {1}\n" + long + b" {2}\nthree {3}\n"
    found = [data[start:end] for start, end in find(r"^(.*) {\d}$", data)]
    assert found == [b"one {1}", b"three {3}"]


def test_empty_matches_are_ignored() -> None:
    assert find("x*", b"aaa\nxx\n\nbxx") == [(4, 6)]
