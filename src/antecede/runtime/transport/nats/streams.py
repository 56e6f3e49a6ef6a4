"""The streams that the runtime makes: an inbox for each process, and one for a trace."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError

from antecede.core.types import ProcessId
from antecede.runtime.transport.contract import name_taken
from antecede.runtime.transport.names import label, token
from antecede.runtime.transport.nats.options import NatsOptions

CONSUMER = "antecede"


class InboxStream:
    """The work-queue stream of one process, its consumer, and to which incarnation they belong.

    The consumer has the epoch of its process in its name: whatever a process with an earlier epoch still asks for or
    acknowledges is meant for a consumer that is gone.
    """

    def __init__(self, space: str, process: ProcessId, incarnation: str, options: NatsOptions) -> None:
        self._space, self._process, self._incarnation, self._options = space, process, incarnation, options
        self.name = f"antecede_{label(space)}_{label(process)}"
        self.consumer = CONSUMER

    async def check_owner(self, jetstream: JetStreamContext) -> None:
        """Raise `NameTaken` if the stream is of another incarnation."""
        with suppress(NotFoundError):
            info = await jetstream.stream_info(self.name)
            self._check_metadata(info.config.metadata or {})

    async def make(self, jetstream: JetStreamContext, *, epoch: int) -> None:
        """Make the stream, if it is not there, and its consumer anew for `epoch`.

        The consumer gives out at once what a process of an earlier epoch had been given, because the stream holds just
        what was not acknowledged.
        """
        try:
            info = await jetstream.stream_info(self.name)
            self._check_metadata(info.config.metadata or {})
            await self._delete_consumers(jetstream)
        except NotFoundError:
            await jetstream.add_stream(self._config())
        self.consumer = f"{CONSUMER}-{epoch}"
        await self._make_consumer(jetstream)

    async def repair(self, jetstream: JetStreamContext) -> bool:
        """Make the consumer again, if it is not there. Return False if the stream is gone, with all that it had."""
        try:
            info = await jetstream.stream_info(self.name)
            self._check_metadata(info.config.metadata or {})
            await self._make_consumer(jetstream)
        except NotFoundError:
            return False
        return True

    async def _make_consumer(self, jetstream: JetStreamContext) -> None:
        consumer = ConsumerConfig(
            durable_name=self.consumer,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self._options.limits.ack_wait_s,
            max_deliver=-1,
            max_ack_pending=-1,
        )
        await jetstream.add_consumer(self.name, consumer)

    async def _delete_consumers(self, jetstream: JetStreamContext) -> None:
        for info in await jetstream.consumers_info(self.name):
            with suppress(NotFoundError):
                await jetstream.delete_consumer(self.name, info.name)

    async def count(self, jetstream: JetStreamContext) -> int:
        """Return how many messages the stream has: they were not acknowledged."""
        with suppress(NotFoundError):
            return (await jetstream.stream_info(self.name)).state.messages
        return 0

    async def delete(self, jetstream: JetStreamContext) -> None:
        """Delete the stream, if it is there."""
        with suppress(NotFoundError):
            await jetstream.delete_stream(self.name)

    def _config(self) -> StreamConfig:
        owner = {"antecede-space": self._space, "antecede-process": self._process}
        return StreamConfig(
            name=self.name,
            subjects=[f"antecede.{token(self._space)}.{token(self._process)}.*"],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            discard=DiscardPolicy.NEW,
            max_bytes=self._options.inbox_bytes_max,
            num_replicas=self._options.replicas,
            duplicate_window=self._options.limits.duplicates_s,
            metadata={**owner, "antecede-incarnation": self._incarnation},
        )

    def _check_metadata(self, owner: Mapping[str, str]) -> None:
        if owner.get("antecede-incarnation") != self._incarnation:
            raise name_taken(self._space, self._process)


async def make_trace(jetstream: JetStreamContext, name: str, options: NatsOptions) -> None:
    """Make the stream of the trace, if there is none. An existing one stays as an operator may have set it."""
    with suppress(NotFoundError):
        await jetstream.stream_info(name)
        return
    config = StreamConfig(
        name=name,
        subjects=[f"antecede-trace.{name}.>"],
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        num_replicas=options.replicas,
        duplicate_window=options.limits.duplicates_s,
    )
    await jetstream.add_stream(config)
