"""The durable step, which a node, a station and a host share.

    put(entry) ----> the pure machine takes it ----> log the entry
                          |
                          v
                       effects  (staged by the caller: outbox, inbox, facts)
                          |
    commit() -------> snapshot if one is due ----> one transaction ----> now the effects may be shown

The state of the machine is its last snapshot and the log entries after it, both in a `Store`. An entry is put into the
machine first, and logged when the machine has taken it; one that the machine refuses leaves no trace, neither here nor
in the machine. A crash at any instant leaves a store from which the machine goes on as if the last committed group had
ended that instant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from antecede.runtime.state.log_entries import LogEntry
from antecede.runtime.state.outgoing import Outgoing
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import StoreError, unreadable
from antecede.runtime.state.trace_recorder import Recorder

ENTRY_BYTES = 64
"""What a log entry costs beside its own length."""


class Machine(Protocol):
    """What a journal asks of a state machine."""

    def snapshot(self) -> bytes: ...


M = TypeVar("M", bound=Machine)
E = TypeVar("E")
L = TypeVar("L", bound=LogEntry)


class Journal(Generic[M, L, E]):
    """A machine and its log.

    `begin` makes the machine in its first state, and `restore` makes it from a snapshot. `entries` are the classes of
    log entries that it takes. `apply` gives it an entry and returns the effects. `recorder` writes the trace, and takes
    part in every commit.
    """

    def __init__(
        self,
        store: Store,
        *,
        begin: Callable[[], M],
        restore: Callable[[bytes], M],
        entries: tuple[type[L], ...],
        apply: Callable[[M, L], list[E]],
        recorder: Recorder | None = None,
    ) -> None:
        self.store, self.recorder, self._entries, self._apply = store, recorder, entries, apply
        self._logged_bytes = 0
        self._snapshot_bytes = 0
        self._is_snapshot_wanted = False
        self.machine = self._replay(restore) or begin()

    def put(self, entry: L) -> list[E]:
        """Give the machine an input, log it, and return its effects.

        If the machine raises an error, nothing is logged. After `LimitReached` the entry may be put in again later.
        """
        effects = self._apply(self.machine, entry)
        self.log(entry)
        return effects

    def log(self, entry: L) -> None:
        """Log an input that the machine has taken already."""
        self._logged_bytes += self.store.log(entry) + ENTRY_BYTES

    def want_snapshot(self) -> None:
        """Take a snapshot with the next commit, because the entries up to now cannot be replayed later."""
        self._is_snapshot_wanted = True

    @property
    def is_snapshot_due(self) -> bool:
        """Return whether the next commit takes a snapshot."""
        return (
            self._is_snapshot_wanted
            or not self._snapshot_bytes
            or self._logged_bytes > max(self.store.snapshot_bytes_min, 2 * self._snapshot_bytes)
        )

    def commit(self) -> list[Outgoing]:
        """Make everything up to now durable. Return the entries of the outbox for the stream of the trace."""
        lines = self.recorder.flush() if self.recorder is not None else []
        if self.is_snapshot_due:
            state = self.machine.snapshot()
            self._logged_bytes, self._snapshot_bytes, self._is_snapshot_wanted = 0, len(state), False
            self.store.take_snapshot(state)
        self.store.commit()
        return lines

    def _replay(self, restore: Callable[[bytes], M]) -> M | None:
        """Return the machine as the store has it, or None if the store is new."""
        state = self.store.snapshot()
        if state is None:
            return None
        self._snapshot_bytes = len(state)
        try:
            machine = restore(state)
            for entry in self.store.log_entries():
                if not isinstance(entry, self._entries):
                    raise ValueError(f"{entry} is of another kind of process")
                self._logged_bytes += len(getattr(entry, "data", b"")) + ENTRY_BYTES
                self._apply(machine, entry)
        except StoreError:
            raise
        except Exception as error:
            raise unreadable(self.store.path, f"its log cannot be replayed: {error!r}") from error
        return machine
