"""Exports: what another viewer reads out of them is what the window says, and nothing in a log can break them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import count
from typing import Any

import pytest

from antecede.core.errors import Misuse
from antecede.web import export
from tests.web.samples import Execution
from tests.web.window import known_window, row


def read_shiviz(pieces: Iterable[str]) -> list[dict[str, Any]]:
    """As ShiViz does: the first line is the expression, the second splits executions, the rest is searched."""
    expression, delimiter, log = "".join(pieces).split("\n", 2)
    split = re.compile(delimiter.replace("(?<", "(?P<"), re.MULTILINE)
    found = []
    runs = [*split.finditer(log)]
    for one, two in zip(runs, [*runs[1:], None], strict=True):
        part = log[one.end() : two.start() if two else len(log)]
        events = re.finditer(expression.replace("(?<", "(?P<"), part)
        found += [{**event.groupdict(), "run": one["trace"], "clock": json.loads(event["clock"])} for event in events]
    return found


def test_the_known_window_as_a_shiviz_log() -> None:
    assert "".join(export.shiviz(known_window())).split("\n", 2)[2] == (
        "=== r1 ===\n"
        'a {"a": 1}\nsend m1 b send m1\n'
        'a {"a": 2}\nsend m2 c send m2\n'
        'c {"a": 2, "c": 1}\ndeliver m2 - deliver m2\n'
        'c {"a": 2, "c": 2}\nsend m3 b send m3\n'
        'b {"a": 2, "b": 1, "c": 2}\ndeliver m3 - deliver m3\n'
        'b {"a": 2, "b": 2, "c": 2}\ndeliver m1 - deliver m1\n'
    )


def test_the_clocks_are_happened_before_exactly() -> None:
    world = Execution(seed=11, processes=5, sends=60)
    rows = [row(e.process, e.index, e.kind, e.message) for line in world.lines.values() for e in line]
    read = read_shiviz(export.shiviz(reversed(rows)))
    clocks = {(event["host"], event["clock"][event["host"]] - 1): event["clock"] for event in read}
    assert set(clocks) == {(event["process"], event["index"]) for event in rows}
    for process, index in clocks:
        after = set(world.chains((process, index)))
        told = {here for here, clock in clocks.items() if clock.get(process, 0) > index}
        assert told == after


def test_own_entries_count_from_one_whatever_the_indexes_in_the_window() -> None:
    rows = [row("a", 900, "internal"), row("a", 905, "internal"), row("b", 3, "deliver", "sent before the window")]
    assert [event["clock"] for event in read_shiviz(export.shiviz(rows))] == [{"a": 1}, {"b": 1}, {"a": 2}]


def test_a_receive_causes_only_where_nothing_is_delivered() -> None:
    send, receive = row("a", 0, "send", "m", dests=["b"]), row("b", 0, "receive", "m")
    assert read_shiviz(export.shiviz([send, receive]))[1]["clock"] == {"a": 1, "b": 1}
    delivered = read_shiviz(export.shiviz([send, receive, row("b", 1, "deliver", "m")]))
    assert {event["kind"]: event["clock"] for event in delivered if event["host"] == "b"} == {
        "receive": {"b": 1},
        "deliver": {"a": 1, "b": 2},
    }


def test_runs_stay_apart() -> None:
    rows = [{**event, "run": run} for run in ("one", "two") for event in known_window()]
    read = read_shiviz(export.shiviz(rows))
    assert [event["run"] for event in read] == ["one"] * 6 + ["two"] * 6
    assert read[0]["clock"] == read[6]["clock"] == {"a": 1}


@pytest.mark.parametrize("name", ["a b", "a,b", '{"x": 1}', "a\nb {}", "100%", "=== x ===", "naïve-日本", "\ud800"])
def test_a_hostile_name_is_one_name_in_a_shiviz_log(name: str) -> None:
    rows = [row(name, 0, "send", name, dests=[name, "b"]), row("b", 0, "deliver", name)]
    one, two = read_shiviz(export.shiviz(rows))
    assert one["clock"] == {one["host"]: 1}
    assert one["message"] == one["host"] == one["dests"].split(",")[0]
    assert two["clock"] == {one["host"]: 1, "b": 1}


def test_a_cycle_has_no_vector_clocks_and_the_error_says_what_to_do() -> None:
    rows = [
        row("a", 0, "deliver", "y"),
        row("a", 1, "send", "x"),
        row("b", 0, "deliver", "x"),
        row("b", 1, "send", "y"),
    ]
    with pytest.raises(Misuse, match=r"cycle .* export another window"):
        list(export.shiviz(rows))
    assert len(spans(export.otlp(rows))) == 4


def test_a_window_is_bounded_before_it_is_held() -> None:
    endless = (row("a", index, "internal") for index in count())
    with pytest.raises(export.WindowTooLarge, match="more than 10 events: narrow it"):
        list(export.otlp(endless, events_max=10))
    with pytest.raises(export.WindowTooLarge):
        list(export.shiviz(endless, events_max=10))


def test_two_events_in_one_place_are_refused() -> None:
    with pytest.raises(Misuse, match="two events"):
        list(export.shiviz([row("a", 0, "internal"), row("a", 0, "internal")]))


def spans(pieces: Iterable[str]) -> list[tuple[str, dict[str, Any]]]:
    """(service, span) of every line, each line one export request."""
    found = []
    for line in "".join(pieces).splitlines():
        for resource in json.loads(line)["resourceSpans"]:
            (service,) = resource["resource"]["attributes"]
            assert service["key"] == "service.name"
            found += [
                (service["value"]["stringValue"], span) for scope in resource["scopeSpans"] for span in scope["spans"]
            ]
    return found


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {item["key"]: next(iter(item["value"].values())) for item in span["attributes"]}


def test_the_known_window_as_otlp() -> None:
    read = {span["name"]: (service, span) for service, span in spans(export.otlp(known_window()))}
    service, late = read["deliver m1"]
    _, sent = read["send m1"]
    assert service == "b"
    assert (sent["kind"], late["kind"]) == (4, 5)
    assert late["links"] == [{"traceId": sent["traceId"], "spanId": sent["spanId"]}]
    assert re.fullmatch("[0-9a-f]{32}", sent["traceId"])
    assert re.fullmatch("[0-9a-f]{16}", sent["spanId"])
    assert late["startTimeUnixNano"] == "120000000"
    told = attributes(late)
    assert told["messaging.operation.type"] == "process"
    assert told["messaging.message.id"] == "m1"
    assert told["antecede.index"] == "1"
    assert attributes(sent)["antecede.dests"] == {"values": [{"stringValue": "b"}]}


def test_span_ids_are_unique_and_the_same_every_time() -> None:
    world = Execution(seed=2, processes=4, sends=40)
    rows = [row(e.process, e.index, e.kind, e.message, time=e.time) for line in world.lines.values() for e in line]
    text = "".join(export.otlp(rows))
    assert text == "".join(export.otlp(reversed(rows)))
    ids = [span["spanId"] for _, span in spans([text])]
    assert len(set(ids)) == len(ids) == len(rows)


@pytest.mark.parametrize("times", [[None, None, None], [3.0, 2.0, 2.0], [-5.0, None, 1.0]])
def test_start_times_keep_a_process_in_its_own_order(times: list[float | None]) -> None:
    rows = [row("a", index, "internal", time=time) for index, time in enumerate(times)]
    read = [span for _, span in spans(export.otlp(rows))]
    starts = [int(span["startTimeUnixNano"]) for span in read]
    assert starts == sorted(set(starts))
    assert [attributes(span).get("antecede.time") for span in read] == times


def test_a_large_window_is_several_requests() -> None:
    lines = "".join(export.otlp(row("a", index, "internal") for index in range(2500))).splitlines()
    assert [len(spans([line])) for line in lines] == [1000, 1000, 500]


def test_everything_the_source_had_is_kept() -> None:
    event = row("a", 0, "send", "m", dests=["b"], group="g", payload_bytes=10, control_bytes=4, control_entries=2)
    found = attributes(spans(export.otlp([{**event, "attributes": {"k": "</script>\ud800"}}]))[0][1])
    assert found["messaging.destination.name"] == "g"
    assert found["messaging.message.body.size"] == "10"
    assert (found["antecede.control_bytes"], found["antecede.control_entries"]) == ("4", "2")
    assert found["k"] == "</script>\ud800"
