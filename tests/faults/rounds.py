"""One round of the fault suite, and how long it may take."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

ROUND_S_MAX = 15 * 60.0


def run_round(command: Sequence[str], environment: Mapping[str, str], limit_s: float) -> tuple[bool, str]:
    """Run the command of a round. Return whether it passed, and what it said.

    A round that takes longer than `limit_s` is ended with all its processes, and has not passed.
    """
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            return False, f"{said.strip()}\n{explain_limit(limit_s)}, and was ended".strip()
        return process.returncode == 0, said.strip()


def explain_limit(limit_s: float) -> str:
    """Return what is wrong with a round that takes longer than `limit_s`."""
    return f"the round has taken longer than {limit_s / 60:g} minutes, which is the limit"


def describe_duration(seconds: float, limit_s: float = ROUND_S_MAX) -> str:
    """Return how long the tests of the fault suite took, and whether that is too long."""
    took = f"the tests of the fault suite took {seconds / 60:.1f} minutes"
    return took if seconds <= limit_s else f"{took}: {explain_limit(limit_s)}"
