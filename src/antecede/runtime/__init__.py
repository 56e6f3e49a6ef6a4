"""Enforce causal order: a node for each process, over NATS or in memory; stations, and hosts that roam between them."""

from antecede.runtime.delivery import Delivery
from antecede.runtime.host import Host
from antecede.runtime.joining import join
from antecede.runtime.limits import Limits
from antecede.runtime.link import HostRefused
from antecede.runtime.memory import Faults, MemoryNetwork
from antecede.runtime.nats import NatsNetwork
from antecede.runtime.natsoptions import NatsOptions
from antecede.runtime.node import Node, NodeClosed
from antecede.runtime.serving import serve_station
from antecede.runtime.stalls import Stall
from antecede.runtime.store import StoreError
from antecede.runtime.sync import SyncDelivery, SyncNode, join_sync
from antecede.runtime.transport import NameTaken, Network, Received, Transport, Unreachable

__all__ = [
    "Delivery",
    "Faults",
    "Host",
    "HostRefused",
    "Limits",
    "MemoryNetwork",
    "NameTaken",
    "NatsNetwork",
    "NatsOptions",
    "Network",
    "Node",
    "NodeClosed",
    "Received",
    "Stall",
    "StoreError",
    "SyncDelivery",
    "SyncNode",
    "Transport",
    "Unreachable",
    "join",
    "join_sync",
    "serve_station",
]
