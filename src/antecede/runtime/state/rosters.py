"""Rosters by number: how the names of a space stay out of its packets, though nobody ever agreed on a list.

A packet that is encoded with a roster says "the 7th" instead of a name, so both sides need the same list. Each process
makes its own, numbers it, and tells every destination (a `frames.Names`) before the first packet that uses it. When a
quarter of the names it knows are not on its list, it makes the next. Whoever is told a roster keeps it by the name of
its owner, in the same transaction as everything else.

A broker that loses its data may lose a roster before its destination has taken it. So a process that is started tells
its roster again, and a roster that does not come is named as a problem (`awaited`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from antecede.core.errors import Misuse, WireError
from antecede.core.types import ProcessId
from antecede.core.wire.packets import Codec
from antecede.runtime.state.store import Store

NUMBER_MAX = 64
"""Each roster has a quarter of new names: after so many, newcomers are written out in packets."""
AWAITED_MAX = 1_000
"""How many rosters are remembered that have not come: frames may name any number of senders that do not exist."""


class UnknownRoster(Exception):
    """The roster that a frame was encoded with is still on its way: offer the frame again later."""


class Rosters:
    """The rosters of this process and of those it has heard from, as facts of its store."""

    def __init__(self, store: Store, names: Iterable[ProcessId]) -> None:
        self._store = store
        self._codecs: dict[tuple[ProcessId, int], Codec] = {}
        self._plain = Codec()
        self._told: dict[ProcessId, int] = {}  # whom, since the start, of which of our rosters
        self.awaited: dict[tuple[ProcessId, int], None] = {}
        """Rosters that frames refer to and that have not come, each by its owner and number: the first of them."""
        self.number = int(store.facts.get("roster", b"0"))
        self.names = tuple(json.loads(store.facts.get("roster names", b"[]")))
        self.codec = Codec(self.names)
        self.grow(names)

    def grow(self, known: Iterable[ProcessId]) -> None:
        """Make a new roster of all `known` names if too many of them are not on the present one.

        The new roster does not have processes that have left since.
        """
        everyone = set(known)
        missing = len(everyone.difference(self.names))
        if missing and missing > (len(everyone) - missing) // 4 and self.number < NUMBER_MAX:
            self.number += 1
            self.names = tuple(sorted(everyone))
            self.codec = Codec(self.names)
            self._store.put("roster", b"%d" % self.number)
            self._store.put("roster names", json.dumps(self.names).encode())

    def untold(self, dests: Sequence[ProcessId]) -> list[ProcessId]:
        """Return those of `dests` that were not told of the present roster, and count them as told from now on."""
        untold = [dest for dest in dests if self._told.get(dest, 0) != self.number]
        self._told |= dict.fromkeys(untold, self.number)
        return untold

    def forget(self, process: ProcessId) -> None:
        """Forget the rosters of a process that has left, and which roster it was told."""
        self._told.pop(process, None)
        for number in range(1, NUMBER_MAX + 1):
            self.awaited.pop((process, number), None)
            self._store.drop(f"roster {number} {process}")
            self._codecs.pop((process, number), None)

    def learn(self, owner: ProcessId, number: int, names: tuple[str, ...]) -> None:
        """Store a roster that `owner` tells. Raise `WireError` if it is not valid, or has changed."""
        if not 1 <= number <= NUMBER_MAX:
            raise WireError(f"roster {number} of {owner}: rosters are numbered from 1 to {NUMBER_MAX}")
        try:
            Codec(names)
        except Misuse as error:
            raise WireError(f"roster {number} of {owner} is none: {error}") from None
        value = json.dumps(names).encode()
        if self._store.facts.setdefault(f"roster {number} {owner}", b"") not in (b"", value):
            raise WireError(f"roster {number} of {owner} is not what it was")
        self._store.put(f"roster {number} {owner}", value)
        self.awaited.pop((owner, number), None)

    def codec_of(self, owner: ProcessId, number: int) -> Codec:
        """Return the codec of a roster of `owner`. Raise `UnknownRoster` if the roster has not come yet.

        Raise `WireError` if there can be no roster of this number.
        """
        if not number:
            return self._plain
        if number > NUMBER_MAX:
            raise WireError(f"roster {number} of {owner}: rosters are numbered from 1 to {NUMBER_MAX}")
        codec = self._codecs.get((owner, number))
        if codec is None:
            names = self._store.facts.get(f"roster {number} {owner}")
            if not names:
                if len(self.awaited) < AWAITED_MAX:
                    self.awaited[owner, number] = None
                raise UnknownRoster(f"roster {number} of {owner}")
            codec = self._codecs[owner, number] = Codec(json.loads(names))
        return codec
