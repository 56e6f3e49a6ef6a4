"""Reading an inbox through its pull consumer, with a request for more under way as long as the reader keeps up.

A reader that takes nothing is given `AHEAD_MAX` more batches and no more: the rest stays with the broker. Meanwhile
the broker thinks that what waits here is lost, and may give it out again; that is dropped.

A request that died with its connection, or with the server it was made to, is noticed by heartbeats that are missing:
then `is_silent`, and whoever owns the inbox sees to it that it is there, and asks again.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from antecede.runtime.transport.nats.options import NatsOptions
from antecede.runtime.transport.nats.publisher import STATUS

AHEAD_MAX = 2
"""With one, a request would often wait for a reader that is busy with what the last one brought."""
HEARTBEAT, EXPIRED = "100", "408"
LONG_AGO = float("-inf")
SHORT_ACK_PARTS, SHORT_ACK_NUMBER_AT = 9, 5


class Pull:
    """What comes in from one stream, in the order it came."""

    def __init__(self, stream: str, options: NatsOptions) -> None:
        self._client, self._limits = Client(), options.limits
        api = f"$JS.{options.domain}.API" if options.domain else "$JS.API"
        self._requests = f"{api}.CONSUMER.MSG.NEXT.{stream}"
        self._request_subject = self._subject = ""
        self._arrived: dict[int, Msg] = {}  # by the number in the stream
        self._ahead = 0  # requests for more since something was last taken
        self._filled = asyncio.Event()
        self._wanted = 0
        self._heard = 0.0
        self._broken: Exception | None = None

    @property
    def is_silent(self) -> bool:
        """Return whether a request is under way, and neither messages nor heartbeats come."""
        return self._wanted > 0 and asyncio.get_running_loop().time() - self._heard > 2 * self._limits.heartbeat_s

    async def open(self, client: Client, consumer: str) -> None:
        """Begin to read through a consumer of the stream, or go on with another client."""
        self._client = client
        self._request_subject = f"{self._requests}.{consumer}"
        self._subject = self._client.new_inbox()
        await self._client.subscribe(self._subject, cb=self._take_one)
        await self._ask_for_more()

    async def ask(self) -> None:
        """Ask for the messages that are still wanted, if there are any. The last request may be lost.

        The broker answers within `request_s`, and sends heartbeats while there is nothing.
        """
        if self._wanted <= 0:
            return
        self._heard = asyncio.get_running_loop().time()
        request = {
            "batch": self._wanted,
            "expires": int(self._limits.request_s * 1e9),
            "idle_heartbeat": int(self._limits.heartbeat_s * 1e9),
        }
        with suppress(NatsError, OSError):
            await self._client.publish(self._request_subject, json.dumps(request).encode(), self._subject)

    async def take(self) -> list[tuple[int, Msg]]:
        """Return at least one message, as soon as there is one, each with its number in the stream."""
        while not self._arrived:
            if self._broken is not None:
                raise self._broken
            self._filled.clear()
            await self._filled.wait()
        self._ahead = 0
        await self._go_on()
        arrived, self._arrived = self._arrived, {}
        return list(arrived.items())

    def fail(self, error: Exception) -> None:
        """Make `take` raise `error` when it has no message left, because nothing more can come."""
        self._broken = error
        self._filled.set()

    async def _take_one(self, msg: Msg) -> None:
        self._heard = asyncio.get_running_loop().time()
        status = (msg.headers or {}).get(STATUS)
        if status is None:
            self._wanted -= 1
            self._keep(msg)
        elif status == EXPIRED:
            self._wanted = 0
        elif status != HEARTBEAT:
            self._heard = LONG_AGO  # the server has just started, or the consumer is gone
        await self._go_on()

    def _keep(self, msg: Msg) -> None:
        self._arrived.setdefault(_number(msg), msg)
        self._filled.set()

    async def _go_on(self) -> None:
        """Ask for more if the last request has ended, unless the reader does not take what has arrived."""
        if self._wanted <= 0 and (self._ahead < AHEAD_MAX or not self._arrived):
            await self._ask_for_more()

    async def _ask_for_more(self) -> None:
        self._ahead, self._wanted = self._ahead + 1, self._limits.batch
        await self.ask()


def _number(msg: Msg) -> int:
    """Return the number of a message in the stream, which the subject for its acknowledgement has in one of two places.

    The metadata of the client have the number too, but they parse a date and more, which takes time.
    """
    parts = msg.reply.split(".")
    return int(parts[SHORT_ACK_NUMBER_AT if len(parts) == SHORT_ACK_PARTS else Msg.Ack.StreamSeq])
