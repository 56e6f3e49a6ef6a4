"""The search through a ShiViz log: its text, and whole files."""

import gzip
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from antecede.judge.events import RefusedRow
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.blocks import whole_file
from antecede.pipeline.read.files import InputFile, list_files
from antecede.pipeline.read.formats import shiviz
from antecede.pipeline.read.formats.expressions import SearchBudget
from antecede.pipeline.read.rows import ReadRows, Wanted

GOVECTOR = 'a {"a":1}\nstart\nb {"b":1, "a":1}\ngot it\na {"a":2}\nstop\n'
ALL = Wanted(all_columns=True)


def search(
    text: str | bytes, regex: str | None = None, delimiter: str | None = None
) -> tuple[list[shiviz.FoundEvent], list[RefusedRow], int]:
    """The events, the refused rows, and the lines skipped."""
    data = shiviz.clean(text if isinstance(text, bytes) else text.encode())
    budget = SearchBudget()
    found = list(shiviz.find_events(data, shiviz.choose_layout(data, regex, delimiter, budget), budget))
    return (
        [one for one in found if isinstance(one, shiviz.FoundEvent)],
        [one for one in found if isinstance(one, RefusedRow)],
        sum(one.lines for one in found if isinstance(one, shiviz.Skipped)),
    )


def read_file(path: Path, content: str | bytes, regex: str | None = None) -> ReadRows:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (file,) = list_files([str(path)])
    return join(list(shiviz.read(whole_file(file), ALL, regex)))


def join(parts: list[ReadRows]) -> ReadRows:
    events, refused = (pa.concat_tables([getattr(part, name) for part in parts]) for name in ("events", "refused"))
    return ReadRows(events, refused, tuple(note for part in parts for note in part.notes))


def test_the_index_is_the_hosts_own_entry_and_the_line_is_where_the_match_begins() -> None:
    found, _, skipped = search(GOVECTOR)
    assert [(one.event.process, one.event.index, one.line, one.event.kind) for one in found] == [
        ("a", 1, 1, "internal"),
        ("b", 1, 3, "internal"),
        ("a", 2, 5, "internal"),
    ]
    assert found[1].event.attributes == {"event": "got it", "clock": '{"b": 1, "a": 1}'}
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
    assert shiviz.recognise(text.encode()) == f"the {name} expression"
    found, refused, _ = search(text)
    assert found
    assert not refused


def test_plain_text_is_not_a_log() -> None:
    assert shiviz.recognise(b"the quick\nbrown fox {\n") is None
    assert shiviz.recognise(b"(?<host>(?<clock>(?<event>\n") is None


def test_a_log_may_bring_its_own_expression_and_delimiter() -> None:
    header = "(?<clock>{.*}) (?<host>\\w+): (?<event>.*)\n^--- (?<trace>.*) ---$\n"
    found, _, skipped = search(header + '--- one ---\n{"a":1} a: x\n--- two ---\n{"a":1} a: y\nnoise\n')
    assert [(one.event.run, one.event.process, one.event.index, one.line) for one in found] == [
        ("one", "a", 1, 4),
        ("two", "a", 1, 6),
    ]
    assert skipped == 1


def test_executions_without_names_are_numbered() -> None:
    found, _, _ = search(f"{GOVECTOR}---\n{GOVECTOR}---\n{GOVECTOR}", delimiter="^---$")
    assert [one.event.run for one in found] == ["", "", "", "1", "1", "1", "2", "2", "2"]


def test_without_a_delimiter_the_header_is_one_line_or_one_and_a_blank() -> None:
    header = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n"
    assert [one.line for one in search(header + GOVECTOR)[0]] == [2, 4, 6]
    assert [one.line for one in search(header + "\n" + GOVECTOR)[0]] == [3, 5, 7]


def test_groups_of_a_users_expression_fill_the_columns_of_the_trace() -> None:
    regex = r"(?<host>\w+) (?<clock>{.*?}) (?<kind>\w+) (?<message>\w+)( to (?<dests>.*))?(?<event>)$"
    found, _, _ = search('a {"a":1} SEND m1 to b, c\nb {"b":1} deliver m1\na {"a":2} send m2\n', regex)
    assert [(one.event.kind, one.event.message, one.event.dests) for one in found] == [
        ("send", "m1", ("b", "c")),
        ("deliver", "m1", None),
        ("send", "m2", None),  # to be inferred
    ]
    listed, _, _ = search('a {"a":1} send m1 to ["b b", "c"]\n', regex)
    assert listed[0].event.dests == ("b b", "c")


def test_without_messages_the_kind_is_an_attribute() -> None:
    regex = r"(?<host>\w+) (?<clock>{.*?}) (?<event>(?<kind>\w+).*)"
    found, refused, _ = search('a {"a":1} SEND hello\nb {"b":1, "a":1} Receive hello\n', regex)
    assert [(one.event.kind, (one.event.attributes or {})["kind"]) for one in found] == [
        ("internal", "send"),
        ("internal", "receive"),
    ]
    assert not refused


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ('1500000000 x\nt {"t":1}\n1600000000 y\nt {"t":2}\n', 1.5),
        ('[INFO] [10/13/2014 00:00:01.500] [d] [akka://Broadcast/user/n] {"n" : 1} x\n', 1413158401.5),
        ('24.22.130.14 5/27/2013 10:53:39 AM GET /timeline\nalice {"alice":1}\n', 1369652019.0),
        ('[2013-05-24 23:28:00,500 v.M] INFO init().\nm {"m":1}\n', 1369438080.5),
        ('[INFO] [13/13/2014 xx] [d] [akka://Broadcast/user/n] {"n" : 1} x\n', None),
    ],
)
def test_the_clocks_of_the_real_logs_are_seconds(text: str, seconds: float | None) -> None:
    assert search(text)[0][0].event.time == seconds


def test_a_timestamp_that_is_not_a_number_is_left_out() -> None:
    regex = r"(?<timestamp>\S+) (?<host>\w+) (?<clock>{.*?})(?<event>)"
    text = "".join(f'{stamp} a {{"a":{n}}}\n' for n, stamp in enumerate(["²", "9" * 5_000, "x"], start=1))
    assert [one.event.time for one in search(text, regex)[0]] == [None, None, None]


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
        ('{"a":' + "9" * 5_000 + "}", "not JSON"),
    ],
)
def test_a_broken_clock_is_refused_with_its_line_and_the_rest_is_read(clock: str, reason: str) -> None:
    found, refused, _ = search(GOVECTOR + f"a {clock}\nevent\n" + 'b {"b":2}\nlast\n')
    assert [(row.line, reason in row.reason) for row in refused] == [(7, True)]
    assert (found[-1].event.process, found[-1].line) == ("b", 9)


def test_a_million_characters_that_match_nothing_are_skipped_and_those_that_match_are_refused() -> None:
    long = "y" * 1_000_000
    found, refused, skipped = search(GOVECTOR + "x" * 1_000_000 + "\n" + f'a {{"a":3}}\n{long}\n')
    assert [one.event.index for one in found] == [1, 1, 2]
    assert [(row.line, row.reason, len(row.row)) for row in refused] == [
        (8, 'attributes["event"] has 1000000 characters; the limit is 65536', 1_000)
    ]
    assert skipped == 1


def test_an_event_may_begin_within_a_line() -> None:
    found, _, skipped = search('12:00 a {"a":1}\nx\n', shiviz.KNOWN["GoVector"])
    assert [(one.event.process, one.line) for one in found] == [("a", 1)]
    assert skipped == 1


def test_bytes_that_are_not_utf8_spoil_their_own_event_only() -> None:
    found, refused, _ = search(GOVECTOR.encode() + b'a {"a":3}\n\xff\xfe\n')
    assert len(found) == 3
    assert [(row.reason, row.row) for row in refused] == [("the text is not UTF-8", 'a {"a":3}\n??')]


def test_an_expression_that_cuts_a_letter_gives_no_error() -> None:
    found, _, _ = search("hä{}\n" + GOVECTOR, r"(?<event>h\C)(?<host>\C)(?<clock>{.*})|(?<x>no)")
    assert found == []
    (one,), _, _ = search('ä {"a":1} a', r"(?<event>\C) (?<clock>{.*}) (?<host>a)")
    assert (one.event.attributes or {})["event"] == "\ufffd"


@pytest.mark.parametrize("change", [lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
def test_windows_line_ends_and_a_byte_order_mark_mean_nothing(tmp_path: Path, change: object) -> None:
    assert callable(change)
    plain, changed = read_file(tmp_path / "log", GOVECTOR), read_file(tmp_path / "log", change(GOVECTOR))
    assert plain.events.num_rows == 3
    assert changed.events == plain.events


def test_a_file_is_read_with_its_position_and_a_note(tmp_path: Path) -> None:
    found = read_file(tmp_path / "a.log", GOVECTOR + "noise\n")
    assert found.events.schema == ALL.events
    assert found.events.select(["process", "index", "line", "file"]).to_pylist()[1] == {
        "process": "b",
        "index": 1,
        "line": 3,
        "file": str(tmp_path / "a.log"),
    }
    skipped = "; lines skipped because the expression does not match them: 1"
    assert found.notes == (f"{tmp_path}/a.log: read as a ShiViz log by the GoVector expression{skipped}",)
    given = read_file(tmp_path / "a.log", GOVECTOR, regex=shiviz.KNOWN["GoVector"])
    assert given.notes == (f"{tmp_path}/a.log: read as a ShiViz log by the given expression",)


def test_only_the_columns_that_are_wanted_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(GOVECTOR)
    (file,) = list_files([str(tmp_path)])
    (rows,) = shiviz.read(whole_file(file), Wanted())
    assert rows.events.schema == Wanted().events


def test_many_events_come_in_several_tables(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("".join(f'a {{"a":{n}}}\nevent\n' for n in range(1, 25_001)))
    (file,) = list_files([str(tmp_path)])
    parts = list(shiviz.read(whole_file(file), ALL))
    assert len(parts) == 3
    assert join(parts).events["index"].to_pylist() == list(range(1, 25_001))


def test_a_users_expression_gives_messages(tmp_path: Path) -> None:
    regex = r"^(?<host>\w+) (?<clock>{.*?}) (?<event>(?<kind>\w+) (?<message>\w+)).*$"
    lines = [f'a {{"a":{n}}} send m{n} {n * 7919 % 10007}\nb {{"b":{n}}} deliver m{n}\n' for n in range(1, 3001)]
    found = read_file(tmp_path / "log.gz", gzip.compress("".join(lines).encode()), regex=regex)
    assert found.events["kind"].to_pylist() == ["send", "deliver"] * 3_000
    assert found.events["dests"].null_count == 6_000


def test_a_damaged_file_has_one_refused_row_for_its_rest(tmp_path: Path) -> None:
    log = "".join(f'a {{"a":{n}}}\nevent {n * 7919}\n' for n in range(1, 20_001)).encode()
    packed = gzip.compress(log)
    found = read_file(tmp_path / "cut.log.gz", packed[: len(packed) // 2])
    assert 1_000 < found.events.num_rows < 20_000
    (damage,) = found.refused.to_pylist()
    assert damage["reason"].startswith("the file is damaged or ends early")
    assert damage["line"] > 2 * found.events.num_rows - 2


def test_a_wrong_expression_of_the_log_itself_is_a_refused_row(tmp_path: Path) -> None:
    found = read_file(tmp_path / "a.log", "(?<host>a)(?<clock>b)(?<event>c)(?=d)\n" + GOVECTOR)
    (row,) = found.refused.to_pylist()
    assert (row["line"], "lookaheads and lookbehinds are not supported" in row["reason"]) == (1, True)
    assert found.events.num_rows == 0


def test_a_hostile_expression_of_the_log_itself_does_not_stop_the_check(tmp_path: Path) -> None:
    """Python's engine needs more than 40 seconds for 28 letters of this."""
    hostile = r"^(?<host>(a+)+)(?<clock>{.*})(?<event>.*)$"
    found = read_file(tmp_path / "a.log", f"{hostile}\n\n" + ("a" * 28 + "\n") * 10_000 + 'a{"a":1}x\n')
    assert found.events.num_rows == 1
    assert found.refused.num_rows == 0


def test_a_search_that_takes_too_long_ends_in_a_refused_row(tmp_path: Path) -> None:
    slow = r"(?<host>a)(?<clock>{.*?})(?<event>[\s\S]*[^\s\S]|x)"
    path = tmp_path / "a.log"
    path.write_text("".join(f'a{{"a":{n}}}x\n' for n in range(1, 100_001)))
    (file,) = list_files([str(path)])
    found = join(list(shiviz.read(whole_file(file), ALL, slow, budget=SearchBudget(0.2))))
    assert 0 < found.events.num_rows < 100_000
    (row,) = found.refused.to_pylist()
    assert row["reason"].startswith("the search for events took too long and was stopped")
    assert row["line"] == found.events.num_rows


def test_a_file_that_is_too_large_is_refused_before_it_is_read() -> None:
    small, large = InputFile("/small", "/small", 256 << 20), InputFile("/large", "/large", (256 << 20) + 1)
    shiviz.refuse_large_files([small])
    with pytest.raises(UnreadableInput, match=r"/large: 268435457 bytes, and a ShiViz log is searched whole"):
        shiviz.refuse_large_files([small, large])


def test_random_bytes_are_read_without_an_error(tmp_path: Path) -> None:
    random = Random(7)
    parts = [
        b'a {"a":',
        b"}",
        b"\n",
        b"\r\n",
        b"\xff",
        b"\x00",
        "ü".encode(),
        b"=== x ===",
        b"(?<host>",
        b"(?<clock>(?<event>",
    ]
    for number in range(300):
        content = b"".join(random.choice([*parts, random.randbytes(3)]) for _ in range(random.randint(1, 200)))
        found = read_file(tmp_path / str(number), content)
        assert found.events.schema == ALL.events
        found.events.validate(full=True)
        found.refused.validate(full=True)
