"""`serve_station`: from a URL and a few names to a running station, with everything in its place."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from ssl import SSLContext

from antecede.core.errors import Misuse
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.protocols import station as begin_station
from antecede.core.mobile.station import Station
from antecede.core.roster import checked_names
from antecede.core.types import ProcessId
from antecede.runtime import frames
from antecede.runtime.block import AsyncBlock
from antecede.runtime.envelopes import checked_form
from antecede.runtime.roaming.beacon import EVERY_S, Beacon
from antecede.runtime.roaming.station.announcer import Announcer
from antecede.runtime.roaming.station.durable_station import PART_BYTES, DurableStation
from antecede.runtime.roaming.station.seals import Seals
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.websocket import AirLimits
from antecede.runtime.state.identity import identify
from antecede.runtime.state.ownership import Ownership
from antecede.runtime.state.store import Store
from antecede.runtime.state.trace_recorder import open_recorder, stream_of
from antecede.runtime.transport.contract import Network, open_transport
from antecede.runtime.transport.nats.options import NatsOptions
from antecede.runtime.transport.urls import NOT_GIVEN, NotGiven, network_of, path_of_store
from antecede.runtime.watch import status

SPACE = "roam"
IF_LOST = "start a new space, because the list of stations cannot change"
STORED_MAX = 1_500
RETRY_S = 30.0
LUGGAGE_BYTES_MAX = 12 * 2**20
"""All that is kept for a host has to fit into one packet, of at most 64 MiB: so much that it has not acknowledged, and
`AirLimits.held_back` messages that are held back for it, before its luggage came and after."""


def policy(when_asleep: str = "store", stored_max: int = STORED_MAX) -> Policy:
    """Return the policy for hosts that are away. The core repeats rarely, because nothing is lost on a WebSocket."""
    return Policy(when_asleep, stored_max, retry_s=RETRY_S)


def serve_station(
    url: str | Network,
    *,
    name: ProcessId,
    stations: Iterable[ProcessId],
    key: bytes,
    listen: tuple[str, int] = ("127.0.0.1", 0),
    announce: str | None = None,
    announce_every_s: float = EVERY_S,
    announce_url: str | None = None,
    space: str = SPACE,
    store: str | Path | NotGiven | None = NOT_GIVEN,
    durability: str = "process",
    rules: Policy | None = None,
    limits: AirLimits | None = None,
    tls: SSLContext | None = None,
    nats: NatsOptions | None = None,
    trace: str | Path | None = None,
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], float] = time.time,
    begin: Callable[[ProcessId, tuple[ProcessId, ...], Policy], Station] | None = None,
    wire: int = frames.NEWEST_FORM,
) -> AsyncBlock[StationServer]:
    """Run station `name` of `stations`: `async with serve_station(...)`. All stations are given the same list.

    `key` is the secret that tokens of hosts are signed with, and with which stations seal what they tell each other.
    `listen` is the address for the WebSockets of hosts. With `announce`, an ADDRESS:PORT, the station sends a beacon
    there every `announce_every_s`, by which hosts that are not connected learn of it. The beacon names `announce_url`,
    which has to be as hosts were given it; without it, the URL is made of `listen`. `store` is the folder of the
    durable state, as in `join`: `nats://` needs it. With `store=None` a restart forgets all hosts, and the name of the
    station cannot be used again, which is for tests only. `rules` says what is done for hosts that are away, and
    `limits` bounds what a host may do. `tls` is shown to hosts; `nats` is how to connect to NATS. `trace`, a folder or
    `jetstream:NAME`, gets what happens to hosts here: connect, disconnect, move, what is dropped. `begin` makes another
    kind of station than that of `roam`. `wire` is the newest form of frames that is asked for: give 1 to all stations
    before you go back to an earlier release.
    """
    checked_names("the space and the station", [space, name])
    rules, limits = rules or policy(), limits or AirLimits()
    _check_luggage(rules, limits)
    everyone = tuple(sorted(set(stations)))
    network = network_of(url, nats)
    plan = StationPlan(
        network=network,
        space=space,
        name=name,
        everyone=everyone,
        key=key,
        listen=listen,
        make_announcer=_plan_beacons(announce, announce_url, Beacon(space, name, "", announce_every_s), listen[0], tls),
        begin=partial(begin or partial(_roam, held_back_max=limits.held_back), name, everyone, rules),
        path=path_of_store(store, network, space, name),
        durability=durability,
        limits=limits,
        tls=tls,
        trace=trace,
        wire=checked_form(wire),
        clock=clock,
        wall=wall,
    )
    return AsyncBlock(_enter(plan), "async with serve_station(...) as server:")


@dataclass(frozen=True, slots=True, kw_only=True)
class StationPlan:
    """What `serve_station` was asked for, checked."""

    network: Network
    space: str
    name: ProcessId
    everyone: tuple[ProcessId, ...]
    key: bytes = field(repr=False)
    listen: tuple[str, int]
    make_announcer: Callable[[int], Announcer] | None
    begin: Callable[[], Station]
    path: Path | None
    durability: str
    limits: AirLimits
    tls: SSLContext | None
    trace: str | Path | None
    wire: int
    clock: Callable[[], float]
    wall: Callable[[], float]


@asynccontextmanager
async def _enter(plan: StationPlan) -> AsyncIterator[StationServer]:
    space, name, limits = plan.space, plan.name, plan.limits
    async with AsyncExitStack() as stack:
        stack.push_async_callback(plan.network.stop)
        await plan.network.start(flushes=plan.durability == "power")
        store = Store(plan.path, durability=plan.durability, snapshot_bytes_min=limits.snapshot_bytes_min)
        stack.callback(store.close)
        incarnation = identify(store, space=space, station=name, stations=" ".join(plan.everyone))
        recorder = stack.enter_context(open_recorder(plan.trace, space, name, store=store, wall=plan.wall))
        seals = Seals(plan.key, space, name, store, form=plan.wire, wall=plan.wall)
        durable = DurableStation(store, plan.begin, recorder, seals=seals)
        durable.commit()
        owner = Ownership(store, space, name, form=plan.wire, if_lost=IF_LOST)
        made = plan.network.transport(space, name, incarnation)
        transport = await open_transport(stack, made, stream_of(plan.trace), owner)
        seals.epoch = owner.epoch
        if transport.data_bytes_max < 2 * PART_BYTES:
            raise Misuse(
                f"the broker accepts {transport.data_bytes_max} bytes in a message, and a station needs "
                f"{2 * PART_BYTES}: raise max_payload of the broker"
            )
        server = StationServer(transport, durable, envelopes=seals, key=plan.key, limits=limits, clock=plan.clock)
        stack.push_async_callback(server.close)
        await server.start(*plan.listen, plan.tls)
        if plan.make_announcer is not None:
            server.announce(plan.make_announcer(server.port))
        await status.answer(transport, space, name, "station", server.status)
        yield server
        server.finish()


def _check_luggage(rules: Policy, limits: AirLimits) -> None:
    """Raise `Misuse` if what is kept for one host may be too long for a hand-off."""
    if rules.stored_max * limits.frame_bytes > LUGGAGE_BYTES_MAX:
        raise Misuse(
            f"{rules.stored_max} messages of up to {limits.frame_bytes} bytes for one host exceed the "
            f"{LUGGAGE_BYTES_MAX} bytes of one hand-off: store fewer messages, or allow shorter frames"
        )


def _plan_beacons(
    to: str | None, url: str | None, beacon: Beacon, host: str, tls: SSLContext | None
) -> Callable[[int], Announcer] | None:
    """Return what makes the announcer of `beacon` when the port of the station is known, or None without beacons.

    Raise `Misuse` now if no host could use the beacon.
    """
    if to is None:
        if url is not None:
            raise Misuse(f"announce_url is {url!r}, and nothing is announced: give announce, too")
        return None
    if url is None and set(host) <= set("0.:"):  # all addresses of the machine
        raise Misuse(f"{host!r} is not an address that hosts can connect to: give announce_url")
    origin = f"{'ws' if tls is None else 'wss'}://{f'[{host}]' if ':' in host else host}"

    def make(port: int) -> Announcer:
        return Announcer(to, beacon._replace(url=url or f"{origin}:{port}"))

    make(0)
    return make


def _roam(name: ProcessId, stations: tuple[ProcessId, ...], rules: Policy, *, held_back_max: int) -> Station:
    made = begin_station("roam", name=name, stations=stations, homes={}, policy=rules, hold_max=held_back_max)
    assert isinstance(made, Station)
    return made
