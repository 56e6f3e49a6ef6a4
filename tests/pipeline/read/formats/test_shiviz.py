"""The search through a ShiViz log, as a plain function of its text."""

import gzip

import pytest

from antecede.pipeline.errors import BadPattern
from antecede.pipeline.read.formats import shiviz

GOVECTOR = 'a {"a":1}\nstart\nb {"b":1, "a":1}\ngot it\na {"a":2}\nstop\n'


def read(text: str, regex: str | None = None, delimiter: str | None = None) -> tuple[list[shiviz.Row], int]:
    skipped = shiviz.Skipped()
    found = list(shiviz.rows(text, shiviz.layout(text, regex, delimiter), skipped))
    return found, skipped.lines


def test_the_index_is_the_hosts_own_entry_and_the_line_is_where_the_match_begins() -> None:
    rows, skipped = read(GOVECTOR)
    assert [(row.process, row.index, row.line, row.kind) for row in rows] == [
        ("a", 1, 1, "internal"),
        ("b", 1, 3, "internal"),
        ("a", 2, 5, "internal"),
    ]
    assert rows[1].attributes == {"event": "got it", "clock": '{"b": 1, "a": 1}'}
    assert skipped == 0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (GOVECTOR, "GoVector"),
        ('start\na {"a":1}\nstop\na {"a":2}\n', "default"),
        ('17 read x\nt1 {"t1":1}\n19 write x\nt1 {"t1":2}\n', "TSViz"),
        ('[INFO] [10/13/2014 04:23:20.113] [d-4] [akka://Broadcast/user/n0] {"n0" : 1} hello\n', "akka"),
        ('[2013-05-24 23:28:00,637 v.M] INFO init().\nm[1,2] {"m[1,2]":1}\n', "voldemort"),
        ('24.22.130.14 5/27/2013 10:53:39 AM GET /timeline\nalice {"alice":1}\n', "facebook"),
    ],
)
def test_the_known_expression_that_finds_most_is_taken(text: str, name: str) -> None:
    assert shiviz.layout(text).name == name
    assert all(row.reason is None for row in read(text)[0])


def test_plain_text_is_no_log() -> None:
    assert shiviz.recognised("the quick\nbrown fox {\n") is None
    assert shiviz.recognised(GOVECTOR) == "GoVector"


def test_a_log_may_bring_its_own_expression_and_delimiter() -> None:
    header = "(?<clock>{.*}) (?<host>\\w+): (?<event>.*)\n^--- (?<trace>.*) ---$\n"
    rows, skipped = read(header + '--- one ---\n{"a":1} a: x\n--- two ---\n{"a":1} a: y\nnoise\n')
    assert [(row.run, row.process, row.index, row.line) for row in rows] == [("one", "a", 1, 4), ("two", "a", 1, 6)]
    assert skipped == 1


def test_without_a_delimiter_the_header_is_one_line_or_one_and_a_blank() -> None:
    header = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n"
    assert [row.line for row in read(header + GOVECTOR)[0]] == [2, 4, 6]
    assert [row.line for row in read(header + "\n" + GOVECTOR)[0]] == [3, 5, 7]


def test_groups_of_a_users_expression_fill_the_columns_of_the_trace() -> None:
    regex = r"(?<host>\w+) (?<clock>{.*?}) (?<kind>\w+) (?<message>\w+)( to (?<dests>.*))?(?<event>)$"
    rows, _ = read('a {"a":1} SEND m1 to b, c\nb {"b":1} deliver m1\n', regex)
    assert [(row.kind, row.message, row.dests) for row in rows] == [("send", "m1", ["b", "c"]), ("deliver", "m1", None)]
    listed, _ = read('a {"a":1} send m1 to ["b b", "c"]\n', regex)
    assert listed[0].dests == ["b b", "c"]


def test_both_clocks_of_the_real_logs_are_seconds() -> None:
    (nanoseconds, _), _ = read('1500000000 x\nt {"t":1}\n1600000000 y\nt {"t":2}\n')
    assert nanoseconds.time == 1.5
    (dated,), _ = read('[INFO] [10/13/2014 00:00:01.500] [d] [akka://Broadcast/user/n] {"n" : 1} x\n')
    assert dated.time == 1413158401.5


@pytest.mark.parametrize(
    ("clock", "reason"),
    [
        ('{"b":1}', "has no entry for"),
        ('{"a":0}', "has no entry for"),
        ('{"a":-1}', "not an integer"),
        ('{"a":1.5}', "not an integer"),
        ('{"a":"1"}', "not an integer"),
        ('{"a":true}', "not an integer"),
        ('{"a":1,}', "not JSON"),
        ("{" + '"x":[' * 5000 + "}", "not JSON"),
        ('{"a":' + "9" * 30 + "}", "not an integer"),
    ],
)
def test_a_broken_clock_is_refused_with_its_line_and_the_rest_is_read(clock: str, reason: str) -> None:
    rows, _ = read(GOVECTOR + f"a {clock}\nevent\n" + 'b {"b":2}\nlast\n')
    bad = [row for row in rows if row.reason]
    assert [(row.line, reason in str(row.reason)) for row in bad] == [(7, True)]
    assert rows[-1].process == "b"
    assert rows[-1].line == 9


def test_a_million_characters_that_match_nothing_are_skipped_and_those_that_match_are_read() -> None:
    rows, skipped = read(GOVECTOR + "x" * 1_000_000 + "\n" + 'a {"a":3}\n' + "y" * 1_000_000 + "\n")
    assert [row.index for row in rows] == [1, 1, 2, 3]
    assert skipped == 1
    assert len((rows[-1].attributes or {})["event"]) == 1_000_000  # which the rules then refuse


def test_an_event_may_begin_within_a_short_line() -> None:
    rows, skipped = read('12:00 a {"a":1}\nx\n', shiviz.KNOWN["GoVector"])
    assert [(row.process, row.line) for row in rows] == [("a", 1)]
    assert skipped == 1


def test_bytes_that_are_not_utf8_spoil_their_own_event_only() -> None:
    text, damage = shiviz.decoded(GOVECTOR.encode() + b'a {"a":3}\n\xff\xfe\n')
    rows, _ = read(text)
    assert damage is None
    assert [row.reason for row in rows] == [None, None, None, "the text is not UTF-8"]
    assert rows[-1].row == 'a {"a":3}\n??'


def test_a_gzip_that_ends_early_gives_what_it_has() -> None:
    log = "".join(f'a {{"a":{n}}}\nevent {n * 7919}\n' for n in range(1, 2001)).encode()
    packed = gzip.compress(log)
    assert shiviz.decoded(packed) == (log.decode(), None)
    text, damage = shiviz.decoded(packed[: len(packed) // 2])
    assert damage is not None
    assert log.decode().startswith(text)
    assert len(read(text)[0]) > 100


@pytest.mark.parametrize(
    ("regex", "words"),
    [
        ("(?<host>a)(?<clock>b", "at character"),
        ("(?<host>a)(?<clock>b)", "(?<event>...)"),
        ("*", "at character 1"),
    ],
)
def test_a_wrong_expression_says_where_and_what_to_do(regex: str, words: str) -> None:
    with pytest.raises(BadPattern) as refusal:
        shiviz.compiled(regex, shiviz.REQUIRED_GROUPS)
    assert words in str(refusal.value)


def test_lookbehind_is_no_group_name() -> None:
    assert shiviz.compiled("(?<=x)(?<host>y)(?<!z)").search("xy") is not None
