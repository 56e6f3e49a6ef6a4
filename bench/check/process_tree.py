"""`python process_tree.py SECONDS_MAX OUTPUT COMMAND...`: measure a command and all processes that it starts.

What the command prints goes to the file OUTPUT. What is printed here is one JSON object: the exit status (null if the
command took longer than it may), the seconds from start to end, processor seconds, and the most memory that all its
processes held at one time, shared pages counted once (PSS).

Spark's Java and Python's workers outlive the process that started them by a moment, and then their time would belong to
nobody. So this process adopts what is orphaned below it (`PR_SET_CHILD_SUBREAPER`) and waits for all of it. It is a
process of its own because it waits for any child. The command's end is the end of its first process, which is what
somebody at a shell waits for. To look at memory takes time itself; at most a twentieth of the time is spent so.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter

PROC = Path("/proc")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LOOK_SECONDS_MIN = 0.1
LOOK_SHARE = 1 / 20


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command and all processes below it took."""

    status: int | None
    wall_s: float
    cpu_s: float
    peak_bytes: int


def measure_command(
    command: list[str], *, env: dict[str, str], folder: Path, seconds_max: float
) -> tuple[Usage, str, str]:
    """Run a command in a folder. Return what it took, and its output and errors as text."""
    errors, output = folder / "stderr.txt", folder / "stdout.txt"
    with errors.open("wb") as err:
        meter = [sys.executable, __file__, str(seconds_max), str(output), *command]
        done = subprocess.run(meter, stdout=subprocess.PIPE, stderr=err, env=env, cwd=folder, check=False)
    if done.returncode:
        raise RuntimeError(f"measuring {' '.join(command)} failed: {errors.read_text(errors='replace')[-2_000:]}")
    return Usage(**json.loads(done.stdout)), output.read_text(errors="replace"), errors.read_text(errors="replace")


def run_command(command: list[str], *, output: str, seconds_max: float) -> Usage:
    """Run a command to its end, and all that it started."""
    prctl = ctypes.CDLL(None).prctl
    if prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError("this system cannot adopt orphaned processes, so they cannot be measured")

    def end_with_parent() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    with open(output, "wb") as out:
        start = perf_counter()
        first = subprocess.Popen(
            command,
            stdout=out,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent,  # noqa: PLW1509 - there are no threads yet
        )
    done = Event()
    peak = _Peak(done)
    too_long = Event()
    watch = Thread(target=_stop_late, args=(first.pid, done, seconds_max, too_long), daemon=True)
    peak.start()
    watch.start()
    status, wall_s, cpu_s = 0, 0.0, 0.0
    try:
        while True:
            pid, code, used = os.wait4(-1, 0)
            cpu_s += used.ru_utime + used.ru_stime
            if pid == first.pid:
                status, wall_s = os.waitstatus_to_exitcode(code), perf_counter() - start
    except ChildProcessError:  # all are gone
        pass
    except KeyboardInterrupt:
        _kill(first.pid)
        raise
    done.set()
    peak.join()
    return Usage(None if too_long.is_set() else status, wall_s, cpu_s, peak.bytes_max)


class _Peak(Thread):
    """Look at the memory of everything below this process now and then, and remember the most."""

    def __init__(self, done: Event) -> None:
        super().__init__(daemon=True)
        self.bytes_max = 0
        self._done = done

    def run(self) -> None:
        pause_s = LOOK_SECONDS_MIN
        while not self._done.wait(pause_s):
            start = perf_counter()
            self.bytes_max = max(self.bytes_max, sum(map(_resident_bytes, _descendants())))
            pause_s = max(LOOK_SECONDS_MIN, (perf_counter() - start) / LOOK_SHARE)


def _stop_late(pid: int, done: Event, seconds_max: float, too_long: Event) -> None:
    if not done.wait(seconds_max):
        too_long.set()
        _kill(pid)


def _kill(pid: int) -> None:
    """Kill a command and what is in its group. What is not loses its input then, and ends by itself."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _descendants() -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    ahead = children.get(os.getpid(), [])
    while ahead:
        pid = ahead.pop()
        yield pid
        ahead += children.get(pid, [])


def _resident_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    print(json.dumps(asdict(run_command(sys.argv[3:], output=sys.argv[2], seconds_max=float(sys.argv[1])))))
