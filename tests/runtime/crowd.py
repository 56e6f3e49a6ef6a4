"""Real processes by name, in one folder, over one server: how they are started, killed, stopped and waited for."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from antecede.judge.events import Event, read_jsonl
from antecede.judge.judge import Verdict, judge
from tests.paths import ROOT
from tests.replay import Drawing, describe_event
from tests.runtime.conditions import OUTLAST_S, Conditions

DEADLINE_S, PATIENCE_S = 120.0, 600.0
"""How long nothing may happen, and how long a wait may take on a machine that has other things to do."""
NORMAL = Conditions()


def read_trace(folder: Path) -> list[Event]:
    """The traces as they are; a line that is being written right now is left for later."""
    lines: list[str] = []
    for path in sorted(folder.glob("*.jsonl")):
        lines += [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
    events, quarantined = read_jsonl(lines)
    assert not quarantined
    return sorted(events, key=lambda event: (event.process, event.index))


class Crowd:
    """Everything is in `folder`: the server and its store in `nats`, the trace in `trace`, a log for each name."""

    def __init__(self, folder: Path, seed: int, conditions: Conditions = NORMAL) -> None:
        self.folder, self.seed, self.conditions = folder, seed, conditions
        self.chance = random.Random(seed)
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.said: dict[str, int] = {}  # how long the log was at the last start
        self.kills = self.starts = 0
        self.patience_s = PATIENCE_S
        Drawing(self._steps)

    def launch(self, name: str, module: str, *arguments: str, conditions: Conditions | None = None) -> None:
        log_path = self.folder / f"{name}.log"
        self.said[name] = log_path.stat().st_size if log_path.exists() else 0
        self.starts += 1
        command = [sys.executable, "-W", "error", "-m", "tests.runtime.conditions", module, *arguments]
        conditions = self.conditions if conditions is None else conditions
        hard = conditions.environment(f"{self.seed} {name} {self.starts}")
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **hard}
        with open(log_path, "ab") as log:
            self.running[name] = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)

    def log(self, name: str) -> str:
        """What the process has said since its last start."""
        return (self.folder / f"{name}.log").read_bytes()[self.said[name] :].decode()

    def kill(self, name: str) -> None:
        self.running[name].kill()
        self.running[name].wait()
        self.kills += 1

    @contextmanager
    def stopped(self, *names: str) -> Iterator[None]:
        """SIGSTOP for longer than every timeout of a brisk process; what is done meanwhile counts."""
        began = time.monotonic()
        for name in names:
            self.running[name].send_signal(signal.SIGSTOP)
        yield
        time.sleep(max(0.0, began + OUTLAST_S - time.monotonic()))
        for name in names:
            self.running[name].send_signal(signal.SIGCONT)

    def wait_a_little(self) -> None:
        """Some time, different in every run and for every seed: the instants of death are not chosen, but found."""
        time.sleep(self.chance.random() * 0.8)

    def server(self) -> int:
        """The process of the embedded server."""
        return int(json.loads((self.folder / "nats" / "address").read_text())["pid"])

    def strike_server(self, kind: str) -> None:
        """Kill it or end it, and wait until its keeper has started another; or stop it for a long while."""
        server = self.server()
        if kind == "stop":
            os.kill(server, signal.SIGSTOP)
            time.sleep(OUTLAST_S)
            os.kill(server, signal.SIGCONT)
            return
        with suppress(ProcessLookupError):  # it is dead still, from the blow before
            os.kill(server, signal.SIGKILL if kind == "kill" else signal.SIGTERM)
        self.wait(lambda: self.server() != server)

    def events(self) -> list[Event]:
        return read_trace(self.folder / "trace")

    def count(self, kind: str) -> int:
        return sum(event.kind == kind for event in self.events())

    def wait(self, done: Callable[[], bool]) -> None:
        """Until `done`; nobody may end meanwhile, and something has to happen now and then, however slowly."""
        began = time.monotonic()
        until, written = began + DEADLINE_S, self.written_bytes()
        while not done():
            if written != self.written_bytes():
                until = min(time.monotonic() + DEADLINE_S, began + self.patience_s)
                written = self.written_bytes()
            for name, process in self.running.items():
                assert process.poll() is None, f"seed {self.seed}: {name} ended: {self.log(name)}"
            waited_s = time.monotonic() - began
            assert time.monotonic() < until, f"seed {self.seed}: not done after {waited_s:.0f} s: {self.look()}"
            time.sleep(0.1)

    def written_bytes(self) -> int:
        """How much there is in traces and logs: more when something has happened."""
        paths = [*(self.folder / "trace").glob("*.jsonl"), *self.folder.glob("*.log")]
        return sum(path.stat().st_size for path in paths)

    def look(self) -> str:
        """What there is to see where it did not go on."""
        logs = "\n".join(f"{name}: {self.log(name)}" for name in self.running)
        return f"{judge(self.events())}\n{logs}"

    def ended(self, name: str) -> int:
        """How the process ended, which it has to do by itself."""
        return self.running[name].wait(DEADLINE_S)

    def whole(self, pattern: str = "*.sqlite") -> bool:
        """No store is damaged. For stores that nobody has open."""
        for path in sorted(self.folder.rglob(pattern)):
            with closing(sqlite3.connect(path)) as database:
                if database.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                    return False
        return True

    def judged(self, messages: int) -> Verdict:
        """The verdict on the trace: nothing but good."""
        verdict = judge(self.events())
        replay = f"seed {self.seed}, {self.kills} kills: {verdict}"
        assert verdict.verdict == "holds", replay
        assert (verdict.lost, verdict.duplicates, verdict.spurious, verdict.quarantined) == (0, 0, 0, 0), replay
        assert verdict.messages == messages, replay
        return verdict

    def _steps(self) -> list[tuple[str, str]]:
        """Return the events so far as they are drawn, by the clock of the machine."""
        return [describe_event(event) for event in sorted(self.events(), key=lambda event: event.time or 0.0)]

    def end(self) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()
