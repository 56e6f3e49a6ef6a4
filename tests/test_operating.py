"""The page for operators knows every warning and every metric, and the dashboard shows every metric."""

import json
import re

from antecede.core.types import MessageId
from antecede.runtime.frames import NEWEST_FORM
from antecede.runtime.watch import metrics
from antecede.runtime.watch.problems import (
    AcknowledgementMissing,
    BrokerLost,
    InboxFull,
    LeavingWaits,
    LuggageAwaited,
    MessageRefused,
    MoveFailed,
    NamesMissing,
    NeverAcknowledged,
    NotConnected,
    NumberReused,
    OutboxFull,
    Problem,
    RefusedAfterGiveUp,
    StampsTooLarge,
    Stopped,
)
from antecede.runtime.watch.stalls import NoSuchProcess, Stall, UpgradeNeeded
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "guide" / "09-operating.md").read_text()
DASHBOARD = (ROOT / "docs" / "guide" / "dashboard.json").read_text()
PROBLEMS = (
    AcknowledgementMissing(0.0, 1, MessageId("a", 1)),
    BrokerLost(0.0, "refused"),
    InboxFull(0.0, 1),
    LeavingWaits(0.0, ("a",)),
    LuggageAwaited(0.0, "s2", ("ann",)),
    MessageRefused(0.0, "a:1", "b"),
    MoveFailed(0.0, "ws://there", "gone"),
    NamesMissing(0.0, "a"),
    NeverAcknowledged(0.0, 1),
    NotConnected(0.0, "no answer"),
    NumberReused(0.0, MessageId("a", 1)),
    RefusedAfterGiveUp(0.0, "a", 1),
    OutboxFull(0.0, 1, ()),
    StampsTooLarge(0.0, "hierarchy", 700, 70),
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
