"""A random test that fails draws its execution, and prints the command that fails in the same way.

The project is broken in a copy of it: `ks` there delivers everything at once, local clocks say that all messages are
concurrent, and so on. The commands are run as they are printed, by a shell in that folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.marks import slow
from tests.paths import ROOT
from tests.replay import STEPS_MAX, Drawing, draw, explain_failure

BROKEN = {
    "src/antecede/core/ordering/ks.py": "Ks.unmet = lambda self, message, stamp: iter(())",
    "src/antecede/core/locality/local_clock.py": "determination_4 = lambda first, second, receiver: Order.CONCURRENT",
    "src/antecede/fast/broadcast.py": "FastBroadcast.receive_all = lambda self, packets: Received([], [])",
    "tests/faults/powered.py": "Power.leave = lambda self, folder, chance: 1 / 0",
}
"""What is appended to the modules of the copy."""
DRAWN_BY_HYPOTHESIS = """
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.worlds import run


@given(st.integers(0, 10**9))
@settings(deadline=None, phases=[Phase.generate])
def test_drawn_by_hypothesis(seed):
    run("ks", seed)
"""
LOCALITY = "tests/core/locality"
REPLAY = re.compile(r"^Replay: (.*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project in which something is broken, with one more random test."""
    folder = tmp_path_factory.mktemp("broken")
    for name in ("src", "tests", "bench"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "data"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for path, statements in BROKEN.items():
        with open(folder / path, "a") as module:
            module.write(f"\n{statements}\n")
    (folder / "tests/test_drawn.py").write_text(DRAWN_BY_HYPOTHESIS)
    return folder


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a person does who has copied it."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "ANTECEDE_SEED")}
    return subprocess.run(command, shell=True, cwd=folder, env=kept, capture_output=True, text=True, check=False)


def failing_command(said: str) -> str:
    """Return the command in the last line of what a failure says."""
    found = REPLAY.findall(said)
    assert found, said
    return str(found[0])


def test_a_fuzzer_prints_what_plays_its_failure_again(broken: Path) -> None:
    first = run(broken, f"PYTHONPATH=src {sys.executable} -m tests.fuzz --executions 60 --seed 7")
    assert first.returncode == 1, first.stderr
    command = failing_command(first.stderr)
    again = run(broken, command)
    assert again.returncode == 1
    assert again.stdout.strip() in first.stderr
    assert again.stdout.rstrip().endswith(f"Replay: {command}")
    assert re.search(r"^\('ks', .*\) seed \d+: Broken\(", again.stdout, re.MULTILINE), "which algorithm, and why"
    assert re.search(r"^ +\d+\. +deliver p\d:\d", again.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("tests/properties/test_lockstep.py::test_seeded_executions[multicast]", "AssertionError: ks at "),
        slow("tests/test_drawn.py::test_drawn_by_hypothesis", "tests.oracle.Broken: "),
    ],
)
def test_a_test_prints_what_plays_its_failure_again(broken: Path, test: str, why: str) -> None:
    first = run(broken, f"PYTHONPATH=src {sys.executable} -m pytest -p no:cacheprovider '{test}'")
    assert first.returncode == 1, first.stdout + first.stderr
    assert why in first.stdout
    command = failing_command(first.stdout)
    again = run(broken, command)
    assert again.returncode == 1, again.stdout + again.stderr
    assert failing_command(again.stdout) == command
    assert tell_execution(again.stdout) == tell_execution(first.stdout)


def tell_execution(said: str) -> str:
    """Return the drawing of the first failure."""
    found = re.search(r"^-+ replay -+\n.*?\n(.*?)^Replay: ", said, re.MULTILINE | re.DOTALL)
    assert found is not None, said
    assert re.search(r"^ +\d+\. ", found[1], re.MULTILINE), "nothing is drawn"
    return found[1]


@pytest.mark.parametrize(
    ("test", "step"),
    [
        ("tests/runtime/node/test_departure.py::test_everybody_talks_and_leaves", "send [a-e]:[0-9] "),
        (f"{LOCALITY}/test_epochs.py::test_messages_of_one_epoch_are_compared_rightly_at_once[0-True]", "adopt"),
        slow("tests/runtime/node/test_durable_process.py::test_crashes_at_random_steps[0-ks-options0]", "receive from"),
        slow("tests/runtime/node/test_departure_of_a_destination.py", "send [a-d]:[1-5] "),
        slow(
            f"{LOCALITY}/test_local_clock_multicast.py::test_every_allocation_compares_multicasts_rightly[0-True]",
            "send 39",
        ),
        slow("tests/fast/test_broadcast.py::test_any_execution_is_the_same_in_both[0]", "receive p[0-9]+:1"),
        slow("tests/faults/test_power.py::test_power_fails_again_and_again_with_durability_power", "the power fails"),
        slow("tests/faults/test_power_of_stations.py::test_power_fails_again_and_again", "the power fails"),
    ],
)
def test_a_test_of_the_runtime_or_of_clocks_draws_its_execution(broken: Path, test: str, step: str) -> None:
    """These have no stage and no world. What nodes do depends on the machine, so it is not the same a second time, and
    it may be right by chance.
    """
    command = f"PYTHONPATH=src:. {sys.executable} -m pytest -x -p no:cacheprovider '{test}'"
    failed = run(broken, command)
    for _ in range(4):
        if failed.returncode == 0:
            failed = run(broken, command)
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert re.search(rf"^ +[0-9]+\. .*{step}", tell_execution(failed.stdout), re.MULTILINE), failed.stdout


def test_a_failure_outside_of_executions_has_a_command_only() -> None:
    Drawing.latest = None
    assert explain_failure("it failed", ["tests.fuzz", "--replay", "3:a b"]).splitlines() == [
        "it failed",
        f"Replay: PYTHONPATH=src {_program()} -m tests.fuzz --replay '3:a b'",
    ]


def _program() -> str:
    python = Path(sys.executable)
    return str(python.relative_to(Path.cwd()) if python.is_relative_to(Path.cwd()) else python)


def test_a_seed_of_the_environment_is_part_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTECEDE_SEED", "17")
    assert "Replay: ANTECEDE_SEED=17 PYTHONPATH=src " in explain_failure("", ["pytest"])


def test_a_drawing_has_a_column_for_each_process() -> None:
    drawing = Drawing([("a", "send m"), ("b", "deliver m")])
    drawing.add("a", "restart")
    assert str(drawing).splitlines() == [
        "        a        b",
        "    1.  send m",
        "    2.           deliver m",
        "    3.  restart",
    ]
    assert Drawing.latest is drawing


def test_of_a_long_execution_the_end_is_drawn() -> None:
    lines = draw([("a", f"step {number}") for number in range(1, STEPS_MAX + 4)]).splitlines()
    assert lines[0] == "3 steps before these are not drawn"
    assert lines[2].strip() == "4.  step 4"
    assert len(lines) == STEPS_MAX + 2
