"""Inboxes as JetStream streams: `antecede.<space>.<to>.<from>`, one work-queue stream for each `to`.

A stream is owned by the server its process connects to, and may be on another server or JetStream domain than those
of its peers: a publication finds it by its subject, through leaf nodes, gateways and clusters alike. For servers that
are not connected to each other, `addresses` says where a peer's inbox is. The last part of a subject is the
publisher, so that an operator can let each user publish under its own name only (`antecede.*.*.billing`).

Publications are not awaited one by one: each has a number in the subject of its answer. The inbox is read through a
durable pull consumer, with a request for more always under way; what is not acknowledged comes again. The connection
is made again for ever; a request that died with a connection is noticed by missing heartbeats.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeVar

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.runtime.names import label, token, untoken
from antecede.runtime.publisher import ANSWER_S, STATUS, Publisher
from antecede.runtime.transport import TRACE, NameTaken, Received, Unreachable

CONSUMER = "antecede"
BATCH = 256
EXPIRES_S = 30.0
HEARTBEAT_S = 2.0
LOOK_S = 0.5
INSIST_S = 20.0
ACK_WAIT_S = 5.0
DUPLICATES_S = 120.0
CONNECT_S = 10.0
PING_S = 5.0
PENDING_BYTES_MAX = 32 * 2**20
HEARTBEAT, EXPIRED = "100", "408"
LONG_AGO = float("-inf")
SIGNED = frozenset({"user_credentials", "nkeys_seed", "nkeys_seed_str"})
SECRET = re.compile(r"//.*@")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NatsOptions:
    """How inboxes are kept, and how to connect.

    `replicas` are the servers of a cluster that keep the inbox; `domain` is the JetStream domain it is in;
    `inbox_bytes_max` bounds it; `addresses` are servers of peers that can not be reached through ours. `connect` goes
    to `nats.connect` as it is: tls, user, password, token, user_credentials, nkeys_seed.
    """

    replicas: int = 1
    inbox_bytes_max: int = -1
    domain: str | None = None
    addresses: Mapping[ProcessId, str] = field(default_factory=dict)
    connect: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        signed = sorted(SIGNED & self.connect.keys())
        if signed and find_spec("nkeys") is None:
            raise Misuse(f"{signed[0]} takes signatures: pip install 'antecede[nkeys]'")


@dataclass(frozen=True, slots=True)
class NatsNetwork:
    """One or several servers of one NATS system."""

    servers: Sequence[str]
    options: NatsOptions = NatsOptions()

    def transport(self, space: str, process: ProcessId, incarnation: str) -> NatsTransport:
        return NatsTransport(self.servers, space, process, incarnation, self.options)

    async def start(self) -> None:
        """It runs already."""

    async def stop(self) -> None:
        """It goes on."""


class NatsTransport:
    """One process's inbox and connection: see `transport.Transport` for the contract."""

    def __init__(
        self, servers: Sequence[str], space: str, process: ProcessId, incarnation: str, options: NatsOptions
    ) -> None:
        self._servers, self._space, self._process = servers, space, process
        self._incarnation, self._options = incarnation, options
        self.stream = f"antecede_{label(space)}_{label(process)}"
        self._client = Client()
        self._home = Publisher(self._client)
        self._away: dict[str, Publisher] = {}
        self._arrived: list[Msg] = []
        self._filled = asyncio.Event()
        self._wanted = 0
        self._heard = 0.0
        self._pull_subject = ""
        self._broken: NameTaken | None = None
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
        self._home = Publisher(self._client)
        await self._home.open()
        await self._insist(lambda jetstream: self._make_inbox(jetstream, anew=True))
        if self._trace:
            await self._insist(self._make_trace)
        self._pull_subject = self._client.new_inbox()
        await self._client.subscribe(self._pull_subject, cb=self._pulled)
        await self._pull()
        self._tasks = [asyncio.create_task(self._keep_time()), asyncio.create_task(self._keep_pulling())]

    async def _connect(self, client: Client, servers: Sequence[str]) -> None:
        settings: dict[str, Any] = {
            "servers": list(servers),
            "name": f"antecede {self._space} {self._process}",
            "max_reconnect_attempts": -1,
            "reconnect_time_wait": 0.2,
            "connect_timeout": 2,
            "ping_interval": PING_S,
            "max_outstanding_pings": 2,
            "pending_size": PENDING_BYTES_MAX,
            "error_cb": self._noticed,
            "reconnected_cb": self._pull,
            "skip_subject_validation": True,  # subjects are made of tokens
            **self._options.connect,
        }
        try:
            await asyncio.wait_for(client.connect(**settings), CONNECT_S)
        except (TimeoutError, NatsError, OSError) as error:
            with suppress(Exception):
                await client.close()
            reason = self._last_error or error
            raise Unreachable(f"no NATS server answers at {shown(servers)}: {reason!r}") from None

    async def _noticed(self, error: Exception) -> None:
        """Errors show as publications without an answer and heartbeats that are missing; the last says why."""
        self._last_error = error

    async def _insist(self, ask: Callable[[JetStreamContext], Awaitable[T]]) -> T:
        """Ask again while there is no answer: a request is lost with its connection."""
        until = asyncio.get_running_loop().time() + INSIST_S
        while True:
            try:
                return await ask(self._client.jetstream(timeout=ANSWER_S, domain=self._options.domain))
            except (NatsError, OSError, TimeoutError) as error:
                if asyncio.get_running_loop().time() >= until:
                    raise Unreachable(f"JetStream at {shown(self._servers)} does not do it: {error!r}") from error
                await asyncio.sleep(LOOK_S)

    async def _make_inbox(self, jetstream: JetStreamContext, *, anew: bool = False) -> None:
        """The stream and its consumer. A consumer made `anew` gives out at once what a dead process had been given:
        the stream holds just what was not acknowledged."""
        try:
            info = await jetstream.stream_info(self.stream)
            self._check_owner(info.config.metadata or {})
            if anew:
                with suppress(NotFoundError):
                    await jetstream.delete_consumer(self.stream, CONSUMER)
        except NotFoundError:
            await jetstream.add_stream(self._inbox())
        config = ConsumerConfig(
            durable_name=CONSUMER,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=ACK_WAIT_S,
            max_deliver=-1,
            max_ack_pending=-1,
        )
        await jetstream.add_consumer(self.stream, config)

    def _inbox(self) -> StreamConfig:
        owner = {"antecede-space": self._space, "antecede-process": self._process}
        return StreamConfig(
            name=self.stream,
            subjects=[f"antecede.{token(self._space)}.{token(self._process)}.*"],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            discard=DiscardPolicy.NEW,
            max_bytes=self._options.inbox_bytes_max,
            num_replicas=self._options.replicas,
            duplicate_window=DUPLICATES_S,
            metadata={**owner, "antecede-incarnation": self._incarnation},
        )

    async def _make_trace(self, jetstream: JetStreamContext) -> None:
        """A stream of this name that is there is taken as it is: an operator may have set bounds to it."""
        with suppress(NotFoundError):
            await jetstream.stream_info(self._trace)
            return
        config = StreamConfig(
            name=self._trace,
            subjects=[f"antecede-trace.{self._trace}.>"],
            storage=StorageType.FILE,
            discard=DiscardPolicy.NEW,
            num_replicas=self._options.replicas,
            duplicate_window=DUPLICATES_S,
        )
        await jetstream.add_stream(config)

    def _check_owner(self, owner: Mapping[str, str]) -> None:
        if owner.get("antecede-incarnation") != self._incarnation:
            raise NameTaken(
                f"{self._process!r} has been in space {self._space!r} with another store, and names are not reused: "
                f"give that store, or another name"
            )

    async def close(self) -> None:
        await self._rest()
        for publisher in (self._home, *self._away.values()):
            if publisher.client.is_connected:
                with suppress(NatsError, OSError, TimeoutError):
                    await publisher.client.flush(2)  # acknowledgements that are still in the buffer
            with suppress(NatsError, OSError):
                await publisher.client.close()

    async def retire(self) -> None:
        async def delete(jetstream: JetStreamContext) -> None:
            with suppress(NotFoundError):
                await jetstream.delete_stream(self.stream)

        await self._rest()  # or the inbox would be missed, and made again
        await self._insist(delete)

    async def _rest(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

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
            publisher = self._away.setdefault(address, Publisher(client))
            if publisher.client is not client:
                await client.close()  # another publication was faster
            else:
                await publisher.open()
        return publisher

    async def receive(self) -> Sequence[Received]:
        while not self._arrived:
            if self._broken is not None:
                raise self._broken
            self._filled.clear()
            await self._filled.wait()
        arrived, self._arrived = self._arrived, []
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

    # The pull consumer.

    async def _pull(self) -> None:
        """Ask for more: `BATCH` messages at most, within `EXPIRES_S`, with a heartbeat while there are none."""
        if not self._pull_subject:
            return
        self._heard = asyncio.get_running_loop().time()
        self._wanted = BATCH
        request = {
            "batch": BATCH,
            "expires": int(EXPIRES_S * 1e9),
            "idle_heartbeat": int(HEARTBEAT_S * 1e9),
        }
        domain = f"$JS.{self._options.domain}.API" if self._options.domain else "$JS.API"
        subject = f"{domain}.CONSUMER.MSG.NEXT.{self.stream}.{CONSUMER}"
        with suppress(NatsError, OSError):
            await self._client.publish(subject, json.dumps(request).encode(), self._pull_subject)

    async def _pulled(self, msg: Msg) -> None:
        self._heard = asyncio.get_running_loop().time()
        status = (msg.headers or {}).get(STATUS)
        if status is None:
            self._arrived.append(msg)
            self._filled.set()
            self._wanted -= 1
            if not self._wanted:
                await self._pull()
        elif status == EXPIRED:
            await self._pull()
        elif status != HEARTBEAT:
            self._heard = LONG_AGO  # the server has just started, or the consumer is gone: `_keep_pulling` sees to it

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
            if asyncio.get_running_loop().time() - self._heard <= 2 * HEARTBEAT_S:
                continue
            try:
                await self._insist(self._make_inbox)
            except Unreachable:
                continue
            except NameTaken as error:
                self._broken = error
                self._filled.set()
                return
            await self._pull()


def shown(servers: Sequence[str]) -> str:
    """The addresses, without the user, password or token that they may carry."""
    return ", ".join(SECRET.sub("//", server) for server in servers)
