"""The Spark session of all tests, and what tests may need from outside: real logs, and a browser.

Tests that need something from outside are selected only if it is given, with `--logs=FOLDER` or `--browser=PROGRAM`.
pytest counts the others as deselected.
"""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import is_hypothesis_test
from xdist.scheduler import LoadScopeScheduling

from tests.faults.rounds import describe_duration
from tests.paths import ROOT
from tests.replay import Drawing, explain_failure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OUTSIDE = ("logs", "browser")
"""Options, each with the marker of the same name."""
FAULTS = "tests/faults/"
REPLAY = re.compile(r"^(E\s+)?Replay: ", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--logs", metavar="FOLDER", type=Path, help="the real logs that tests/README.md lists")
    parser.addoption("--browser", metavar="PROGRAM", type=Path, help="a headless Chromium, as tools/browser prints it")


@pytest.hookimpl(tryfirst=True)  # before Hypothesis reads its option
def pytest_configure(config: pytest.Config) -> None:
    """Choose a seed for Hypothesis unless one is given. Refuse paths at which there is nothing."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(secrets.randbelow(2**32))
    for name in OUTSIDE:
        path = config.getoption(name)
        if path is not None and not path.exists():
            raise pytest.UsageError(f"--{name} {path}: nothing is there; tests/README.md says where to get it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that need something from outside that was not given. Put those on Spark first."""
    absent = [name for name in OUTSIDE if config.getoption(name) is None]
    left_out = [item for item in items if any(item.get_closest_marker(name) for name in absent)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]
    items.sort(key=lambda item: not _uses_spark(item))  # they take the longest, so they begin


def pytest_runtest_setup() -> None:
    """Forget the execution of the test before."""
    Drawing.latest = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let the report of a failure end with a drawing of the execution and the command that plays it again, unless the
    failure itself tells them.
    """
    report = yield
    if report.failed and not REPLAY.search(report.longreprtext):
        report.sections.append(("replay", explain_failure(f"{item.nodeid} failed", _command(item))))
    return report


def _command(item: pytest.Item) -> list[str]:
    options = [f"--{name}={path}" for name in OUTSIDE if (path := item.config.getoption(name)) is not None]
    if is_hypothesis_test(getattr(item, "obj", None)):
        options.append(f"--hypothesis-seed={item.config.option.hypothesis_seed}")
    return ["pytest", item.nodeid, *options]


def _uses_spark(item: pytest.Item) -> bool:
    return "spark" in getattr(item, "fixturenames", ())


class SparkFirst(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Give each process whole files, and all files with tests on Spark to one process, which has the one session."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return "on Spark" if _has_tests_on_spark(path) else path


@cache
def _has_tests_on_spark(path: str) -> bool:
    return re.search(r"\bspark: SparkSession|usefixtures\(.spark.\)", (ROOT / path).read_text()) is not None


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SparkFirst | None:
    """Deal out the tests in this way if pytest runs in several processes with `--dist loadscope`."""
    return SparkFirst(config, log) if config.getoption("dist") == "loadscope" else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what tests have recorded with `record_property("found", text)`: what a test prints itself is lost if pytest
    runs in several processes. Say how long the tests of the fault suite took, if they ran: their time, divided among
    the processes.
    """
    times: list[float] = []
    for report in itertools.chain.from_iterable(terminalreporter.stats.values()):
        if getattr(report, "when", "") == "call":
            for name, text in report.user_properties:
                if name == "found":
                    terminalreporter.write_line(text)
            if report.nodeid.startswith(FAULTS):
                times.append(report.duration)
    if times and config.option.markexpr == "slow":
        terminalreporter.write_line(describe_duration(sum(times) / (config.getoption("numprocesses", None) or 1)))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The one embedded Spark of this process. Tests that need another master start a process of their own.

    The inputs of tests are small, so Java has the options that `antecede check` gives it for a small input.
    """
    from antecede.pipeline.spark.session import session
    from antecede.pipeline.spark.small_input import JAVA_OPTIONS

    options = {"spark.driver.extraJavaOptions": " ".join(JAVA_OPTIONS), "spark.driver.memory": "2g"}
    made = session("local[2]", app="antecede tests", options=options)
    yield made
    made.stop()


@pytest.fixture(scope="session")
def logs(pytestconfig: pytest.Config) -> Path:
    """The folder of real logs. A test that uses it has the marker `logs`."""
    folder: Path | None = pytestconfig.getoption("logs")
    assert folder is not None, "mark this test with pytest.mark.logs"
    return folder
