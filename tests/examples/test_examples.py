"""Every program in `examples/` runs as its docstring says, and prints what it promises.

Those that check a trace run in this process, on the Spark of the other tests; the others run as programs of their own.
"""

import json
import os
import re
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

EXAMPLES = ROOT / "examples"
TIMEOUT_S = 120


BEGUN: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def end_programs() -> Iterator[None]:
    """End the programs that a failing test left running."""
    yield
    while BEGUN:
        program = BEGUN.pop()
        program.kill()
        program.communicate()


def begin(name: str, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    program = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=EXAMPLES
    )
    BEGUN.append(program)
    return program


def finish(program: subprocess.Popen[str], *, status: int = 0) -> list[str]:
    """Return the lines that the program printed, if it ended with `status`."""
    printed, complained = program.communicate(timeout=TIMEOUT_S)
    BEGUN.remove(program)
    assert program.returncode == status, complained
    return printed.splitlines()


@pytest.mark.parametrize("program", sorted(EXAMPLES.glob("*.py")), ids=lambda program: program.name)
def test_an_example_says_how_to_run_it_is_listed_and_is_run_here(program: Path) -> None:
    text = program.read_text()
    assert text.startswith('"""')
    assert f"python examples/{program.name}" in text.split('"""')[1]
    assert f"({program.name})" in (EXAMPLES / "README.md").read_text()
    assert f'"{program.name}"' in Path(__file__).read_text()


def test_library_only() -> None:
    lines = finish(begin("library_only.py"))
    assert any("holds back" in line for line in lines)
    for me, other in permutations(("bob", "carol", "dave"), 2):
        question = lines.index(f"{me} delivers 'lunch?' of alice")
        assert lines.index(f"{me} delivers 'answer of {other}' of {other}") > question


def test_two_processes_and_one_of_them_again(tmp_path: Path) -> None:
    url = f"embedded://{tmp_path / 'nats'}"
    alice, bob = begin("two_processes.py", "alice", "bob", url), begin("two_processes.py", "bob", "alice", url)
    assert finish(alice) == ["bob: hello from bob, message 1"]
    assert finish(bob) == ["alice: hello from alice, message 1"]
    alice, bob = begin("two_processes.py", "alice", "bob", url), begin("two_processes.py", "bob", "alice", url)
    assert finish(alice) == ["bob: hello from bob, message 2"]
    assert finish(bob) == ["alice: hello from alice, message 2"]


def test_two_processes_says_how_to_run_it() -> None:
    program = begin("two_processes.py")
    complained = program.communicate(timeout=TIMEOUT_S)[1]
    assert "python examples/two_processes.py alice bob" in complained
    assert "Traceback" not in complained


def test_ctrl_c_ends_two_processes_without_a_traceback(tmp_path: Path) -> None:
    program = begin("two_processes.py", "alice", "bob", f"embedded://{tmp_path / 'nats'}")
    until = time.monotonic() + TIMEOUT_S
    while not (tmp_path / "nats" / "stores").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    program.send_signal(signal.SIGINT)
    assert program.communicate(timeout=TIMEOUT_S) == ("", "")
    assert program.returncode == 0


def test_roaming_hosts() -> None:
    lines = finish(begin("roaming_hosts.py"))
    assert lines[:3] == [
        "ann, at north, asks question 0",
        "bob, at north, gets 'question 0'",
        "ann, at north, gets 'answer 0'",
    ]
    assert [line.split()[2].rstrip(",") for line in lines[1::3]] == ["north", "south", "north"]


def test_causal_memory_needs_causal_order() -> None:
    """The link that is down decides what carol reads first; the reads at random depend on the time."""
    ordered, unordered = begin("causal_memory.py"), begin("causal_memory.py", "none")
    lines = finish(ordered)
    assert lines[0] == "link down: carol reads comment None, album 'beach, party'"
    assert lines[1] == "link up: carol reads comment 'the party photo is gone', album 'beach'"
    assert re.fullmatch(r"0 of \d{3} reads were older than what their reader had seen", lines[2])
    lines = finish(unordered, status=1)
    assert lines[0] == "link down: carol reads comment 'the party photo is gone', album 'beach, party'"
    assert int(lines[2].split()[0]) >= 1


def test_conflicting_writes_are_found_with_two_clock_entries() -> None:
    lines = finish(begin("conflicting_writes.py"))
    assert re.fullmatch(r"\d{3} writes, \d{4} decisions, 0 of them wrong", lines[0])
    assert int(lines[1].split()[0]) > 100, "there were hardly any conflicts"
    assert lines[2].startswith("a version has 2 clock entries instead of 13: Clock entries per process: ")


def test_a_global_snapshot_needs_causal_order() -> None:
    *snapshots, verdict = finish(begin("global_snapshot.py"))
    assert len(snapshots) == 10
    assert all(line.endswith(" 500 in all") for line in snapshots)
    assert any(" 0 in transit" not in line for line in snapshots)
    assert verdict == "10 of 10 snapshots have all the money, which is 500"
    *snapshots, _ = finish(begin("global_snapshot.py", "none"), status=1)
    assert any(not line.endswith(" 500 in all") for line in snapshots)


def test_a_roaming_conversation_needs_causal_order() -> None:
    lines = finish(begin("roaming_conversation.py"))
    assert re.fullmatch(r"5 members got 60 messages, and went off and on \d{2,} times", lines[0])
    assert lines[1] == "answers that came before the message that they answer: 0"
    lines = finish(begin("roaming_conversation.py", "none"), status=1)
    assert int(lines[1].split()[-1]) >= 1


def test_fair_allocation_needs_causal_order() -> None:
    assert finish(begin("fair_allocation.py")) == [
        "40 of 40 requests were granted",
        "0 were granted while another member had the resource",
        "0 were granted before a request that may have caused them",
    ]
    _, shared, unfair = finish(begin("fair_allocation.py", "none"), status=1)
    assert int(shared.split()[0]) >= 1
    assert int(unfair.split()[0]) >= 1


@pytest.mark.parametrize("use", ["global_snapshot.py", "roaming_conversation.py", "fair_allocation.py"])
def test_a_use_keeps_its_promise_whatever_happens(use: str) -> None:
    main = runpy.run_path(str(EXAMPLES / use))["main"]
    assert all(main(seed=seed) for seed in range(5))


def test_a_test_for_ci() -> None:
    done = finish(begin("test_causal_order.py"))
    assert done == ["<CheckResult holds: None of 3 deliveries came before one of its causes.>"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", "-c", os.devnull]
    tests = subprocess.run(
        [*command, str(EXAMPLES / "test_causal_order.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in tests.stdout, tests.stdout + tests.stderr


def test_the_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Its cells are run one after the other, as Jupyter would; the value of the last line is not needed."""
    notebook = json.loads((EXAMPLES / "check.ipynb").read_text())
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec("".join(cell["source"]), names)
    assert names["found"].verdict == "violated"
    assert "mail delivered m2 before m1" in capsys.readouterr().out


@pytest.mark.usefixtures("spark")
def test_check_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "check_a_log.py"))["main"](tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        "exit status 1: violated, 1 violation",
        "b delivered m3 before m1: m1 was sent by a, then a sent m2 to c, c delivered m2 and sent m3",
    ]


@pytest.mark.usefixtures("spark")
def test_simulate_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "simulate_and_check.py"))["main"](tmp_path)
    without, with_ks = capsys.readouterr().out.splitlines()
    assert without.startswith("none: violated, ")
    assert with_ks.startswith("ks: holds, 0 violations in ")
