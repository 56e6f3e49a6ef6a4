"""A power cut of a machine with everything on it: two nodes with durability="power", and the embedded server.

At one moment, while the server is stopped and the nodes wait, the folder is copied: of the files of the server and of
the logs of the stores (`-wal`), what is flushed. Everything is started again with the copy, and goes on, until its
power fails in turn. What the applications knew at the moment of the cut is true in the copy.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from antecede.core.types import MessageId
from antecede.runtime import Node, join
from tests.replay import Drawing
from tests.runtime.page_cache import copy_flushed

pytestmark = pytest.mark.slow

CUTS = 4
MESSAGES_MIN = 100
DEADLINE_S = 180


@dataclass(slots=True)
class Known:
    """What the applications of the nodes know: how many messages `a` has sent, what each saw first, what each has
    acknowledged. The drawing has what both did, and when the power failed.
    """

    drawing: Drawing = field(default_factory=Drawing)

    sent: int = 0
    seen: dict[str, list[bytes]] = field(default_factory=lambda: {"a": [], "b": []})
    acknowledged: dict[str, set[MessageId]] = field(default_factory=lambda: {"a": set(), "b": set()})


async def take_all(node: Node, known: Known) -> None:
    """Take every message. Answer it, if this is `b`: again, if the power failed before `b` acknowledged it."""
    seen, acknowledged = known.seen[node.process], known.acknowledged[node.process]
    async for message in node:
        known.drawing.add(node.process, f"take {message.payload.decode()}")
        assert message.id not in acknowledged, f"{message.id} was acknowledged before"
        if message.payload not in seen:
            seen.append(message.payload)
        if node.process == "b":
            await node.send({"a"}, b"re " + message.payload)
        await message.ack()
        acknowledged.add(message.id)


async def talk(folder: Path, known: Known, wanted: int, cut: tuple[float, Path] | None) -> None:
    """Run both nodes until `wanted` messages are sent and answered, or for as long as `cut` says.

    Then the folder is copied to the path that `cut` names, as a power cut would leave it.
    """
    url, ends = f"embedded://{folder}", asyncio.get_running_loop().time() + (cut[0] if cut else DEADLINE_S)
    async with (
        join(url, space="s", process="a", durability="power") as a,
        join(url, space="s", process="b", durability="power") as b,
        asyncio.TaskGroup() as group,
    ):
        assert a.sent >= known.sent, "messages are missing that were sent"
        taking = [group.create_task(take_all(node, known)) for node in (a, b)]
        while asyncio.get_running_loop().time() < ends:
            if cut or a.sent < wanted:
                known.drawing.add("a", f"send {a.sent} to b")
                await a.send({"b"}, b"%d" % a.sent)
                known.sent = a.sent
            elif len(set(known.seen["a"])) == a.sent:
                break
            await asyncio.sleep(0.002)
        if cut:
            for process in known.seen:
                known.drawing.add(process, "the power fails")
            copy_as_a_cut_leaves_it(folder, cut[1])
        for task in taking:
            task.cancel()


def copy_as_a_cut_leaves_it(folder: Path, to: Path) -> None:
    """Copy the folder of the embedded server, with the stores in it, at one moment.

    Pages of a database that are not flushed may be on the disk all the same: they are kept.
    """
    server = json.loads((folder / "address").read_text())["pid"]
    stop(server)
    try:
        copy_flushed(folder / "jetstream", to / "jetstream")
        copy_flushed(folder / "stores", to / "stores")
        for store in (folder / "stores").glob("*.sqlite"):
            shutil.copy(store, to / "stores" / store.name)
    finally:
        os.kill(server, signal.SIGCONT)
    for shared in (to / "stores").glob("*-shm"):
        shared.unlink()  # memory, which a power cut does not leave


def stop(process: int) -> None:
    """Stop a process, and wait until none of its threads runs."""
    os.kill(process, signal.SIGSTOP)
    threads = Path(f"/proc/{process}/task")
    while any((thread / "stat").read_text().rpartition(") ")[2][0] != "T" for thread in threads.iterdir()):
        time.sleep(0.001)


def test_power_fails_for_the_nodes_and_the_server_at_once(tmp_path: Path, seed: int) -> None:
    """Every message is delivered once and in order, whatever was acknowledged is not offered again."""
    chance, known = random.Random(seed), Known()

    async def scenario() -> None:
        for cut in range(CUTS):
            after_s, following = 0.5 + chance.random(), tmp_path / str(cut + 1)
            following.mkdir(mode=0o700)
            await talk(tmp_path / str(cut), known, 0, (after_s, following))
        await talk(tmp_path / str(CUTS), known, known.sent + MESSAGES_MIN, None)

    asyncio.run(asyncio.wait_for(scenario(), DEADLINE_S))
    print(f"{CUTS} power cuts, {known.sent} messages")
    assert known.seen["b"] == [b"%d" % n for n in range(known.sent)]
    assert known.seen["a"] == [b"re %d" % n for n in range(known.sent)]
