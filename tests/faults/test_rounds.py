"""A round that takes too long is ended, and says so."""

import os
import sys
import time

from tests.faults.rounds import ROUND_S_MAX, describe_duration, run_round

HANGS = "import subprocess, sys, time; print('begins', flush=True); subprocess.run(['sleep', '60'])"


def run_python(program: str, limit_s: float) -> tuple[bool, str]:
    return run_round([sys.executable, "-c", program], os.environ, limit_s)


def test_a_round_passes_or_fails_with_what_it_says() -> None:
    assert run_python("print('3 passed')", 60.0) == (True, "3 passed")
    assert run_python("print('1 failed'); raise SystemExit(1)", 60.0) == (False, "1 failed")


def test_a_round_that_takes_too_long_is_ended_with_its_processes() -> None:
    began = time.monotonic()
    passed, said = run_python(HANGS, 3.0)
    assert not passed
    assert said == "begins\nthe round has taken longer than 0.05 minutes, which is the limit, and was ended"
    assert time.monotonic() - began < 30.0, "its processes would have kept the pipe open"


def test_the_slow_suite_says_whether_a_round_was_too_long() -> None:
    assert describe_duration(ROUND_S_MAX - 12) == "the tests of the fault suite took 14.8 minutes"
    too_long = "the tests of the fault suite took 15.2 minutes: the round has taken longer than 15 minutes"
    assert describe_duration(ROUND_S_MAX + 12).startswith(too_long)
