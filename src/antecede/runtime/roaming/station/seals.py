"""Frames between stations are sealed with the operator's key, so that an account at the broker cannot forge them.

A seal is an HMAC over the space, the sender, the destination, the epoch and the frame. Whoever can publish to the inbox
of a station, and does not have the key, can neither introduce nor remove a host, nor hand one over.

Stations of 0.1.0 wrote no seals, and nobody writes one to a station that announces form 1 of the wire (`wire=1`). So:

* A station that announces form 1 believes frames without a seal: the operator has said so, and is told what that means.
* A station that was upgraded, or that announced form 1 before, believes them for `UNSEALED_S` more, because they may be
  on their way: until the first sealed one of the same station, and only if they do not add or remove a host.
* All others believe none.

A frame that is not believed is not thrown away: it stays with the broker, and is named as a problem. So is one whose
seal does not fit, which may be of another key, if the operator has changed the key at one station and not at another.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable

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
SEALED_FROM = "sealed frames only from"
"""The name of a fact: the time of day from which on no frame without a seal is believed."""
UNSEALED_S = 60.0
"""How long frames without a seal may be on their way when a station has announced that it reads sealed ones."""


class WrongSeal(WireError):
    """The seal of a frame does not fit, or is missing: the frame is forged, or of another key or an earlier release."""


class Seals:
    """The envelopes of station `me`. `form` is the newest form of the wire that it announces."""

    def __init__(
        self,
        key: bytes,
        space: str,
        me: ProcessId,
        store: Store,
        *,
        form: int = frames.NEWEST_FORM,
        epoch: int = 0,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._key = hmac.digest(key, PURPOSE, "sha256")  # not the key itself, which signs tokens
        self._space, self._me, self._store, self._form, self.epoch = space, me, store, form, epoch
        self._wall = wall
        if form == frames.BARE_FORM:
            store.put(HAD_FORM_1, b"")
            for fact in [fact for fact in store.facts if fact.startswith(FIRST_SEALED) or fact == SEALED_FROM]:
                store.drop(fact)
        self._is_new = not {MIGRATED, HAD_FORM_1} & store.facts.keys()
        if not self._is_new and form != frames.BARE_FORM and SEALED_FROM not in store.facts:
            store.put(SEALED_FROM, repr(wall() + UNSEALED_S).encode())

    def wrap(self, to: ProcessId, announced: int | None, frame: bytes) -> bytes:
        """Return `frame` with a seal, unless `to` can only be of an earlier release."""
        form = announced if announced is not None else self._usual_form(to)
        if form == frames.BARE_FORM:
            return frame
        return frames.envelope(self.epoch, frame, self._seal(self._me, to, self.epoch, frame))

    def open(self, sender: ProcessId, data: bytes, number: int) -> bytes:
        """Return the frame in `data`. Raise `WrongSeal` if it is not believed.

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

    def check_introduction(self, sender: ProcessId, data: bytes) -> None:
        """Raise `WrongSeal` unless the frame in `data`, which adds or removes a host, has a seal or needs none."""
        if self._form != frames.BARE_FORM and frames.open_envelope(data).form == frames.BARE_FORM:
            raise self._unsealed(sender)

    @property
    def off(self) -> str:
        """Return why frames without a seal are believed now, or an empty string if they are not."""
        if self._form == frames.BARE_FORM:
            return (
                "this station was started with --wire 1, so whoever can publish at the broker can remove and take over "
                "hosts. Start it without --wire 1 when all stations are upgraded"
            )
        if self._is_awaiting_unsealed():
            return (
                f"it was upgraded or ran with --wire 1, and such frames may be on their way. This ends {UNSEALED_S:g} "
                "s after its first start without --wire 1"
            )
        return ""

    def _check_bare(self, sender: ProcessId, number: int) -> None:
        if self._form == frames.BARE_FORM:
            return
        first = self._store.facts.get(FIRST_SEALED + sender)
        if not self._is_awaiting_unsealed() or (first is not None and number > int(first)):
            raise self._unsealed(sender)

    def _is_awaiting_unsealed(self) -> bool:
        """Return whether frames without a seal may still be on their way, also if the clock was set back."""
        until = float(self._store.facts.get(SEALED_FROM, b"0"))
        return until - UNSEALED_S <= self._wall() < until

    def _unsealed(self, sender: ProcessId) -> WrongSeal:
        return WrongSeal(
            f"a frame of {sender} without a seal: somebody forges frames, or {sender} is of an earlier release or "
            f"has heard that {self._me} is. If stations are being upgraded, start {self._me} with --wire 1 until all "
            "are; it takes the frame then"
        )

    def _usual_form(self, to: ProcessId) -> int:
        is_sealing = self._is_new or FIRST_SEALED + to in self._store.facts
        return frames.ENVELOPE_FORM if is_sealing else frames.BARE_FORM

    def _seal(self, sender: ProcessId, to: ProcessId, epoch: int, frame: bytes) -> bytes:
        names = "\0".join((self._space, sender, to, str(epoch))).encode()
        return hmac.digest(self._key, b"%d " % len(names) + names + frame, "sha256")[:SEAL_BYTES]
