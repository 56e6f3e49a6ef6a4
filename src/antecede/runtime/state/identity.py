"""What a store belongs to: it is opened again only for the same thing, under the name that it was made for."""

from __future__ import annotations

import uuid

from antecede.core.errors import Misuse
from antecede.runtime.state.store import Store

OWNERS = {"process": "a node", "station": "a station", "host": "a host"}
"""The fact that only a store of this kind has."""
NAMES = {"space", *OWNERS}
"""Facts for which another store can be given. The others are the same for all of a space, and for good."""


def identify(store: Store, **facts: str) -> str:
    """Return the incarnation of the store, a name of its own. Raise `Misuse` if the store contradicts `facts`."""
    for fact, owner in OWNERS.items():
        if fact in store.facts and fact not in facts:
            name = store.facts[fact].decode()
            raise Misuse(f"{store.path} is the store of {owner}, {name}: give another store")
    for key, value in facts.items():
        known = store.facts.get(key)
        if known is not None and known.decode() != value:
            advice = "give another store" if key in NAMES else "use a new space, where everybody begins anew"
            raise Misuse(f"{store.path} has {key} {known.decode()}, and was opened with {value}: {advice}")
        store.put(key, value.encode())
    if "incarnation" not in store.facts:
        store.put("incarnation", uuid.uuid4().hex.encode())
    return store.facts["incarnation"].decode()
