"""What a node, a station or a host counts, in the text form that Prometheus reads.

    print(node.metrics.text())
    node.metrics.serve(9100)        # http://127.0.0.1:9100/metrics

Nothing is counted twice: a collection asks the node, which has the numbers anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

COUNTERS = {
    "sent": "Messages sent by this process.",
    "received": "Packets taken from the inbox, including redeliveries.",
    "delivered": "Messages delivered in causal order.",
    "refused": "Packets and frames that are not valid, kept in quarantine.",
    "offered_again": "Packets refused because the hold-back queue was full; they are offered again.",
    "reused": "Packets refused because their number was used for another message before; `refused` counts them, too.",
    "given_up": "Packets refused because they came from a process that was given up; `refused` counts them, too.",
}
GAUGES = {
    "outbox": "Packets that some inbox does not have yet.",
    "inbox": "Messages delivered and not acknowledged by the application.",
    "held_back": "Messages that wait for one that they depend on.",
    "processes": "Processes known here that have not left.",
}
PROBLEMS = "What is wrong now, by kind; the log says it in words."
STATION_COUNTERS = {
    "heard": "Packets taken from hosts.",
    "received": "Packets taken from other stations, including redeliveries.",
    "refused": "Packets and frames of other stations that are not valid, kept in quarantine.",
    "closed": "Connections that were closed because a host broke a rule.",
    "notices_ignored": "Notices of hosts, of their problems, that could not be read.",
    "dropped": "Messages that a host will never get, because of the policy or because the host is unknown.",
    "offered_again": "Packets refused because a limit was reached; they are offered again.",
    "handed_over": "Hosts whose luggage was sent to another station.",
}
STATION_GAUGES = {
    "connections": "Hosts that are connected.",
    "hosts": "Hosts whose luggage is here, connected or not.",
    "known": "Hosts that are known, connected or not.",
    "awaited": "Hosts that registered here and whose luggage is on its way.",
    "stored": "Messages that hosts have not acknowledged.",
    "held_back": "Messages that wait for one that they depend on.",
    "outbox": "Packets that the inbox of some station does not have yet.",
}
HOST_COUNTERS = {
    "sent": "Messages sent by this host, restarts included.",
    "delivered": "Messages that this host got from stations, restarts included.",
}
HOST_GAUGES = {
    "unsent": "Messages that no station is known to have taken.",
    "connected": "1 if a station serves this host, and 0 if none does.",
}


class Counted(Protocol):
    """Whatever has these numbers."""

    @property
    def process(self) -> str: ...

    def counts(self) -> dict[str, int]: ...

    def problem_counts(self) -> dict[str, int]: ...


class Metrics(Collector):
    """The collector of one node, station or host, with a registry of its own."""

    def __init__(
        self, node: Counted, counters: Mapping[str, str] = COUNTERS, gauges: Mapping[str, str] = GAUGES
    ) -> None:
        self._node, self._counters, self._gauges = node, counters, gauges
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def describe(self) -> list[Metric]:
        return []  # so that registering asks the node for nothing

    def collect(self) -> Iterator[Metric]:
        counts = self._node.counts()
        for name, text in self._counters.items():
            counter = CounterMetricFamily(f"antecede_{name}", text, labels=["process"])
            counter.add_metric([self._node.process], counts[name])
            yield counter
        for name, text in self._gauges.items():
            gauge = GaugeMetricFamily(f"antecede_{name}", text, labels=["process"])
            gauge.add_metric([self._node.process], counts[name])
            yield gauge
        problems = GaugeMetricFamily("antecede_problems", PROBLEMS, labels=["process", "kind"])
        for kind, count in sorted(self._node.problem_counts().items()):
            problems.add_metric([self._node.process, kind], count)
        yield problems

    def text(self) -> str:
        """Return all metrics as they are now, in the text form of Prometheus."""
        return generate_latest(self.registry).decode()

    def serve(self, port: int, host: str = "127.0.0.1") -> WSGIServer:
        """Answer GET /metrics from a thread of its own. Call `shutdown` of the server that is returned to end this."""
        server, _ = start_http_server(port, addr=host, registry=self.registry)
        return server
