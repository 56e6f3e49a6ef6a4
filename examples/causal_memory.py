"""A replicated key-value store with causal memory: writes are broadcast, and reads are local.

Run: python examples/causal_memory.py              or, without causal order: python examples/causal_memory.py none

Kshemkalyani and Singhal 1998 (§1, §8) name replicated data and distributed shared memory as uses of causal order, and
cite Joseph and Birman 1986 and Ahamad, Hutto and John 1991 for them; the papers on roaming hosts name replicated data
too. A replica applies each write when it delivers it. Causal order makes that causal memory: nobody reads a value
that was overwritten in what they have already seen. No read and no write waits for another replica.

Ann removes a photo from her album, and bob, who has seen that, writes a comment. The link from ann to carol is down. If
carol could read the comment already, she would look at the album, and still see the photo. With causal order she sees
neither the comment nor the new album until the link is up again. Then all three read and write at random.

The program checks every read against the writes that its reader has read or written, and those before them. It keeps
these sets itself, and does not ask the algorithm.
"""

import asyncio
import json
import random
import sys
from contextlib import AsyncExitStack

import antecede
from antecede.runtime import Faults, MemoryNetwork, Node

NAMES = ["ann", "bob", "carol"]
KEYS = ["album", "comment", "title"]
ROUNDS = 30
FAULTS = Faults(delay_s=0.02, shuffle=0.5, duplicate=0.2)


class Judge:
    """Keeps which writes precede which, and counts the reads that are too old."""

    def __init__(self) -> None:
        self.keys: list[str] = []  # of each write, by its number
        self.causes: list[frozenset[int]] = []  # the writes that precede it
        self.seen: dict[str, set[int]] = {name: set() for name in NAMES}
        self.reads = self.stale = 0

    def write(self, name: str, key: str) -> int:
        """Return the number of a new write."""
        self.keys.append(key)
        self.causes.append(frozenset(self.seen[name]))
        self.seen[name].add(len(self.keys) - 1)
        return len(self.keys) - 1

    def read(self, name: str, key: str, number: int | None) -> None:
        """Note that `name` read what write `number` wrote. It is stale if its reader has seen a later write."""
        seen = self.seen[name]
        self.reads += 1
        self.stale += any(self.keys[each] == key and (number is None or number in self.causes[each]) for each in seen)
        if number is not None:
            seen |= {number, *self.causes[number]}


class Replica:
    """One copy of the store: for each key its value, and the number of the write for the judge."""

    def __init__(self, node: Node, judge: Judge) -> None:
        self.node, self.judge = node, judge
        self.values: dict[str, tuple[str, int]] = {}
        self.applied = 0

    def read(self, key: str) -> str | None:
        value, number = self.values.get(key, (None, None))
        self.judge.read(self.node.process, key, number)
        return value

    async def write(self, key: str, value: str) -> None:
        number = self.judge.write(self.node.process, key)
        self.apply(key, value, number)
        others = set(NAMES) - {self.node.process}
        await self.node.send(others, json.dumps({"key": key, "value": value, "number": number}).encode())

    def apply(self, key: str, value: str, number: int) -> None:
        self.values[key] = (value, number)
        self.applied += 1

    async def apply_writes_of_others(self) -> None:
        async for message in self.node:
            self.apply(**json.loads(message.payload))
            await message.ack()

    async def read_and_write(self, chance: random.Random) -> None:
        for number in range(ROUNDS):
            await asyncio.sleep(chance.random() * FAULTS.delay_s)
            for key in KEYS:
                self.read(key)
            await self.write(chance.choice(KEYS), f"{self.node.process} {number}")


async def remove_a_photo(network: MemoryNetwork, ann: Replica, bob: Replica, carol: Replica) -> None:
    await ann.write("album", "beach, party")
    while not (bob.applied == carol.applied == 1):
        await asyncio.sleep(0.001)
    network.partition({"ann"}, {"carol"})
    await ann.write("album", "beach")
    while bob.read("album") != "beach":
        await asyncio.sleep(0.001)
    await bob.write("comment", "the party photo is gone")
    while carol.applied == 1 and not carol.node.pending():  # until the comment is applied, or held back
        await asyncio.sleep(0.001)
    for when in ("down", "up"):
        print(f"link {when}: carol reads comment {carol.read('comment')!r}, album {carol.read('album')!r}")
        network.heal()
        while carol.applied < 3:
            await asyncio.sleep(0.001)


async def run_store(algorithm: str, seed: int) -> Judge:
    network, judge, chance = MemoryNetwork(seed, FAULTS), Judge(), random.Random(seed)
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        joins = [antecede.join(network, space="store", process=name, algorithm=algorithm) for name in NAMES]
        replicas = [Replica(await stack.enter_async_context(join), judge) for join in joins]
        appliers = [tasks.create_task(replica.apply_writes_of_others()) for replica in replicas]
        await remove_a_photo(network, *replicas)
        await asyncio.gather(*(replica.read_and_write(chance) for replica in replicas))
        while any(replica.applied < len(judge.keys) for replica in replicas):
            await asyncio.sleep(0.001)
        for applier in appliers:
            applier.cancel()
    return judge


def main(algorithm: str = "ks", *, seed: int = 1) -> bool:
    """Return whether no read was stale."""
    judge = asyncio.run(run_store(algorithm, seed))
    print(f"{judge.stale} of {judge.reads} reads were older than what their reader had seen")
    return judge.stale == 0


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
