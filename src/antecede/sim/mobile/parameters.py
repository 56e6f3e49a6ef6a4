"""Declare a run with roaming hosts.

The defaults follow appendix A of 001: wires of 100 Mbit/s and 7 ms, air of 1 Mbit/s and 500 microseconds, ten stations,
exponential times between sends and between moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from antecede.core.errors import Misuse, UnknownAlgorithm
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.protocols import Roaming, protocols
from antecede.core.types import ProcessId
from antecede.sim.bounds import check_time
from antecede.sim.chance import Distribution
from antecede.sim.mobile.energy import AirEnergy
from antecede.sim.mobile.mobility import Mobility
from antecede.sim.network import Network
from antecede.sim.parameters import PROCESSES_MAX, RunParameters, numbered_names


def wires() -> Network:
    """Return the network between stations of 001, appendix A."""
    return Network(latency=Distribution("constant", 0.007), bandwidth_bytes_per_s=100e6 / 8)


def air() -> Network:
    """Return the network between stations and hosts of 001, appendix A."""
    return Network(latency=Distribution("constant", 0.0005), bandwidth_bytes_per_s=1e6 / 8, fifo=True)


@dataclass(frozen=True, slots=True)
class Header:
    """The way in which the size of a header is measured.

    With `integer_bytes` each of its integers takes that many bytes, as if structures were sent as they are in memory.
    None means our wire form. `full` counts all entries of a matrix, zeros included, as 001 does.
    """

    integer_bytes: int | None = None
    full: bool = False

    def __post_init__(self) -> None:
        if self.integer_bytes is not None and self.integer_bytes < 1:
            raise Misuse(f"integers of {self.integer_bytes} bytes: give 1 or more, or None")


@dataclass(frozen=True, slots=True, kw_only=True)
class MobileParameters(RunParameters):
    """The parameters of a run with roaming hosts.

    After the last message no host moves any more, and hosts that are away come back. Stations may be connected by
    links of different bandwidth, the `links` of `wires` (000 §9.3).

    `cost` is the cost of headers, at the stations. `options` are the options of the protocol, such as `logical` of av3.
    With `directory` every station knows at once, and for free, where the luggage of a host goes: 001 §4 assumes that
    the station of a destination is known. Without `directory` roam and av1 find out by themselves, and av2 and av3
    always do. With `beacon_s` every station broadcasts a beacon that often, and a host that enters a cell notices it at
    the next beacon of that cell that it hears (001 §2); without it, at once. The last `idle` hosts roam, and neither
    send nor receive messages. `energy` says what the air costs a host.
    """

    protocol: str = "roam"
    stations: int = 10
    hosts: int = 30
    wires: Network = field(default_factory=wires)
    air: Network = field(default_factory=air)
    mobility: Mobility = field(default_factory=Mobility)
    header: Header = field(default_factory=Header)
    policy: Policy = field(default_factory=Policy)
    directory: bool = False
    idle: int = 0
    beacon_s: float | None = None
    energy: AirEnergy = field(default_factory=AirEnergy)

    def __post_init__(self) -> None:
        if self.protocol not in protocols():
            raise UnknownAlgorithm(
                f"there is no roaming protocol {self.protocol!r}; there are {', '.join(sorted(protocols()))}"
            )
        if not 1 <= self.stations <= PROCESSES_MAX or not 2 <= self.hosts <= PROCESSES_MAX:
            raise Misuse(
                f"{self.stations} stations, {self.hosts} hosts: give 1 or more stations and 2 or more hosts, "
                f"each up to {PROCESSES_MAX}"
            )
        self.check_counts()
        if not 0 <= self.idle <= self.hosts - 2:
            raise Misuse(f"{self.idle} idle of {self.hosts} hosts: leave at least 2 to send to each other")
        check_time("a retry after a time", self.policy.retry_s)
        if self.beacon_s is not None:
            check_time("a beacon after a time", self.beacon_s)
        if self.wires.is_lossy and self.wires.retransmit_after_s is None:
            raise Misuse("wires between stations must not lose packets for ever: let them retransmit")
        if self.air.partitions or self.air.retransmit_after_s is not None or self.air.loss > 0.9:
            raise Misuse("hosts and stations repeat packets over the air: give a loss of at most 0.9")
        self.wires.check_names("station", self.cells)
        self.air.check_names("host or station", [*self.names, *self.cells])

    @property
    def info(self) -> Roaming:
        """Return what the registry says about the protocol."""
        return protocols()[self.protocol]

    @property
    def names(self) -> list[ProcessId]:
        """Return the names h1 to hN, with enough digits that they sort by number."""
        return numbered_names("h", self.hosts)

    @property
    def cells(self) -> list[ProcessId]:
        """Return the names of the cells, which are those of their stations."""
        return numbered_names("s", self.stations)

    @property
    def logical(self) -> int:
        """Return the number of logical stations in each station."""
        logical = self.options.get("logical", 2) if self.protocol == "av3" else 1
        return logical if isinstance(logical, int) else 1
