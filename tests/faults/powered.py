"""Processes whose power can fail: what they promised until then, and what is on their disk after it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from antecede.core.types import ProcessId
from antecede.runtime import MemoryNetwork, Received, Unreachable
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import StoreError
from antecede.runtime.transport.contract import Claimant
from antecede.runtime.transport.delayed import SlowTransport
from tests.runtime.power import Disk, replace_files


class PowerFails(Exception):
    """Ends everything in the middle of it."""


@dataclass(frozen=True, slots=True)
class Promise:
    """After so many `events` on the disk, somebody knew of this `progress` of the store of `process`."""

    events: int
    process: ProcessId
    progress: int


@dataclass(slots=True)
class Power:
    """Whether the processes of a disk have power, and what they have promised so far. `stores` are those of processes
    that have started.

    A promise is made when a packet goes out, when a frame is acknowledged to the broker, when `send` or `ack` returns.
    """

    disk: Disk
    stores: dict[ProcessId, Store] = field(default_factory=dict)
    cut: int | None = None
    promises: list[Promise] = field(default_factory=list)

    def promise(self, process: ProcessId) -> None:
        if process in self.stores and self.cut is None:
            self.promises.append(Promise(len(self.disk.events), process, self.stores[process].progress))

    def fail(self) -> None:
        self.cut = len(self.disk.events)

    def leave(self, folder: Path, chance: random.Random) -> None:
        """Put into a folder what the power cut has left."""
        ((_, files),) = self.disk.cut([len(self.disk.events) if self.cut is None else self.cut], chance)
        replace_files(folder, files)

    async def pass_if_on(self, process: ProcessId) -> None:
        """Let something of `process` out, or wait for ever if there is no power."""
        if self.cut is not None:
            await asyncio.Event().wait()
        self.promise(process)

    def find_progress_after_cuts(
        self, process: ProcessId, path: Path, chance: random.Random, between: int
    ) -> Iterator[tuple[int, int]]:
        """Cut the power just before and just after every flush of the store of `process`, and at places `between`.

        Yield the progress that was promised by then, and that of the store as it is on the disk, or -1 if steps are
        missing from the middle of its log. `path` has the name of the store, in a folder to put it into.
        """
        flushes = [at for at in self.disk.flushes() if Path(self.disk.events[at].path).name.startswith(path.name)]
        anywhere = [chance.randint(0, len(self.disk.events)) for _ in range(between)]
        promises = [promise for promise in self.promises if promise.process == process]
        for place, files in self.disk.cut({*flushes, *(at + 1 for at in flushes), *anywhere}, chance):
            replace_files(path.parent, {name: files[name] for name in files if Path(name).name.startswith(path.name)})
            promised = max((promise.progress for promise in promises if promise.events <= place), default=0)
            yield promised, _progress_if_not_refused(path)


@dataclass(frozen=True, slots=True)
class PoweredTransport(SlowTransport):
    """Nothing of `process` gets out after the power cut."""

    process: ProcessId
    power: Power

    async def open(self, claimant: Claimant | None = None) -> None:
        """Register the name; not after the power cut, when the claim in the store is lost."""
        if self.power.cut is not None:
            raise PowerFails
        await self.inner.open(claimant)

    async def publish(self, to: ProcessId, data: bytes, key: str) -> None:
        await self.power.pass_if_on(self.process)
        await self.inner.publish(to, data, key)

    async def ack(self, batch: Sequence[Received]) -> None:
        await self.power.pass_if_on(self.process)
        await self.inner.ack(batch)

    async def report(self, progress: int) -> None:
        if self.power.cut is not None:
            raise Unreachable("there is no power")
        self.power.promise(self.process)
        await self.inner.report(progress)


@dataclass(slots=True)
class PoweredNetwork:
    """A network that processes reach while they have power."""

    network: MemoryNetwork
    power: Power

    def transport(self, space: str, process: ProcessId, incarnation: str) -> PoweredTransport:
        inner = self.network.transport(space, process, incarnation)
        return PoweredTransport(inner, {}, process, self.power)

    async def start(self, *, flushes: bool = False) -> None:
        """Do nothing."""

    async def stop(self) -> None:
        """Do nothing."""


def _progress_if_not_refused(path: Path) -> int:
    try:
        return progress_of(path)
    except StoreError as error:
        if "was whole once" not in str(error):
            raise
        return -1


def progress_of(path: Path) -> int:
    """Return the progress of a store. It has to open, and every row has to be whole."""
    with closing(Store(path)) as store:
        store.snapshot(), list(store.log_entries()), store.outbox(), store.inbox(), store.read_quarantine()
        return store.progress
