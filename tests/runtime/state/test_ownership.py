"""Whose a name is: the owner is known after a death at any step of its claim, and a copy is not taken for it."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from antecede.runtime import NameTaken
from antecede.runtime.state.identity import identify
from antecede.runtime.state.log_entries import TickEntry
from antecede.runtime.state.ownership import Ownership
from antecede.runtime.state.store import Store
from antecede.runtime.transport.contract import OlderCopy, Registration

EARLY, LATE, ADRIFT = "before the broker knows", "before it confirms", "before a write that comes later"


def owner_of(store: Store) -> Ownership:
    identify(store, process="a")
    return Ownership(store, "s", "a", form=2, if_lost="use another name")


class Broker:
    """One entry, replaced by compare-and-set. A write that is adrift is done when the next process has read."""

    def __init__(self) -> None:
        self.entry: Registration | None = None
        self.revision = 0
        self.adrift: list[tuple[Registration, int]] = []

    def start(self, store: Store, *, dies: str = "") -> None:
        """Claim the name as a transport does. The process may die on the way."""
        owner = owner_of(store)
        while True:
            read, claimed = self.revision, owner.claim(self.entry)
            for write in self.adrift:
                self.write(*write)
            self.adrift.clear()
            if dies == ADRIFT:
                self.adrift.append((claimed, read))
            if dies in (EARLY, ADRIFT):
                return
            if self.write(claimed, read):
                break
        if dies != LATE:
            owner.confirm(claimed)

    def write(self, registration: Registration, revision: int) -> bool:
        """Replace the entry if it has this revision."""
        if revision != self.revision:
            return False
        self.entry, self.revision = registration, revision + 1
        return True


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store(path)) as opened:
        yield opened


def test_every_start_has_a_later_epoch_and_another_nonce(store: Store) -> None:
    broker, seen = Broker(), []
    for epoch in (1, 2, 3):
        broker.start(store)
        assert broker.entry is not None
        assert (broker.entry.epoch, owner_of(store).epoch, broker.entry.form) == (epoch, epoch, 2)
        seen.append(broker.entry.nonce)
    assert len(set(seen)) == 3


@pytest.mark.parametrize("deaths", list(product((EARLY, LATE, ADRIFT, ""), repeat=3)), ids=str)
def test_deaths_on_the_way_do_not_lock_the_owner_out(path: Path, deaths: tuple[str, ...]) -> None:
    broker = Broker()
    for dies in (*deaths, ""):
        with closing(Store(path)) as store:
            broker.start(store, dies=dies)
    assert broker.entry is not None
    with closing(Store(path)) as store:
        assert owner_of(store).epoch == broker.entry.epoch


def test_a_copy_from_before_the_last_start_is_refused(path: Path, tmp_path: Path) -> None:
    broker = Broker()
    with closing(Store(path)) as store:
        broker.start(store)
    copy = Path(shutil.copy(path, tmp_path / "copy.sqlite"))
    with closing(Store(path)) as store:
        broker.start(store)
    with closing(Store(copy)) as store, pytest.raises(OlderCopy, match=r"since \(epoch 2\)\. .* use another name"):
        broker.start(store)


def test_a_copy_that_lacks_steps_is_refused(path: Path, tmp_path: Path) -> None:
    broker = Broker()
    with closing(Store(path)) as store:
        broker.start(store)
    copy = Path(shutil.copy(path, tmp_path / "copy.sqlite"))
    assert broker.entry is not None
    with closing(Store(path)) as store:
        for now in range(5):
            store.log(TickEntry(now))
        store.commit()
        broker.entry = replace(broker.entry, progress=store.progress)
    with closing(Store(copy)) as store, pytest.raises(OlderCopy, match="lacks 5 steps"):
        broker.start(store)
    with closing(Store(path)) as store:
        broker.start(store)


@pytest.mark.parametrize("dies", [EARLY, ADRIFT, LATE])
def test_of_two_copies_of_a_store_with_an_unanswered_claim_the_first_has_the_name(
    path: Path, tmp_path: Path, dies: str
) -> None:
    """The claims of the two are not the same, so none takes the registration of the other for its own."""
    broker = Broker()
    with closing(Store(path)) as store:
        broker.start(store)
    with closing(Store(path)) as store:
        broker.start(store, dies=dies)
    copy = Path(shutil.copy(path, tmp_path / "copy.sqlite"))
    with closing(Store(path)) as first, closing(Store(copy)) as second:
        read, late = broker.entry, owner_of(second)
        late.claim(read)  # it is about to write this, and the other is quicker
        broker.start(first)
        with pytest.raises(OlderCopy, match="another copy of it was started since"):
            late.claim(broker.entry)
        broker.start(first)


def test_claims_that_were_not_answered_are_kept_until_one_is(path: Path) -> None:
    """However often the process dies: the broker may write each of them late."""
    broker = Broker()
    with closing(Store(path)) as store:
        claims = [owner_of(store).claim(broker.entry) for _ in range(5)]
    assert len({claim.nonce for claim in claims}) == 5
    for claim in claims:
        with closing(Store(path)) as store:
            owner_of(store)._check(claim)
    broker.write(claims[1], 0)
    with closing(Store(path)) as store:
        broker.start(store)
        assert owner_of(store)._claims() == []


def test_what_is_not_committed_is_not_progress(store: Store) -> None:
    before = store.progress
    store.log(TickEntry(1.0))
    assert store.progress == before
    store.commit()
    assert store.progress == before + 1


def test_progress_goes_on_after_a_snapshot_and_a_restart(path: Path) -> None:
    with closing(Store(path)) as store:
        for now in range(5):
            store.log(TickEntry(now))
        store.take_snapshot(b"state")
        store.log(TickEntry(5.0))
        store.commit()
        assert store.progress == 6
    with closing(Store(path)) as store:
        assert store.progress == 6


def test_a_broker_that_fell_back_takes_the_owner_and_not_an_older_copy(path: Path, tmp_path: Path) -> None:
    """A server that lost its last writes knows an earlier epoch than the store."""
    broker = Broker()
    with closing(Store(path)) as store:
        broker.start(store)
    copy, before = Path(shutil.copy(path, tmp_path / "copy.sqlite")), broker.entry
    with closing(Store(path)) as store:
        broker.start(store)
        broker.entry = before
        broker.start(store)
    assert broker.entry is not None
    assert broker.entry.epoch == 3
    with closing(Store(copy)) as store, pytest.raises(OlderCopy):
        broker.start(store)


def test_a_name_of_another_store_is_taken(store: Store) -> None:
    broker = Broker()
    broker.entry = Registration("another incarnation", 1, "nonce")
    with pytest.raises(NameTaken, match="with another store"):
        broker.start(store)


def test_a_name_that_has_left_is_not_used_again(store: Store) -> None:
    broker = Broker()
    broker.start(store)
    assert broker.entry is not None
    broker.entry = replace(broker.entry, has_left=True)
    with pytest.raises(NameTaken, match="has left"):
        broker.start(store)
