"""A station as a server: WebSockets to its hosts, inboxes of the broker to the other stations, one `Cell` between.

Everything that comes in is put into the cell; what follows from it goes out when the group it belongs to is committed.
A host that breaks a rule loses its connection, with the reason, and changes nothing. One that is too fast, or sends
while too much is owed to other stations, is not read from for a while. When a connection ends, the cell is told that
the host has left, so that messages are stored or dropped by the policy; so it is for all hosts after a crash.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from ssl import SSLContext

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from antecede.core.errors import AntecedeError, LimitReached, RemoteViolation
from antecede.core.mobile.handoff import AWAY
from antecede.core.mobile.host_and_station_frames import Got
from antecede.core.types import Packet, ProcessId
from antecede.runtime.background import end
from antecede.runtime.group_commit import Grouping
from antecede.runtime.outbox import Lanes
from antecede.runtime.roaming import protocol
from antecede.runtime.roaming.protocol import AirLimits
from antecede.runtime.roaming.station.connection import CLOSE_S, Bucket, Connection, hang_up, is_welcome
from antecede.runtime.roaming.station.durable_station import Cell, ReleasedStep
from antecede.runtime.roaming.station.view import StationView
from antecede.runtime.roaming.tokens import read_token
from antecede.runtime.transport.contract import Received, Transport
from antecede.runtime.watch.metrics import STATION_COUNTERS, STATION_GAUGES, Metrics

RETRY_S = 0.25
LOOK_S = 0.25
QUIET = logging.getLogger("antecede.air")
QUIET.setLevel(logging.CRITICAL + 1)
"""What is said on the air is never logged: the first frame has the token."""


class Done(Exception):
    """Nothing more is to be said on this connection."""


class Later(Exception):
    """This host cannot be taken now."""


class StationServer:
    """See the module. Made by `serve.serve_station`, with an open transport and store."""

    def __init__(
        self,
        transport: Transport,
        cell: Cell,
        key: bytes,
        limits: AirLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transport, self.cell, self._key, self._limits, self._clock = transport, cell, key, limits, clock
        self._connections: dict[ProcessId, Connection] = {}
        self._attending: dict[ServerConnection, asyncio.Task[None]] = {}
        self._refill: dict[ProcessId, None] = {}
        self._met = asyncio.Event()
        self._unsaved = False
        self._grouping = Grouping(self._commit)
        self._lanes = Lanes(transport, cell.name, done=self._entry_done, failed=self._grouping.fail, clock=clock)
        self._view = StationView(cell, self._lanes, self._connections, clock)
        self._clock_base = float(cell.store.facts.get("clock", b"0")) - clock()
        self._tasks: list[asyncio.Task[None]] = []
        self._server: Server | None = None
        self.metrics = Metrics(self, STATION_COUNTERS, STATION_GAUGES)

    @property
    def process(self) -> ProcessId:
        return self.cell.name

    @property
    def port(self) -> int:
        """Where it listens, once it does."""
        assert self._server is not None
        return int(next(iter(self._server.sockets)).getsockname()[1])

    async def start(self, host: str, port: int, tls: SSLContext | None = None) -> None:
        """Go on with what is owed, listen to the other stations, then to hosts."""
        for each, berth in self.cell.station.berths.items():
            if berth.state != AWAY and not berth.asleep:
                self.cell.left(each, berth.heard)
        self.cell.commit()
        self._lanes.put(self.cell.store.outbox())
        self._tasks = [asyncio.create_task(self._guard(work)) for work in (self._receive, self._keep_time)]
        self._server = await serve(
            self._handle,
            host,
            port,
            ssl=tls,
            process_request=self._admit,
            compression=None,
            max_size=self._limits.frame_bytes,
            max_queue=8,
            open_timeout=self._limits.hello_s,
            ping_interval=self._limits.ping_s,
            ping_timeout=self._limits.ping_s,
            close_timeout=CLOSE_S,
            logger=QUIET,
        )

    async def close(self) -> None:
        """Stop. Hosts find another station, or come back when this one does."""
        if self._server is not None:
            await hang_up(self._server, self._attending)
        await end(self._tasks)
        await self._lanes.close()
        if self._grouping.failure is None:
            self._grouping.now()

    async def failed(self) -> Exception:
        """Returns when the station cannot go on, with the reason."""
        await self._grouping.failed.wait()
        assert self._grouping.failure is not None
        return self._grouping.failure

    def counts(self) -> dict[str, int]:
        """What happened since the station was started, and what is here now."""
        return self._view.counts()

    def status(self) -> Mapping[str, object]:
        """What `antecede status` shows of this station."""
        return self._view.status()

    # Hosts.

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        del request
        if len(self._attending) >= self._limits.connections:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "this station is full\n")
        return None

    async def _handle(self, socket: ServerConnection) -> None:
        connection: Connection | None = None
        task = asyncio.current_task()
        assert task is not None
        self._attending[socket] = task
        try:
            connection = await self._greet(socket)
            await self._serve(connection)
        except RemoteViolation as error:
            self.cell.counts["closed"] += 1
            await socket.close(protocol.REFUSED, protocol.reason(error))
        except Later as error:
            await socket.close(protocol.LATER, protocol.reason(error))
        except Done:
            await socket.close()
        except (ConnectionClosed, AntecedeError):
            await socket.close(1011, "this station has failed" if self._grouping.failure else "")
        finally:
            del self._attending[socket]
            if connection is not None:
                self._gone(connection)

    async def _greet(self, socket: ServerConnection) -> Connection:
        try:
            async with asyncio.timeout(self._limits.hello_s):
                said = protocol.read_hello(await socket.recv())
        except TimeoutError:
            raise Later(f"no hello within {self._limits.hello_s:g} s") from None  # a slow link is nobody's fault
        badge = read_token(self._key, said.token)
        host = badge.host
        if said.host is not None and said.host != host:
            raise RemoteViolation("the token is for another host")
        if badge.removes:
            raise await self._removed(socket, host)
        if self.cell.berth(host) is None and len(self.cell.station.berths) >= self._limits.hosts:
            raise Later("this system has reached its limit of hosts")
        self.cell.welcome(host, said.incarnation, badge.terms(self.cell.station.policy))
        await self._grouping.done()
        connection = Connection(socket, host, Bucket(self._limits.packets_per_s, self._clock))
        before = self._connections.get(host)
        self._connections[host] = connection
        try:
            if before is not None:
                await before.socket.close(protocol.REPLACED, "the same host has connected again")
            await socket.send(json.dumps({"station": self.cell.name, "frame_bytes": self._limits.frame_bytes}))
        except BaseException:
            self._gone(connection)  # it has left before it was greeted
            raise
        return connection

    async def _removed(self, socket: ServerConnection, host: ProcessId) -> Done:
        """The operator wants a host to be gone."""
        self.cell.remove(host)
        await self._grouping.done()
        await self._dismiss(host)
        await socket.send(json.dumps({"station": self.cell.name, "removed": host}))
        return Done()

    async def _dismiss(self, host: ProcessId) -> None:
        connection = self._connections.pop(host, None)
        if connection is not None:
            await connection.socket.close(protocol.REFUSED, "this host was removed: its name cannot be used again")

    async def _serve(self, connection: Connection) -> None:
        writing = asyncio.create_task(connection.write())
        try:
            async for said in connection.socket:
                packets = protocol.read_packets(said)
                for packet, _ in packets:
                    self._check(connection, packet)
                for packet, data in packets:
                    await self._acquainted(packet)
                    await self._hear(connection, packet, data)
                await asyncio.sleep(connection.bucket.spend(len(packets)))
                await connection.room()
        finally:
            await end([writing])

    def _check(self, connection: Connection, packet: Packet) -> None:
        """`RemoteViolation` for what no correct host says."""
        protocol.check_spoken(connection.host, packet)
        berth = self.cell.berth(connection.host)
        connection.check(packet, berth.luggage if berth is not None else None)

    async def _acquainted(self, packet: Packet) -> None:
        """A host that has just joined elsewhere may not be known here yet: wait a little for word of it."""
        if packet.message is None:
            return
        until = self._clock() + self._limits.stranger_s
        while not packet.message.dests <= self.cell.station.berths.keys() and self._clock() < until:
            self._met.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(until - self._clock()):
                    await self._met.wait()

    async def _hear(self, connection: Connection, packet: Packet, data: bytes) -> None:
        while len(self._lanes.owed) >= self._limits.outbox:
            await self._lanes.change()
        while True:
            if self._connections.get(connection.host) is not connection or self._grouping.failure is not None:
                return
            try:
                self.cell.hear(packet, data)
            except LimitReached:
                await asyncio.sleep(RETRY_S)
            else:
                break
        if isinstance(packet.stamp, Got):
            self._refill[connection.host] = None
        self._grouping.soon()

    def _gone(self, connection: Connection) -> None:
        if self._connections.get(connection.host) is connection:
            del self._connections[connection.host]
            if self._grouping.failure is None and self.cell.berth(connection.host) is not None:
                self.cell.left(connection.host, connection.move)
                self._grouping.soon()

    # Commits, and what they let out.

    def _commit(self) -> None:
        self._release(self.cell.commit())

    def _release(self, released: ReleasedStep) -> None:
        self._lanes.put(released.outgoing)
        waiting, self._refill = {**released.waiting, **self._refill}, {}
        for radio in released.radios:
            connection = self._connections.get(radio.to)
            if connection is None:
                continue
            connection.put(radio.packet)
            berth = self.cell.berth(radio.to)
            if is_welcome(radio.packet) and berth is not None and berth.luggage is not None:
                connection.begin(berth.luggage)
                waiting[radio.to] = None
        for host in waiting:
            self._fill(host)
        for dropped in released.dropped:
            connection = self._connections.get(dropped.message.sender)
            if connection is not None and self.cell.berth(dropped.host) is None:
                connection.tell(json.dumps({"refused": str(dropped.message), "unknown": dropped.host}))

    def _fill(self, host: ProcessId) -> None:
        connection, berth = self._connections.get(host), self.cell.berth(host)
        if connection is not None and connection.welcomed and berth is not None and berth.luggage is not None:
            connection.fill(self.cell.name, berth.luggage, self._limits.window)

    def _entry_done(self, n: int) -> None:
        """Not worth a commit of its own: without it the entry is published once more after a crash."""
        self.cell.store.done(n)
        self._unsaved = True

    # What goes on by itself.

    async def _guard(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as fault:
            self._grouping.fail(fault)

    async def _receive(self) -> None:
        while True:
            batch = await self._transport.receive()
            known = len(self.cell.station.berths)
            taken: list[Received] = []
            refused: list[Received] = []
            for received in batch:
                (taken if self.cell.receive(received.sender, received.data) else refused).append(received)
            self._grouping.now()
            if len(self.cell.station.berths) > known:
                self._met.set()
            for host in sorted(self._connections.keys() & self.cell.station.departed):
                await self._dismiss(host)
            await self._transport.ack(taken)
            if refused:
                await self._transport.retry(refused, RETRY_S)

    async def _keep_time(self) -> None:
        """Timers of the core, on a clock that goes on where it stopped and never runs backwards."""
        while True:
            await asyncio.sleep(LOOK_S)
            self._view.look()
            now, due = self._clock_base + self._clock(), self.cell.station.due
            if due is not None and due <= now:
                self.cell.tick(now)
                self._grouping.soon()
            if self._unsaved:
                self._unsaved = False
                self._grouping.soon()
