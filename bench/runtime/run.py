"""The runtime beside plain JetStream: eight members of one group, 64-byte payloads, on one embedded server.

Each contender is measured several times in turn on the same server: deliveries per second with every member sending as
fast as it can, then the time from `send` to delivery at a rate that leaves both of them room. All members share one
event loop, the server is a process of its own. The medians of the passes are compared.
"""

from __future__ import annotations

import asyncio
import shutil
import struct
import tempfile
import time
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from statistics import median, quantiles
from typing import Protocol

from antecede.runtime.embedded import EmbeddedNetwork
from bench import table
from bench.runtime import stamps
from bench.runtime.contenders import Member, ordered, plain

MEMBERS, PAYLOAD_BYTES = 8, 64
MESSAGES, IN_FLIGHT, BATCH = 320, 16, 256
RATE_S, SECONDS, PASSES = 5.0, 5.0, 3
NAMES = [f"node{n}" for n in range(MEMBERS)]
TARGETS = {"deliveries/s": 0.5, "median": 2.0, "p99": 3.0}


class Contender(Protocol):
    def __call__(
        self, url: str, folder: Path, names: list[str], batch: int
    ) -> AbstractAsyncContextManager[list[Member]]: ...


async def _throughput(contender: Contender, url: str, folder: Path) -> tuple[float, float]:
    """Deliveries per second, and microseconds of the members' processor time for each."""
    wanted = MEMBERS * (MEMBERS - 1) * MESSAGES
    count, done = 0, asyncio.Event()

    def taken(_: bytes) -> None:
        nonlocal count
        count += 1
        if count == wanted:
            done.set()

    async def send(member: Member) -> None:
        for _ in range(MESSAGES // IN_FLIGHT):
            await member.send(bytes(PAYLOAD_BYTES))

    async with contender(url, folder, NAMES, BATCH) as members:
        takers = [asyncio.create_task(member.take(taken)) for member in members]
        await asyncio.sleep(0.2)
        start, worked = time.perf_counter(), time.process_time()
        senders = [asyncio.create_task(send(member)) for member in members for _ in range(IN_FLIGHT)]
        await asyncio.wait_for(done.wait(), 100)
        elapsed, worked = time.perf_counter() - start, time.process_time() - worked
        await asyncio.gather(*senders)
        await _end(takers)
    return wanted / elapsed, 1e6 * worked / wanted


async def _latency(contender: Contender, url: str, folder: Path) -> tuple[float, float]:
    """The median and the 99th percentile from `send` to delivery, in milliseconds."""
    found: list[float] = []
    count = int(SECONDS * RATE_S)

    def taken(payload: bytes) -> None:
        (sent,) = struct.unpack_from(">d", payload)
        found.append(1000 * (time.perf_counter() - sent))

    async def send(member: Member, at: int) -> None:
        await asyncio.sleep(at / MEMBERS / RATE_S)
        for _ in range(count):
            await member.send(struct.pack(">d", time.perf_counter()).ljust(PAYLOAD_BYTES, b"\0"))
            await asyncio.sleep(1 / RATE_S)

    async with contender(url, folder, NAMES, 1) as members:
        takers = [asyncio.create_task(member.take(taken)) for member in members]
        await asyncio.sleep(0.2)
        await asyncio.gather(*(send(member, at) for at, member in enumerate(members)))
        while len(found) < MEMBERS * (MEMBERS - 1) * count:
            await asyncio.sleep(0.01)
        await _end(takers)
    return median(found), quantiles(found, n=100)[98]


async def _end(takers: list[asyncio.Task[None]]) -> None:
    for taker in takers:
        taker.cancel()
    await asyncio.gather(*takers, return_exceptions=True)


async def _measure() -> dict[str, dict[str, float]]:
    contenders: dict[str, Contender] = {"plain JetStream": plain, "antecede": ordered}
    found: dict[str, dict[str, list[float]]] = {
        name: {"deliveries/s": [], "median": [], "p99": [], "processor": []} for name in contenders
    }
    folder = Path(tempfile.mkdtemp(prefix="antecede-bench-"))
    network = EmbeddedNetwork(folder / "nats")
    await network.start()
    try:
        for number in range(PASSES):
            for name, contender in contenders.items():
                rate, worked = await _throughput(contender, network.url, folder / f"t{number}")
                found[name]["deliveries/s"].append(rate)
                found[name]["processor"].append(worked)
                middle, high = await _latency(contender, network.url, folder / f"l{number}")
                found[name]["median"].append(middle)
                found[name]["p99"].append(high)
    finally:
        await network.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return {name: {what: median(values) for what, values in each.items()} for name, each in found.items()}


def main() -> None:
    rows = asyncio.run(_measure())
    ours, theirs = rows["antecede"], rows["plain JetStream"]
    ratios = {what: ours[what] / theirs[what] for what in ours}
    table.show(
        f"{MEMBERS} members, {PAYLOAD_BYTES}-byte payloads to all others, one server, {PASSES} passes",
        ("contender", "deliveries/s", "median, ms", "p99, ms", "processor, us/delivery"),
        [
            *((name, *each.values()) for name, each in rows.items()),
            ("ratio", *ratios.values()),
            ("target", "at least 0.5", "at most 2", "at most 3", None),
        ],
    )
    results = {"rows": rows, "ratios": ratios, "targets": TARGETS, "stamps": stamps.show()}
    print(f"\nkept in {table.keep('runtime', results)}")


if __name__ == "__main__":
    main()
