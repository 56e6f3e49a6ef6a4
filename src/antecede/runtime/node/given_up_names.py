"""The names that were given up here, and how many of their packets came too late."""

from __future__ import annotations

from collections import Counter

from antecede.core.types import ProcessId
from antecede.runtime.state.store import Store

DEPARTED = "departed "
"""Begins the name of a fact about a process that is gone."""
GIVEN_UP = b"given up"
"""The fact about a process that was given up. That about one that has left is empty."""


class GivenUpNames:
    """The names, as facts of the store. `refused` counts the packets of each that came since this was opened."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.refused: Counter[ProcessId] = Counter()

    def add(self, process: ProcessId) -> None:
        """Note that a process, which is forgotten already, was given up and did not leave."""
        self._store.put(DEPARTED + process, GIVEN_UP)

    def count_refused(self, sender: ProcessId, packets: int) -> None:
        """Count packets of a process that is gone, if it was given up: those of one that has left are repetitions."""
        if self._store.facts.get(DEPARTED + sender) == GIVEN_UP:
            self.refused[sender] += packets
