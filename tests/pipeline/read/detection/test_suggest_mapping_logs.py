"""Application logs in the styles of several teams: each has a violation, which the proposed mapping must show."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from antecede.pipeline.check import check
from antecede.pipeline.read.detection.suggest_mapping import describe_suggestion, suggest_mapping
from antecede.pipeline.runner import InProcess

NAMES = {"a": "orders", "b": "billing", "c": "mailer"}
STORY = [
    *(("a", "send", "m1", "b"), ("a", "send", "m2", "c"), ("c", "get", "m2", "a"), ("c", "send", "m3", "b")),
    *(("b", "get", "m3", "c"), ("b", "get", "m1", "a"), ("b", "send", "m4", "a"), ("a", "get", "m4", "b")),
    *(("b", "send", "m5", "c"), ("c", "get", "m5", "b"), ("c", "send", "m6", "a"), ("a", "get", "m6", "c")),
]
"""At a process, a message is sent to another or comes from another. b gets m3 before m1, which may have caused it."""
START = 1_700_000_000


def story() -> Iterator[tuple[int, str, bool, str, str]]:
    """Yield the number of each event, its process, whether it is a send, its message, and the other process."""
    for number, (process, kind, message, other) in enumerate(STORY):
        yield number, NAMES[process], kind == "send", message, NAMES[other]


def nested(number: int, process: str, is_send: bool, message: str, other: str) -> dict[str, Any]:
    """Return a line with objects in objects."""
    data = {"message_id": f"{message}-7f", **({"to": [other]} if is_send else {"from": other})}
    meta = {"svc": process, "env": "prod"}
    event = "order.published" if is_send else "order.consumed"
    return {"@timestamp": iso(number), "meta": meta, "log": {"level": "INFO"}, "event": {"name": event, "data": data}}


def logfmt(number: int, process: str, is_send: bool, message: str, other: str) -> dict[str, Any]:
    """Return a line of `logfmt` as JSON, where each value is text."""
    where = {"to": other} if is_send else {"from": other}
    said = {
        "msg": "sent message" if is_send else "received message",
        "mid": message,
        **where,
        "bytes": str(100 + number),
    }
    return {"ts": iso(number), "level": "info", "svc": process, "caller": "bus.go:41", **said}


def camel_case(number: int, process: str, is_send: bool, message: str, other: str) -> dict[str, Any]:
    where = {"toService": other} if is_send else {"fromService": other}
    names = {"appName": process, "eventType": "MessageSent" if is_send else "MessageReceived", "messageId": message}
    return {"logTime": iso(number), **names, **where, "threadName": "worker-1"}


def kafka(number: int, process: str, is_send: bool, message: str, other: str) -> dict[str, Any]:
    """Return a line of a client of Kafka: the topic is not a process, and offsets repeat."""
    names = {"clientId": process, "topic": "orders", "partition": number % 2, "offset": number // 2}
    return {
        "timestamp": iso(number),
        "op": "produce" if is_send else "consume",
        **names,
        "headers": {"eventId": message},
    }


def epoch_millis(number: int, process: str, is_send: bool, message: str, other: str) -> dict[str, Any]:
    where = {"targetNode": other} if is_send else {}
    body = {"action": "dispatchCommand" if is_send else "handleCommand", "commandId": f"c-{message}", **where}
    return {"epochMillis": (START + number) * 1_000, "nodeName": process, **body, "payloadBytes": 10 * number}


def python_logger(number: int, process: str, is_send: bool, message: str, other: str) -> dict[str, Any]:
    """Return a line of a team that has one logger for each of its services."""
    where = {"dest": other} if is_send else {"from": other}
    said = {"logger": process, "message": "publishing" if is_send else "handling", "msg_id": message}
    return {"asctime": iso(number), "levelname": "INFO", **said, **where}


def iso(number: int) -> str:
    return datetime.fromtimestamp(START + number, UTC).isoformat()


def to_lines(style: Callable[..., dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(style(*event))}\n" for event in story()).encode()


def to_csv() -> bytes:
    rows = [
        f"{iso(number)};{process};{'SENT' if is_send else 'DELIVERED'};{message};{other if is_send else ''};{number}"
        for number, process, is_send, message, other in story()
    ]
    return "\n".join(["when;svc;operation;msgId;recipients;line", *rows, ""]).encode()


STYLES = {
    "nested": (to_lines(nested), "meta.svc", "event.data.message_id", "event.data.to", "@timestamp"),
    "CSV": (to_csv(), "svc", "msgId", "recipients", "when"),
    "logfmt": (to_lines(logfmt), "svc", "mid", "to", "ts"),
    "camelCase": (to_lines(camel_case), "appName", "messageId", "toService", "logTime"),
    "Kafka": (to_lines(kafka), "clientId", "headers.eventId", None, "timestamp"),
    "epoch millis": (to_lines(epoch_millis), "nodeName", "commandId", "targetNode", "epochMillis"),
    "logger": (to_lines(python_logger), "logger", "msg_id", "dest", "asctime"),
}


@pytest.mark.parametrize("style", STYLES)
def test_from_a_log_to_its_violation_in_one_attempt(tmp_path: Path, style: str) -> None:
    log, process, message, dests, time = STYLES[style]
    (tmp_path / "app.log").write_bytes(log)
    mapping = suggest_mapping(log)
    assert (mapping["process"], mapping["message"], mapping.get("dests"), mapping["time"]) == (
        process,
        message,
        dests,
        time,
    )
    found = check(InProcess(), [str(tmp_path / "app.log")], mapping=mapping).answer
    sums = {name: found.sums[name] for name in ("violations", "deliveries", "spurious", "duplicates", "lost")}
    assert (found.verdict, sums) == (
        "violated",
        {"violations": 1, "deliveries": 6, "spurious": 0, "duplicates": 0, "lost": 0},
    )


def rows_of(**fields: Callable[[int, str, bool, str, str], Any]) -> bytes:
    """Return lines with the kind, and with the fields that functions of an event give."""
    rows = [
        {"event": "sent" if event[2] else "handled", **{n: f(*event) for n, f in fields.items()}} for event in story()
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def message_of(*event: Any) -> Any:
    return event[3]


def process_of(*event: Any) -> Any:
    return event[1]


def test_a_topic_is_not_proposed_as_destination() -> None:
    """Every delivery would be spurious, and the violation would not be judged."""
    log = rows_of(svc=process_of, id=message_of, to=lambda *event: "orders.created" if event[2] else None)
    assert "dests" not in suggest_mapping(log)


def test_the_sender_is_not_proposed_as_message() -> None:
    """Each of three processes sends once."""
    rows = [
        {"svc": "a", "event": "sent", "from": "a", "to": "b"},
        {"svc": "b", "event": "received", "from": "a", "to": "b"},
        {"svc": "b", "event": "sent", "from": "b", "to": "c"},
        {"svc": "c", "event": "received", "from": "b", "to": "c"},
    ]
    mapping = suggest_mapping("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    assert "message" not in mapping
    assert (mapping["process"], mapping["dests"]) == ("svc", "to")


def test_names_of_processes_are_not_proposed_as_message() -> None:
    log = rows_of(svc=process_of, uuid=process_of, to=lambda *event: event[4] if event[2] else None)
    assert "message" not in suggest_mapping(log)


def test_a_message_id_that_sends_and_arrivals_do_not_share_is_not_proposed() -> None:
    log = rows_of(svc=process_of, id=lambda *event: f"line {event[0]}")
    assert "message" not in suggest_mapping(log)


def test_loggers_for_parts_of_a_service_are_not_proposed_as_process() -> None:
    """A service that was cut in two would not be known to get a message before it sends the next."""
    log = rows_of(logger=lambda *event: f"{event[1]}.{'out' if event[2] else 'in'}", id=message_of)
    assert suggest_mapping(log).get("process") is None
    whole = rows_of(logger=process_of, id=message_of)
    assert suggest_mapping(whole)["process"] == "logger"


def test_the_sender_in_every_row_is_not_proposed_as_process() -> None:
    """Every message would arrive where it was sent, and all would be in order."""
    log = rows_of(source=lambda *event: event[1] if event[2] else event[4], id=message_of)
    assert "process" not in suggest_mapping(log)


def test_the_field_that_destinations_name_is_the_process_whatever_its_name() -> None:
    sent_to = {"to": lambda *event: event[4] if event[2] else None}
    log = rows_of(
        app=lambda *_: "shop", host=lambda *event: f"vm{event[0] % 2}", part=process_of, id=message_of, **sent_to
    )
    assert suggest_mapping(log)["process"] != "app"
    log = rows_of(part=process_of, id=message_of, **sent_to)
    assert suggest_mapping(log)["process"] == "part"


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_bytes(rows_of(source=lambda *event: event[1] if event[2] else event[4], id=message_of))
    _, words = describe_suggestion(str(tmp_path / "app.log"))
    assert "Nothing was found for process: add the fields by hand." in words
    assert "No field surely names where messages go" in words
