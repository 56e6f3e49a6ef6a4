"""Enforce causal order: a node for each process, over NATS or in memory; stations, and hosts that roam between them.

Read in this order:

limits        how much a node holds before it waits
delivery      what an application gets of a message
varint        numbers as bytes
number_ranges numbers as ranges
frames        what one publication into an inbox holds, and the forms of it
envelopes     which form a frame is written in
transport/    what is asked of a broker; the in-memory network with faults; NATS
state/        what survives a restart: the store, the journal, the trace of a process
outbox        from the store into the inbox of each destination, again and again until it is there
group_commit  one commit for everything that happens in one turn of the event loop
background    tasks that run by themselves, and how they end
driver        what runs a durable machine: commits, tasks, time, frames from the inbox
block         what is entered with `async with`, and says so
watch/        what is wrong, metrics, status
node/         a process of a space: join, send, deliver, leave
roaming/      stations, and hosts that roam between them
"""

try:
    from antecede.runtime.delivery import Delivery
    from antecede.runtime.limits import Limits
    from antecede.runtime.node.join import join
    from antecede.runtime.node.node import Node, NodeClosed
    from antecede.runtime.node.sync import SyncDelivery, SyncNode, join_sync
    from antecede.runtime.roaming.host.heard_stations import StationHeard
    from antecede.runtime.roaming.host.host import Host
    from antecede.runtime.roaming.host.link import HostRefused
    from antecede.runtime.roaming.station.serve import serve_station
    from antecede.runtime.roaming.tokens import issue as issue_token
    from antecede.runtime.roaming.websocket import AirLimits
    from antecede.runtime.state.store_error import StoreError
    from antecede.runtime.transport.contract import (
        NameLost,
        NameTaken,
        Network,
        OlderCopy,
        Received,
        Transport,
        Unreachable,
    )
    from antecede.runtime.transport.memory import Faults, MemoryNetwork
    from antecede.runtime.transport.nats.network import NatsNetwork
    from antecede.runtime.transport.nats.options import NatsOptions
    from antecede.runtime.watch.problems import (
        AcknowledgementMissing,
        BrokerLost,
        HoldBackLimitReached,
        InboxFull,
        LeavingWaits,
        LuggageAwaited,
        MessageRefused,
        MoveFailed,
        NamesMissing,
        NeverAcknowledged,
        NoBeacons,
        NotConnected,
        NumberReused,
        OutboxFull,
        Problem,
        RefusedAfterGiveUp,
        StampsTooLarge,
        Stopped,
    )
    from antecede.runtime.watch.stalls import NoSuchProcess, Stall, UpgradeNeeded
    from antecede.runtime.watch.station_problems import SealsOff, StationFellBack
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] == "antecede":
        raise
    raise ModuleNotFoundError(
        f"antecede.runtime needs {error.name}, which is not installed: pip install 'antecede[runtime]'", name=error.name
    ) from error

__all__ = [
    "AcknowledgementMissing",
    "AirLimits",
    "BrokerLost",
    "Delivery",
    "Faults",
    "HoldBackLimitReached",
    "Host",
    "HostRefused",
    "InboxFull",
    "LeavingWaits",
    "Limits",
    "LuggageAwaited",
    "MemoryNetwork",
    "MessageRefused",
    "MoveFailed",
    "NameLost",
    "NameTaken",
    "NamesMissing",
    "NatsNetwork",
    "NatsOptions",
    "Network",
    "NeverAcknowledged",
    "NoBeacons",
    "NoSuchProcess",
    "Node",
    "NodeClosed",
    "NotConnected",
    "NumberReused",
    "OlderCopy",
    "OutboxFull",
    "Problem",
    "Received",
    "RefusedAfterGiveUp",
    "SealsOff",
    "Stall",
    "StampsTooLarge",
    "StationFellBack",
    "StationHeard",
    "Stopped",
    "StoreError",
    "SyncDelivery",
    "SyncNode",
    "Transport",
    "Unreachable",
    "UpgradeNeeded",
    "issue_token",
    "join",
    "join_sync",
    "serve_station",
]
