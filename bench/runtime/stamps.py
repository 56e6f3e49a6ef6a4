"""What a stamp costs on the wire at 8, 32 and 100 processes, with the rosters of the runtime.

Traffic is random: every process in turn sends to a random group of eight, and what was sent arrives in random order.
The bytes are everything in a packet but the payload; the frame around it adds two or three more.
"""

from __future__ import annotations

import random
from functools import partial
from statistics import mean, quantiles

from antecede.core.registry import create
from antecede.runtime import frames
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.state.outgoing import OutgoingPacket
from antecede.runtime.state.store import Store
from bench import table

SIZES, GROUP, MESSAGES_EACH, PAYLOAD = (8, 32, 100), 8, 20, bytes(64)


def measure(size: int) -> tuple[float, float, float]:
    """Mean, median and 99th percentile of the control bytes of a packet, after a first tenth to warm up."""
    names = [f"node{n}" for n in range(size)]
    chance = random.Random(size)
    processes = {
        name: DurableProcess(
            Store(None), partial(create, "ks", process=name, processes=names, multicast=True), names, open_space=False
        )
        for name in names
    }
    flying: list[tuple[str, str, bytes]] = []
    found: list[int] = []
    total = size * MESSAGES_EACH
    for turn in range(total):
        sender = names[turn % size]
        others = [name for name in names if name != sender]
        processes[sender].send(chance.sample(others, min(GROUP, size) - 1), PAYLOAD)
        for outgoing in processes[sender].commit().outgoing:
            data = outgoing.data
            if isinstance(outgoing, OutgoingPacket):
                data = frames.packets(outgoing.roster, [outgoing.data])
                if turn > total // 10:
                    found.append(len(outgoing.data) - len(PAYLOAD))
            flying += [(sender, to, data) for to in outgoing.dests]
        while len(flying) > 2 * size:
            publisher, to, data = flying.pop(chance.randrange(len(flying)))
            if not processes[to].receive(publisher, data):
                flying.append((publisher, to, data))
    for process in processes.values():
        process.store.close()
    return mean(found), median_of(found), quantiles(found, n=100)[98]


def median_of(values: list[int]) -> float:
    return float(sorted(values)[len(values) // 2])


def show() -> dict[str, tuple[float, float, float]]:
    rows = {str(size): measure(size) for size in SIZES}
    table.show(
        f"Control bytes of a packet, ks, random groups of {GROUP} among so many processes",
        ("processes", "mean", "median", "p99"),
        [(size, *each) for size, each in rows.items()],
    )
    return rows
