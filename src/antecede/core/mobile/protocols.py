"""The roaming protocols by name, and how their stations and hosts are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from antecede.core import values
from antecede.core.errors import Misuse, SnapshotError, UnknownAlgorithm
from antecede.core.mobile.direct import Direct
from antecede.core.mobile.host import Host
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.station import Station
from antecede.core.types import ProcessId

DEFAULT = "roam"


@dataclass(frozen=True, slots=True)
class Roaming:
    """A protocol's traits. `inhibits`: it may hold a message back though nothing that precedes it is missing."""

    name: str
    title: str
    paper: str
    inhibits: bool
    make: Callable[..., Any]


_ALL = (
    Roaming("roam", "one KS log per host", "ours, after 001 §4 and 002 §4", False, lambda **_: Direct("ks")),
    Roaming(
        "av1",
        "Algorithm 1: one RST matrix per host",
        "001 §4",
        False,
        lambda printed=False, **_: Direct("rst", printed),
    ),
)
_BY_NAME = {roaming.name: roaming for roaming in _ALL}


def protocols() -> Mapping[str, Roaming]:
    """All roaming protocols, by name."""
    return MappingProxyType(_BY_NAME)


def station(
    protocol: str = DEFAULT,
    *,
    name: ProcessId,
    stations: Iterable[ProcessId],
    homes: Mapping[ProcessId, ProcessId],
    policy: Policy | None = None,
    **options: Any,
) -> Station:
    """A station at the beginning of time; `homes` is where each host starts, the same at all stations."""
    if protocol not in _BY_NAME:
        raise UnknownAlgorithm(f"no roaming protocol {protocol!r}; there are {', '.join(sorted(_BY_NAME))}")
    everyone = tuple(sorted(stations))
    if name not in everyone:
        raise Misuse(f"{name!r} is not among the stations {list(everyone)}")
    made = Station(name, everyone, _BY_NAME[protocol].make(**options), policy or Policy())
    for host, home in sorted(homes.items()):
        made.join(host, home)
    return made


def host(name: ProcessId, home: ProcessId, *, retry_s: float = 1.0) -> Host:
    """A host at the beginning of time, in the cell of its home station."""
    return Host(name, home, home, retry_s=retry_s)


def restore(snapshot: bytes) -> Station | Host:
    """The station or host that `snapshot()` was called on, as it was then; or `SnapshotError`."""
    restored = values.loads(snapshot)
    if not isinstance(restored, (Station, Host)):
        raise SnapshotError(f"a snapshot, but of a {type(restored).__name__}")
    restored.resume()
    return restored
