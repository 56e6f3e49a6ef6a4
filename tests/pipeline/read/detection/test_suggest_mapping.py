"""The mapping that is proposed for a log in a format of its own."""

import json
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.pipeline.read.blocks import whole_file
from antecede.pipeline.read.detection.head_sample import take_sample
from antecede.pipeline.read.detection.suggest_mapping import kind_of_word, suggest_mapping
from antecede.pipeline.read.files import list_files
from antecede.pipeline.read.formats import mapped
from antecede.pipeline.read.rows import Wanted

LOG = [
    {
        "ts": "2023-11-14T22:13:20.1Z",
        "level": "info",
        "service": "orders",
        "event": "message_sent",
        "msg_id": "m1",
        "to": "b",
    },
    {"ts": "2023-11-14T22:13:20.2Z", "level": "info", "service": "b", "event": "message_received", "msg_id": "m1"},
    {"ts": "2023-11-14T22:13:20.3Z", "level": "warn", "service": "b", "event": "tick"},
]


def lines(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_an_ordinary_application_log() -> None:
    assert suggest_mapping(lines(LOG)) == {  # type: ignore[arg-type]  # rows of different fields
        "process": "service",
        "time": "ts",
        "kind": {"field": "event", "send": ["message_sent"], "receive": ["message_received"]},
        "message": "msg_id",
        "dests": "to",
        "attributes": ["level"],
    }


@pytest.mark.parametrize(
    ("steps", "arrivals"),
    [
        (["consumed", "handled"], {"receive": ["consumed"], "deliver": ["handled"]}),
        (["received", "consumed", "handled"], {"receive": ["received", "consumed"], "deliver": ["handled"]}),
        (["arrived", "dequeued"], {"receive": ["arrived"], "deliver": ["dequeued"]}),
        (["consumed", "consumed"], {"deliver": ["consumed"]}),
        (["consumed", "handled", "consumed"], {"receive": ["consumed"], "deliver": ["handled"]}),
    ],
)
def test_the_last_step_of_an_arrival_is_the_deliver(steps: list[str], arrivals: dict[str, list[str]]) -> None:
    rows: list[dict[str, object]] = []
    for number in range(6):
        kept = steps if number == 1 else list(dict.fromkeys(steps))  # one message comes again
        rows += [{"service": "a", "event": "published", "msg_id": f"m{number}"}]
        rows += [{"service": "b", "event": step, "msg_id": f"m{number}"} for step in kept]
    assert suggest_mapping(lines(rows))["kind"] == {"field": "event", "send": ["published"], **arrivals}


def test_two_values_for_arrivals_at_different_processes_are_both_delivers() -> None:
    rows: list[dict[str, object]] = [{"service": "a", "event": "published", "msg_id": "m"}]
    rows += [{"service": name, "event": event, "msg_id": "m"} for name, event in (("b", "consumed"), ("c", "handled"))]
    assert suggest_mapping(lines(rows))["kind"]["deliver"] == ["consumed", "handled"]


def test_csv() -> None:
    head = b"time,node,op,message,dest,size\n1,a,SEND,m1,b,10\n2,b,DELIVERED,m1,,10\n3,b,THINK,,,\n"
    assert suggest_mapping(head) == {
        "process": "node",
        "time": "time",
        "kind": {"field": "op", "send": ["SEND"], "deliver": ["DELIVERED"]},
        "message": "message",
        "dests": "dest",
        "attributes": ["size"],
    }


def test_names_decide_if_values_do_not() -> None:
    row = {
        "meta": {"hostName": "a", "run_id": "r"},
        "@timestamp": 1.7e12,
        "type": "x",
        "id": 7,
        "recipients": ["b"],
        "seq": 1,
    }
    assert suggest_mapping(lines([row])) == {
        "run": "meta.run_id",
        "process": "meta.hostName",
        "index": "seq",
        "time": "@timestamp",
        "kind": {"field": "type", "send": [], "deliver": []},
        "message": "id",
        "dests": "recipients",
    }


def test_values_decide_if_names_do_not() -> None:
    rows: list[dict[str, object]] = []
    for n in range(10):
        rows.append(
            {"day": f"2023-11-14 22:13:{n:02}", "alpha": "x", "beta": "publishOrder", "gamma": f"o{n}", "topic": "t"}
        )
        rows.append(
            {"day": f"2023-11-14 22:13:{n:02}", "alpha": "y", "beta": "orderConsumed", "gamma": f"o{n}", "topic": "t"}
        )
    assert suggest_mapping(lines(rows)) == {
        "process": "alpha",
        "time": "day",
        "kind": {"field": "beta", "send": ["publishOrder"], "deliver": ["orderConsumed"]},
        "message": "gamma",
        "attributes": ["topic"],
    }


def test_an_index_that_does_not_grow_is_not_proposed() -> None:
    rows: list[dict[str, object]] = [{"process": "a", "seq": 1}, {"process": "b", "seq": 1}, {"process": "a", "seq": 1}]
    assert "index" in suggest_mapping(lines(rows[:2]))
    assert "index" not in suggest_mapping(lines(rows))


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("SEND", "send"),
        ("message_sent", "send"),
        ("publishOrder", "send"),
        ("msg.received", "receive"),
        ("ReceiveTokenTrace", "receive"),
        ("delivered", "deliver"),
        ("consume", "deliver"),
        ("ascend", None),
        ("tick", None),
        ("", None),
    ],
)
def test_words_that_speak_of_a_kind(word: str, kind: str | None) -> None:
    assert kind_of_word(word) == kind


def test_from_an_application_log_to_a_verdict_in_one_attempt(tmp_path: Path) -> None:
    """b handles the reply of c before the order that caused it."""

    def row(at: int, service: str, event: str, **more: object) -> dict[str, object]:
        return {"ts": f"2023-11-14T22:13:{at:02}Z", "service": service, "event": event, **more}

    log = lines(
        [
            row(1, "a", "sent", msg_id="m1", to=["b"]),
            row(2, "a", "sent", msg_id="m2", to=["c"]),
            row(3, "c", "handled", msg_id="m2"),
            row(4, "c", "sent", msg_id="m3", to=["b"]),
            row(5, "b", "handled", msg_id="m3"),
            row(6, "b", "handled", msg_id="m1"),
        ]
    )
    (tmp_path / "app.log").write_bytes(log)
    (file,) = list_files([str(tmp_path / "app.log")])
    mapping = mapped.load_mapping(json.dumps(suggest_mapping(log)))
    (rows,) = mapped.read(whole_file(file), Wanted(), mapping)
    assert rows.refused.num_rows == 0
    numbered = rows.events.set_column(2, "index", rows.events["line"])  # as a later stage does
    names = ("run", "process", "index", "kind", "message", "dests")
    events = [
        Event(**{**one, "dests": one["dests"] and tuple(one["dests"])})
        for one in pa.table(numbered).select(names).to_pylist()
    ]
    verdict = judge(events)
    assert (verdict.verdict, verdict.violations) == ("violated", 1)


def test_what_is_proposed_is_a_mapping_whatever_the_file_is() -> None:
    random = Random(9)
    words = ["process", "ts", "event", "send", "id", "a.b", "$x", "x[0]", "", "to", "ü"]

    def value(depth: int = 0) -> object:
        kinds = [None, True, 5, 1.7e9, "sent", "got", random.choice(words), [], [random.choice(words)], "2023-11-14"]
        return {random.choice(words): value(depth + 1)} if depth < 6 and random.random() < 0.2 else random.choice(kinds)

    for _ in range(300):
        rows: list[dict[str, object]] = [
            {random.choice(words): value() for _ in range(5)} for _ in range(random.randint(1, 12))
        ]
        head = lines(rows)[: random.randint(1, 2_000)]
        proposed = suggest_mapping(head)
        if "process" in proposed:
            mapped.check_mapping(proposed)
        take_sample(head).describe()


@pytest.mark.parametrize(
    "head", [b"", b"hello\nworld\n", b"\x00\xff" * 1_000, b"[" * 10_000, b'{"a":' * 10_000, b",,,\n" * 50]
)
def test_nothing_is_proposed_for_what_has_no_fields(head: bytes) -> None:
    assert suggest_mapping(head) == {}
