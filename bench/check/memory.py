"""The most memory a program and all its children held at one time, from /proc: shared pages counted once (PSS)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

PROC = Path("/proc")


class Peak:
    """`with Peak() as peak: ...`, then `peak.bytes_max`. Looks every `every_s` seconds."""

    def __init__(self, every_s: float = 0.5) -> None:
        self.bytes_max = 0
        self._every_s = every_s
        self._done = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(self._every_s):
            self.bytes_max = max(self.bytes_max, sum(_resident_bytes(pid) for pid in family()))


def family() -> Iterator[int]:
    """This process and everything below it."""
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
    ahead = [os.getpid()]
    while ahead:
        pid = ahead.pop()
        yield pid
        ahead += children.get(pid, [])


def cpu_seconds() -> float:
    """The processor time that this process and everything below it has used so far."""
    ticks = 0
    for pid in family():
        with suppress(OSError):
            ticks += sum(map(int, (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _resident_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
