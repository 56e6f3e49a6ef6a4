"""The runtime beside plain JetStream: eight members of one group, 64-byte payloads, on one embedded server.

Every member is a process of its own, as it is in use. Each contender is measured several times in turn on the same
server: deliveries per second with every member sending as fast as it can, then the time from `send` to delivery at a
rate that leaves both of them room. The medians of the passes are compared.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median, quantiles

from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from bench import table
from bench.runtime import stamps
from bench.runtime.contenders import CONTENDERS
from bench.runtime.member import FETCHING_S, Result, Task

MEMBERS, PAYLOAD_BYTES = 8, 64
MESSAGES, IN_FLIGHT = 320, 16
RATE_S, SECONDS, PASSES = 5.0, 5.0, 3
OPENING_S = 0.2
NAMES = tuple(f"node{n}" for n in range(MEMBERS))
TARGETS = {"deliveries/s": 0.5, "median": 2.0, "p99": 3.0}


def _together(task: Task) -> tuple[float, list[Result]]:
    """All members do the task; when they began, and what each measured."""
    tasks = [Task(**{**asdict(task), "me": name}) for name in NAMES]
    command = (sys.executable, "-m", "bench.runtime.member")
    members = [
        subprocess.Popen([*command, json.dumps(asdict(each))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for each in tasks
    ]
    try:
        said = [_said(member) for member in members]
        assert set(said) == {"open\n"}, said
        begin = time.monotonic() + OPENING_S
        for member in members:
            _tell(member, f"{begin}")
        results = [Result(**json.loads(_said(member))) for member in members]
        for member in members:
            _tell(member, "leave")
        assert [member.wait(60) for member in members] == [0] * MEMBERS
    finally:
        for member in members:
            member.kill()
    return begin + FETCHING_S, results


def _said(member: subprocess.Popen[str]) -> str:
    assert member.stdout is not None
    return member.stdout.readline()


def _tell(member: subprocess.Popen[str], line: str) -> None:
    assert member.stdin is not None
    member.stdin.write(f"{line}\n")
    member.stdin.flush()


def _throughput(task: Task) -> tuple[float, float]:
    """Deliveries per second, and microseconds of the members' processor time for each."""
    begun, results = _together(task)
    deliveries = sum(len(result.under_way_s) for result in results)
    elapsed_s = max(result.ended for result in results) - begun
    return deliveries / elapsed_s, 1e6 * sum(result.processor_s for result in results) / deliveries


def _latency(task: Task) -> tuple[float, float]:
    """The median and the 99th percentile from `send` to delivery, in milliseconds."""
    _, results = _together(task)
    found = [1000 * each for result in results for each in result.under_way_s]
    return median(found), quantiles(found, n=100)[98]


async def _measure() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, list[float]]] = {
        name: {"deliveries/s": [], "median": [], "p99": [], "processor": []} for name in CONTENDERS
    }
    folder = Path(tempfile.mkdtemp(prefix="antecede-bench-"))
    network = EmbeddedNetwork(folder / "nats")
    await network.start()
    try:
        for number in range(PASSES):
            for name, figures in found.items():
                task = partial(Task, name, network.url, me="", everybody=NAMES, payload_bytes=PAYLOAD_BYTES)
                busy = task(folder=str(folder / f"t{number}"), messages=MESSAGES, in_flight=IN_FLIGHT)
                rate, worked = await asyncio.to_thread(_throughput, busy)
                steady = task(folder=str(folder / f"l{number}"), messages=int(SECONDS * RATE_S), rate_s=RATE_S)
                middle, high = await asyncio.to_thread(_latency, steady)
                for what, value in zip(figures, (rate, middle, high, worked), strict=True):
                    figures[what].append(value)
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
