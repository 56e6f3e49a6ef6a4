"""Declare a run with roaming hosts.

The defaults follow appendix A of 001: wires of 100 Mbit/s and 7 ms, air of 1 Mbit/s and 500 microseconds, ten stations,
exponential times between sends and between moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from antecede.core.errors import Misuse, UnknownAlgorithm
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.protocols import Roaming, protocols
from antecede.core.types import ProcessId
from antecede.sim.bounds import check_time
from antecede.sim.chance import Distribution
from antecede.sim.measure.processing_cost import ProcessingCost
from antecede.sim.mobile.mobility import Mobility
from antecede.sim.network import Network
from antecede.sim.parameters import PROCESSES_MAX, numbered_names
from antecede.sim.workload import Workload

NOTHING = Distribution("constant", 0.0)


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


@dataclass(frozen=True, slots=True)
class MobileParameters:
    """The parameters of a run with roaming hosts.

    The run ends when `messages` have been sent and the world is at rest. With `deliveries`, it ends as soon as `warmup`
    and then `deliveries` have happened. After the last message no host moves any more, and hosts that are away come
    back.

    `cost` is the cost of headers, at the stations. `options` are the options of the protocol, such as `logical` of av3.
    With `directory` every station knows at once, and for free, where the luggage of a host goes: 001 §4 assumes that
    the station of a destination is known. Without `directory` roam and av1 find out by themselves, and av2 and av3
    always do. The last `idle` hosts roam, and neither send nor receive messages. `oracle` measures needless waiting.
    With `state_every` the state of one station after the other is measured, at every `state_every`-th delivery.
    """

    protocol: str = "roam"
    stations: int = 10
    hosts: int = 30
    seed: int = 1
    messages: int | None = 1_000
    deliveries: int | None = None
    warmup: int = 0
    wires: Network = field(default_factory=wires)
    air: Network = field(default_factory=air)
    mobility: Mobility = field(default_factory=Mobility)
    workload: Workload = field(default_factory=Workload)
    cost: ProcessingCost = field(default_factory=ProcessingCost)
    header: Header = field(default_factory=Header)
    policy: Policy = field(default_factory=Policy)
    options: Mapping[str, object] = field(default_factory=dict)
    directory: bool = False
    idle: int = 0
    oracle: bool = False
    state_every: int = 0

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
        for what, count in (("messages", self.messages), ("deliveries", self.deliveries)):
            if count is not None and count < 1:
                raise Misuse(f"{count} {what}: give 1 or more")
        if not 0 <= self.idle <= self.hosts - 2:
            raise Misuse(f"{self.idle} idle of {self.hosts} hosts: leave at least 2 to send to each other")
        if self.messages is None and self.deliveries is None:
            raise Misuse("the run has no end: give a number of messages, or of deliveries")
        if self.warmup < 0 or self.state_every < 0:
            raise Misuse(f"a warm-up of {self.warmup} and a state at every {self.state_every}: give 0 or more for both")
        check_time("a retry after a time", self.policy.retry_s)
        self._check_networks()

    def _check_networks(self) -> None:
        if self.wires.is_lossy and self.wires.retransmit_after_s is None:
            raise Misuse("wires between stations must not lose packets for ever: let them retransmit")
        if self.air.partitions or self.air.retransmit_after_s is not None or self.air.loss > 0.9:
            raise Misuse("hosts and stations repeat packets over the air: give a loss of at most 0.9")

        unknown = {name for partition in self.wires.partitions for name in partition.side | partition.other}
        unknown -= set(self.cells)
        if unknown:
            raise Misuse(f"there is no station {min(unknown)!r}; they are {self.cells[0]} to {self.cells[-1]}")

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

    @property
    def latency(self) -> Distribution:
        """Return a latency of 0. A message takes no direct way from its author to a destination here."""
        return NOTHING

    @property
    def weigh_bytes(self) -> bool:
        """Return True: the sizes of headers are always measured in bytes."""
        return True
