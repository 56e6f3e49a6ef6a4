"""What runs a durable machine, for a node, a station and a host alike.

A driver commits in groups, runs the background tasks, keeps the time of the machine, takes frames from the inbox, and
stops everything at the first failure: nothing that was not committed gets out after it, and a restart goes on from
what was. The application learns of the failure from its next call, or from the end of its block.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from antecede.runtime.background import BackgroundTasks
from antecede.runtime.group_commit import GroupCommit
from antecede.runtime.state.store import Store
from antecede.runtime.transport.contract import Received, Transport, Unreachable
from antecede.runtime.watch.unreadable import UNREADABLE_RETRY_S, UnreadableFrames

LOOK_S = 0.25
REPORT_S = 1.0
"""How often, at most, the broker is told how far a process has come."""


class Driver:
    """One machine and its store. `commit` makes a group durable and lets out what it led to; `stopped` is called once,
    with the failure that ends everything.
    """

    def __init__(
        self,
        store: Store,
        *,
        commit: Callable[[], None],
        stopped: Callable[[Exception], None],
        clock: Callable[[], float],
    ) -> None:
        self._store, self._clock = store, clock
        self.commits = GroupCommit(commit, stopped)
        self.background = BackgroundTasks(self.commits.fail)
        self._clock_base = float(store.facts.get("clock", b"0")) - clock()
        self._is_unsaved = False
        self._reported = -1
        self.is_told = False
        """Whether the application knows of a failure, or has an exception of its own."""
        self.handed_back: set[int] = set()
        """The numbers of frames that were offered and could not be taken: the broker offers them again."""

    @property
    def failure(self) -> Exception | None:
        """Return the failure that has ended everything, or None."""
        return self.commits.failure

    def check(self) -> None:
        """Raise the failure, if there is one. Call this for the application only: it knows of the failure then."""
        if self.failure is not None:
            self.is_told = True
            raise self.failure

    def raise_untold(self) -> None:
        """Raise the failure if there is one that the application does not know of. Call this at the end of a block."""
        if not self.is_told:
            self.check()

    def leave_untold(self) -> None:
        """Do not raise a failure at the end of the block, because the application has an exception of its own."""
        self.is_told = True

    async def durable(self) -> None:
        """Wait until everything up to now is durable. Raise what makes it impossible. For the application only, too."""
        try:
            await self.commits.done()
        except Exception:
            self.is_told = True
            raise

    def entry_done(self, n: int) -> None:
        """Note that every inbox has entry `n` of the outbox.

        The note waits for the next commit: if it is lost in a crash, the entry is only published once more.
        """
        self._store.done(n)
        self._is_unsaved = True

    def start(self, *works: Callable[[], Awaitable[None]]) -> None:
        """Start these works as background tasks. An error that one of them raises is a failure."""
        self.background.start(*works)

    async def close(self) -> None:
        """End all works, and commit what is left, unless there was a failure."""
        await self.background.end()
        if self.failure is None:
            self.commits.now()

    async def keep_time(
        self, due: Callable[[], float | None], tick: Callable[[float], None], look: Callable[[], None]
    ) -> None:
        """Call `tick` when the time that `due` returns has come, and `look` now and then, for ever.

        The clock goes on where it stopped before a restart, and never runs backwards.
        """
        while True:
            await asyncio.sleep(LOOK_S)
            if self._is_unsaved:
                self._is_unsaved = False
                self.commits.soon()
            now, at = self._clock_base + self._clock(), due()
            if at is not None and at <= now:
                self._store.put("clock", repr(now).encode())
                tick(now)
                self.commits.soon()
            look()

    async def report_progress(self, transport: Transport) -> None:
        """Tell the broker how far this process has come, again and again, for ever."""
        while True:
            await asyncio.sleep(REPORT_S)
            with suppress(Unreachable):
                await self.report_once(transport)

    async def report_once(self, transport: Transport) -> None:
        """Tell the broker how far this process has come, unless that was reported before."""
        progress = self._store.progress
        if progress != self._reported:
            await transport.report(progress)
            self._reported = progress

    async def take_frames(
        self,
        transport: Transport,
        take: Callable[[Received], bool],
        *,
        unreadable: UnreadableFrames,
        retry_s: float,
    ) -> None:
        """Take one batch of frames from the inbox, commit, and acknowledge those for which `take` returns true.

        The broker keeps the other frames and offers them again after `retry_s`, or later if they are `unreadable`.
        """
        batch = await transport.receive()
        taken: list[Received] = []
        left: list[Received] = []
        for received in batch:
            (taken if take(received) else left).append(received)
        self.handed_back.difference_update(received.number for received in taken)
        self.handed_back.update(received.number for received in left)
        self.commits.now()
        await asyncio.sleep(0)  # the application first: it waits for this, and the broker does not
        await transport.ack(taken)
        for received in left:
            is_unreadable = unreadable.has(received.sender, received.data)
            await transport.retry([received], UNREADABLE_RETRY_S if is_unreadable else retry_s)
