"""The page for operators knows every warning and every metric, and the dashboard shows every metric."""

import ast
import json
import re
from collections.abc import Iterator

from antecede.core.types import MessageId
from antecede.runtime.frames import NEWEST_FORM
from antecede.runtime.watch import metrics
from antecede.runtime.watch.problems import (
    AcknowledgementMissing,
    BrokerLost,
    HoldBackLimitReached,
    InboxFull,
    LeavingWaits,
    LuggageAwaited,
    MessageRefused,
    MoveFailed,
    NamesMissing,
    NeverAcknowledged,
    NoBeacons,
    NotConnected,
    NumberReused,
    OutboxFull,
    Problem,
    RefusedAfterGiveUp,
    StampsTooLarge,
    Stopped,
)
from antecede.runtime.watch.stalls import NoSuchProcess, Stall, UpgradeNeeded
from antecede.runtime.watch.station_problems import SealsOff, StationFellBack
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "guide" / "09-operating.md").read_text()
DASHBOARD = (ROOT / "docs" / "guide" / "dashboard.json").read_text()
PROBLEMS = (
    AcknowledgementMissing(0.0, 1, MessageId("a", 1)),
    BrokerLost(0.0, "refused"),
    HoldBackLimitReached(0.0, 2, 2, 1),
    InboxFull(0.0, 1),
    LeavingWaits(0.0, ("a",)),
    LuggageAwaited(0.0, "s2", ("ann",)),
    MessageRefused(0.0, "a:1", "b"),
    MoveFailed(0.0, "ws://there", "gone"),
    NamesMissing(0.0, "a"),
    NeverAcknowledged(0.0, 1),
    NoBeacons(0.0, "heard at 127.0.0.1:7007", "Address already in use"),
    NotConnected(0.0, "no answer"),
    NumberReused(0.0, MessageId("a", 1)),
    RefusedAfterGiveUp(0.0, "a", 1),
    OutboxFull(0.0, 1, ()),
    StampsTooLarge(0.0, "hierarchy", 700, 70),
    SealsOff(0.0, "started with --wire 1"),
    StationFellBack(0.0, "ann", "s1 knows of 1 message from ann, and 3 were taken"),
    Stopped(0.0, "the name was lost"),
    Stall(0.0, message=MessageId("a", 1)),
    Stall(0.0, to="b"),
    NoSuchProcess(0.0, to="b"),
    UpgradeNeeded(0.0),
)


def names_of_problems() -> set[str]:
    """The names of all classes of problems."""
    found: set[str] = set()
    waiting: list[type[Problem]] = [Problem]
    while waiting:
        subclasses = waiting.pop().__subclasses__()
        found |= {subclass.__name__ for subclass in subclasses}
        waiting += subclasses
    return found


def test_the_page_explains_every_warning_and_no_other() -> None:
    assert {type(problem).__name__ for problem in PROBLEMS} == names_of_problems()
    _, _, table = PAGE.partition("| kind | what it means | what to do |")
    rows = [line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines()[2:]]
    assert {kind for kind, _, _ in rows} == {f"`{problem.kind}`" for problem in PROBLEMS}
    assert all(len(meaning) > 20 and len(advice) > 20 for _, meaning, advice in rows)


LEVELS = {"warning", "error", "exception", "critical"}
VALUE = re.compile(r"%[-+ #0-9.]*[a-z]")


def logged_lines(source: str) -> Iterator[str]:
    """Yield the first argument of every call that logs at the level of a warning or above.

    Raise `AssertionError` if it is not a constant.
    """
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in calls:
        called = re.fullmatch(r"(\w*LOGGER|logging|logger)\.(\w+)", ast.unparse(call.func))
        if called is not None and called[2] in LEVELS:
            assert isinstance(call.args[0], ast.Constant), ast.unparse(call)
            yield str(call.args[0].value)


def test_the_page_explains_every_line_that_is_logged_and_no_other() -> None:
    """A line of values alone is a problem, whose kind is in the first table."""
    sample = "LOGGER.info('a'); LOGGER.warning('%s: b %.1f. c', x); A_LOGGER.error('d')"
    assert list(logged_lines(sample)) == ["%s: b %.1f. c", "d"]
    files = sorted((ROOT / "src" / "antecede" / "runtime").rglob("*.py"))
    lines = {line for path in files for line in logged_lines(path.read_text())}
    worded = {line for line in lines if re.search("[a-z]", VALUE.sub("", line))}
    assert worded == lines - {"%s: %s"}
    _, _, table = PAGE.partition("| line | what it means | what to do |")
    rows = [line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines()[2:]]
    assert all(len(meaning) > 20 and len(advice) >= len("Nothing.") for _, meaning, advice in rows)
    explained = {line: [said for said, _, _ in rows if is_said(line, said)] for line in worded}
    assert {line for line, rows in explained.items() if len(rows) != 1} == set()
    assert {said for found in explained.values() for said in found} == {said for said, _, _ in rows}


def is_said(line: str, said: str) -> bool:
    """Return whether `said` has the words of the first sentence of `line`, with any values."""
    first = re.split(r"[.;] ", line)[0]
    return re.search(".+".join(map(re.escape, VALUE.split(first))), said) is not None


def names_of_metrics() -> set[str]:
    counters = {
        f"antecede_{name}_total" for name in (*metrics.COUNTERS, *metrics.STATION_COUNTERS, *metrics.HOST_COUNTERS)
    }
    gauges = {f"antecede_{name}" for name in (*metrics.GAUGES, *metrics.STATION_GAUGES, *metrics.HOST_GAUGES)}
    return {*counters, *gauges, "antecede_problems"}


def test_the_dashboard_shows_every_metric_and_no_other() -> None:
    board = json.loads(DASHBOARD)
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    shown = {name for expression in expressions for name in re.findall(r"antecede_[a-z_]+", expression)}
    assert shown == names_of_metrics()
    asked = [variable["query"] for variable in board["templating"]["list"] if variable["type"] == "query"]
    assert {name for query in asked for name in re.findall(r"antecede_[a-z_]+", query)} <= shown
    numbers = [panel["id"] for panel in board["panels"]]
    assert len(numbers) == len(set(numbers))


def test_metrics_that_the_page_names_exist() -> None:
    named = set(re.findall(r"antecede_[a-z_]+", PAGE))
    assert {"antecede_problems", "antecede_outbox"} <= named <= names_of_metrics()


def test_a_station_can_be_told_the_newest_form_of_the_wire() -> None:
    station = (ROOT / "src" / "antecede" / "cli" / "station.py").read_text()
    assert f"choices=({', '.join(map(str, range(1, NEWEST_FORM + 1)))})" in station
