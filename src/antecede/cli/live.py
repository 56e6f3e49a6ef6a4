"""`antecede demo --live`: let eight hosts chat and roam between three real stations, without and with causal order.

Each conversation runs on its own embedded NATS server, with every station in a process of its own. The hosts are in
this process, on real WebSockets. The links between stations take the times of `LINKS_S`, as if the stations were far
apart. Half-way a station is killed and later started again. Both kinds of station hand hosts over alike and lose
nothing. One passes messages on as NATS brings them (`plain`), the other orders them (`roam`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.cli import screen
from antecede.core.errors import AntecedeError, Misuse

if TYPE_CHECKING:
    from antecede.pipeline.progress import Progress
    from antecede.runtime.roaming.host.host import Host

KINDS = ("plain", "roam")
STATIONS = ("north", "south", "west")
LINKS_S = {("north", "south"): 0.01, ("south", "west"): 0.01, ("north", "west"): 0.15}
HOSTS = ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal")
MESSAGES = 30
PAUSE_S = 0.12
MOVE_S = 1.5
DOWN_S = 1.0
VICTIM = "south"
END_S = 60.0


class DemoFailed(AntecedeError):
    """An error of the demonstration. The message says which part failed."""


def run(arguments: argparse.Namespace) -> int:
    from antecede.cli import demo

    out = Path(arguments.out) / "live"
    traces = out / "traces"
    with screen.show_progress() as progress, tempfile.TemporaryDirectory(prefix="antecede-live-") as state:
        for kind in KINDS:
            _clear(traces / kind)
            town = Town(Path(state) / kind, traces / kind, kind, arguments.seed, progress)
            asyncio.run(town.live())
        checked, rows = demo.check_runs(str(traces), str(out / "checked"), arguments.master, progress)
        report = screen.write_report(checked, progress)
    demo.print_comparison(
        f"{len(HOSTS)} hosts, {len(STATIONS)} stations, links of 10 to 150 ms, one station killed and restarted: "
        "the same conversation twice",
        _compare([rows[kind] for kind in KINDS], [_moves(traces / kind) for kind in KINDS]),
        checked,
        report,
        traces,
    )
    return 0


def _clear(folder: Path) -> None:
    """Remove the traces of an earlier demonstration, and nothing else."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.glob("*.jsonl")):
            path.unlink()
    except OSError as error:
        raise Misuse(f"cannot use the folder {folder}: {error.strerror}; give another with --out") from error


def _moves(folder: Path) -> int:
    return sum('"kind":"move"' in line for path in sorted(folder.glob("*.jsonl")) for line in path.open())


def _compare(pair: list[Mapping[str, Any]], moves: list[int]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what differs without and with causal order."""
    yield "", ("plain NATS", "roam")
    yield "verdict", [str(row["verdict"]).upper() for row in pair]
    for name in ("violations", "overtaken", "messages", "deliveries", "lost", "duplicates"):
        yield name, [f"{row[name]:,}" for row in pair]
    yield "moves between stations", [f"{count:,}" for count in moves]


@dataclass(slots=True)
class Town:
    """One conversation. `folder` holds the data of the servers, and `traces` what the hosts write."""

    folder: Path
    traces: Path
    kind: str
    seed: int
    progress: Progress
    ports: dict[str, int] = field(default_factory=dict)
    running: dict[str, subprocess.Popen[str]] = field(default_factory=dict)
    nats: str = ""
    delivered: int = 0
    owed: int = 0

    async def live(self) -> None:
        """Run the conversation from beginning to end."""
        from antecede.runtime.transport.nats.embedded import EmbeddedNetwork

        self.folder.mkdir(parents=True)
        key = secrets.token_hex(32)
        (self.folder / "key").write_text(key)
        network = EmbeddedNetwork(self.folder / "nats")
        async with AsyncExitStack() as stack:
            stack.push_async_callback(network.stop)
            stack.callback(self._end)
            self.progress(f"{self.kind}: starting NATS and {len(STATIONS)} stations")
            await network.start()
            self.nats = f"embedded://{(self.folder / 'nats').resolve()}"  # not its URL, which has the password
            self.ports = {name: _free_port() for name in STATIONS}
            await asyncio.gather(*(asyncio.to_thread(self._start, name) for name in STATIONS))
            hosts = [await stack.enter_async_context(self._host(name, key.encode())) for name in HOSTS]
            for host in hosts:
                await host.connected()
            await self._talk(hosts)

    async def _talk(self, hosts: list[Host]) -> None:
        self.progress(f"{self.kind}: {len(HOSTS)} hosts chat and roam")
        taking = [asyncio.create_task(self._take(host)) for host in hosts]
        moving = [asyncio.create_task(self._wander(host)) for host in hosts]
        try:
            disaster = asyncio.create_task(self._disaster())
            await asyncio.gather(disaster, *(self._chat(host) for host in hosts))
            self.progress(f"{self.kind}: the last messages arrive")
            async with asyncio.timeout(END_S):
                while self.delivered < self.owed:
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise DemoFailed(f"{self.owed - self.delivered} messages did not arrive within {END_S:g} s") from None
        finally:
            for task in (*taking, *moving):
                task.cancel()
            await asyncio.gather(*taking, *moving, return_exceptions=True)

    async def _chat(self, host: Host) -> None:
        chance = random.Random(f"{self.seed} {host.id} says")  # noqa: S311 - chance, not a secret
        others = [name for name in HOSTS if name != host.id]
        for number in range(MESSAGES):
            await asyncio.sleep(chance.expovariate(1 / PAUSE_S))
            await self._say(host, chance.sample(others, chance.randint(1, 4)), f"{host.id} says {number}")

    async def _say(self, host: Host, dests: list[str], text: str) -> None:
        self.owed += len(dests)
        await host.send(dests, text.encode())

    async def _take(self, host: Host) -> None:
        """Receive messages, and answer every third to all that got it. Answers are what makes order matter."""
        async for message in host:
            self.delivered += 1
            await message.ack()
            others = sorted({message.sender, *message.dests} - {host.id})
            number = message.payload.rpartition(b" says ")[2]
            if number.isdigit() and int(number) % 3 == 0:
                await self._say(host, others, f"re: {message.id}")

    async def _wander(self, host: Host) -> None:
        chance = random.Random(f"{self.seed} {host.id} goes")  # noqa: S311 - chance, not a secret
        while True:
            await asyncio.sleep(chance.expovariate(1 / MOVE_S))
            await host.move(self._url(chance.choice(STATIONS)))

    async def _disaster(self) -> None:
        await asyncio.sleep(MESSAGES * PAUSE_S / 2)
        self.progress(f"{self.kind}: kill -9 of station {VICTIM}")
        self.running[VICTIM].kill()
        self.running[VICTIM].communicate()
        await asyncio.sleep(DOWN_S)
        await asyncio.to_thread(self._start, VICTIM)
        self.progress(f"{self.kind}: station {VICTIM} is back")

    def _host(self, name: str, key: bytes) -> Host:
        from antecede.runtime.roaming.host.host import Host
        from antecede.runtime.roaming.tokens import issue

        first = HOSTS.index(name) % len(STATIONS)
        urls = [self._url(station) for station in (*STATIONS[first:], *STATIONS[:first])]
        return Host(urls, name, issue(key, name, days=1), trace=self.traces, run=self.kind)

    def _url(self, station: str) -> str:
        return f"ws://127.0.0.1:{self.ports[station]}"

    def _start(self, name: str) -> None:
        settings = {
            "name": name,
            "stations": STATIONS,
            "nats": self.nats,
            "port": self.ports[name],
            "key": str(self.folder / "key"),
            "space": self.kind,
            "store": str(self.folder / "stores"),
            "ordered": self.kind == "roam",
            "delays_s": {other: LINKS_S[min(name, other), max(name, other)] for other in STATIONS if other != name},
        }
        process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", "antecede.cli.live_station", json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.running[name] = process
        assert process.stdout is not None
        if process.stdout.readline().strip() != "ready":
            raise DemoFailed(f"station {name} did not start")

    def _end(self) -> None:
        for process in self.running.values():
            process.kill()
            process.communicate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
