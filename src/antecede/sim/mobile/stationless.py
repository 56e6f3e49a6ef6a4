"""Run hosts without fixed stations (000 §9.3): they send causal unicasts to each other, over the air.

Every host runs an algorithm of `core` itself, and a multicast is as many unicasts as it has destinations. Before a
packet leaves, its sender asks a location service for the place of the destination, and the packet goes there. If the
destination has moved on when the packet arrives, the packet reaches nobody. Its sender gets no acknowledgement, asks
again and sends again:

    sender            location service         place
      | ---- where? ---> |                       |
      | <--- place ----- |                       |
      | ---- packet ---------------------------> |    the host is there, and acknowledges; or it is not
      |        ... after `retransmit_after_s`, unless it was acknowledged, from the beginning

The paper leaves the location service open: here it knows where a host is when it answers, and its answer takes a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

from antecede.core.errors import Misuse
from antecede.core.types import Packet, ProcessId
from antecede.sim.chance import Distribution, stream
from antecede.sim.channels import Channels, Copy
from antecede.sim.kernel import Kernel
from antecede.sim.measure.ledger import Flight
from antecede.sim.measure.metrics import Result
from antecede.sim.mobile.mobility import Journeys, Mobility
from antecede.sim.network import Network
from antecede.sim.parameters import Parameters, numbered_names
from antecede.sim.trace import RunRecorder
from antecede.sim.world import World


def air() -> Network:
    """Return a network of 500 microseconds that sends again after 50 ms what was not acknowledged."""
    return Network(latency=Distribution("exponential", 0.0005), retransmit_after_s=0.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class StationlessParameters(Parameters):
    """The parameters of a run with hosts that move between `places`, without stations.

    `locate` is the time that an answer of the location service takes. Hosts do not disconnect. After the last message
    no host moves any more.
    """

    algorithm: str = "prs"
    network: Network = field(default_factory=air)
    places: int = 10
    mobility: Mobility = field(default_factory=Mobility)
    locate: Distribution = field(default_factory=lambda: Distribution("exponential", 0.005))

    def __post_init__(self) -> None:
        Parameters.__post_init__(self)
        if self.places < 1:
            raise Misuse(f"{self.places} places: give 1 or more")
        if self.network.retransmit_after_s is None:
            raise Misuse("what is sent to a place that a host has left is lost: let the network retransmit")
        if self.mobility.connected is not None:
            raise Misuse("hosts without stations do not disconnect: nobody keeps their messages")


@dataclass(frozen=True, slots=True, kw_only=True)
class StationlessResult(Result):
    """The measurements of a run without stations.

    `queries` are the questions to the location service, and `missed` the packets to a place that the host had left.
    """

    moves: int
    queries: int
    missed: int


class LocatedChannels(Channels):
    """Channels that ask for the `places` of destinations. `locate` is the time of an answer."""

    def __init__(
        self,
        network: Network,
        kernel: Kernel,
        seed: int,
        arrive: Callable[[ProcessId, Packet, Flight | None], None],
        size: Callable[[Packet], int],
        *,
        places: Mapping[ProcessId, ProcessId],
        locate: Distribution,
    ) -> None:
        super().__init__(network, kernel, seed, arrive, size)
        self.places, self.locate = places, locate
        self.queries = self.missed = 0
        self._answers = stream(seed, "location")

    def _attempt(self, copy: Copy) -> None:
        """Ask where the destination is, and then send the copy once."""
        if not copy.acknowledged:
            self.queries += 1
            self.kernel.after(self.locate.draw(self._answers), super()._attempt, copy)

    def _schedule_arrival(self, time_s: float, copy: Copy) -> None:
        self.kernel.at(time_s, self._reach, copy, self.places[copy.to])

    def _reach(self, copy: Copy, place: ProcessId) -> None:
        """Let a copy arrive at a place, if its destination is still there."""
        if self.places[copy.to] == place:
            self._receive(copy)
        else:
            self.missed += 1


class StationlessWorld(World):
    """The hosts of one algorithm, which move and send to each other. Call `run` once."""

    def __init__(self, parameters: StationlessParameters, recorder: RunRecorder | None = None) -> None:
        places = numbered_names("place", parameters.places)
        self.journeys = Journeys(parameters.mobility, parameters.names, places, parameters.seed)
        self.places, self.locate, self.moves = dict(self.journeys.homes), parameters.locate, 0
        super().__init__(parameters, recorder)

    def run(self) -> StationlessResult:
        """Run the simulation to its end and return the result."""
        for host in self.names:
            self._schedule_move(host)
        result = super().run()
        shared = {each.name: getattr(result, each.name) for each in fields(result)}
        return StationlessResult(**shared, moves=self.moves, queries=self.located.queries, missed=self.located.missed)

    def _make_channels(self, arrive: Callable[[ProcessId, Packet, Flight | None], None]) -> Channels:
        self.located = LocatedChannels(
            self.parameters.channels,
            self.kernel,
            self.parameters.seed,
            arrive,
            self.scale.packet_bytes,
            places=self.places,
            locate=self.locate,
        )
        return self.located

    def _schedule_move(self, host: ProcessId) -> None:
        until_s = self.journeys.until_move_s(host)
        if until_s is not None:
            self.kernel.after(until_s, self._move, host)

    def _move(self, host: ProcessId) -> None:
        if self._can_send():
            self.moves += 1
            self.places[host] = self.journeys.next_cell(host, self.places[host])
            if self.recorder is not None:
                self.recorder.record_move(self.kernel.now, host, "move", self.places[host])
            self._schedule_move(host)


def simulate_stationless(parameters: StationlessParameters, recorder: RunRecorder | None = None) -> StationlessResult:
    """Run a simulation of hosts without stations to its end and return the result. `recorder` takes the trace."""
    return StationlessWorld(parameters, recorder).run()
