"""The roaming protocols by name, and how their stations and hosts are made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from antecede.core.errors import Misuse, SnapshotError, UnknownAlgorithm
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.mobile.direct import Direct
from antecede.core.mobile.flood import AnyOrderFlood, CombiningFlood, Flood
from antecede.core.mobile.host import Host
from antecede.core.mobile.logical import Cluster, logical_name
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.relay import Relay
from antecede.core.mobile.scheme import Scheme
from antecede.core.mobile.station import Station
from antecede.core.ordering.ks import Ks
from antecede.core.ordering.rst import Rst
from antecede.core.process import Process
from antecede.core.roster import Roster, checked_names, checked_time
from antecede.core.snapshot import values
from antecede.core.types import ProcessId

DEFAULT = "roam"
AnyStation: TypeAlias = Station | Cluster


@dataclass(frozen=True, slots=True)
class Roaming:
    """The traits of a roaming protocol. `inhibits` is true if it may hold a message back although nothing that precedes
    it is missing.
    """

    name: str
    title: str
    paper: str
    inhibits: bool
    scheme: Callable[..., Scheme]

    @property
    def options(self) -> tuple[str, ...]:
        """Return the keywords of `station` that are this protocol's own."""
        own = tuple(inspect.signature(self.scheme).parameters)[2:]
        return (*own, "logical") if self.name == "av3" else own


def _roam(name: ProcessId, stations: Sequence[ProcessId], *, hold_max: int = HOLD_BACK_LIMIT) -> Direct:  # noqa: ARG001
    if type(hold_max) is not int or hold_max < 1:
        raise Misuse(f"hold_max is {hold_max!r}: give 1 or more")
    return Direct("ks", hold_max=hold_max)


def _av1(name: ProcessId, stations: Sequence[ProcessId]) -> Direct:  # noqa: ARG001
    return Direct("rst")


def _prs_mobile(
    name: ProcessId,  # noqa: ARG001
    stations: Sequence[ProcessId],  # noqa: ARG001
    *,
    combine: bool = False,
    any_order: bool = False,
) -> Flood:
    for option, value in (("combine", combine), ("any_order", any_order)):
        if type(value) is not bool:
            raise Misuse(f"{option} is {value!r}: give True or False")
    if any_order:
        return AnyOrderFlood(combine=combine)
    return CombiningFlood() if combine else Flood()


def _av2(name: ProcessId, stations: Sequence[ProcessId]) -> Relay:
    return Relay(Process(Roster.of(name, "multicast", stations, None), Rst(name)))


def _av2_ks(name: ProcessId, stations: Sequence[ProcessId]) -> Relay:
    return Relay(Process(Roster.of(name, "multicast", stations, None), Ks(name, multicast=True)))


_ALL = (
    Roaming("roam", "one KS log per host", "ours, after 001 §4 and 002 §4", False, _roam),
    Roaming("av1", "Algorithm 1: one RST matrix per host", "001 §4", False, _av1),
    Roaming("av2", "Algorithm 2: RST between stations", "001 §5", True, _av2),
    Roaming("av3", "Algorithm 3: RST between logical stations", "001 §6", True, _av2),
    Roaming("av2-ks", "Algorithm 2 with KS between stations", "001 §5, 002 §4", True, _av2_ks),
    Roaming("prs-mobile", "causal barriers, all messages to all stations", "000 §9", True, _prs_mobile),
)
_BY_NAME = {roaming.name: roaming for roaming in _ALL}


def protocols() -> Mapping[str, Roaming]:
    """Return all roaming protocols, by name."""
    return MappingProxyType(_BY_NAME)


def station(
    protocol: str = DEFAULT,
    *,
    name: ProcessId,
    stations: Iterable[ProcessId],
    homes: Mapping[ProcessId, ProcessId],
    policy: Policy | None = None,
    **options: Any,
) -> AnyStation:
    """Return a station in its first state.

    `stations` are the names of all stations. `homes` says at which station each host starts; it is the same at all
    stations. `policy` says what is done for a host that is not listening. `options` are the protocol's own;
    `Roaming.options` names them.
    """
    info = _BY_NAME.get(str(protocol))
    if info is None:
        raise UnknownAlgorithm(f"there is no roaming protocol {protocol!r}; there are {', '.join(sorted(_BY_NAME))}")
    if unknown := sorted(options.keys() - set(info.options)):
        raise Misuse(f"{protocol} has no option {unknown[0]!r}; it has {', '.join(info.options) or 'none'}")
    everyone = tuple(sorted(checked_names("stations", stations)))
    if len(set(everyone)) != len(everyone):
        raise Misuse(f"each station must be named once, not as in {list(everyone)}")
    if policy is not None and not isinstance(policy, Policy):
        raise Misuse(f"policy must be a Policy, such as Policy(when_asleep='drop'), not {policy!r}")
    if not isinstance(homes, Mapping):
        raise Misuse(f'homes must be a mapping of each host to its station, such as {{"ann": "north"}}, not {homes!r}')
    checked_names("hosts", homes)
    if name not in everyone:
        raise Misuse(f"{name!r} is not among the stations {list(everyone)}")
    rules = policy or Policy()
    made = (
        _cluster(info, name, everyone, rules, **options)
        if protocol == "av3"
        else Station(name, everyone, info.scheme(name, everyone, **options), rules)
    )
    for host, home in sorted(homes.items()):
        made.join(host, home)
    return made


def _cluster(
    info: Roaming, cell: ProcessId, cells: Sequence[ProcessId], policy: Policy, *, logical: int = 2
) -> Cluster:
    if type(logical) is not int or logical < 1:
        raise Misuse(f"logical is {logical!r}: give 1 or more")
    everyone = tuple(sorted(logical_name(each, number) for each in cells for number in range(logical)))
    names = [logical_name(cell, number) for number in range(logical)]
    return Cluster(cell, [Station(name, everyone, info.scheme(name, everyone), policy) for name in names])


def host(name: ProcessId, home: ProcessId, *, retry_s: float = 1.0) -> Host:
    """Return a host in its first state, in the cell of its home station. `retry_s` is when it repeats what was not
    answered.
    """
    checked_names("a host and its home", [name, home])
    if checked_time(retry_s) <= 0:
        raise Misuse(f"retry_s is {retry_s}: give more than 0 seconds")
    return Host(name, home, home, retry_s=retry_s)


def restore(snapshot: bytes) -> AnyStation | Host:
    """Return the station or host whose `snapshot()` this is, as it was then. Raise `SnapshotError` if it is neither."""
    restored = values.loads(snapshot)
    if not isinstance(restored, (Station, Cluster, Host)):
        raise SnapshotError(f"this is the snapshot of a {type(restored).__name__}, not of a station or a host")
    values.resume(restored)
    return restored
