"""Frames between stations are sealed with the operator's key, so that an account at the broker cannot forge them.

A seal is an HMAC over the space, the sender, the destination, the epoch and the frame. Whoever can publish to the inbox
of a station, and does not have the key, can neither introduce nor remove a host, nor hand one over.

Stations of 0.1.0 wrote no seals. A store that this release made accepts none of their frames. In a store that was
migrated, a frame without a seal is accepted from a station as long as the inbox had none with a seal from it before:
so frames that were on their way during the upgrade are not lost, and no later one is believed. The same is so in a
store with which the station has announced form 1 for a while, because the operator wanted to go back.

A seal that does not fit may be of another key, which the operator has changed at one station and not at another. So the
frame is not thrown away: it stays with the broker, and is named as a problem.
"""

from __future__ import annotations

import hmac

from antecede.core.errors import WireError
from antecede.core.types import ProcessId
from antecede.runtime import frames
from antecede.runtime.state.migration import MIGRATED
from antecede.runtime.state.store import Store

SEAL_BYTES = 16
PURPOSE = b"antecede frames between stations"
HAD_FORM_1 = "announced form 1"
"""The name of a fact: others may have written frames without a seal to this station."""
FIRST_SEALED = "first sealed frame "
"""Begins the name of a fact, which ends with the name of a station."""


class WrongSeal(WireError):
    """The seal of a frame does not fit: it is forged, or of another key."""


class Seals:
    """The envelopes of station `me`. `form` is the newest form of the wire that it announces."""

    def __init__(
        self, key: bytes, space: str, me: ProcessId, store: Store, *, form: int = frames.NEWEST_FORM, epoch: int = 0
    ) -> None:
        self._key = hmac.digest(key, PURPOSE, "sha256")  # not the key itself, which signs tokens
        self._space, self._me, self._store, self._form, self.epoch = space, me, store, form, epoch
        if form == frames.BARE_FORM:
            store.put(HAD_FORM_1, b"")
            for fact in [fact for fact in store.facts if fact.startswith(FIRST_SEALED)]:
                store.drop(fact)
        self._is_new = not {MIGRATED, HAD_FORM_1} & store.facts.keys()

    def wrap(self, to: ProcessId, announced: int | None, frame: bytes) -> bytes:
        """Return `frame` with a seal, unless `to` can only be of an earlier release."""
        form = announced if announced is not None else self._usual_form(to)
        if form == frames.BARE_FORM:
            return frame
        return frames.envelope(self.epoch, frame, self._seal(self._me, to, self.epoch, frame))

    def open(self, sender: ProcessId, data: bytes, number: int) -> bytes:
        """Return the frame in `data`. Raise `WrongSeal` if its seal is wrong, `WireError` if it lacks one.

        `number` is the place of the frame in the inbox.
        """
        envelope = frames.open_envelope(data)
        if envelope.form == frames.BARE_FORM:
            self._check_bare(sender, number)
            return data
        if not hmac.compare_digest(envelope.seal, self._seal(sender, self._me, envelope.epoch, envelope.frame)):
            raise WrongSeal(
                f"the seal of a frame of {sender} does not fit: give all stations the same key, or somebody forges "
                "frames"
            )
        is_recorded = self._is_new or self._form == frames.BARE_FORM or FIRST_SEALED + sender in self._store.facts
        if number and not is_recorded:
            self._store.put(FIRST_SEALED + sender, b"%d" % number)
        return envelope.frame

    def _check_bare(self, sender: ProcessId, number: int) -> None:
        if self._form == frames.BARE_FORM:
            return  # the operator wants to go back to a release without seals
        first = self._store.facts.get(FIRST_SEALED + sender)
        if self._is_new or (first is not None and number > int(first)):
            raise WireError(f"a frame of {sender} without a seal")

    def _usual_form(self, to: ProcessId) -> int:
        is_sealing = self._is_new or FIRST_SEALED + to in self._store.facts
        return frames.ENVELOPE_FORM if is_sealing else frames.BARE_FORM

    def _seal(self, sender: ProcessId, to: ProcessId, epoch: int, frame: bytes) -> bytes:
        names = "\0".join((self._space, sender, to, str(epoch))).encode()
        return hmac.digest(self._key, b"%d " % len(names) + names + frame, "sha256")[:SEAL_BYTES]
