"""Inboxes as JetStream streams: `antecede.<space>.<to>.<from>`, one work-queue stream for each `to`.

A stream is owned by the server its process connects to, and may be on another server or JetStream domain than those
of its peers: a publication finds it by its subject, through leaf nodes, gateways and clusters alike. For servers that
are not connected to each other, `addresses` says where a peer's inbox is. The last part of a subject is the
publisher, so that an operator can let each user publish under its own name only (`antecede.*.*.billing`).

Publications are not awaited one by one: each has a number in the subject of its answer (`publisher`). The inbox
(`streams`) is read through a durable pull consumer (`pull`); what is not acknowledged comes again. The connection is
made again for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from antecede.core.types import ProcessId
from antecede.runtime.background import end
from antecede.runtime.transport.contract import TRACE, NameTaken, Received, Unreachable
from antecede.runtime.transport.names import token, untoken
from antecede.runtime.transport.nats.options import NatsOptions, shown
from antecede.runtime.transport.nats.publisher import Publisher
from antecede.runtime.transport.nats.pull import Pull
from antecede.runtime.transport.nats.streams import InboxStream, check_possible, make_trace

LOOK_S = 0.5
INSIST_S = 20.0
PENDING_BYTES_MAX = 32 * 2**20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NatsNetwork:
    """One or several servers of one NATS system, which run already."""

    servers: Sequence[str]
    options: NatsOptions = field(default_factory=NatsOptions)

    def transport(self, space: str, process: ProcessId, incarnation: str) -> NatsTransport:
        """Return the transport of one process, not open yet."""
        return NatsTransport(self.servers, space, process, incarnation, self.options)

    async def start(self) -> None:
        """Do nothing: the servers run already."""

    async def stop(self) -> None:
        """Do nothing: the servers go on."""


class NatsTransport:
    """One process's inbox and connection: see `contract.Transport` for the contract."""

    def __init__(
        self, servers: Sequence[str], space: str, process: ProcessId, incarnation: str, options: NatsOptions
    ) -> None:
        self._servers, self._space, self._process, self._options = servers, space, process, options
        self._client = Client()
        self._inbox = InboxStream(space, process, incarnation, options)
        self._pull = Pull(self._client, self._inbox.name, options)
        self._home = Publisher(self._client, options.limits.answer_s)
        self._away: dict[str, Publisher] = {}
        self._last_error: Exception | None = None
        self._trace = ""
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def data_bytes_max(self) -> int:
        return self._client.max_payload

    @property
    def client(self) -> Client:
        """The connection, for what has nothing to do with the inbox."""
        return self._client

    def trace_to(self, stream: str) -> None:
        self._trace = stream

    async def open(self) -> None:
        await self._connect(self._client, self._servers)
        self._home = Publisher(self._client, self._options.limits.answer_s)
        await self._home.open()
        await self._insist(partial(self._inbox.make, anew=True))
        if self._trace:
            await self._insist(partial(make_trace, name=self._trace, options=self._options))
        await self._pull.open()
        self._tasks = [asyncio.create_task(self._keep_time()), asyncio.create_task(self._keep_pulling())]

    async def _connect(self, client: Client, servers: Sequence[str]) -> None:
        settings: dict[str, Any] = {
            "servers": list(servers),
            "name": f"antecede {self._space} {self._process}",
            "max_reconnect_attempts": -1,
            "reconnect_time_wait": 0.2,
            "connect_timeout": 2,
            "ping_interval": self._options.limits.ping_s,
            "max_outstanding_pings": 2,
            "pending_size": PENDING_BYTES_MAX,
            "error_cb": self._noticed,
            "reconnected_cb": self._pull.ask,
            "skip_subject_validation": True,  # subjects are made of tokens
            **self._options.connect,
        }
        try:
            await self._attempt(client.connect(**settings))
        except (TimeoutError, NatsError, OSError) as error:
            with suppress(Exception):
                await client.close()
            reason = self._last_error or error
            raise Unreachable(f"no NATS server answers at {shown(servers)}: {reason!r}") from None

    async def _attempt(self, connect: Coroutine[Any, Any, None]) -> None:
        """The client tries for ever, and does not always hear that it should not."""
        connecting = asyncio.create_task(connect)
        try:
            done, _ = await asyncio.wait((connecting,), timeout=self._options.limits.connect_s)
        finally:
            await end([connecting])
        if not done:
            raise TimeoutError
        connecting.result()

    async def _noticed(self, error: Exception) -> None:
        """Remember the last error, which says why no answer comes.

        What a server said, such as that a password is wrong, tells more than that it then closed the connection.
        """
        if not (isinstance(error, OSError) and isinstance(self._last_error, NatsError)):
            self._last_error = error

    async def _insist(self, ask: Callable[[JetStreamContext], Awaitable[T]]) -> T:
        """Ask again while there is no answer: a request is lost with its connection."""
        until = asyncio.get_running_loop().time() + INSIST_S
        while True:
            try:
                timeout_s, domain = self._options.limits.answer_s, self._options.domain
                return await ask(self._client.jetstream(timeout=timeout_s, domain=domain))
            except (NatsError, OSError, TimeoutError) as error:
                check_possible(error)
                if asyncio.get_running_loop().time() >= until:
                    raise Unreachable(f"JetStream at {shown(self._servers)} refused a request: {error!r}") from error
                await asyncio.sleep(LOOK_S)

    async def close(self) -> None:
        await self._rest()
        for publisher in (self._home, *self._away.values()):
            if publisher.client.is_connected:
                with suppress(NatsError, OSError, TimeoutError):
                    await publisher.client.flush(2)  # acknowledgements that are still in the buffer
            with suppress(NatsError, OSError):
                await publisher.client.close()

    async def retire(self) -> None:
        await self._rest()  # or the inbox would be missed, and made again
        await self._insist(self._inbox.delete)

    async def _rest(self) -> None:
        await end(self._tasks)

    async def publish(self, to: ProcessId, data: bytes, key: str) -> None:
        if to == TRACE:
            subject = f"antecede-trace.{self._trace}.{token(self._space)}.{token(self._process)}"
            await self._home.publish(subject, data, key)
            return
        address = self._options.addresses.get(to)
        publisher = self._home if address is None else await self._publisher(address)
        await publisher.publish(f"antecede.{token(self._space)}.{token(to)}.{token(self._process)}", data, key)

    async def _publisher(self, address: str) -> Publisher:
        publisher = self._away.get(address)
        if publisher is None:
            client = Client()
            await self._connect(client, [address])
            publisher = self._away.setdefault(address, Publisher(client, self._options.limits.answer_s))
            if publisher.client is not client:
                await client.close()  # another publication was faster
            else:
                await publisher.open()
        return publisher

    async def receive(self) -> Sequence[Received]:
        arrived = await self._pull.take()
        return [Received(untoken(msg.subject.rpartition(".")[2]), msg.data, msg) for msg in arrived]

    async def ack(self, batch: Sequence[Received]) -> None:
        await self._reply(batch, b"")

    async def retry(self, batch: Sequence[Received], delay_s: float) -> None:
        await self._reply(batch, b'-NAK {"delay": %d}' % int(delay_s * 1e9))

    async def _reply(self, batch: Sequence[Received], answer: bytes) -> None:
        for received in batch:
            assert isinstance(received.receipt, Msg), "a receipt of another transport"
            with suppress(NatsError, OSError):  # what is not acknowledged comes again, and is dropped then
                await self._client.publish(received.receipt.reply, answer)

    async def peers(self) -> list[ProcessId]:
        found: list[str] = []
        offset = 0
        while True:
            streams = await self._insist(partial(JetStreamContext.streams_info, offset=offset))
            owners = [info.config.metadata or {} for info in streams]
            found += [owner["antecede-process"] for owner in owners if owner.get("antecede-space") == self._space]
            offset += len(streams)
            if not streams:
                return sorted(found)

    async def _keep_time(self) -> None:
        """A publication is lost with the connection."""
        while True:
            await asyncio.sleep(LOOK_S)
            for publisher in (self._home, *self._away.values()):
                publisher.give_up(asyncio.get_running_loop().time())

    async def _keep_pulling(self) -> None:
        """So is a request for more, or with the server it was made to; the inbox itself may have to be made again."""
        while True:
            await asyncio.sleep(LOOK_S)
            if not self._pull.is_silent:
                continue
            try:
                await self._insist(self._inbox.make)
            except Unreachable:
                continue
            except NameTaken as error:
                self._pull.fail(error)
                return
            await self._pull.ask()
