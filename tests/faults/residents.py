"""Processes that live as long as a soak does: what they need must not grow with the time that passes.

Nodes, and stations with roaming hosts, talk slowly all the while, and are struck now and then. Their clocks jump, and
some of their links can be broken. One of each kind is never killed. The memory of these and of the NATS servers, and
the size of every store and of what JetStream keeps, are measured all the time; `Measured.judge` compares the second
quarter of the time with the last. In the end the traces are judged.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from antecede.judge.judge import Verdict
from antecede.runtime.state.store import CHECKPOINT_PAGES
from tests.faults.links import linked_arena, linked_town
from tests.runtime.arena import Arena
from tests.runtime.conditions import Conditions
from tests.runtime.crowd import Crowd
from tests.runtime.proxy import Proxy
from tests.runtime.town import STATIONS, Town

NODES, HOSTS = "a b c", "ann bob cat"
NEVER_KILLED = ("c", "s3", "cat")
PER_MINUTE = 250
"""Messages that each node and each host sends in a minute."""
PAUSE_S = 2 * 60 / PER_MINUTE
LOOK_S = 1.0
SAMPLES_MIN = 40
MIB = 2**20
WAL_BYTES_MAX = 2 * CHECKPOINT_PAGES * 4_200
"""The log of SQLite is written back when it has so many pages, if no commit is much longer."""


@dataclass(slots=True)
class Measured:
    """A figure that must stay flat: at the end it is at most `factor` times what it was, and `slack` bytes more."""

    name: str
    factor: float
    slack: int
    samples: list[int] = field(default_factory=list)

    def judge(self) -> str:
        """Return what is wrong in words, or nothing if it is flat."""
        if len(self.samples) < SAMPLES_MIN:
            return f"{self.name}: only {len(self.samples)} measurements: run for longer"
        before, after = self.quarters()
        limit = self.factor * before + self.slack
        return "" if after <= limit else f"{self.name} has grown from {before / MIB:.1f} to {after / MIB:.1f} MiB"

    def quarters(self) -> tuple[float, float]:
        """Return the medians of the second quarter and of the last."""
        quarter = len(self.samples) // 4
        return median(self.samples[quarter : 2 * quarter]), median(self.samples[-quarter:])

    def __str__(self) -> str:
        before, after = self.quarters()
        return f"{self.name}: {before / MIB:.2f} MiB in the second quarter, {after / MIB:.2f} MiB in the last"


def memory_bytes(pid: int) -> int | None:
    """Return the resident memory of a process, or None if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:")), None)


def size_of(path: Path) -> int:
    """Return the size of a file, or 0 if it is not there now."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def size_of_folder(folder: Path) -> int:
    """Return the size of all files in a folder. Files come and go meanwhile."""
    return sum(size_of(Path(place) / name) for place, _, names in os.walk(folder) for name in names)


class Residents:
    """All of them, each crowd with its links, and what is measured."""

    def __init__(self, crowds: Sequence[tuple[Arena | Town, Sequence[Proxy]]], minutes: float) -> None:
        self.crowds, self._seconds = crowds, 60 * minutes
        self.measured: dict[str, Measured] = {}
        self._longest_wal = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._measure_all, daemon=True)
        self._thread.start()

    def finish(self) -> list[Verdict]:
        """Wait until everything is delivered, and judge the traces. On a busy machine residents send for longer."""
        self.stop_measuring()
        for crowd, _ in self.crowds:
            crowd.patience_s = max(crowd.patience_s, self._seconds)
        return [crowd.finish() for crowd, _ in self.crowds]

    def stop_measuring(self) -> None:
        """Measure nothing more."""
        self._done.set()
        self._thread.join()

    def complaints(self) -> list[str]:
        """Return what has grown, in words."""
        found = [why for measured in self.measured.values() if (why := measured.judge())]
        if self._longest_wal > WAL_BYTES_MAX:
            found.append(f"the log of a store had {self._longest_wal / MIB:.1f} MiB")
        return found

    def _measure_all(self) -> None:
        while not self._done.wait(LOOK_S):
            for crowd, _ in self.crowds:
                for name in NEVER_KILLED:
                    if name in crowd.running:
                        self._note_memory(name, crowd.running[name].pid)
                self._measure_stores(crowd)
                self._measure_server(crowd)

    def _measure_stores(self, crowd: Crowd) -> None:
        for path in sorted(crowd.folder.rglob("*.sqlite")):
            self._note(f"store {path.name}", 2.0, 2 * MIB, size_of(path))
            self._longest_wal = max(self._longest_wal, size_of(path.with_name(f"{path.name}-wal")))

    def _measure_server(self, crowd: Crowd) -> None:
        """Measure the server of a crowd. Another one may just be starting."""
        whose = f"the server of the {crowd.folder.name}"
        with suppress(OSError, ValueError):
            self._note_memory(whose, crowd.server())
        self._note(f"JetStream at {whose}", 2.0, 2 * MIB, size_of_folder(crowd.folder / "nats" / "jetstream"))

    def _note_memory(self, whose: str, pid: int) -> None:
        value = memory_bytes(pid)
        if value is not None:
            self._note(f"memory of {whose}", 1.25, 8 * MIB, value)

    def _note(self, name: str, factor: float, slack: int, value: int) -> None:
        self.measured.setdefault(name, Measured(name, factor, slack)).samples.append(value)


@contextmanager
def residents(folder: Path, minutes: float, seed: int) -> Iterator[Residents]:
    """Start everybody, to send for so many minutes."""
    messages = max(1, int(PER_MINUTE * minutes))
    conditions = Conditions(brisk=True, clock=True, pause_s=PAUSE_S)
    for name in ("nodes", "hosts"):
        (folder / name).mkdir(parents=True)
    with (
        linked_arena(folder / "nodes", NODES, messages=messages, seed=seed, conditions=conditions) as nodes,
        linked_town(folder / "hosts", HOSTS, messages=messages, seed=seed, conditions=conditions) as hosts,
    ):
        all_of_them = Residents([nodes, hosts], minutes)
        try:
            yield all_of_them
        finally:
            all_of_them.stop_measuring()


def victims(crowd: Arena | Town) -> list[str]:
    """Return the names that may be killed."""
    everybody = crowd.names if isinstance(crowd, Arena) else [*STATIONS, *crowd.hosts]
    return [name for name in everybody if name not in NEVER_KILLED]
