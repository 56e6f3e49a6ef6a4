"""A station as a server: WebSockets to its hosts, inboxes of the broker to the other stations, one machine between.

Everything that comes in is put into the machine; what follows from it goes out when the group it belongs to is
committed. A host that breaks a rule loses its connection, with the reason, and changes nothing. One that is too fast,
or sends while too much is owed to other stations, is not read from for a while. When a connection ends, the machine is
told that the host has left, so that messages are stored or dropped by the policy; so it is for all hosts after a crash.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
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
from antecede.runtime import frames
from antecede.runtime.background import run_beside
from antecede.runtime.driver import Driver
from antecede.runtime.envelopes import Envelopes
from antecede.runtime.outbox import Outbox
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.station.announcer import Announcer
from antecede.runtime.roaming.station.connection import CLOSE_S, Connection, TokenBucket, hang_up, is_welcome
from antecede.runtime.roaming.station.durable_station import DurableStation, ReleasedByStation
from antecede.runtime.roaming.station.greetings import Greetings
from antecede.runtime.roaming.station.similar_hosts import SimilarHosts
from antecede.runtime.roaming.station.told_problems import ToldByHosts
from antecede.runtime.roaming.station.view import StationView
from antecede.runtime.roaming.tokens import read_token
from antecede.runtime.roaming.websocket import AirLimits
from antecede.runtime.transport.contract import Received, Transport, Unreachable
from antecede.runtime.watch.metrics import STATION_COUNTERS, STATION_GAUGES, Metrics
from antecede.runtime.watch.problems import Problem

RETRY_S = 0.25
TWICE = "the same host has connected again: its name is used in two places, or its link was slow"
ELSEWHERE = "the same host has registered at another station: its name is used in two places"


class Done(Exception):
    """Nothing more is to be said on this connection."""


class Later(Exception):
    """This host cannot be taken now."""


class StationServer:
    """See the module. Made by `serve.serve_station`, with an open transport and store."""

    def __init__(
        self,
        transport: Transport,
        durable: DurableStation,
        *,
        envelopes: Envelopes,
        key: bytes,
        limits: AirLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transport, self.durable, self._key, self._limits, self._clock = transport, durable, key, limits, clock
        self._connections: dict[ProcessId, Connection] = {}
        self._attending: dict[ServerConnection, asyncio.Task[None]] = {}
        self._greetings = Greetings(limits.greetings)
        self._unread: dict[Connection, float] = {}  # those who wait for room in the outbox, each since when
        self._refill: dict[ProcessId, None] = {}
        self._met, self._similar = asyncio.Event(), SimilarHosts(clock)
        self._driver = Driver(durable.store, commit=self._commit, stopped=self._fail, clock=clock)
        self._commits = self._driver.commits
        done, failed = self._driver.entry_done, self._commits.fail
        self._outbox = Outbox(transport, durable.name, envelopes=envelopes, done=done, failed=failed, clock=clock)
        self._told = ToldByHosts(durable.name, self._connections, clock)
        self._view = StationView(
            durable,
            transport,
            self._outbox,
            self._connections,
            unread=self._unread,
            told=self._told,
            clock=clock,
            stall_after_s=limits.stall_after_s,
            held_back_max=limits.held_back,
        )
        self._server: Server | None = None
        self.metrics = Metrics(self, STATION_COUNTERS, STATION_GAUGES)

    @property
    def process(self) -> ProcessId:
        return self.durable.name

    @property
    def port(self) -> int:
        """Return the port that the station listens on. Call this after `start`."""
        assert self._server is not None
        return int(next(iter(self._server.sockets)).getsockname()[1])

    async def start(self, host: str, port: int, tls: SSLContext | None = None) -> None:
        """Go on with what is owed, listen to the other stations, then to hosts."""
        for each, berth in self.durable.station.berths.items():
            if berth.state != AWAY and not berth.asleep:
                self.durable.disconnect(each, berth.heard)
        self.durable.commit()
        self._outbox.put(self.durable.store.outbox())
        self._driver.start(self._receive, self._keep_time, self._report)
        self._server = await serve(
            self._handle,
            host,
            port,
            ssl=tls,
            process_request=self._admit,
            create_connection=self._greetings.connection_class(),
            compression=None,
            max_size=self._limits.frame_bytes,
            max_queue=8,
            open_timeout=self._limits.hello_s,
            ping_interval=self._limits.ping_s,
            ping_timeout=self._limits.ping_s,
            close_timeout=CLOSE_S,
            logger=websocket.QUIET,
        )

    def announce(self, announcer: Announcer) -> None:
        """Send the beacons of this station from now on."""
        self._view.announcer = announcer
        self._driver.start(announcer.run)

    async def close(self) -> None:
        """Stop. Hosts find another station, or come back when this one does."""
        if self._server is not None:
            await hang_up(self._server, self._attending)
        await self._driver.close()
        await self._outbox.close()
        if self._driver.failure is None:
            with suppress(Unreachable, TimeoutError):
                async with asyncio.timeout(CLOSE_S):
                    await self._driver.report_once(self._transport)

    def _fail(self, failure: Exception) -> None:
        """Say why the station stops, and let nothing in or out: a restart goes on from what is durable."""
        self._view.stop(failure)
        for connection in self._connections.values():
            connection.socket.transport.abort()

    async def failed(self) -> Exception:
        """Return why the station cannot go on, as soon as it cannot."""
        await self._commits.failed.wait()
        self._driver.leave_untold()
        assert self._commits.failure is not None
        return self._commits.failure

    def finish(self) -> None:
        """Raise why the station has stopped by itself, unless `failed` has returned it. `serve_station` calls this at
        the end of a block without an exception.
        """
        self._driver.raise_untold()

    def counts(self) -> dict[str, int]:
        """Return what happened since the station was started, and what is here now."""
        return self._view.counts()

    def problems(self) -> list[Problem]:
        """Return what is wrong now, each with since when and in words. The same is logged, counted and shown."""
        return self._view.problems()

    def problem_counts(self) -> dict[str, int]:
        """Return the number of problems of each kind, as the metrics have it."""
        return self._view.problem_counts()

    def status(self) -> Mapping[str, object]:
        """Return what `antecede status` shows of this station."""
        return self._view.status()

    # Hosts.

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:  # noqa: ARG002
        if len(self._connections) >= self._limits.connections:
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
            self.durable.counts["closed"] += 1
            await socket.close(websocket.REFUSED, websocket.reason(error))
        except Later as error:
            await socket.close(websocket.LATER, websocket.reason(error))
        except Done:
            await socket.close()
        except (ConnectionClosed, AntecedeError):
            await socket.close(1011, "this station has failed" if self._commits.failure else "")
        finally:
            del self._attending[socket]
            if connection is not None:
                self._forget_connection(connection)

    async def _greet(self, socket: ServerConnection) -> Connection:
        said = await self._hello(socket)
        badge = read_token(self._key, said.token)
        host = badge.host
        if said.host is not None and said.host != host:
            raise RemoteViolation(f"the token is for another host: for {host}, and not for {said.host}"[:100])
        if badge.removes:
            raise await self._remove(socket, host)
        self._check_room(host)
        self.durable.welcome(host, said.incarnation, badge.terms(self.durable.station.policy))
        await self._commits.done()
        self._check_room(host)  # others may have come meanwhile
        bucket = TokenBucket(self._limits.packets_per_s, self._clock)
        is_volatile = said.incarnation == websocket.VOLATILE
        connection = Connection(socket, host, bucket, is_volatile=is_volatile, has=said.has)
        before = self._connections.get(host)
        self._connections[host] = connection
        try:
            if before is not None:
                await before.socket.close(websocket.REPLACED, TWICE)
            takes = (frames.TAKES_PROBLEMS, frames.TAKES_LEFT)
            answer = websocket.StationAnswer(self.durable.name, self._limits.frame_bytes, takes)
            await socket.send(websocket.answer(answer))
        except BaseException:
            self._forget_connection(connection)  # it has left before it was greeted
            raise
        return connection

    async def _hello(self, socket: ServerConnection) -> websocket.Hello:
        """Return the hello of a client. Raise `Later` if it does not come in time."""
        try:
            async with asyncio.timeout(self._limits.hello_s):
                return websocket.read_hello(await socket.recv())
        except TimeoutError:
            raise Later(f"no hello within {self._limits.hello_s:g} s") from None  # a slow link is nobody's fault
        finally:
            self._greetings.end(socket)

    def _check_room(self, host: ProcessId) -> None:
        if host not in self._connections and len(self._connections) >= self._limits.connections:
            raise Later("this station is full")
        if self.durable.berth(host) is None and len(self.durable.station.berths) >= self._limits.hosts:
            raise Later("this system has reached its limit of hosts")

    async def _remove(self, socket: ServerConnection, host: ProcessId) -> Done:
        """Remove a host for the operator, and return the exception that ends the connection."""
        self.durable.remove(host)
        await self._commits.done()
        await self._dismiss(host)
        await socket.send(websocket.removal(websocket.RemovalAnswer(self.durable.name, host)))
        return Done()

    async def _dismiss(self, host: ProcessId) -> None:
        connection = self._connections.pop(host, None)
        if connection is not None:
            await connection.socket.close(websocket.REFUSED, "this host was removed: its name cannot be used again")

    async def _serve(self, connection: Connection) -> None:
        async with run_beside(connection.write()):
            async for said in connection.socket:
                if isinstance(said, str):
                    self._told.hear(connection, said)
                    await asyncio.sleep(connection.bucket.spend(1))
                    continue
                packets = websocket.read_packets(said)
                for packet, _ in packets:
                    connection.has = self.durable.compare(connection.host, connection.has)
                    connection.check(packet, self.durable.berth(connection.host))
                for packet, data in packets:
                    await self._wait_for_strangers(packet)
                    await self._hear(connection, packet, data)
                await asyncio.sleep(connection.bucket.spend(len(packets)))
                await connection.room()

    async def _wait_for_strangers(self, packet: Packet) -> None:
        """Wait a little until all destinations are known: one that has just joined elsewhere may not be yet."""
        if packet.message is None:
            return
        until = self._clock() + self._limits.stranger_s
        while not packet.message.dests <= self.durable.station.berths.keys() and self._clock() < until:
            self._met.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(until - self._clock()):
                    await self._met.wait()

    async def _hear(self, connection: Connection, packet: Packet, data: bytes) -> None:
        if self._is_outbox_full():
            await self._wait_for_room(connection)
        while True:
            if self._connections.get(connection.host) is not connection or self._commits.failure is not None:
                return
            try:
                self.durable.hear(data)
            except LimitReached:
                await asyncio.sleep(RETRY_S)
            else:
                break
        if isinstance(packet.stamp, Got):
            self._refill[connection.host] = None
        self._commits.soon()

    def _is_outbox_full(self) -> bool:
        return len(self._outbox.owed) >= self._limits.outbox

    async def _wait_for_room(self, connection: Connection) -> None:
        """Read no more from a host until less is owed to other stations. If that takes long, it is a problem."""
        self._unread[connection] = self._clock()
        try:
            while self._is_outbox_full():
                await self._outbox.change()
        finally:
            del self._unread[connection]

    def _forget_connection(self, connection: Connection) -> None:
        if self._connections.get(connection.host) is connection:
            del self._connections[connection.host]
            if self._commits.failure is None and self.durable.berth(connection.host) is not None:
                self.durable.disconnect(connection.host, connection.move)
                self._commits.soon()

    # Commits, and what they let out.

    def _commit(self) -> None:
        self._release(self.durable.commit())

    def _release(self, released: ReleasedByStation) -> None:
        self._outbox.put(released.outgoing)
        waiting, self._refill = {**released.waiting, **self._refill}, {}
        for radio in released.radios:
            connection = self._connections.get(radio.to)
            if connection is None:
                continue
            berth = self.durable.berth(radio.to)
            if is_welcome(radio.packet) and berth is not None and berth.luggage is not None:
                connection.begin(berth.luggage)
                waiting[radio.to] = None
            connection.put(radio.packet)
        for host in waiting:
            self._fill(host)
        for dropped in released.dropped:
            connection = self._connections.get(dropped.message.sender)
            if connection is not None and self.durable.berth(dropped.host) is None:
                similar = self._similar.find(dropped.host, self.durable.station.berths, sender=connection.host)
                connection.tell(websocket.refusal(websocket.Refusal(str(dropped.message), dropped.host, similar)))

    def _fill(self, host: ProcessId) -> None:
        connection, berth = self._connections.get(host), self.durable.berth(host)
        if connection is not None and connection.welcomed and berth is not None and berth.luggage is not None:
            connection.fill(self.durable.name, berth.luggage, self._limits.window)

    # What goes on by itself.

    async def _receive(self) -> None:
        while True:
            known = len(self.durable.station.berths)
            await self._driver.take_frames(
                self._transport, self._take, unreadable=self.durable.unreadable, retry_s=RETRY_S
            )
            if len(self.durable.station.berths) > known:
                self._met.set()
            for host in sorted(self._connections.keys() & self.durable.station.departed):
                await self._dismiss(host)
            for host, move in self.durable.take_elsewhere().items():
                await self._replace(host, move)

    def _take(self, received: Received) -> bool:
        return self.durable.receive(received.sender, received.data, received.number)

    async def _replace(self, host: ProcessId, move: int) -> None:
        """End the connection of a host that has registered at another station, with number `move`."""
        connection = self._connections.get(host)
        if connection is not None and 0 < connection.move <= move:
            await connection.socket.close(websocket.REPLACED, ELSEWHERE)

    async def _keep_time(self) -> None:
        station = self.durable.station
        await self._driver.keep_time(lambda: station.due, self.durable.tick, self._look)

    def _look(self) -> None:
        self.durable.unreadable.expire(self._clock(), is_receiving=not self._transport.outage)
        self._view.look()

    async def _report(self) -> None:
        await self._driver.report_progress(self._transport)
