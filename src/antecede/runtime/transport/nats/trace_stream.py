"""Reading the trace that processes wrote to a stream of JetStream: every event once, as the lines they are.

A publication holds the lines of one or more steps of one process. After a crash a process publishes again what it does
not know to be in the stream, so events may be there twice. The events of a process are numbered without gaps from 1,
so what was seen of each is a number and, for the moment, a few beyond it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, StreamState
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError

from antecede.core.errors import Misuse
from antecede.runtime.transport.nats.options import NatsOptions, describe_servers
from antecede.runtime.transport.nats.refusals import START_S, check_started
from antecede.runtime.transport.nats.short_connection import CONNECT_S, visit

BATCH = 256
OPTIONS = NatsOptions()


@dataclass(slots=True)
class SeenNumbers:
    """Which numbers have come: all up to `floor`, and some beyond it."""

    floor: int = 0
    beyond: set[int] = field(default_factory=set)

    def is_new(self, number: int) -> bool:
        """Return whether `number` has not come before, and note that it has come now."""
        if number <= self.floor or number in self.beyond:
            return False
        self.beyond.add(number)
        while self.floor + 1 in self.beyond:
            self.floor += 1
            self.beyond.remove(self.floor)
        return True


@dataclass(slots=True)
class Once:
    """Lines that have not come before, by run and process."""

    seen: dict[tuple[str, str], SeenNumbers] = field(default_factory=dict)
    broken: int = 0

    def lines(self, data: bytes) -> list[str]:
        fresh = []
        for line in data.decode(errors="replace").splitlines():
            try:
                event = json.loads(line)
                whose, index = (str(event["run"]), str(event["process"])), int(event["index"])
            except (ValueError, KeyError, TypeError, RecursionError):
                self.broken += 1  # written by another program
                continue
            if self.seen.setdefault(whose, SeenNumbers()).is_new(index):
                fresh.append(line)
        return fresh


async def fetch(
    servers: Sequence[str], stream: str, options: NatsOptions = OPTIONS, once: Once | None = None
) -> AsyncIterator[str]:
    """Yield the lines of a trace that were written before this began. `once` counts lines that are not events."""
    once = once or Once()
    if not stream or set(stream) & set(" .*>/\\\t\r\n"):
        raise Misuse(f"{stream!r} is not the name of a stream: use no spaces, dots, slashes or wildcards")
    async with visit(servers, options) as client:
        jetstream = client.jetstream(timeout=CONNECT_S, domain=options.domain)
        try:
            info = await jetstream.stream_info(stream)
        except NotFoundError:
            raise Misuse(f"there is no stream {stream!r}: processes make it with trace='jetstream:{stream}'") from None
        except JetStreamError as error:
            check_started(error, START_S, describe_servers(servers))
            raise
        async for data in _publications(jetstream, stream, info.state):
            for line in once.lines(data):
                yield line


async def _publications(jetstream: JetStreamContext, stream: str, state: StreamState) -> AsyncIterator[bytes]:
    last = state.last_seq if state.messages else 0
    if not last:
        return
    reading = await jetstream.pull_subscribe(
        "", stream=stream, config=ConsumerConfig(ack_policy=AckPolicy.NONE, inactive_threshold=CONNECT_S)
    )
    at, left = 0, 1
    while at < last and left:
        for msg in await reading.fetch(BATCH, timeout=CONNECT_S):
            at, left = msg.metadata.sequence.stream, msg.metadata.num_pending  # the last may have been deleted
            if at <= last:
                yield msg.data
    await reading.unsubscribe()
