"""`join`: from a URL and two names to a node, with everything in its place.

The store decides: a process that has one goes on from it, and the algorithm and its options have to be what they were.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from antecede.core.algorithm import Algorithm
from antecede.core.errors import Misuse
from antecede.core.registry import algorithms, create
from antecede.core.roster import checked_names
from antecede.core.types import GroupId, ProcessId
from antecede.runtime import frames
from antecede.runtime.block import AsyncBlock
from antecede.runtime.envelopes import NodeEnvelopes, checked_form
from antecede.runtime.limits import Limits
from antecede.runtime.node.departure import FACT, LEFT, STAYS
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.node.node import Node
from antecede.runtime.state.identity import identify
from antecede.runtime.state.ownership import Ownership
from antecede.runtime.state.store import Store
from antecede.runtime.state.trace_recorder import FILE_BYTES_MAX, open_recorder, stream_of
from antecede.runtime.transport.contract import Network, open_transport
from antecede.runtime.transport.nats.options import NatsOptions
from antecede.runtime.transport.urls import NOT_GIVEN, NotGiven, network_of, path_of_store
from antecede.runtime.watch import status
from antecede.runtime.watch.words import list_names

LOGGER = logging.getLogger("antecede")
IF_LOST = "use another name, and let the others call give_up() with this one"
OPEN = frozenset({"ks", "rst", "ses", "prs", "none"})
"""Algorithms with which only those who send to a newcomer have to know it: spaces of these need no list."""

TO_NAMES = ("multicast", "unicast")
"""Kinds of addressing in which the sender chooses the destinations one by one."""

RELAYED = frozenset({"hierarchy"})
"""Algorithms whose messages go through other processes."""


def join(
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
    wire: int = frames.NEWEST_FORM,
    give_up: Iterable[ProcessId] = (),
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], float] = time.time,
    **options: Any,
) -> AsyncBlock[Node]:
    """Take part in a space: `async with join(...) as node` gives a `Node`.

    `url` is `nats://host:port`, `embedded://`, `embedded:///folder`, or a network such as `MemoryNetwork`. `space` and
    `process` are names; a process name is used once in a space. `processes` are all names, for an algorithm that has to
    know them; without it, whoever is sent to counts as joined. `groups` are the members of each group.

    `store` is the folder of the durable state. `nats://` needs it. It may be left out with `embedded:///folder`, which
    keeps stores in `folder/stores`, and with `embedded://` and a network in memory, where everything ends with the
    process. With `store=None` the state is in memory: a restart forgets it, and the name cannot be used again.
    `durability` is "process" or "power": what the state survives, a crash of the process or a loss of power.

    `trace` is a folder for the trace, or `jetstream:NAME`. `limits` says when the node waits. `nats` says how to
    connect and how the inbox is kept. `wire` is the newest form of frames that is written and asked for: give 1 to all
    processes before you go back to an earlier release. `give_up` are names to give up before `join` goes on
    with a `leave` that was interrupted. `clock` and `wall` are for tests. `options` are the algorithm's own.
    """
    checked_names("the space and the process", [space, process])
    network = network_of(url, nats)
    own = _settings(algorithm, options, is_open=processes is None)
    everybody = sorted({process, *(processes or ())})
    plan = JoinPlan(
        network=network,
        space=space,
        process=process,
        facts={"algorithm": algorithm, "options": _as_json(own)},
        begin=partial(create, algorithm, process=process, processes=everybody, groups=groups, **own),
        everybody=everybody,
        is_open=processes is None,
        sends_to_names=_sends_to_names(algorithm),
        path=path_of_store(store, network, space, process),
        durability=durability,
        trace=trace,
        trace_file_bytes_max=trace_file_bytes_max,
        limits=limits or Limits(),
        wire=checked_form(wire),
        give_up=checked_names("give_up", give_up),
        clock=clock,
        wall=wall,
    )
    return AsyncBlock(_enter(plan), "async with antecede.join(...) as node:")


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinPlan:
    """What `join` was asked for, checked."""

    network: Network
    space: str
    process: ProcessId
    facts: Mapping[str, str]
    begin: Callable[[], Algorithm]
    everybody: Sequence[ProcessId]
    is_open: bool
    sends_to_names: bool
    path: Path | None
    durability: str
    trace: str | Path | None
    trace_file_bytes_max: int
    limits: Limits
    wire: int
    give_up: Sequence[ProcessId]
    clock: Callable[[], float]
    wall: Callable[[], float]


@asynccontextmanager
async def _enter(plan: JoinPlan) -> AsyncIterator[Node]:
    space, process, limits = plan.space, plan.process, plan.limits
    async with AsyncExitStack() as stack:
        stack.push_async_callback(plan.network.stop)
        await plan.network.start(flushes=plan.durability == "power")
        bytes_min = limits.snapshot_bytes_min
        store = stack.enter_context(closing(Store(plan.path, durability=plan.durability, snapshot_bytes_min=bytes_min)))
        incarnation = identify(store, space=space, process=process, **plan.facts)
        if store.facts.get(FACT) == LEFT:
            raise _gone_error(space, process)
        recorder = stack.enter_context(
            open_recorder(
                plan.trace, space, process, store=store, wall=plan.wall, file_bytes_max=plan.trace_file_bytes_max
            )
        )
        rules = {
            "open_space": plan.is_open,
            "sends_to_names": plan.sends_to_names,
            "is_relayed": plan.facts["algorithm"] in RELAYED,
        }
        durable = DurableProcess(store, plan.begin, plan.everybody, **rules, recorder=recorder)
        durable.commit()
        owner = Ownership(store, space, process, form=plan.wire, if_lost=IF_LOST)
        made = plan.network.transport(space, process, incarnation)
        transport = await open_transport(stack, made, stream_of(plan.trace), owner)
        node = Node(transport, durable, NodeEnvelopes(plan.wire, owner.epoch), limits, plan.clock)
        stack.push_async_callback(node.close)
        node.start()
        await status.answer(transport, space, process, "node", node.status)
        for name in plan.give_up:
            await node.give_up(name)
        if durable.departure.step != STAYS:
            await _go_on_leaving(node, durable, space)
        try:
            yield node
        except BaseException:
            node.tell_what_is_left()
            raise
        await node.finish()


async def _go_on_leaving(node: Node, durable: DurableProcess, space: str) -> None:
    """Complete a `leave` that was interrupted. Raise `Misuse` then: the name cannot be used again."""
    LOGGER.warning(
        "%s: leave() was interrupted and goes on: join() waits until everybody has delivered what was sent. Not known "
        "yet of %s. Start what is not running, or use join(..., give_up=[...]) for what is gone for good",
        node.process,
        list_names(durable.departure.unsettled) or "nobody",
    )
    await node.leave()
    raise Misuse(
        f"{node.process!r} has left space {space!r}: the leave() that was interrupted is complete. "
        "A name cannot be used again, use another"
    )


def _settings(algorithm: str, options: Mapping[str, Any], *, is_open: bool) -> dict[str, Any]:
    """Return the options of the algorithm: one packet for all destinations, unless other options need one for each, and
    numbers on packets if it asks for FIFO, because inboxes give no order. Raise `Misuse` if it needs a list of
    processes and the space has none.
    """
    info = algorithms().get(algorithm)
    if is_open and info is not None and algorithm not in OPEN:
        raise Misuse(f"{algorithm} needs the names of all processes: join(..., processes=[...])")
    offered = info.options if info is not None else ()
    for name in sorted(options.keys() - set(offered)):
        near = get_close_matches(name, [*signature(join).parameters, *offered], n=1)
        if near:  # otherwise the algorithm says what it has
            raise Misuse(f"join has no argument {name!r}, and {algorithm} no such option: did you mean {near[0]!r}?")
    is_one_for_each = options.get("links") is not None or bool(options.get("differential"))
    defaults = {
        name: value for name, value in (("multicast", not is_one_for_each), ("numbered", True)) if name in offered
    }
    return {**defaults, **options}


def _as_json(options: Mapping[str, Any]) -> str:
    """Return the options as a store keeps them. Raise `Misuse` if one of them cannot be kept."""
    try:
        return json.dumps(options, default=_plain)
    except TypeError as error:
        raise Misuse(f"an option cannot be kept in the store: {error}") from None


def _plain(value: object) -> object:
    """Return a collection that JSON does not have as one that it has, the same for equal collections."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{value!r} is neither a number, a text, a list, a set nor a mapping")


def _sends_to_names(algorithm: str) -> bool:
    info = algorithms().get(algorithm)
    return info is not None and info.addressing in TO_NAMES


def _gone_error(space: str, process: ProcessId) -> Misuse:
    return Misuse(f"{process!r} has left space {space!r}: a name cannot be used again, use another")
