"""Inboxes as JetStream streams: `antecede.<space>.<to>.<from>`, one work-queue stream for each `to`.

A stream is owned by the server its process connects to, and may be on another server or JetStream domain than those
of its peers: a publication finds it by its subject, through leaf nodes, gateways and clusters alike. For servers that
are not connected to each other, `addresses` says where a peer's inbox is. The last part of a subject is the
publisher, so that an operator can let each user publish under its own name only (`antecede.*.*.billing`).

Publications are not awaited one by one: each has a number in the subject of its answer (`publisher`). The inbox
(`streams`) is read through a durable pull consumer (`pull`); what is not acknowledged comes again. The name belongs to
one process at a time (`owner`). The connection is made again for ever; if the server may come back at another address,
`locate` finds it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from math import inf
from typing import TypeVar

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from antecede.core.errors import AntecedeError
from antecede.core.types import ProcessId
from antecede.runtime.background import BackgroundTasks
from antecede.runtime.transport.contract import TRACE, Claimant, NameTaken, Received, Unreachable
from antecede.runtime.transport.names import token, untoken
from antecede.runtime.transport.nats.connection import NatsConnection
from antecede.runtime.transport.nats.options import NatsOptions, describe_servers
from antecede.runtime.transport.nats.owner import NameOwner
from antecede.runtime.transport.nats.publisher import Publisher
from antecede.runtime.transport.nats.pull import Pull
from antecede.runtime.transport.nats.refusals import check_permissions, check_possible, check_started
from antecede.runtime.transport.nats.streams import InboxStream, make_trace
from antecede.runtime.transport.nats.tls_client import TlsClient

DURABILITY_LOGGER = logging.getLogger("antecede.durability")
"""A logger of its own, so that an operator who has set what it asks for can silence it."""
STATUS_SUBJECT = "antecede-status"
LOOK_S = 0.5
INSIST_S = 20.0
AGAIN_S = 1.0
"""The pause after a new connection that failed."""
MISSES_MAX = 2
"""How often the inbox is looked for before it counts as lost: a cluster that has just started may not know it yet."""
LOCATE_S = 1.0
"""How long a connection is lost before the server is looked for at another address."""

Locate = Callable[[], Awaitable[str]]
"""Returns where the server is now, and starts it if it is nowhere."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NatsNetwork:
    """One or several servers of one NATS system, which run already."""

    servers: Sequence[str]
    options: NatsOptions = field(default_factory=NatsOptions)

    def transport(self, space: str, process: ProcessId, incarnation: str) -> NatsTransport:
        """Return the transport of one process, not open yet."""
        return NatsTransport(self.servers, space, process, incarnation, options=self.options)

    async def start(self, *, flushes: bool = False) -> None:
        """Start nothing, because the servers run already. With `flushes`, say what has to be set there."""
        if flushes:
            _say_what_flushes(describe_servers(self.servers))

    async def stop(self) -> None:
        """Do nothing: the servers go on."""


@cache
def _say_what_flushes(servers: str) -> None:
    """Log, once in the life of this process, how these servers have to be set to survive a power cut.

    A server tells it only to its system account, which cannot use JetStream, so it is not known whether it is set.
    """
    DURABILITY_LOGGER.warning(
        "durability='power' needs NATS servers that flush every message to the disk, and antecede cannot see whether "
        "those at %s do. Set `sync_interval: always` in the section `jetstream` of the configuration of each. "
        "Otherwise a power cut may lose what the servers got in the last two minutes",
        servers,
    )


class NatsTransport:
    """One process's inbox and connection: see `contract.Transport` for the contract."""

    def __init__(
        self,
        servers: Sequence[str],
        space: str,
        process: ProcessId,
        incarnation: str,
        *,
        options: NatsOptions,
        locate: Locate | None = None,
        make_client: Callable[[], Client] = TlsClient,
    ) -> None:
        self._space, self._process, self._options = space, process, options
        self._locate = locate
        self._connection = NatsConnection(
            servers,
            self._client_name,
            options,
            failed=self._fail,
            disconnected=self._note_disconnect,
            reconnected=self._note_reconnect,
            make_client=make_client,
        )
        self._owner = NameOwner(space, process, options, self._insist, self._lose_name)
        self._inbox = InboxStream(space, process, incarnation, options)
        self._pull = Pull(self._inbox.name, options)
        self._home = Publisher(self._client, options.limits.answer_s)
        self._away: dict[str, Publisher] = {}
        self._lost_at: float | None = None
        self._not_located = ""
        self._is_open = False
        self._trace = ""
        self._status: Callable[[], Mapping[str, object]] | None = None
        self._failure: Exception | None = None
        self._background = BackgroundTasks(self._fail)

    @property
    def _client_name(self) -> str:
        return f"antecede {self._space} {self._process}"

    @property
    def _client(self) -> Client:
        return self._connection.client

    @property
    def data_bytes_max(self) -> int:
        """Return the length of the longest data that `publish` takes."""
        return self._client.max_payload

    @property
    def outage(self) -> str:
        """Return why there is no connection now, or an empty string if there is one."""
        lost = self._connection.outage
        return f"{lost}. {self._not_located}" if lost and self._not_located else lost

    def trace_to(self, stream: str) -> None:
        """Send what is published to `TRACE` to this stream."""
        self._trace = stream

    async def open(self, claimant: Claimant | None = None) -> None:
        """Connect, claim the name, and make the inbox if there is none."""
        await self._connection.connect()
        self._home = await self._open_publisher(self._connection)
        await self._insist(self._inbox.check_owner)
        if claimant is None:
            await self._owner.listen(self._client)
        else:
            await self._owner.claim(self._client, claimant)
        await self._insist(partial(self._inbox.make, epoch=self._owner.epoch))
        if self._trace:
            await self._insist(partial(make_trace, name=self._trace, options=self._options))
        await self._pull.open(self._client, self._inbox.consumer)
        self._is_open = True
        self._background.start(self._keep_time, self._keep_pulling, self._keep_connected)

    async def _insist(self, ask: Callable[[JetStreamContext], Awaitable[T]]) -> T:
        """Ask again while there is no answer: a request is lost with its connection."""
        began = asyncio.get_running_loop().time()
        while True:
            try:
                timeout_s, domain = self._options.limits.answer_s, self._options.domain
                return await ask(self._client.jetstream(timeout=timeout_s, domain=domain))
            except (NatsError, OSError, TimeoutError) as error:
                check_possible(error)
                passed_s = asyncio.get_running_loop().time() - began
                if not self._is_open:
                    check_started(error, passed_s, describe_servers(self._connection.servers))
                if self._connection.last_error_at >= began:
                    check_permissions(self._connection.last_error, describe_servers(self._connection.servers))
                if passed_s >= INSIST_S:
                    raise Unreachable(
                        f"JetStream at {describe_servers(self._connection.servers)} refused a request: {error!r}"
                    ) from error
                await asyncio.sleep(LOOK_S)

    async def close(self) -> None:
        """Disconnect. The inbox stays."""
        await self._background.end()
        for client in (self._client, *(publisher.client for publisher in self._away.values())):
            if client.is_connected:
                with suppress(NatsError, OSError, TimeoutError):
                    await client.flush(2)  # acknowledgements that are still in the buffer
            with suppress(NatsError, OSError):
                await client.close()

    async def retire(self) -> None:
        """Delete the inbox, because this process has left the space for good."""
        self._owner.check()
        await self._background.end()  # or the inbox would be missed, and made again
        await self._insist(self._inbox.delete)
        await self._owner.retire()

    async def publish(self, to: ProcessId, data: bytes, key: str) -> None:
        """Put `data` into the inbox of `to`, and return when it is there."""
        if self._failure is not None:
            raise self._failure
        self._owner.check_sure()
        if to == TRACE:
            subject = f"antecede-trace.{self._trace}.{token(self._space)}.{token(self._process)}"
            await self._home.publish(subject, data, key)
            return
        address = self._options.addresses.get(to)
        publisher = self._home if address is None else await self._publisher(address)
        await publisher.publish(f"antecede.{token(self._space)}.{token(to)}.{token(self._process)}", data, key)

    async def _open_publisher(self, connection: NatsConnection) -> Publisher:
        publisher = Publisher(connection.client, self._options.limits.answer_s)
        await publisher.open()
        return publisher

    async def _publisher(self, address: str) -> Publisher:
        known = self._away.get(address)
        if known is not None and not known.client.is_closed:
            return known
        connection = NatsConnection([address], self._client_name, self._options, failed=self._fail)
        await connection.connect(is_quiet=True)  # the outbox says what it waits for
        publisher = await self._open_publisher(connection)
        if self._away.get(address) is not known:
            await connection.client.close()  # another publication was faster
            return self._away[address]
        if known is not None:
            known.give_up(inf)
        self._away[address] = publisher
        return publisher

    async def receive(self) -> Sequence[Received]:
        """Return at least one item of the inbox, as soon as there is one."""
        self._owner.check()
        arrived = await self._pull.take()
        self._owner.check()
        return [Received(untoken(msg.subject.rpartition(".")[2]), msg.data, msg, number) for number, msg in arrived]

    async def ack(self, batch: Sequence[Received]) -> None:
        """Acknowledge items, which do not come again then."""
        await self._reply(batch, b"")

    async def retry(self, batch: Sequence[Received], delay_s: float) -> None:
        """Hand items back, which come again, not before `delay_s`."""
        await self._reply(batch, b'-NAK {"delay": %d}' % int(delay_s * 1e9))

    async def _reply(self, batch: Sequence[Received], answer: bytes) -> None:
        self._owner.check()
        for received in batch:
            assert isinstance(received.receipt, Msg), "a receipt of another transport"
            with suppress(NatsError, OSError):  # what is not acknowledged comes again, and is dropped then
                await self._client.publish(received.receipt.reply, answer)

    async def waiting(self) -> int:
        """Return how many items the inbox has that were not acknowledged."""
        return await self._insist(self._inbox.count)

    async def peers(self) -> list[ProcessId]:
        """Return everybody who has an inbox in this space, sorted, as far as can be seen from here."""
        found: list[str] = []
        offset = 0
        while True:
            streams = await self._insist(partial(JetStreamContext.streams_info, offset=offset))
            owners = [info.config.metadata or {} for info in streams]
            found += [owner["antecede-process"] for owner in owners if owner.get("antecede-space") == self._space]
            offset += len(streams)
            if not streams:
                return sorted(found)

    async def form_of(self, process: ProcessId) -> int | None:
        """Return the newest form that a process has announced, or None if that cannot be seen from this server."""
        return None if process in self._options.addresses else await self._owner.form_of(process)

    async def report(self, progress: int) -> None:
        """Tell the broker how far this process has come."""
        await self._owner.report(progress)

    async def answer_status(self, answer: Callable[[], Mapping[str, object]]) -> None:
        """Answer everybody who asks for the status of this process, from now on."""
        self._status = answer
        await self._client.subscribe(STATUS_SUBJECT, cb=self._tell)

    async def _tell(self, msg: Msg) -> None:
        if msg.reply and self._status is not None:
            await self._client.publish(msg.reply, json.dumps(dict(self._status())).encode())

    # What goes on by itself.

    def _fail(self, error: Exception) -> None:
        """Let `receive` and `publish` raise a fault of our own, because nothing keeps the connection any more."""
        self._failure = error
        self._pull.fail(error)

    def _lose_name(self, error: Exception) -> None:
        self._pull.fail(error)

    async def _note_disconnect(self) -> None:
        self._owner.doubt()
        if self._lost_at is None:
            self._lost_at = asyncio.get_running_loop().time()

    async def _note_reconnect(self) -> None:
        self._lost_at, self._not_located = None, ""
        await self._pull.ask()

    async def _keep_time(self) -> None:
        """Give up publications that were lost with the connection."""
        while True:
            await asyncio.sleep(LOOK_S)
            for publisher in (self._home, *self._away.values()):
                publisher.give_up(asyncio.get_running_loop().time())

    async def _keep_connected(self) -> None:
        """Make sure that the name is ours after a lost connection, and look for the server if it may have moved."""
        while True:
            await asyncio.sleep(LOOK_S / 5)
            if self._client.is_connected:
                if not self._owner.is_sure:
                    with suppress(Unreachable):
                        await self._owner.make_sure()
                    await self._pull.ask()
            elif self._client.is_closed:
                await self._connect_again()
            elif self._lost_at is not None and asyncio.get_running_loop().time() - self._lost_at > LOCATE_S:
                await self._look_for_server()

    async def _connect_again(self) -> None:
        """Make a new connection, because the server has ended the last one with an error."""
        self._home.give_up(inf)
        try:
            await self._connection.connect(is_quiet=True)
            self._home = await self._open_publisher(self._connection)
            await self._owner.listen(self._client)
            await self._pull.open(self._client, self._inbox.consumer)
            if self._status is not None:
                await self.answer_status(self._status)
        except (AntecedeError, NatsError, OSError):  # `outage` has the reason
            with suppress(NatsError, OSError):
                await self._client.close()
            await self._look_for_server()
            await asyncio.sleep(AGAIN_S)
        else:
            self._lost_at, self._not_located = None, ""

    async def _look_for_server(self) -> None:
        """Connect to where the server is now."""
        if self._locate is None:
            return
        try:
            found = await self._locate()
        except Exception as error:  # `outage` has the reason, and is logged as a problem
            self._not_located = f"The server cannot be started again: {error}"
            await asyncio.sleep(LOCATE_S)
            return
        self._not_located = ""
        if not self._client.is_connected and found not in self._connection.servers:
            self._connection.move(found)

    async def _keep_pulling(self) -> None:
        """Ask again for what a lost request asked for. If the inbox itself is gone, the broker has lost its data."""
        misses = 0
        while True:
            await asyncio.sleep(LOOK_S)
            if not self._pull.is_silent or not self._owner.is_sure:
                continue
            if self._owner.failure is not None:
                return
            try:
                is_there = await self._insist(self._inbox.repair)
            except Unreachable:
                continue
            except NameTaken as error:
                self._pull.fail(error)
                return
            misses = 0 if is_there else misses + 1
            if misses >= MISSES_MAX:
                self._owner.lose(None)
                return
            if is_there:
                await self._pull.ask()
