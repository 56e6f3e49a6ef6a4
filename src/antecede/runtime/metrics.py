"""What a node counts, in the text form that Prometheus reads.

    print(node.metrics.text())
    node.metrics.serve(9100)        # http://127.0.0.1:9100/metrics

Nothing is counted twice: a collection asks the node, which has the numbers anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

COUNTERS = {
    "sent": "Messages sent by this process.",
    "received": "Packets taken from the inbox, redeliveries among them.",
    "delivered": "Messages delivered in causal order.",
    "refused": "Packets and frames that can not be right, kept in quarantine.",
    "offered_again": "Packets that found the hold-back queue full, and come again.",
}
GAUGES = {
    "outbox": "Packets that some inbox does not have yet.",
    "inbox": "Messages delivered and not acknowledged by the application.",
    "held_back": "Messages that wait for one that they depend on.",
    "processes": "Processes known here that have not left.",
}


class Counted(Protocol):
    """Whatever has these numbers."""

    @property
    def process(self) -> str: ...

    def counts(self) -> dict[str, int]: ...


class Metrics(Collector):
    """The collector of one node, with a registry of its own."""

    def __init__(self, node: Counted) -> None:
        self._node = node
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def describe(self) -> list[Metric]:
        return []  # so that registering asks the node for nothing

    def collect(self) -> Iterator[Metric]:
        counts = self._node.counts()
        for name, text in COUNTERS.items():
            counter = CounterMetricFamily(f"antecede_{name}", text, labels=["process"])
            counter.add_metric([self._node.process], counts[name])
            yield counter
        for name, text in GAUGES.items():
            gauge = GaugeMetricFamily(f"antecede_{name}", text, labels=["process"])
            gauge.add_metric([self._node.process], counts[name])
            yield gauge

    def text(self) -> str:
        """All metrics, now."""
        return generate_latest(self.registry).decode()

    def serve(self, port: int, host: str = "127.0.0.1") -> WSGIServer:
        """Answer GET /metrics from a thread of its own, until `shutdown` of the server returned is called."""
        server, _ = start_http_server(port, addr=host, registry=self.registry)
        return server
