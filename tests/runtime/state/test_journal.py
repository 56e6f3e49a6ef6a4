"""A journal: the log of a machine has only entries that the machine takes."""

from contextlib import closing
from pathlib import Path

import pytest

from antecede.runtime.state.journal import Journal
from antecede.runtime.state.log_entries import MeetEntry, SwitchOffEntry, TickEntry
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import StoreError


class Clock:
    """A machine that knows the time."""

    def __init__(self, now: float) -> None:
        self.now = now

    def snapshot(self) -> bytes:
        return b"%f" % self.now


def tick(clock: Clock, entry: TickEntry) -> list[float]:
    clock.now = entry.now
    return [entry.now]


def open_journal(store: Store) -> Journal[Clock, TickEntry, float]:
    return Journal(
        store, begin=lambda: Clock(0), restore=lambda state: Clock(float(state)), entries=(TickEntry,), apply=tick
    )


def test_a_log_is_replayed(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "s")) as store:
        journal = open_journal(store)
        journal.commit()
        assert journal.put(TickEntry(2.0)) == [2.0]
        journal.commit()
    with closing(Store(tmp_path / "s")) as store:
        assert open_journal(store).machine.now == 2.0


@pytest.mark.parametrize("other", [SwitchOffEntry(), MeetEntry("ann")])
def test_an_entry_for_another_kind_of_process_is_refused_in_words(
    tmp_path: Path, other: SwitchOffEntry | MeetEntry
) -> None:
    with closing(Store(tmp_path / "s")) as store:
        open_journal(store).commit()
        store.log(other)
        store.commit()
    with closing(Store(tmp_path / "s")) as store, pytest.raises(StoreError, match="is of another kind of process"):
        open_journal(store)
