"""A durable process that dies after any number of calls goes on as if nothing had happened.

The network here is a list that a seed shuffles; a crash is a store whose staged changes are forgotten. What every
process did is judged by the trace it wrote.
"""

import random
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from antecede.core.errors import Misuse
from antecede.core.registry import create
from antecede.core.types import MessageId
from antecede.judge.events import read_jsonl
from antecede.judge.judge import judge
from antecede.runtime import frames
from antecede.runtime.limits import SNAPSHOT_BYTES_MIN
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.state.outgoing import Outgoing, OutgoingPacket
from antecede.runtime.state.store import Store
from antecede.runtime.state.trace_recorder import Recorder, TraceFiles
from tests.replay import Drawing

NAMES = ["a", "b", "c"]


class World:
    """Three durable processes, what is in flight between them, and what their applications have."""

    def __init__(
        self, folder: Path, seed: int, algorithm: str, *, snapshot_bytes_min: int = SNAPSHOT_BYTES_MIN, **options: Any
    ) -> None:
        self.folder, self.chance, self.snapshot_bytes_min = folder, random.Random(seed), snapshot_bytes_min
        self.algorithm, self.options = algorithm, options
        self.drawing = Drawing()
        self.flying: list[tuple[str, str, bytes]] = []
        self.stores: dict[str, Store] = {}
        self.files: dict[str, TraceFiles] = {}
        self.processes = {name: self.begin(name) for name in NAMES}
        self.inboxes: dict[str, list[MessageId]] = {name: [] for name in NAMES}

    def begin(self, name: str) -> DurableProcess:
        store = self.stores[name] = Store(self.folder / f"{name}.sqlite", snapshot_bytes_min=self.snapshot_bytes_min)
        files = self.files[name] = TraceFiles(self.folder / "trace", name, store, file_bytes_max=5_000)
        recorder = Recorder("run", name, files, store, lambda: 0.0)
        make = partial(create, self.algorithm, process=name, processes=NAMES, **self.options)
        process = DurableProcess(store, make, NAMES, recorder=recorder)
        process.commit()
        for outgoing in store.outbox():
            self.fly(name, outgoing)
        return process

    def crash(self, name: str) -> None:
        self.drawing.add(name, "crash")
        self.stores[name].close()
        self.files[name].close()
        self.processes[name] = self.begin(name)
        self.inboxes[name] = [one.message.id for one in self.stores[name].inbox()]

    def fly(self, name: str, outgoing: Outgoing) -> None:
        data = outgoing.data
        if isinstance(outgoing, OutgoingPacket):
            data = frames.packets(outgoing.roster, [outgoing.data])
        self.flying += [(name, to, data) for to in outgoing.dests]

    def commit(self, name: str) -> None:
        released = self.processes[name].commit()
        delivered = [one.message.id for one in released.delivered]
        for identity in delivered:
            self.drawing.add(name, f"deliver {identity}")
        self.inboxes[name] += delivered
        for outgoing in released.outgoing:
            self.fly(name, outgoing)

    def step(self) -> None:
        name = self.chance.choice(NAMES)
        others = [other for other in NAMES if other != name]
        what = self.chance.random()
        if what < 0.25:
            dests = self.chance.sample(NAMES, self.chance.randint(1, 3))
            sent = self.processes[name].send(dests, b"x" * self.chance.randint(0, 50))
            self.drawing.add(name, f"send {sent} to {', '.join(sorted(dests))}")
        elif self.flying and what < 0.8:
            self.arrive(self.chance.randrange(len(self.flying)))
        elif what < 0.85:
            self.crash(name)
        if self.chance.random() < 0.5:
            self.commit(self.chance.choice([name, *others]))

    def arrive(self, at: int) -> None:
        """Acknowledged only if the receiver commits before it dies; here: taken out of the air after its commit."""
        sender, to, data = self.flying[at]
        self.drawing.add(to, f"receive from {sender}")
        if not self.processes[to].receive(sender, data):
            return
        if self.chance.random() < 0.5:
            self.commit(to)
            if self.chance.random() < 0.9:
                self.flying.remove((sender, to, data))

    def settle(self) -> None:
        for name in NAMES:
            self.commit(name)
        while self.flying:
            sender, to, data = self.flying.pop(self.chance.randrange(len(self.flying)))
            self.drawing.add(to, f"receive from {sender}")
            if not self.processes[to].receive(sender, data):
                self.flying.append((sender, to, data))
            self.commit(to)

    def lines(self) -> list[str]:
        for name in NAMES:
            self.files[name].close()
            self.stores[name].close()
        return [line for path in sorted((self.folder / "trace").iterdir()) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("ks", {"multicast": True}),
        ("ks", {"differential": True}),
        ("prs", {}),
        ("prs", {"bit_string": True}),
        ("psync", {}),
        ("rst", {}),
        ("serial-multicast", {}),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_crashes_at_random_steps(tmp_path: Path, seed: int, algorithm: str, options: dict[str, Any]) -> None:
    world = World(tmp_path, seed, algorithm, snapshot_bytes_min=1_000, **options)
    for _ in range(400):
        world.step()
    world.settle()
    assert all(not process.pending() for process in world.processes.values())
    events, bad = read_jsonl(world.lines())
    verdict = judge(events)
    assert verdict.verdict == "holds"
    assert (verdict.lost, verdict.duplicates, verdict.spurious, verdict.quarantined, bad) == (0, 0, 0, 0, [])
    assert verdict.messages > 50
    events.sort(key=lambda event: event.index)
    for name in NAMES:
        delivered = [event.message for event in events if (event.process, event.kind) == (name, "deliver")]
        assert [str(identity) for identity in world.inboxes[name]] == delivered


def test_a_trace_longer_than_the_store_says_is_cut(tmp_path: Path) -> None:
    """The process died after it wrote lines and before the store committed."""
    world = World(tmp_path, 1, "ks", multicast=True)
    world.processes["a"].send({"b"}, b"1")
    world.commit("a")
    world.processes["a"].send({"b"}, b"never happened")
    recorder = world.processes["a"]._trace.recorder
    assert recorder is not None
    recorder.flush()
    path = tmp_path / "trace" / "a.jsonl"
    assert len(path.read_text().splitlines()) == 2
    world.crash("a")
    assert len(path.read_text().splitlines()) == 1
    world.processes["a"].send({"b"}, b"2")
    world.settle()
    verdict = judge(read_jsonl(world.lines())[0])
    assert (verdict.messages, verdict.lost, verdict.quarantined) == (2, 0, 0)


def test_a_trace_of_another_run_is_not_written_over(tmp_path: Path) -> None:
    world = World(tmp_path, 1, "ks")
    world.processes["a"].send({"b"}, b"1")
    world.commit("a")
    world.lines()
    for path in tmp_path.glob("*.sqlite*"):
        path.unlink()
    with pytest.raises(Misuse, match="another run"):
        World(tmp_path, 1, "ks")


def test_malformed_and_lying_frames_touch_nothing() -> None:
    """100,000 frames that can not be right: each is refused with a reason, or left with the broker if it could be of a
    later release; and the state is byte for byte the same."""
    chance = random.Random(5)
    process = DurableProcess(Store(None), partial(create, "ks", process="b", processes=NAMES, multicast=True), NAMES)
    peer = create("ks", process="a", processes=NAMES, multicast=True)
    good = [effect.packet for effect in peer.send({"b"}, b"fine") if hasattr(effect, "packet")]
    encoded = process.rosters.codec.encode(good[0])
    frame = frames.packets(0, [encoded])
    process.commit()
    before = process.algorithm.snapshot()
    for _ in range(100_000):
        data = _spoilt(chance, frame)
        assert process.receive("c", data) or process.unreadable.has("c", data)
    assert process.counts["refused"] >= 50_000
    assert process.algorithm.snapshot() == before
    assert all(reason for _, reason, _ in process.store.read_quarantine())
    process.store.close()


def _spoilt(chance: random.Random, frame: bytes) -> bytes:
    """Cut, flipped, random, or whole but published by somebody else."""
    kind = chance.randrange(4)
    if kind == 0:
        return frame[: chance.randrange(len(frame))]
    if kind == 1:
        return bytes([9]) + chance.randbytes(chance.randrange(60))
    if kind == 2:
        return frames.packets(0, [chance.randbytes(chance.randrange(1, 60)) for _ in range(3)])
    return frame


def test_a_copy_of_the_store_replays_to_the_same_state(tmp_path: Path) -> None:
    world = World(tmp_path, 9, "ks", multicast=True)
    for _ in range(150):
        world.step()
    for name in NAMES:
        world.commit(name)
        state = world.processes[name].algorithm.snapshot()
        copy = tmp_path / "copy"
        copy.mkdir(exist_ok=True)
        for file in tmp_path.glob(f"{name}.sqlite*"):
            shutil.copy(file, copy)
        store = Store(copy / f"{name}.sqlite")
        again = DurableProcess(store, partial(create, "ks", process=name, processes=NAMES), NAMES)
        assert again.algorithm.snapshot() == state
        store.close()
    world.lines()
