"""`join`: from a URL and two names to a node, with everything in its place.

The store decides: a process that has one goes on from it, and the algorithm and its options have to be what they were.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from antecede.core.errors import AntecedeError, Misuse
from antecede.core.registry import algorithms, create
from antecede.core.roster import checked_names
from antecede.core.types import GroupId, ProcessId
from antecede.runtime.limits import Limits
from antecede.runtime.node.departure import FACT, LEFT, STAYS
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.node.node import Node
from antecede.runtime.state.store import Store
from antecede.runtime.state.trace_recorder import FILE_BYTES_MAX, open_recorder, stream_of
from antecede.runtime.transport.contract import Network, open_transport
from antecede.runtime.transport.nats.options import NatsOptions
from antecede.runtime.transport.urls import NOT_GIVEN, NotGiven, network_of, path_of_store
from antecede.runtime.watch import status

OPEN = frozenset({"ks", "rst", "ses", "prs", "none"})
"""Algorithms with which only those who send to a newcomer have to know it: spaces of these need no list."""

TO_NAMES = ("multicast", "unicast")
"""Kinds of addressing in which the sender chooses the destinations one by one."""


@asynccontextmanager
async def join(
    url: str | Network,
    *,
    space: str,
    process: ProcessId,
    algorithm: str = "ks",
    processes: Iterable[ProcessId] | None = None,
    groups: Mapping[GroupId, Iterable[ProcessId]] | None = None,
    store: str | Path | NotGiven | None = NOT_GIVEN,
    durability: str = "process",
    trace: str | Path | None = None,
    trace_file_bytes_max: int = FILE_BYTES_MAX,
    limits: Limits | None = None,
    nats: NatsOptions | None = None,
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], float] = time.time,
    **options: Any,
) -> AsyncIterator[Node]:
    """Take part in a space: `async with join(...) as node` gives a `Node`.

    `url` is `nats://host:port`, `embedded://`, `embedded:///folder`, or a network such as `MemoryNetwork`. `space` and
    `process` are names; a process name is used once in a space. `processes` are all names, for an algorithm that has to
    know them; without it, whoever is sent to counts as joined. `groups` are the members of each group.

    `store` is the folder of the durable state. `nats://` needs it. It may be left out with `embedded:///folder`, which
    keeps stores in `folder/stores`, and with `embedded://` and a network in memory, where everything ends with the
    process. With `store=None` the state is in memory: a restart forgets it, and the name cannot be used again.
    `durability` is "process" or "power": what the state survives, a crash of the process or a loss of power.

    `trace` is a folder for the trace, or `jetstream:NAME`. `limits` says when the node waits. `nats` says how to
    connect and how the inbox is kept. `clock` and `wall` are for tests. `options` are the algorithm's own.
    """
    checked_names("the space and the process", [space, process])
    everybody = sorted({process, *(processes or ())})
    settings = _settings(algorithm, options, is_open=processes is None)
    begin = partial(create, algorithm, process=process, processes=everybody, groups=groups, **settings)
    limits, network = limits or Limits(), network_of(url, nats)
    path = path_of_store(store, network, space, process)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(network.stop)
        await network.start()
        bytes_min = limits.snapshot_bytes_min
        opened = stack.enter_context(closing(Store(path, durability=durability, snapshot_bytes_min=bytes_min)))
        incarnation = _identify(opened, space=space, process=process, algorithm=algorithm, options=json.dumps(settings))
        recording = open_recorder(trace, space, process, store=opened, wall=wall, file_bytes_max=trace_file_bytes_max)
        recorder = stack.enter_context(recording)
        rules = {"open_space": processes is None, "sends_to_names": algorithms()[algorithm].addressing in TO_NAMES}
        durable = DurableProcess(opened, begin, everybody, **rules, recorder=recorder)
        durable.commit()
        transport = await open_transport(stack, network.transport(space, process, incarnation), stream_of(trace))
        node = Node(transport, durable, limits, clock)
        stack.push_async_callback(node.close)
        node.start()
        await status.answer(transport, space, node.process, "node", node.status)
        if durable.departure.step != STAYS:
            await node.leave()  # it was interrupted
            raise _gone(space, process)
        yield node
        with suppress(AntecedeError):
            await node.flush()  # a program that sends and ends has sent; the others get it at the next join


def _settings(algorithm: str, options: Mapping[str, Any], *, is_open: bool) -> dict[str, Any]:
    """Return the options of the algorithm: one packet for all destinations, and numbers on packets if it asks for FIFO,
    because inboxes give no order. Raise `Misuse` if it needs a list of processes and the space has none.
    """
    info = algorithms().get(algorithm)
    if is_open and info is not None and algorithm not in OPEN:
        raise Misuse(f"{algorithm} needs the names of all processes: join(..., processes=[...])")
    offered = info.options if info is not None else ()
    defaults: dict[str, Any] = {name: True for name in ("multicast", "numbered") if name in offered}
    return {**defaults, **options}


def _identify(store: Store, **facts: str) -> str:
    """The incarnation of the store, which belongs to one process of one space with one algorithm."""
    for key, value in facts.items():
        known = store.facts.get(key)
        if known is not None and known.decode() != value:
            raise Misuse(f"{store.path} has {key} {known.decode()}, and was opened with {value}: give another store")
        store.put(key, value.encode())
    if store.facts.get(FACT) == LEFT:
        raise _gone(facts["space"], facts["process"])
    if "incarnation" not in store.facts:
        store.put("incarnation", uuid.uuid4().hex.encode())
    return store.facts["incarnation"].decode()


def _gone(space: str, process: ProcessId) -> Misuse:
    return Misuse(f"{process!r} has left space {space!r}: a name cannot be used again, use another")
