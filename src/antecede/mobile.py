"""Roaming hosts: the public names. `docs/guide/04-roaming.md` shows how to use them.

    >>> from antecede import mobile
    >>> stations = {
    ...     name: mobile.station(name=name, stations=["north", "south"], homes={"ann": "north"})
    ...     for name in ("north", "south")
    ... }
    >>> ann = mobile.host("ann", "north")
    >>> sorted(mobile.protocols())
    ['av1', 'av2', 'av2-ks', 'av3', 'prs-mobile', 'roam']

Hosts and stations are state machines: they return effects, which a driver carries out in order. Besides those of the
algorithms there are `Radio`, a packet for the air, and `Dropped`, word of a message that a host will never get.
"""

from antecede.core.mobile.effects import Dropped, Effect, Radio
from antecede.core.mobile.host import Host
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.protocols import Roaming, host, protocols, restore, station
from antecede.core.mobile.station import Station

__all__ = [
    "Dropped",
    "Effect",
    "Host",
    "Policy",
    "Radio",
    "Roaming",
    "Station",
    "host",
    "protocols",
    "restore",
    "station",
]
