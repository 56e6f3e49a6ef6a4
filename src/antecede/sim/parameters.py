"""Declare a run: everything that decides what happens, and nothing else. Equal parameters give equal runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from antecede.core.errors import Misuse, UnknownAlgorithm
from antecede.core.locality.graph import Graph
from antecede.core.registry import AlgorithmInfo, algorithms
from antecede.core.types import ProcessId
from antecede.sim.measure.processing_cost import ProcessingCost
from antecede.sim.network import Network
from antecede.sim.workload import Workload

PROCESSES_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParameters:
    """The parameters of any run, with processes that stay where they are or with roaming hosts.

    The run ends when `messages` have been sent and the network is at rest. With `deliveries`, it ends as soon as
    `warmup` and then `deliveries` have happened across the system. `options` are the options of the algorithm or of the
    protocol. `oracle` measures needless waiting and violations. With `state_every` the state of one process or station
    after the other is measured, at every `state_every`-th delivery.
    """

    seed: int = 1
    messages: int | None = 1_000
    deliveries: int | None = None
    warmup: int = 0
    workload: Workload = field(default_factory=Workload)
    cost: ProcessingCost = field(default_factory=ProcessingCost)
    options: Mapping[str, object] = field(default_factory=dict)
    oracle: bool = False
    state_every: int = 0

    def check_counts(self) -> None:
        """Raise `Misuse` if the run has no end, or if one of its counts is too small."""
        if self.messages is None and self.deliveries is None:
            raise Misuse("the run has no end: give a number of messages, or of deliveries")
        for what, count in (("messages", self.messages), ("deliveries", self.deliveries)):
            if count is not None and count < 1:
                raise Misuse(f"{count} {what}: give 1 or more")
        if self.warmup < 0 or self.state_every < 0:
            raise Misuse(f"a warm-up of {self.warmup} and a state at every {self.state_every}: give 0 or more for both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(RunParameters):
    """The parameters of a run with processes that stay where they are.

    `cost` is the cost of headers, at every process. `weigh_bytes` measures the size of stamps in bytes. With a graph as
    `links`, messages go along its links only, and the algorithm is told so. With one as `local_clocks`, messages go
    along its links only, and the algorithm is not told. If a trace is recorded, every process also keeps a local clock
    for the graph (004), and each delivery in the trace has what its process remembers of the message.
    """

    algorithm: str = "ks"
    processes: int = 20
    network: Network = field(default_factory=Network)
    weigh_bytes: bool = True
    local_clocks: Graph | None = None
    links: Graph | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in algorithms():
            raise UnknownAlgorithm(
                f"there is no algorithm {self.algorithm!r}; there are {', '.join(sorted(algorithms()))}"
            )
        if not 2 <= self.processes <= PROCESSES_MAX:
            raise Misuse(f"{self.processes} processes: give from 2 to {PROCESSES_MAX}")
        self.check_counts()
        if self.messages is None and self.network.loss == 1:
            raise Misuse("nothing ever arrives with a loss of 1: give a number of messages, not of deliveries")
        if self.network.answers_ride and not self.cost.is_free:
            raise Misuse("answers do not ride on acknowledgements if headers cost time: leave out one of the two")
        if self.links is not None:
            self._check_links(self.links)
        self.network.check_names("process", self.names)
        can_repeat = self.network.duplicate and self.network.retransmit_after_s is None
        if can_repeat and self.options.get("bare_resynch") and not self.options.get("numbered"):
            raise Misuse(
                "with bare_resynch=True channels must not duplicate: give numbered=True, or retransmit packets"
            )

    def _check_links(self, links: Graph) -> None:
        if "links" not in self.info.options:
            able = [name for name, info in algorithms().items() if "links" in info.options]
            raise Misuse(f"{self.algorithm} cannot be told of links; {' and '.join(able)} can")
        if self.local_clocks not in (None, links):
            raise Misuse("messages cannot keep to two graphs: give the same links for local clocks, or leave them out")

    @property
    def info(self) -> AlgorithmInfo:
        """Return what the registry says about the algorithm."""
        return algorithms()[self.algorithm]

    @property
    def graph(self) -> Graph | None:
        """Return the graph whose links the messages keep to, if there is one."""
        return self.links or self.local_clocks

    @property
    def settings(self) -> dict[str, object]:
        """Return the options that each process of the algorithm is made with."""
        return {**self.options, "links": self.links.links} if self.links is not None else dict(self.options)

    @property
    def channels(self) -> Network:
        """Return the network that this algorithm needs: FIFO if it needs FIFO and does not number its packets
        itself.
        """
        needs_fifo = self.info.needs_fifo and not self.options.get("numbered")
        return replace(self.network, fifo=True) if needs_fifo else self.network

    @property
    def names(self) -> list[ProcessId]:
        """Return the names p1 to pN, with enough digits that they sort by number."""
        return numbered_names("p", self.processes)


def numbered_names(letter: str, count: int) -> list[ProcessId]:
    """Return `count` names of a letter and a number, with enough digits that they sort by number."""
    width = len(str(count))
    return [f"{letter}{number:0{width}}" for number in range(1, count + 1)]
