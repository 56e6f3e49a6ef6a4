"""Commits in groups: all that happens in one turn of the event loop is made durable once, at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress


class Grouping:
    """Calls `commit` when something was put in. After a failure of it nothing is committed any more."""

    def __init__(self, commit: Callable[[], None]) -> None:
        self._commit = commit
        self._waiters: list[asyncio.Future[None]] = []
        self.due = False
        self.failure: Exception | None = None
        self.failed = asyncio.Event()

    def soon(self) -> None:
        """Something was put in: commit at the end of this turn."""
        if not self.due:
            self.due = True
            asyncio.get_running_loop().call_soon(self._in_turn)

    def done(self) -> asyncio.Future[None]:
        """Done when all that was put in up to now is durable."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self.soon()
        return waiter

    def now(self) -> None:
        """Commit at once; raises what makes it impossible."""
        self.due = False
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
        """Nothing that is not committed gets out any more, and whoever waits for it is told."""
        self.failure = self.failure or fault
        self.failed.set()
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_exception(self.failure)

    def _in_turn(self) -> None:
        if self.due and self.failure is None:
            with suppress(Exception):  # whoever waited knows, and `failed` is set
                self.now()
