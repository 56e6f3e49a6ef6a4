"""Commits in groups: all that happens in one turn of the event loop is made durable once, at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress


class GroupCommit:
    """Calls `commit` when something was put in. After a failure nothing is committed any more.

    `stopped` is called once, with the failure.
    """

    def __init__(self, commit: Callable[[], None], stopped: Callable[[Exception], None] | None = None) -> None:
        self._commit, self._stopped = commit, stopped
        self._waiters: list[asyncio.Future[None]] = []
        self.is_due = False
        self.failure: Exception | None = None
        self.failed = asyncio.Event()

    def soon(self) -> None:
        """Commit at the end of this turn, because something was put in."""
        if not self.is_due:
            self.is_due = True
            asyncio.get_running_loop().call_soon(self._in_turn)

    def done(self) -> asyncio.Future[None]:
        """Return a future that is done when everything that was put in up to now is durable."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self.soon()
        return waiter

    def now(self) -> None:
        """Commit at once. Raise the failure if the commit fails, or something has failed before."""
        self.is_due = False
        if self.failure is None:
            try:
                self._commit()
            except Exception as error:
                self.fail(error)
        if self.failure is not None:
            self.fail(self.failure)
            raise self.failure
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def fail(self, fault: Exception) -> None:
        """Commit nothing more because of `fault`, and pass the first failure to everybody who waits for a commit."""
        if self.failure is None:
            self.failure = fault
            self.failed.set()
            if self._stopped is not None:
                self._stopped(fault)
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_exception(self.failure)

    def _in_turn(self) -> None:
        if self.is_due and self.failure is None:
            with suppress(Exception):  # whoever waited knows, and `failed` is set
                self.now()
