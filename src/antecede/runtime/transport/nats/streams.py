"""The streams that the runtime makes: an inbox for each process, and one for a trace."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.runtime.transport.contract import NameTaken
from antecede.runtime.transport.names import label, token
from antecede.runtime.transport.nats.options import NatsOptions

CONSUMER = "antecede"
NOT_A_CLUSTER = 10074


class InboxStream:
    """The work-queue stream of one process, its consumer, and to which incarnation they belong."""

    def __init__(self, space: str, process: ProcessId, incarnation: str, options: NatsOptions) -> None:
        self._space, self._process, self._incarnation, self._options = space, process, incarnation, options
        self.name = f"antecede_{label(space)}_{label(process)}"

    async def make(self, jetstream: JetStreamContext, *, anew: bool = False) -> None:
        """The stream and its consumer. A consumer made `anew` gives out at once what a dead process had been given:
        the stream holds just what was not acknowledged."""
        try:
            info = await jetstream.stream_info(self.name)
            self._check_owner(info.config.metadata or {})
            if anew:
                with suppress(NotFoundError):
                    await jetstream.delete_consumer(self.name, CONSUMER)
        except NotFoundError:
            await jetstream.add_stream(self._config())
        consumer = ConsumerConfig(
            durable_name=CONSUMER,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self._options.limits.ack_wait_s,
            max_deliver=-1,
            max_ack_pending=-1,
        )
        await jetstream.add_consumer(self.name, consumer)

    async def delete(self, jetstream: JetStreamContext) -> None:
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

    def _check_owner(self, owner: Mapping[str, str]) -> None:
        if owner.get("antecede-incarnation") != self._incarnation:
            raise NameTaken(
                f"{self._process!r} has been in space {self._space!r} with another store, and a name cannot "
                "be used again: give that store, or another name"
            )


async def make_trace(jetstream: JetStreamContext, name: str, options: NatsOptions) -> None:
    """A stream of this name that is there is taken as it is: an operator may have set bounds to it."""
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


def check_possible(error: Exception) -> None:
    """`Misuse` for what a server will refuse however often it is asked."""
    if isinstance(error, APIError) and error.err_code == NOT_A_CLUSTER:
        raise Misuse("NatsOptions(replicas=...): this server is not part of a cluster, and keeps one copy") from None
