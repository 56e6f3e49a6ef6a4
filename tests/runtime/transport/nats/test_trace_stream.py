"""The trace in a stream of a real server: what is fetched is what the file would have had, over crashes too."""

import asyncio
import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.judge.events import read_jsonl
from antecede.judge.judge import judge
from antecede.runtime import Faults, MemoryNetwork, Node, join
from antecede.runtime.state.store import Store
from antecede.runtime.state.trace_recorder import ENTRY_BYTES_MAX, TraceOutbox, stream_of
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from antecede.runtime.transport.nats.trace_stream import Once, SeenNumbers, fetch
from tests.paths import ROOT
from tests.runtime.cells import cells as cells_in_memory
from tests.runtime.cells import host, taken, until
from tests.runtime.command import main
from tests.runtime.crowd import read_trace
from tests.runtime.nodes import run, take
from tests.runtime.servers import server

NAMES = ["a", "b", "c"]


async def chatter(node: Node, messages: int) -> None:
    for number in range(messages):
        await node.send(sorted(set(NAMES) - {node.process}), b"%d" % number)
    await take(node, messages * 2)


def test_what_is_fetched_is_judged_as_the_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line goes to both; the two traces are the same, line for line, and so are the verdicts."""
    both = TraceOutbox.append

    async def test() -> None:
        network = EmbeddedNetwork(tmp_path / "nats")
        await network.start()
        settings = {"space": "ring", "store": tmp_path / "stores", "trace": "jetstream:ring-trace"}
        joined = [join(network.url, process=name, **settings) for name in NAMES]  # type: ignore[arg-type]  # settings in a dict have no types of their own
        async with joined[0] as a, joined[1] as b, joined[2] as c:
            await asyncio.gather(*(chatter(node, 30) for node in (a, b, c)))
        (tmp_path / "fetched.jsonl").write_text(
            "".join([f"{line}\n" async for line in fetch([network.url], "ring-trace")])
        )
        command = [sys.executable, "-m", "tests.runtime.command", "trace", "ring-trace", "--nats", network.url]
        out = ["--out", str(tmp_path / "commanded.jsonl")]
        done = await asyncio.to_thread(
            subprocess.run, [*command, *out], cwd=ROOT, capture_output=True, text=True, env={"PYTHONPATH": "src:."}
        )
        assert (done.returncode, done.stderr) == (0, f"{len(written)} events\n")
        await network.stop()

    written: list[str] = []

    def append(self: TraceOutbox, lines: list[str]) -> object:
        written.extend(lines)
        return both(self, lines)

    monkeypatch.setattr(TraceOutbox, "append", append)
    run(test)
    fetched = (tmp_path / "fetched.jsonl").read_text().splitlines()
    assert sorted(fetched) == sorted(written)
    assert (tmp_path / "commanded.jsonl").read_text().splitlines() == fetched
    verdicts = [judge(read_jsonl(lines)[0]) for lines in (written, fetched)]
    assert verdicts[0] == verdicts[1]
    assert (verdicts[0].verdict, verdicts[0].deliveries, verdicts[0].lost) == ("holds", 180, 0)


def test_a_process_that_is_killed_leaves_no_gap_and_nothing_twice(tmp_path: Path) -> None:
    """It is killed in the middle of sending and started again, several times; the numbers of its events have no gap."""
    program = """
import asyncio, sys
from pathlib import Path
from antecede.runtime import join
async def main(url, folder):
    async with join(url, space="s", process="a", store=folder, trace="jetstream:t") as node:
        while node.sent < 300:
            await node.send({"b"}, b"x")
        print("done", flush=True)
asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
"""

    def begin(url: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", program, url, str(tmp_path / "stores")]
        return subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT / "src")}, text=True)

    async def test() -> None:
        network = EmbeddedNetwork(tmp_path / "nats")
        await network.start()
        async with join(network.url, space="s", process="b", store=tmp_path / "stores", trace="jetstream:t") as b:
            for count in (30, 90, 150):
                sender = begin(network.url)
                await until(lambda count=count: b.counts()["delivered"] >= count)
                sender.kill()
                sender.communicate()
            last = begin(network.url)
            assert (await asyncio.to_thread(last.communicate))[0] == "done\n"
            await until(lambda: b.counts()["delivered"] == 300)
            await b.flush()
        lines = [line async for line in fetch([network.url], "t")]
        await network.stop()
        events, quarantined = read_jsonl(lines)
        assert not quarantined
        for name in ("a", "b"):
            numbers = sorted(event.index for event in events if event.process == name)
            assert numbers == list(range(1, len(numbers) + 1))
        verdict = judge(events)
        assert (verdict.messages, verdict.deliveries, verdict.lost, verdict.duplicates) == (300, 300, 0, 0)

    run(test)


def test_a_long_commit_gets_through_a_broker_that_takes_little(tmp_path: Path) -> None:
    """The lines of one commit are longer than this broker takes at once."""
    messages = 1_000

    async def test() -> None:
        with server(tmp_path, "small", "max_payload: 65536") as broker:
            url = f"nats://{broker}"
            async with join(url, space="s", process="a", store=None, trace="jetstream:t") as node:
                await asyncio.gather(*(node.send({"a"}, b"x") for _ in range(messages)))
                await until(lambda: not node.counts()["outbox"])
            lines = [line async for line in fetch([url], "t")]
        assert len(lines) == 2 * messages
        assert len("".join(lines)) > 2 * 65536

    run(test)


def test_lines_share_entries_up_to_a_length() -> None:
    short, long = "x" * 1_000, "y" * (ENTRY_BYTES_MAX + 1)
    lines = [short] * 40 + [long] + [short] * 40
    with closing(Store(None)) as store:
        entries = [outgoing.data for outgoing in TraceOutbox(store).append(lines)]
    assert b"".join(entries) == "".join(f"{line}\n" for line in lines).encode()
    assert [len(entry) for entry in entries if len(entry) > ENTRY_BYTES_MAX] == [len(long) + 1]
    assert len(entries) == 5


def test_a_station_writes_what_happens_to_hosts(tmp_path: Path) -> None:
    async def scenario() -> list[str]:
        network = MemoryNetwork(0, Faults())
        async with cells_in_memory(network, trace="jetstream:town") as at, host(at["s1"], "ann") as ann:
            async with host(at["s2"], "bob") as bob:
                await ann.connected()
                await bob.connected()
                await ann.send({"bob"}, b"hello")
                assert await taken(bob, 1) == [b"hello"]
                await bob.move(f"ws://127.0.0.1:{at['s3'].port}")
            await until(lambda: not at["s3"].counts()["connections"])
            await until(lambda: any(b"disconnect" in data for data in network.traces["town"]))
        return [line for data in network.traces["town"] for line in Once().lines(data)]

    events, quarantined = read_jsonl(asyncio.run(scenario()))
    assert not quarantined
    assert {event.process for event in events} >= {"s2", "s3"}
    kinds = [(event.kind, (event.attributes or {}).get("host")) for event in events]
    assert {("connect", "ann"), ("connect", "bob"), ("move", "bob"), ("disconnect", "bob")} <= set(kinds)
    assert judge(events).violations == 0  # stations write no delivers, so there is nothing to judge


def test_a_station_writes_to_a_folder_as_well(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with cells_in_memory(trace=tmp_path) as at, host(at["s1"], "ann") as ann:
            await ann.connected()

    asyncio.run(scenario())
    assert ("connect", {"host": "ann"}) in [(event.kind, event.attributes) for event in read_trace(tmp_path)]


def test_events_that_come_again_are_left_out() -> None:
    seen = SeenNumbers()
    assert [seen.is_new(number) for number in (1, 3, 2, 3, 1, 5)] == [True, True, True, False, False, True]
    assert (seen.floor, seen.beyond) == (3, {5})
    line = json.dumps({"run": "r", "process": "a", "index": 1})
    once = Once()
    assert once.lines(f"{line}\n{line}\n".encode()) == [line]
    assert once.lines(line.encode()) == []


def test_names_of_streams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stream_of("jetstream:shop-1") == "shop-1"
    assert stream_of("some/folder") is None
    assert stream_of(tmp_path) is None
    for name in ("", "a b", "a.b", "a>"):
        with pytest.raises(Misuse, match="name of a stream"):
            stream_of(f"jetstream:{name}")
    assert main("trace", ["shop", "--nats", f"embedded://{tmp_path}"]) == 2
    assert "no server runs in" in capsys.readouterr().err
