"""A state machine whose state is its last snapshot and the inputs that came after it, both in a `Store`.

For stations and hosts, as `durable_process` is for algorithms. An input is put into the machine first and logged when
the machine has taken it; one that it refuses leaves no trace, neither here nor in the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from antecede.core.mobile.effects import Effect
from antecede.runtime.state.store import Input, Store

INPUT_BYTES = 64
"""What a logged input costs beside its data."""


class Machine(Protocol):
    """What a journal asks of a state machine."""

    def snapshot(self) -> bytes: ...


M = TypeVar("M", bound=Machine)


class Journal(Generic[M]):
    """`begin` makes the machine at the beginning of time, `restore` from a snapshot, and `call` gives it an input."""

    def __init__(
        self,
        store: Store,
        begin: Callable[[], M],
        restore: Callable[[bytes], M],
        call: Callable[[M, Input], list[Effect]],
    ) -> None:
        self.store, self._restore, self._call = store, restore, call
        self._logged_bytes = 0
        self._snapshot_bytes = 0
        self.machine = self._restored() or begin()

    def put(self, kind: str, who: str, data: bytes) -> list[Effect]:
        """Give the machine an input. `LimitReached`: it was not taken, and may be put in again later."""
        given = Input(kind, who, data)
        effects = self._call(self.machine, given)
        self._logged_bytes += len(data) + INPUT_BYTES
        self.store.log(*given)
        return effects

    def save(self) -> None:
        """To be called before the store commits: takes a snapshot where one is due."""
        if (
            self._logged_bytes > max(self.store.snapshot_bytes_min, 2 * self._snapshot_bytes)
            or not self._snapshot_bytes
        ):
            state = self.machine.snapshot()
            self._logged_bytes, self._snapshot_bytes = 0, len(state)
            self.store.take_snapshot(state)

    def _restored(self) -> M | None:
        state = self.store.snapshot()
        if state is None:
            return None
        self._logged_bytes, self._snapshot_bytes = 0, len(state)
        machine = self._restore(state)
        for given in self.store.inputs():
            self._logged_bytes += len(given.data) + INPUT_BYTES
            self._call(machine, given)
        return machine
