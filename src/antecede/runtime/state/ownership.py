"""Whose a name is: the epoch and the nonce of a store, beside what the broker has registered for its name.

A copy of a store must not take its place: it would use numbers of messages again, and what was taken from the broker
since then would never come again. So a name has an epoch at the broker, which rises whenever its owner starts, and a
nonce, a random word. A store knows the epoch and the nonce that it registered last:

    store:   epoch 4, nonce "x"       copy:    epoch 3, nonce "w"      (older than the last start: refused)
    broker:  epoch 4, nonce "x", progress 1812
    copy:    epoch 4, nonce "x", progress 1700   (made while the process ran: refused, it lacks the last 112 steps)

To start is a compare-and-set, in three steps, each of which may be the last one of a process that dies:

1. write the next epoch and a new nonce to the store, as a claim;
2. replace the registration at the broker, if it is still the one that was read;
3. write to the store that the claim is confirmed.

The owner is recognised by what it confirmed last, or by what it has claimed since: so a crash between 2 and 3 does not
lock it out. The broker may also write a claim late, when the process that made it has died and started again. So the
store keeps all claims until one is confirmed; only one of them can be written, because each replaces the same entry. A
claim is made at each start and belongs to that start: of two copies of a store that start at the same time, one claims
first, and the other does not know that claim. If a claim is read at the broker, it is confirmed before the next one is
made. A broker that has lost its data knows no name, or an earlier epoch, and takes whoever comes first with a later
one.
"""

from __future__ import annotations

import json
import secrets

from antecede.core.types import ProcessId
from antecede.runtime.state.store import Store
from antecede.runtime.transport.contract import NameTaken, OlderCopy, Registration, name_taken

CONFIRMED, CLAIMED = "registration", "claimed registration"
EARLIER = "earlier claims"
"""The fact that has the claims of earlier starts which were not confirmed, the newest last."""
EARLIER_MAX = 100
NONCE_BYTES = 12


class Ownership:
    """The claims of the process whose state is in `store`.

    `form` is the newest form of the wire that it reads. `if_lost` says what to do if there is no newer store.
    """

    def __init__(self, store: Store, space: str, process: ProcessId, *, form: int, if_lost: str) -> None:
        self._store, self._space, self._process = store, space, process
        self._form, self._if_lost = form, if_lost
        self._claimed: tuple[int, str] | None = None

    @property
    def epoch(self) -> int:
        """Return the epoch that was confirmed last, or 0."""
        return self._read(CONFIRMED)[0]

    def claim(self, found: Registration | None) -> Registration:
        """Write the next registration to the store as a claim, and return it. Raise `NameTaken` or `OlderCopy`.

        `found` is the registration that the broker has now, or None.
        """
        latest = self.epoch
        if found is not None:
            self._check(found)
            if (found.epoch, found.nonce) in self._claims():
                self.confirm(found)
            latest = max(latest, found.epoch)
        if self._claimed is None or self._claimed[0] <= latest:
            self._claimed = (latest + 1, secrets.token_hex(NONCE_BYTES))
            self._store.put(EARLIER, json.dumps(self._claims()[-EARLIER_MAX:]).encode())
            self._write(CLAIMED, *self._claimed)
        epoch, nonce = self._claimed
        incarnation = self._store.facts["incarnation"].decode()
        return Registration(incarnation, epoch, nonce, self._store.progress, self._form)

    def confirm(self, written: Registration) -> None:
        """Note that the broker has `written`."""
        self._store.drop(CLAIMED)
        self._store.drop(EARLIER)
        self._write(CONFIRMED, written.epoch, written.nonce)

    def _check(self, found: Registration) -> None:
        if found.has_left:
            raise NameTaken(
                f"{self._process!r} has left space {self._space!r}, and a name cannot be used again: use another"
            )
        if found.incarnation != self._store.facts["incarnation"].decode():
            raise name_taken(self._space, self._process)
        is_ours = (found.epoch, found.nonce) in [self._read(CONFIRMED), *self._claims()]
        if not is_ours and found.epoch >= self.epoch:
            raise self._older(f"another copy of it was started since (epoch {found.epoch})")
        if found.progress > self._store.progress:
            raise self._older(f"it lacks {found.progress - self._store.progress} steps that were taken since")

    def _older(self, why: str) -> OlderCopy:
        return OlderCopy(
            f"the store {self._store.path} of {self._process!r} in space {self._space!r} is a copy, or older than its "
            f"process was: {why}. It would lose messages. Start with the store that was used last; if that is lost, "
            f"{self._if_lost}"
        )

    def _claims(self) -> list[tuple[int, str]]:
        """Return the claims that were not confirmed, of this start and of earlier ones."""
        earlier = [(epoch, nonce) for epoch, nonce in json.loads(self._store.facts.get(EARLIER, b"[]"))]
        return [*earlier, self._read(CLAIMED)] if CLAIMED in self._store.facts else earlier

    def _read(self, fact: str) -> tuple[int, str]:
        epoch, nonce = json.loads(self._store.facts.get(fact, b'[0, ""]'))
        return epoch, nonce

    def _write(self, fact: str, epoch: int, nonce: str) -> None:
        self._store.put(fact, json.dumps([epoch, nonce]).encode())
        self._store.commit()
