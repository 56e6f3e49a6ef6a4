"""Two stations with 1,000 and with 5,000 connected hosts on loopback: memory of an idle host, messages a second, time
of a hand-off.

Each station is a process of its own, durable as by default; all hosts are in this process, so that the rate is
limited by whichever is slower. A hand-off is timed from `move` until the new station serves the host, opening the
connection included; one host moves at a time.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median, quantiles

from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from bench import table
from bench.runtime.station_process import PATIENCE_S

HOSTS, PAYLOAD_BYTES = (1_000, 5_000), 64
SENDERS, MESSAGES, IN_FLIGHT = 200, 20, 4
MOVES = 300
OPENING = 50
KEY = "a key for measurements, and nothing else"
STATIONS = ["s1", "s2"]


def _start(name: str, nats: str, folder: Path) -> tuple[subprocess.Popen[str], str]:
    settings = {"name": name, "stations": STATIONS, "nats": nats, "key": KEY, "store": str(folder / "stores")}
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.runtime.station_process", json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, f"ws://127.0.0.1:{int(process.stdout.readline())}"


def _memory_bytes(process: subprocess.Popen[str]) -> int:
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise OSError("no resident set size in /proc")


async def _connect(stack: AsyncExitStack, url: str, count: int) -> list[Host]:
    hosts: list[Host] = []
    for first in range(0, count, OPENING):
        names = [f"host{number}" for number in range(first, min(first + OPENING, count))]
        some = [Host([url], name, issue(KEY.encode(), name), connect_s=PATIENCE_S, ping_s=PATIENCE_S) for name in names]
        hosts += [await stack.enter_async_context(host) for host in some]
        await asyncio.gather(*(host.connected() for host in some))
    return hosts


async def _rate(hosts: list[Host]) -> float:
    """Messages a second from host to host, all at one station."""
    wanted, got, done = SENDERS * MESSAGES, 0, asyncio.Event()

    async def take(host: Host) -> None:
        nonlocal got
        async for message in host:
            await message.ack()
            got += 1
            if got == wanted:
                done.set()

    async def send(host: Host, chance: random.Random) -> None:
        for _ in range(MESSAGES // IN_FLIGHT):
            await asyncio.gather(
                *(host.send({_other(host, hosts, chance)}, bytes(PAYLOAD_BYTES)) for _ in range(IN_FLIGHT))
            )
        for _ in range(MESSAGES % IN_FLIGHT):
            await host.send({_other(host, hosts, chance)}, bytes(PAYLOAD_BYTES))

    takers = [asyncio.create_task(take(host)) for host in hosts]
    await asyncio.sleep(0.5)
    start = time.perf_counter()
    await asyncio.gather(*(send(host, random.Random(host.id)) for host in hosts[:SENDERS]))
    await asyncio.wait_for(done.wait(), 100)
    elapsed = time.perf_counter() - start
    for taker in takers:
        taker.cancel()
    await asyncio.gather(*takers, return_exceptions=True)
    return wanted / elapsed


def _other(host: Host, hosts: list[Host], chance: random.Random) -> str:
    while True:
        other = chance.choice(hosts)
        if other is not host:
            return other.id


async def _moves_ms(hosts: list[Host], urls: list[str]) -> list[float]:
    found = []
    for number in range(MOVES):
        host = hosts[number]
        start = time.perf_counter()
        await host.move(urls[1])
        found.append(1_000 * (time.perf_counter() - start))
    return found


async def _measure(count: int) -> dict[str, float]:
    folder = Path(tempfile.mkdtemp(prefix="antecede-bench-"))
    network = EmbeddedNetwork(folder / "nats")
    running: list[subprocess.Popen[str]] = []
    await network.start()
    try:
        urls = []
        for name in STATIONS:
            process, url = _start(name, network.url, folder)
            running.append(process)
            urls.append(url)
        before = _memory_bytes(running[0])
        async with AsyncExitStack() as stack:
            start = time.perf_counter()
            hosts = await _connect(stack, urls[0], count)
            connecting_s = time.perf_counter() - start
            await asyncio.sleep(1)
            idle = (_memory_bytes(running[0]) - before) / count
            moves = await _moves_ms(hosts, urls)
            rate = await _rate(hosts[MOVES:])
    finally:
        for process in running:
            process.kill()
            process.communicate()
        await network.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return {
        "hosts": count,
        "KiB per idle host": idle / 1024,
        "new hosts/s": count / connecting_s,
        "messages/s": rate,
        "hand-off median, ms": median(moves),
        "hand-off p99, ms": quantiles(moves, n=100)[98],
    }


def main() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8 * max(HOSTS)), hard))
    found = [asyncio.run(_measure(count)) for count in HOSTS]
    table.show(
        f"two stations on loopback, {PAYLOAD_BYTES}-byte payloads, {SENDERS} hosts sending, {MOVES} hand-offs",
        tuple(found[0]),
        [tuple(row.values()) for row in found],
    )
    print(f"\nkept in {table.keep('stations', {'rows': found})}")


if __name__ == "__main__":
    main()
