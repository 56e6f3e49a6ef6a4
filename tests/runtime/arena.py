"""Real processes over a real server, what is done to them, and the judgement in the end."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from antecede.check.events import Event, read_jsonl
from antecede.check.judge import Verdict, judge
from antecede.runtime.store import Store

ROOT = Path(__file__).parent.parent.parent
DEADLINE_S = 60.0


class Arena:
    """`names` as worker processes on `url`, each sending `messages`, with everything they leave in `folder`."""

    def __init__(
        self, folder: Path, url: str, names: list[str], *, messages: int, seed: int, urls: Mapping[str, str]
    ) -> None:
        self.folder, self.names = folder, names
        self.urls = {name: urls.get(name, url) for name in names}
        self.messages, self.seed = messages, seed
        self.chance = random.Random(seed)
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.kills = 0

    def start(self, name: str) -> None:
        others = ",".join(other for other in self.names if other != name)
        command = [sys.executable, "-W", "error", "-m", "tests.runtime.worker"]
        arguments = [self.urls[name], str(self.folder), name, others, str(self.messages), str(self.seed)]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
        with open(self.folder / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen([*command, *arguments], cwd=ROOT, env=environment, stderr=log)

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
        time.sleep(self.chance.random() * 0.8)

    def events(self) -> list[Event]:
        """The traces as they are; a line that is being written right now is left for later."""
        lines: list[str] = []
        for path in sorted((self.folder / "trace").glob("*.jsonl")):
            lines += [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
        events, quarantined = read_jsonl(lines)
        assert not quarantined
        return sorted(events, key=lambda event: (event.process, event.index))

    def finished(self) -> bool:
        """Everything was sent, delivered, and seen by the application."""
        events = self.events()
        sends = [event for event in events if event.kind == "send"]
        owed = sum(len(event.dests or ()) for event in sends)
        delivered = sum(event.kind == "deliver" for event in events)
        if len(sends) < self.messages * len(self.names) or delivered < owed:
            return False
        return all(
            len({identity for word, identity in self.seen(name) if word == "got"})
            == sum(event.kind == "deliver" and event.process == name for event in events)
            for name in self.names
        )

    def wait(self, done: Callable[[], bool]) -> None:
        until = time.monotonic() + DEADLINE_S
        while not done():
            for name, process in self.running.items():
                assert process.poll() is None, f"{name} ended: {(self.folder / f'{name}.log').read_text()}"
            assert time.monotonic() < until, f"not done after {DEADLINE_S:g} s: {self.verdict()}"
            time.sleep(0.1)

    def stop(self) -> None:
        (self.folder / "stop").touch()
        for name, process in self.running.items():
            assert process.wait(20) == 0, f"{name} failed: {(self.folder / f'{name}.log').read_text()}"

    def verdict(self) -> Verdict:
        return judge(self.events())

    def seen(self, name: str) -> list[tuple[str, str]]:
        path = self.folder / f"{name}.seen"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(word, identity) for word, _, identity in (line.partition(" ") for line in lines)]

    def finish(self) -> Verdict:
        """Wait for the end, and judge: the trace, and what the applications saw."""
        self.wait(self.finished)
        self.stop()
        verdict = self.verdict()
        replay = f"seed {self.seed}, {self.kills} kills: {verdict}"
        assert verdict.verdict == "holds", replay
        assert (verdict.lost, verdict.duplicates, verdict.spurious, verdict.quarantined) == (0, 0, 0, 0), replay
        assert verdict.messages == self.messages * len(self.names), replay
        for name in self.names:
            self._judge_application(name)
        return verdict

    def _judge_application(self, name: str) -> None:
        """First offers are in the order of the trace; what was acknowledged is never offered again; what was not is,
        in the same order."""
        delivered = [event.message for event in self.events() if (event.process, event.kind) == (name, "deliver")]
        acked: set[str] = set()
        firsts: dict[str, None] = {}
        at = 0
        for word, identity in self.seen(name):
            if word == "acked":
                acked.add(identity)
                continue
            assert identity not in acked, f"{name} was offered {identity} after it had acknowledged it"
            if identity in firsts:
                assert delivered.index(identity) <= at, f"{name} was offered {identity} again, out of order"
            firsts[identity] = None
            at = delivered.index(identity)
        assert list(firsts) == delivered
        (path,) = (self.folder / "stores").glob(f"*_{name}.sqlite")
        with closing(Store(path)) as store:
            assert (store.inbox(), store.quarantined()) == ([], [])


@contextmanager
def arena(
    folder: Path, url: str, names: str, *, messages: int, seed: int, urls: Mapping[str, str] | None = None
) -> Iterator[Arena]:
    """Start everybody; `urls` for those who do not take `url`."""
    one = Arena(folder, url, names.split(), messages=messages, seed=seed, urls=urls or {})
    try:
        for name in one.names:
            one.start(name)
        yield one
    finally:
        for process in one.running.values():
            process.kill()
            process.wait()
