"""A network inside one process, with the faults of a real one: for tests, ours and yours.

    network = MemoryNetwork(seed=7, faults=Faults(drop=0.1, delay_s=0.02, duplicate=0.1, shuffle=0.2))
    async with join(network, space="orders", process="billing") as node: ...

Inboxes live as long as the network object, so a node can crash and join again. Every link has its own stream of
chance, seeded by the seed and the two names: what happens to the n-th publication from a to b depends on nothing else.

* **drop**: the publisher gets `Unreachable`; half of the time the data did arrive, and only the answer was lost.
* **duplicate**: the data arrives twice. **delay_s**: it arrives after up to that time, uniformly.
* **shuffle**: the data takes a random place among what waits in the inbox.
* `partition({"a", "b"}, {"c"})` and `heal()`: between the two sides every publication is `Unreachable`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from antecede.core.types import ProcessId
from antecede.runtime.transport.contract import (
    TRACE,
    Claimant,
    NoInbox,
    Received,
    Registration,
    Unreachable,
    name_lost,
    name_taken,
)

DATA_BYTES_MAX = 8 * 2**20
BATCH = 256


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults of a `MemoryNetwork`.

    `drop`, `duplicate` and `shuffle` are chances from 0 to 1. If data is dropped, its publisher gets `Unreachable`;
    half of the time the data did arrive, and only the answer was lost. Duplicated data arrives twice. Shuffled data
    takes a random place in the inbox. All data arrives after up to `delay_s` seconds.
    """

    drop: float = 0.0
    duplicate: float = 0.0
    shuffle: float = 0.0
    delay_s: float = 0.0


@dataclass(slots=True)
class Inbox:
    """What waits to be received, and what was received and not acknowledged."""

    incarnation: str
    waiting: list[Received] = field(default_factory=list)
    unacknowledged: dict[int, Received] = field(default_factory=dict)
    filled: asyncio.Event = field(default_factory=asyncio.Event)
    serial: int = 0

    def put(self, at: int, sender: ProcessId, data: bytes) -> None:
        """Insert new data at place `at` of what waits."""
        self.serial += 1
        self.offer(at, Received(sender, data, self.serial, self.serial))

    def offer(self, at: int, received: Received) -> None:
        """Insert `received` at place `at` of what waits."""
        self.waiting.insert(at, received)
        self.filled.set()


@dataclass(slots=True)
class MemoryNetwork:
    """A network inside one process, with the faults of a real one, for tests. `faults` may be replaced at any time."""

    seed: int = 0
    faults: Faults = Faults()
    inboxes: dict[tuple[str, ProcessId], Inbox] = field(default_factory=dict)
    sides: tuple[frozenset[ProcessId], frozenset[ProcessId]] = (frozenset(), frozenset())
    traces: dict[str, list[bytes]] = field(default_factory=dict)
    registrations: dict[tuple[str, ProcessId], Registration] = field(default_factory=dict)
    _chances: dict[tuple[ProcessId, ProcessId], random.Random] = field(default_factory=dict)

    def transport(self, space: str, process: ProcessId, incarnation: str) -> MemoryTransport:
        """Return the transport of one process, not open yet."""
        return MemoryTransport(self, space, process, incarnation)

    async def start(self, *, flushes: bool = False) -> None:
        """Do nothing: there is nothing to start."""

    async def stop(self) -> None:
        """Do nothing: there is nothing to stop."""

    def partition(self, one: Iterable[ProcessId], other: Iterable[ProcessId]) -> None:
        """Let nothing pass between the two sides from now on."""
        self.sides = (frozenset(one), frozenset(other))

    def heal(self) -> None:
        """End the partition."""
        self.sides = (frozenset(), frozenset())

    def parted(self, one: ProcessId, other: ProcessId) -> bool:
        """Return whether a partition lies between two processes."""
        left, right = self.sides
        return (one in left and other in right) or (one in right and other in left)

    def chance(self, sender: ProcessId, to: ProcessId) -> random.Random:
        """Return the random numbers of one channel, which depend on the seed alone."""
        link = (sender, to)
        if link not in self._chances:
            self._chances[link] = random.Random(f"{self.seed} {sender!r} {to!r}")  # noqa: S311 - chance, not a secret
        return self._chances[link]


@dataclass(slots=True)
class MemoryTransport:
    """One process's part of a `MemoryNetwork`: see `contract.Transport` for the contract."""

    network: MemoryNetwork
    space: str
    process: ProcessId
    incarnation: str
    stream: str = ""
    inbox: Inbox = field(init=False)  # once it is open, and still when it is retired: nothing comes then
    _claimed: Registration | None = None
    _later: set[asyncio.TimerHandle] = field(default_factory=set)

    @property
    def data_bytes_max(self) -> int:
        """Return the length of the longest data that `publish` takes."""
        return DATA_BYTES_MAX

    @property
    def outage(self) -> str:
        """Return an empty string: the network in memory is always there."""
        return ""

    def trace_to(self, stream: str) -> None:
        """Send what is published to `TRACE` to this stream."""
        self.stream = stream

    async def open(self, claimant: Claimant | None = None) -> None:
        """Connect, claim the name, and make the inbox if there is none."""
        place = (self.space, self.process)
        inbox = self.network.inboxes.get(place)
        if inbox is not None and inbox.incarnation != self.incarnation:
            raise name_taken(self.space, self.process)
        if claimant is not None:
            self._claimed = claimant.claim(self.network.registrations.get(place))
            self.network.registrations[place] = self._claimed
            claimant.confirm(self._claimed)
        inbox = self.inbox = self.network.inboxes.setdefault(place, Inbox(self.incarnation))
        inbox.filled.set()  # whoever was waiting here looks whether the name is still its own
        inbox.filled = asyncio.Event()  # of this event loop
        inbox.waiting[:0] = inbox.unacknowledged.values()
        inbox.unacknowledged.clear()
        if inbox.waiting:
            inbox.filled.set()

    async def close(self) -> None:
        """Let nothing that was handed back come again through this transport. The inbox stays."""
        for handle in self._later:
            handle.cancel()
        self._later.clear()

    async def retire(self) -> None:
        """Delete the inbox, because this process has left the space for good."""
        self._check_owner()
        self.network.inboxes.pop((self.space, self.process), None)
        if self._claimed is not None:
            self.network.registrations[self.space, self.process] = replace(self._claimed, has_left=True)

    async def publish(self, to: ProcessId, data: bytes, key: str) -> None:
        """Put `data` into the inbox of `to`, with the faults of the network."""
        del key  # nothing is deduplicated here: the algorithm has to cope
        await asyncio.sleep(0)
        self._check_owner()
        if to == TRACE:
            self.network.traces.setdefault(self.stream, []).append(data)
            return
        inbox = self.network.inboxes.get((self.space, to))
        if inbox is None:
            raise NoInbox(f"{to!r} has no inbox in space {self.space!r} yet")
        if self.network.parted(self.process, to):
            raise Unreachable(f"{self.process!r} and {to!r} are cut off from each other")
        chance, faults = self.network.chance(self.process, to), self.network.faults
        dropped, arrived = chance.random() < faults.drop, chance.random() < 0.5
        copies = 1 + (chance.random() < faults.duplicate)
        delay_s, place = chance.random() * faults.delay_s, chance.random()
        shuffled = chance.random() < faults.shuffle
        if not dropped or arrived:
            for _ in range(copies):
                await asyncio.sleep(delay_s)
                inbox.put(int(place * len(inbox.waiting)) if shuffled else len(inbox.waiting), self.process, data)
        if dropped:
            raise Unreachable(f"the answer of the inbox of {to!r} was lost")

    async def receive(self) -> Sequence[Received]:
        """Return at least one item of the inbox, as soon as there is one."""
        inbox = self.inbox
        self._check_owner()
        while not inbox.waiting:
            filled = inbox.filled
            filled.clear()
            await filled.wait()
            self._check_owner()
        batch, inbox.waiting = inbox.waiting[:BATCH], inbox.waiting[BATCH:]
        inbox.unacknowledged.update((received.number, received) for received in batch)
        return batch

    async def ack(self, batch: Sequence[Received]) -> None:
        """Acknowledge items, which do not come again then."""
        self._check_owner()
        for received in batch:
            self.inbox.unacknowledged.pop(received.number, None)

    async def retry(self, batch: Sequence[Received], delay_s: float) -> None:
        """Hand items back, which come again, not before `delay_s`."""
        self._check_owner()
        loop = asyncio.get_running_loop()
        for received in batch:
            self._later.add(loop.call_later(delay_s, self._again, received.number))

    async def waiting(self) -> int:
        """Return how many items the inbox has that were not acknowledged."""
        return len(self.inbox.waiting) + len(self.inbox.unacknowledged)

    async def peers(self) -> list[ProcessId]:
        """Return everybody who has an inbox in this space, sorted, as far as can be seen from here."""
        return sorted(process for space, process in self.network.inboxes if space == self.space)

    async def form_of(self, process: ProcessId) -> int | None:
        """Return the newest form that a process has announced, or None if it has announced none."""
        found = self.network.registrations.get((self.space, process))
        return None if found is None else found.form

    async def report(self, progress: int) -> None:
        """Tell the broker how far this process has come."""
        self._check_owner()
        if self._claimed is not None:
            self._claimed = replace(self._claimed, progress=progress)
            self.network.registrations[self.space, self.process] = self._claimed

    async def answer_status(self, answer: Callable[[], Mapping[str, object]]) -> None:
        """Do nothing: there is no broker to ask through."""

    def _check_owner(self) -> None:
        """Raise `NameLost` if another has claimed the name since."""
        now = self.network.registrations.get((self.space, self.process))
        if self._claimed is not None and (now is None or now.epoch != self._claimed.epoch):
            raise name_lost(self.space, self.process, now)

    def _again(self, number: int) -> None:
        received = self.inbox.unacknowledged.pop(number, None)
        if received is not None:
            self.inbox.offer(len(self.inbox.waiting), received)
