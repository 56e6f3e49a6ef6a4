"""Stations and roaming hosts as real processes over a real server, what is done to them, and the judgement."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from antecede.check.events import Event, read_jsonl
from antecede.check.judge import Verdict, judge
from antecede.runtime.tokens import issue

ROOT = Path(__file__).parent.parent.parent
DEADLINE_S = 90.0
KEY = b"a key for tests, and for nothing else"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def read_trace(folder: Path) -> list[Event]:
    """The traces as they are; a line that is being written right now is left for later."""
    lines: list[str] = []
    for path in sorted(folder.glob("*.jsonl")):
        lines += [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
    events, quarantined = read_jsonl(lines)
    assert not quarantined
    return sorted(events, key=lambda event: (event.process, event.index))


class Town:
    """Three stations, and hosts that send `messages` each while they move about. Everything is in `folder`."""

    def __init__(self, folder: Path, hosts: list[str], *, messages: int, seed: int, options: list[str]) -> None:
        self.folder, self.hosts, self.messages, self.seed, self.options = folder, hosts, messages, seed, options
        self.chance = random.Random(seed)
        self.stations = {name: free_port() for name in ("s1", "s2", "s3")}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.kills = 0
        self.said: dict[str, int] = {}  # how long the log was at the last start
        (folder / "key").write_bytes(KEY)

    @property
    def urls(self) -> list[str]:
        return [f"ws://127.0.0.1:{port}" for port in self.stations.values()]

    def start(self, name: str) -> None:
        log_path = self.folder / f"{name}.log"
        self.said[name] = log_path.stat().st_size if log_path.exists() else 0
        if name in self.stations:
            command = [
                *("tests.runtime.command", "station", "--name", name, "--stations", ",".join(self.stations)),
                *("--nats", f"embedded://{self.folder / 'nats'}", "--key", str(self.folder / "key")),
                *("--listen", f"127.0.0.1:{self.stations[name]}", *self.options),
            ]
        else:
            others = ",".join(other for other in self.hosts if other != name)
            command = ["tests.runtime.roamer", ",".join(self.urls), str(self.folder), name, issue(KEY, name)]
            command += [others, str(self.messages), str(self.seed)]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
        with open(log_path, "ab") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-W", "error", "-m", *command], cwd=ROOT, env=environment, stdout=log, stderr=log
            )

    def kill(self, name: str) -> None:
        self.running[name].kill()
        self.running[name].wait()
        self.kills += 1

    def pause(self, name: str, seconds: float) -> None:
        self.running[name].send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.running[name].send_signal(signal.SIGCONT)

    def wait_a_little(self) -> None:
        """Some time, different in every run and for every seed: the instants of death are not chosen, but found."""
        time.sleep(self.chance.random())

    def events(self) -> list[Event]:
        return read_trace(self.folder / "trace")

    def count(self, kind: str) -> int:
        return sum(event.kind == kind for event in self.events())

    def finished(self) -> bool:
        events = self.events()
        sends = [event for event in events if event.kind == "send"]
        owed = sum(len(event.dests or ()) for event in sends)
        delivered = sum(event.kind == "deliver" for event in events)
        return len(sends) == self.messages * len(self.hosts) and delivered >= owed

    def listens(self, name: str) -> bool:
        """Whether the station has said so since its last start."""
        return b"listens at" in (self.folder / f"{name}.log").read_bytes()[self.said[name] :]

    def wait(self, done: Callable[[], bool]) -> None:
        until = time.monotonic() + DEADLINE_S
        while not done():
            for name, process in self.running.items():
                assert process.poll() is None, f"{name} ended: {(self.folder / f'{name}.log').read_text()}"
            assert time.monotonic() < until, (
                f"seed {self.seed}, not done after {DEADLINE_S:g} s: {judge(self.events())}"
            )
            time.sleep(0.1)

    def finish(self) -> Verdict:
        """Wait for the end, and judge the trace that the hosts wrote."""
        self.wait(lambda: self.finished() and all(map(self.listens, self.stations)))
        (self.folder / "stop").touch()
        for name in self.hosts:
            assert self.running[name].wait(30) == 0, f"{name} failed: {(self.folder / f'{name}.log').read_text()}"
        for name in self.stations:
            self.running[name].terminate()
            ended = self.running[name].wait(30)
            assert ended == 0, f"{name} ended with {ended}: {(self.folder / f'{name}.log').read_text()}"
        verdict = judge(self.events())
        replay = f"seed {self.seed}, {self.kills} kills: {verdict}"
        assert verdict.verdict == "holds", replay
        assert (verdict.lost, verdict.duplicates, verdict.spurious, verdict.quarantined) == (0, 0, 0, 0), replay
        assert verdict.messages == self.messages * len(self.hosts), replay
        return verdict


@contextmanager
def town(folder: Path, hosts: str, *, messages: int, seed: int, options: list[str] | None = None) -> Iterator[Town]:
    """Start the stations, then the hosts."""
    one = Town(folder, hosts.split(), messages=messages, seed=seed, options=options or [])
    try:
        for name in (*one.stations, *one.hosts):
            one.start(name)
        yield one
    finally:
        for process in one.running.values():
            process.kill()
            process.wait()
