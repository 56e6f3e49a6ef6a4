"""The name of a process at the broker: claiming it, noticing that another has claimed it, and what peers have said.

A process that was fenced hears of it at once, because the registration of its successor is published to everybody; and
when it connects again after it was cut off, it looks before it publishes anything. If the broker has lost the
registration, it has lost messages, too: then the name is lost, so that somebody hears of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol, TypeVar

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.errors import NoStreamResponseError

from antecede.core.types import ProcessId
from antecede.runtime.transport.contract import Claimant, NameLost, Registration, Unreachable, name_lost
from antecede.runtime.transport.nats.options import NatsOptions
from antecede.runtime.transport.nats.register import NameRegister, Outdated

AGAIN_S = 1.0
"""The pause before a registration that was not found is looked for again."""
REFUSED_S = 20.0
"""How long the broker may refuse a registration although nobody else has registered. A cluster does so until it has
elected a leader, which takes some seconds."""
PAUSE_S, PAUSE_S_MAX = 0.02, 1.0
"""The first pause between two attempts to register, and the longest. Each is twice as long as the one before."""

T = TypeVar("T")


class Ask(Protocol):
    """What asks JetStream until it answers. It raises `Unreachable` if it does not."""

    def __call__(self, ask: Callable[[JetStreamContext], Awaitable[T]]) -> Awaitable[T]: ...


class NameOwner:
    """The claim of one process, and the registrations of the others. `fenced` is called once, if the name is lost."""

    def __init__(
        self,
        space: str,
        process: ProcessId,
        options: NatsOptions,
        ask: Ask,
        fenced: Callable[[NameLost], None],
        *,
        refused_s: float = REFUSED_S,
    ) -> None:
        self._space, self._process, self._ask, self._fenced = space, process, ask, fenced
        self._refused_s = refused_s
        self._register = NameRegister(space, options)
        self._mine: Registration | None = None
        self._successor: Registration | None = None  # the latest registration of the name that was heard of
        self._progress_revision = 0
        self._reported = 0
        self._forms: dict[ProcessId, int | None] = {}
        self.is_sure = True
        self.failure: NameLost | None = None

    @property
    def epoch(self) -> int:
        """Return the epoch of the claim, or 0 if nothing was claimed."""
        return 0 if self._mine is None else self._mine.epoch

    def check(self) -> None:
        """Raise `NameLost` if the name is lost."""
        if self.failure is not None:
            raise self.failure

    def check_sure(self) -> None:
        """Raise `NameLost` if the name is lost, and `Unreachable` if that is not known after a lost connection."""
        self.check()
        if not self.is_sure:
            raise Unreachable("the broker has not confirmed yet that the name is still in one place only")

    async def claim(self, client: Client, claimant: Claimant) -> None:
        """Replace the registration of the name by the next one of the claimant."""
        await self._ask(self._register.make)
        await self._register.listen(client, self._note_registration)
        claimed = await self._replace(claimant.claim)
        self._mine, self._reported = claimed, claimed.progress
        claimant.confirm(claimed)
        self._compare()  # another may have claimed the name before this process had the broker's answer
        self.check()

    async def listen(self, client: Client) -> None:
        """Listen to the announcements of peers, without a claim."""
        await self._ask(self._register.make)
        await self._register.listen(client, self._note_registration)

    async def form_of(self, process: ProcessId) -> int | None:
        """Return the newest form of the wire that a process has announced, or None."""
        if process not in self._forms:
            found, _, _ = await self._ask(lambda jetstream: self._register.read(jetstream, process))
            self._forms.setdefault(process, None if found is None else found.form)
        return self._forms[process]

    def doubt(self) -> None:
        """Note that the connection was lost: another may claim the name without us hearing of it."""
        self.is_sure = self._mine is None

    async def make_sure(self) -> None:
        """Look whether the name is still ours, after a lost connection."""
        if self._mine is None or self.failure is not None:
            return
        found, _, self._progress_revision = await self._ask(self._read)
        if found is None or found.epoch < self._mine.epoch:  # a server of a cluster may not know it yet
            await asyncio.sleep(AGAIN_S)
            found, _, self._progress_revision = await self._ask(self._read)
        if found is None or found.epoch < self._mine.epoch:
            self.lose(None)
        elif (found.epoch, found.nonce) != (self._mine.epoch, self._mine.nonce) or found.progress > self._reported:
            self.lose(found)
        else:
            self._forms.clear()  # others may have announced something meanwhile
            self.is_sure = True

    async def report(self, progress: int) -> None:
        """Tell the broker how far the process has come."""
        self.check_sure()
        if self._mine is None:
            return
        self._reported = progress  # before it is known: the answer may be lost

        async def write(jetstream: JetStreamContext) -> int:
            try:
                return await self._register.write_progress(jetstream, self._process, progress, self._progress_revision)
            except NoStreamResponseError:
                raise Outdated from None  # the stream is gone, or has no leader now

        try:
            self._progress_revision = await self._ask(write)
        except Outdated:
            self.doubt()
            await self.make_sure()

    async def retire(self) -> None:
        """Note at the broker that the process has left for good."""
        if self._mine is None:
            return
        mine = self._mine

        def leave(found: Registration | None) -> Registration:
            if found is None or (found.epoch, found.nonce) != (mine.epoch, mine.nonce):
                self.lose(found)
                self.check()
            return replace(mine, has_left=True)

        await self._replace(leave)
        self._mine = None

    async def _replace(self, next_of: Callable[[Registration | None], Registration]) -> Registration:
        """Replace the registration that the broker has by what `next_of` makes of it, and return the new one.

        The broker refuses the new one if the entry has changed since it was read: by another process, or by this one,
        if the answer was lost or comes late. A server of a cluster also refuses it until a leader is elected.
        """
        began = asyncio.get_running_loop().time()
        pause_s = PAUSE_S
        while True:
            found, revision, self._progress_revision = await self._ask(self._read)
            registration = next_of(found)
            try:
                await self._write(registration, revision)
            except Outdated:
                if asyncio.get_running_loop().time() - began >= self._refused_s:
                    raise Unreachable(
                        f"NATS has refused for {self._refused_s:g} s to register {self._process!r}, as it does while "
                        "the servers of a cluster do not agree: look whether most of them run, and start again"
                    ) from None
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, PAUSE_S_MAX)
            else:
                return registration

    async def _read(self, jetstream: JetStreamContext) -> tuple[Registration | None, int, int]:
        return await self._register.read(jetstream, self._process)

    async def _write(self, registration: Registration, revision: int) -> None:
        async def write(jetstream: JetStreamContext) -> None:
            await self._register.write(jetstream, self._process, registration, revision)

        await self._ask(write)

    async def _note_registration(self, process: ProcessId, found: Registration) -> None:
        self._forms[process] = found.form
        if process == self._process and (self._successor is None or found.epoch > self._successor.epoch):
            self._successor = found
            self._compare()

    def _compare(self) -> None:
        """Give up the name if somebody with a later epoch was heard of."""
        if self._mine is not None and self._successor is not None and self._successor.epoch > self._mine.epoch:
            self.lose(self._successor)

    def lose(self, found: Registration | None) -> None:
        """Stop using the name: it was `found` to be claimed by another, or None if the broker has lost its data."""
        if self.failure is None:
            self.failure = name_lost(self._space, self._process, found)
            self._fenced(self.failure)
