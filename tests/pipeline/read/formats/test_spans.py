"""From spans to events: which send an arrival answers to, in which order, and the same over several parts."""

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from antecede.pipeline.read.formats import spans as resolution
from antecede.pipeline.read.formats.spans import SPANS, resolve_spans
from antecede.pipeline.read.rows import Wanted

Row = dict[str, Any]


def span(
    number: int,
    role: str,
    process: str | None = "p",
    *,
    keys: Sequence[str] = (),
    arrivals: Sequence[Sequence[str]] = ((),),
    start: int | None = None,
    **more: Any,
) -> Row:
    """Return a span. Its number is its line, its id and its own key, and its start if no start is given."""
    order = number if start is None else start
    own = f"{number:04x}"
    return {
        "file": "f",
        "line": number,
        "span": own,
        "role": role,
        "process": process,
        "start": order / 1e9,
        "start_order": order,
        "keys": [*keys, own],
        "arrivals": [list(one) for one in arrivals],
        **more,
    }


def table(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), SPANS)


def told(*rows: Row) -> list[tuple[str, str | None, int]]:
    """Return the kind, the message and the index of the events of spans, in the order of the spans."""
    events, _ = resolve_spans(table(rows))
    return [(row["kind"], row["message"], row["index"]) for row in events.to_pylist()]


def kinds(*rows: Row) -> list[tuple[str, str | None]]:
    return [(kind, message) for kind, message, _ in told(*rows)]


def test_no_spans_are_no_events() -> None:
    events, unnamed = resolve_spans(SPANS.empty_table())
    assert events.schema == Wanted(all_columns=True).events
    assert (events.num_rows, unnamed) == (0, 0)


def test_events_have_the_columns_of_a_trace() -> None:
    given: dict[str, Any] = {"group": "g", "payload_bytes": 5, "attributes": [("k", "v")], "dests": ["b"]}
    events, _ = resolve_spans(table([span(3, "send", keys=["m"], **given)]))
    assert events.schema == Wanted(all_columns=True).events
    assert events.to_pylist() == [
        {
            "run": "",
            "process": "p",
            "index": 0,
            "kind": "send",
            "time": 3e-9,
            "message": "m",
            "dests": ["b"],
            "group": "g",
            "payload_bytes": 5,
            "control_bytes": None,
            "control_entries": None,
            "attributes": [("k", "v")],
            "file": "f",
            "line": 3,
        }
    ]


def test_the_first_key_that_a_send_answers_to_gives_the_message() -> None:
    sends = [span(1, "send", keys=["m1", "k"]), span(2, "send", keys=["m2"])]
    arrival = span(3, "deliver", "q", arrivals=[["none", "k", "m2"]], own_name="own")
    assert kinds(*sends, arrival)[-1] == ("deliver", "m1")
    assert kinds(arrival)[-1] == ("deliver", "own")
    assert kinds({**arrival, "own_name": None})[-1] == ("internal", None)
    assert kinds({**arrival, "role": "server"})[-1] == ("internal", None)
    assert kinds(*sends, {**arrival, "role": "server"})[-1] == ("deliver", "m1")


def test_the_earliest_send_of_a_key_is_meant_and_then_the_first_name() -> None:
    late, early = span(1, "send", keys=["late", "k"], start=9), span(2, "send", keys=["early", "k"], start=5)
    arrival = span(3, "deliver", "q", arrivals=[["k"]])
    assert kinds(late, early, arrival)[-1] == ("deliver", "early")
    assert kinds({**late, "start_order": 5}, early, arrival)[-1] == ("deliver", "early")
    assert kinds({**late, "start_order": 5}, {**early, "keys": ["zzz", "k"]}, arrival)[-1] == ("deliver", "late")


def test_a_client_is_a_send_if_an_arrival_found_it() -> None:
    answered, ignored = span(1, "client"), span(2, "client")
    server = span(3, "server", "q", arrivals=[["0001"]])
    assert kinds(answered, ignored, server) == [("send", "0001"), ("internal", None), ("deliver", "0001")]
    # The arrival has a better key, so that the client was not called.
    better = span(4, "send", keys=["m"])
    assert kinds(answered, better, {**server, "arrivals": [["m", "0001"]]})[0] == ("internal", None)
    # Of two clients with the same message, the earlier one was called.
    twice = [span(5, "client", keys=["m"]), span(6, "client", keys=["m"])]
    assert [kind for kind, _ in kinds(*twice, {**server, "arrivals": [["m"]]})] == ["send", "internal", "deliver"]
    assert [kind for kind, _ in kinds(twice[0], twice[0], {**server, "arrivals": [["m"]]})][:2] == ["send", "internal"]


def test_receives_without_a_later_deliver_at_the_process_are_delivers() -> None:
    send = span(1, "send", keys=["m"])
    receive, deliver = (span(n, role, "q", arrivals=[["m"]]) for n, role in ((2, "receive"), (3, "deliver")))
    assert [kind for kind, _ in kinds(send, receive)] == ["send", "deliver"]
    assert [kind for kind, _ in kinds(send, receive, deliver)] == ["send", "receive", "deliver"]
    assert [kind for kind, _ in kinds(send, receive, {**deliver, "process": "r"})] == ["send", "deliver", "deliver"]
    assert [kind for kind, _ in kinds(send, receive, {**deliver, "role": "server"})] == ["send", "deliver", "deliver"]


def test_a_batch_is_one_event_for_each_message() -> None:
    sends = [span(1, "send", keys=["m1"]), span(2, "send", keys=["m2"])]
    batch = span(3, "receive", "q", arrivals=[["m2"], ["x", "m1"], ["y"], []], own_name="not used", start=1)
    after = span(4, "internal", "q")
    events, unnamed = resolve_spans(table([*sends, batch, after]))
    rows = [row for row in events.to_pylist() if row["process"] == "q"]
    assert [(row["index"], row["kind"], row["message"]) for row in rows] == [
        (0, "deliver", "m2"),
        (1, "deliver", "m1"),
        (2, "deliver", "y"),
        (3, "internal", None),
        (4, "internal", None),
    ]
    assert {row["line"] for row in rows[:4]} == {3}
    assert unnamed == 1


def test_spans_of_several_files_keep_their_file() -> None:
    parts = [
        [span(1, "send", file="f", attributes=[("k", "v")])],
        [span(2, "receive", "q", arrivals=[["0001"], ["x"]], file="g")],
    ]
    events, _ = resolve_spans(pa.concat_tables([table(rows) for rows in parts]))
    assert [(row["file"], row["message"], row["attributes"]) for row in events.to_pylist()] == [
        ("f", "0001", [("k", "v")]),
        ("g", "0001", None),
        ("g", "x", None),
    ]


def test_arrivals_of_spans_that_do_not_receive_mean_nothing() -> None:
    batch = [["0001"], ["0001"]]
    assert kinds(span(1, "client"), span(2, "internal", arrivals=batch)) == [("internal", None)] * 2
    assert kinds(span(1, "send"), span(2, "send", arrivals=batch)) == [("send", "0001"), ("send", "0002")]


def test_lists_that_are_missing_are_empty() -> None:
    bare = {"keys": None, "arrivals": None}
    assert kinds(*({**span(n, role), **bare} for n, role in enumerate(resolution.ROLES))) == [("internal", None)] * 6


def test_events_of_a_process_come_by_start_then_span_then_file_then_line() -> None:
    rows = [
        span(1, "internal", start=7),
        span(2, "internal", start=5, span="b"),
        span(3, "internal", start=5, span="a", file="g"),
        span(9, "internal", start=5, span="a"),
        span(4, "internal", start=5, span="a"),
        span(5, "internal", "q", start=1),
        span(6, "internal", None, start=2),
        span(7, "internal", "", start=1),
    ]
    assert [index for _, _, index in told(*rows)] == [4, 3, 2, 1, 0, 0, 1, 0]


# The same, said naively.


def naive(rows: Sequence[Row]) -> list[Row]:
    """Return the events of spans, one after the other."""
    answers: dict[str, tuple[Any, ...]] = {}
    for number, row in enumerate(rows):
        if row["role"] in ("send", "client"):
            for key in row["keys"]:
                answers[key] = min(answers.get(key, (2**63,)), (row["start_order"], row["keys"][0], number))
    events, called = [], set()
    for number, row in enumerate(rows):
        if row["role"] not in ("receive", "deliver", "server"):
            events.append({**row, "number": number, "nth": -1, "name": None})
            continue
        for nth, keys in enumerate(row["arrivals"]):
            found = next((answers[key] for key in keys if key in answers), None)
            own = (keys[0] if keys else None) if len(row["arrivals"]) > 1 else row.get("own_name")
            name = found[1] if found else None if row["role"] == "server" else own
            called |= {found[2]} if found else set()
            events.append({**row, "number": number, "nth": nth, "name": name})
    for event in events:
        if event["role"] == "send" or (event["role"] == "client" and event["number"] in called):
            event["name"] = event["keys"][0]
    processed = {(event["process"], event["name"]) for event in events if event["role"] == "deliver"}
    by_process = defaultdict(list)
    for event in events:
        is_kept = event["role"] == "receive" and (event["process"], event["name"]) in processed
        kind = "send" if event["role"] in ("send", "client") else "receive" if is_kept else "deliver"
        event["kind"] = kind if event["name"] is not None else "internal"
        by_process[event["process"]].append(event)
    for own in by_process.values():
        own.sort(key=lambda event: (event["start_order"], event["span"], event["nth"], event["file"], event["line"]))
        for index, event in enumerate(own):
            event["index"] = index
    return events


def random_spans(rng: random.Random) -> list[Row]:
    """Return spans with few keys, starts and ids, so that many are equal. No two have the same line."""
    keys = [f"k{n}" for n in range(rng.randint(1, 12))]

    def some(count: int) -> list[str]:
        return [rng.choice(keys) for _ in range(rng.randint(0, count))]

    return [
        span(
            number,
            rng.choice(resolution.ROLES),
            rng.choice(["p", "q", "r", None]),
            keys=some(2),
            arrivals=[some(3) for _ in range(rng.choice([1, 1, 1, 2, 3]))],
            start=rng.randint(1, 10),
            span=rng.choice("abcd"),
            own_name=rng.choice([None, *keys]),
            file=rng.choice("fg"),
        )
        for number in range(rng.randint(0, 40))
    ]


def compared(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Return rows of events in one order, so that they can be compared."""
    return sorted((row["line"], row["index"], row["kind"], row.get("message", row.get("name")) or "") for row in rows)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_random_spans_give_what_the_naive_form_gives(first: int) -> None:
    for seed in range(first, first + 100):
        rows = random_spans(random.Random(seed))
        events, _ = resolve_spans(table(rows))
        assert compared(events.to_pylist()) == compared(naive(rows)), f"seed {seed}"


# The same, over several parts.


def deal(rows: pa.Table, parts: int, owner: str) -> list[pa.Table]:
    """Return the rows in parts: those with the same value in the column `owner` in one."""
    place = [crc32(repr(value).encode()) % parts for value in rows[owner].to_pylist()]
    return [rows.filter(pa.array([at == part for at in place], pa.bool_())) for part in range(parts)]


def resolve_in_parts(rows: Sequence[Row], cuts: Sequence[int], parts: int) -> tuple[pa.Table, int]:
    edges = [0, *cuts, len(rows)]
    listed = [
        resolution.list_rows(table(rows[a:b]), first_row=1_000 * part, parts=parts)
        for part, (a, b) in enumerate(pairwise(edges))
    ]
    own, keys = (pa.concat_tables(tables) for tables in zip(*listed, strict=True))
    answers = pa.concat_tables([resolution.answer_keys(one) for one in deal(keys, parts, "key")])
    names = pa.concat_tables([resolution.choose_answers(one) for one in deal(answers, parts, "row")])
    named = [
        resolution.name_rows(*(one.filter(pc.equal(one["home"], part)) for one in (own, names)))
        for part in range(parts)
    ]
    return pa.concat_tables(map(resolution.make_events, named)), sum(map(resolution.count_unnamed, named))


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_spans_in_several_parts_give_the_same_events(first: int) -> None:
    for seed in range(first, first + 50):
        rng = random.Random(seed)
        rows = random_spans(rng)
        cuts = sorted(rng.randint(0, len(rows)) for _ in range(rng.randint(0, 4)))
        events, unnamed = resolve_spans(table(rows))
        parted, also_unnamed = resolve_in_parts(rows, cuts, rng.randint(1, 5))
        assert (parted.schema, also_unnamed) == (events.schema, unnamed)
        assert compared(parted.to_pylist()) == compared(events.to_pylist()), f"seed {seed}"
