"""Where a host begins: a station that follows from its name, so that nobody has to agree on it.

The core wants every station to give a new host the same home. A host is first seen at any station, perhaps at two at
once; were its home the first, the stations would have to agree who that was. By the highest digest of both
names (rendezvous hashing) each works it out by itself, whenever it first hears of the host: from the host, from another
station, or in a message. The luggage of a new host is at its home, and comes to where the host is as in any hand-off.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from antecede.core.types import ProcessId


def home(host: ProcessId, stations: Sequence[ProcessId]) -> ProcessId:
    """Return the station where a host begins: the same for everybody who knows the same stations, in any order."""
    return max(sorted(stations), key=lambda station: _digest(station, host))


def _digest(station: ProcessId, host: ProcessId) -> bytes:
    return hashlib.sha256(f"{len(station)} {station} {host}".encode()).digest()
