"""What stamps cost on the wire at 8, 32 and 100 processes, with the rosters of the runtime, for several algorithms.

Traffic is random: every process in turn sends to a random group of eight, and what was sent arrives in random order.
The bytes are everything in a packet but the payload; the frame around it adds two or three more.
"""

from __future__ import annotations

import random
from functools import partial
from statistics import mean, quantiles
from typing import Any

from antecede.core.registry import create
from antecede.runtime import frames
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.state.outgoing import OutgoingPacket
from antecede.runtime.state.store import Store
from bench import table

ALGORITHMS: dict[str, dict[str, Any]] = {"ks": {"multicast": True}, "hierarchy": {}, "prs": {}}
SIZES, GROUP, MESSAGES_EACH, PAYLOAD = (8, 32, 100), 8, 20, bytes(64)


def measure(algorithm: str, size: int) -> tuple[float, float, float, float]:
    """Return the mean, median and 99th percentile of the control bytes of a packet, after a first tenth to warm up, and
    the control bytes of all packets of a message.
    """
    names = [f"node{n}" for n in range(size)]
    chance = random.Random(size)
    processes = {
        name: DurableProcess(
            Store(None),
            partial(create, algorithm, process=name, processes=names, **ALGORITHMS[algorithm]),
            names,
            open_space=False,
        )
        for name in names
    }
    flying: list[tuple[str, str, bytes]] = []
    found: list[int] = []
    total = size * MESSAGES_EACH

    def release(name: str, is_warm: bool) -> None:
        for outgoing in processes[name].commit().outgoing:
            data = outgoing.data
            if isinstance(outgoing, OutgoingPacket):
                data = frames.packets(outgoing.roster, [outgoing.data])
                found.extend([len(outgoing.data) - len(PAYLOAD)] * len(outgoing.dests) if is_warm else [])
            flying.extend((name, to, data) for to in outgoing.dests)

    for turn in range(total):
        sender, is_warm = names[turn % size], turn > total // 10
        others = [name for name in names if name != sender]
        processes[sender].send(chance.sample(others, min(GROUP, size) - 1), PAYLOAD)
        release(sender, is_warm)
        while len(flying) > 2 * size:
            publisher, to, data = flying.pop(chance.randrange(len(flying)))
            if not processes[to].receive(publisher, data):
                flying.append((publisher, to, data))
            release(to, is_warm)
    for process in processes.values():
        process.store.close()
    return mean(found), median_of(found), quantiles(found, n=100)[98], sum(found) / (total * 0.9)


def median_of(values: list[int]) -> float:
    return float(sorted(values)[len(values) // 2])


def show() -> dict[str, tuple[float, float, float, float]]:
    rows = {f"{name}, {size}": measure(name, size) for name in ALGORITHMS for size in SIZES}
    table.show(
        f"Control bytes of a packet, random groups of {GROUP} among so many processes, and of all packets of a message",
        ("algorithm, processes", "mean", "median", "p99", "message"),
        [(size, *each) for size, each in rows.items()],
    )
    return rows
