"""A station's end of the WebSocket of one host: what waits to be written, and how much more the host may say.

Messages go down in a window: at most so many that the host has not acknowledged, each once. The station fills the
window whenever a commit or an acknowledgement may have made room, from what the core keeps for the host; nothing is
queued twice. The connection's own queue therefore stays short: a window, a welcome, one answer for all messages taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from websockets.asyncio.server import Server, ServerConnection

from antecede.core.errors import RemoteViolation
from antecede.core.mobile.host_and_station_frames import Downlink, Got, Leave, Register, Taken, Uplink, Welcome
from antecede.core.mobile.luggage import Berth, Luggage
from antecede.core.types import Packet, ProcessId
from antecede.core.wire.packets import encode
from antecede.runtime import frames
from antecede.runtime.background import end, run_beside
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.problem_notice import ToldProblems

BATCH_BYTES = 64 * 2**10
QUEUE_MAX = 1_024
CLOSE_S = 1.0

COPY = "an older copy of this store, or a second one: use the last one, or another name"


def last_acknowledged(luggage: Luggage) -> int:
    """Return the number of the last message that the host has acknowledged."""
    return next(iter(luggage.outbox), luggage.serial + 1) - 1


class TokenBucket:
    """A rate: `spend` says how long to wait after taking so many."""

    def __init__(self, per_s: float, clock: Callable[[], float]) -> None:
        self._per_s, self._clock = per_s, clock
        self._left, self._at = per_s, clock()

    def spend(self, count: int) -> float:
        now = self._clock()
        self._left = min(self._per_s, self._left + (now - self._at) * self._per_s) - count
        self._at = now
        return max(0.0, -self._left / self._per_s)


class Connection:
    """One host, connected and known by its token."""

    __slots__ = (
        "_answer",
        "_ended",
        "_filled",
        "_queue",
        "_room",
        "bucket",
        "has",
        "host",
        "is_volatile",
        "move",
        "said",
        "sent",
        "socket",
        "told",
        "told_at",
        "welcomed",
    )

    def __init__(
        self,
        socket: ServerConnection,
        host: ProcessId,
        bucket: TokenBucket,
        *,
        is_volatile: bool = False,
        has: websocket.HostMemory | None = None,
    ) -> None:
        self.socket, self.host, self.bucket, self.is_volatile = socket, host, bucket, is_volatile
        self.has = has  # what the host said that it has, until it is compared with its luggage
        self.move = 0  # of the last registration on this connection
        self.said = 0  # the number of the last message of the host on this connection
        self.welcomed = False
        self.sent = 0  # the serial number of the last message sent down
        self.told, self.told_at = ToldProblems(), 0.0  # the problems that the host tells of itself, and when it did
        self._queue: list[bytes | str] = []
        self._answer: Packet | None = None
        self._ended = False
        self._filled, self._room = asyncio.Event(), asyncio.Event()

    def check(self, packet: Packet, berth: Berth | None) -> None:
        """Raise `RemoteViolation` for what no correct host says, and for counters that cannot be right.

        A host numbers its messages one by one, has no more of ours than there are, and leaves where it has registered.
        It numbers its registrations too, and counts what it has got: a number that was used, or a count that has gone
        back, is of a copy of its store.
        """
        websocket.check_spoken(self.host, packet)
        stamp, message = packet.stamp, packet.message
        luggage = None if berth is None else berth.luggage
        if isinstance(stamp, Register):
            if berth is not None and self.move < stamp.move <= berth.heard:
                raise RemoteViolation(f"registration {stamp.move} comes after {berth.heard}: {COPY}")
            self.move = max(self.move, stamp.move)
        if isinstance(stamp, Leave) and stamp.move > self.move:
            raise RemoteViolation(f"it leaves from move {stamp.move}, and has registered with {self.move}")
        if luggage is None:
            return
        if isinstance(stamp, (Got, Uplink)) and stamp.got > luggage.serial:
            raise RemoteViolation(f"{stamp.got} messages are said to have come, of {luggage.serial}")
        if isinstance(stamp, Got) and stamp.got < last_acknowledged(luggage):
            raise RemoteViolation(f"it got {stamp.got} messages, and had {last_acknowledged(luggage)}: {COPY}")
        if message is not None:
            self.said = max(self.said, luggage.sent)
            if message.id.seq > self.said + 1:
                raise RemoteViolation(f"message {message.id.seq} comes after {self.said}")
            self.said = max(self.said, message.id.seq)

    def put(self, packet: Packet) -> None:
        """Queue a control packet. Of several `Taken` packets only the last is sent, because it says everything."""
        if isinstance(packet.stamp, Taken):
            self._answer = packet
        else:
            self._queue.append(encode(packet))
        self._filled.set()

    def tell(self, notice: str) -> None:
        self._queue.append(notice)
        self._filled.set()

    def begin(self, luggage: Luggage) -> None:
        """Note that the host was welcomed: messages start with the first that it has not acknowledged.

        A host that keeps no state is told where it was.
        """
        if self.is_volatile and not self.welcomed:
            self.tell(websocket.counts(luggage.sent, last_acknowledged(luggage)))
        if not self.welcomed:
            self.welcomed = True
            self.sent = last_acknowledged(luggage)

    def fill(self, station: ProcessId, luggage: Luggage, window: int) -> None:
        """Queue as many messages of the luggage as the window has room for."""
        first = last_acknowledged(luggage) + 1
        last = min(luggage.serial, first + window - 1)
        for serial in range(max(self.sent + 1, first), last + 1):
            message, _ = luggage.outbox[serial]
            self._queue.append(encode(Packet(station, message, Downlink(serial))))
            self.sent = serial
        self._filled.set()

    async def room(self) -> None:
        """Wait while too much is queued for the host and the connection lasts."""
        while len(self._queue) > QUEUE_MAX and not self._ended:
            self._room.clear()
            await self._room.wait()

    async def write(self) -> None:
        """Send what is queued, for as long as the connection lasts."""
        try:
            while True:
                while not self._queue and self._answer is None:
                    self._filled.clear()
                    await self._filled.wait()
                await self.socket.send(self._take())
                self._room.set()
        finally:
            self._ended = True
            self._room.set()

    def _take(self) -> bytes | str:
        """Take the next notice, or as many packets as make a frame, from the queue."""
        if self._answer is not None:
            self._queue.append(encode(self._answer))
            self._answer = None
        first = self._queue[0]
        if isinstance(first, str):
            del self._queue[0]
            return first
        batch: list[bytes] = []
        size = 0
        for each in self._queue:
            if isinstance(each, str) or (batch and size + len(each) > BATCH_BYTES):
                break
            batch.append(each)
            size += len(each)
        del self._queue[: len(batch)]
        return frames.packets(0, batch)


def is_welcome(packet: Packet) -> bool:
    return isinstance(packet.stamp, Welcome)


async def hang_up(server: Server, attending: Mapping[ServerConnection, asyncio.Task[None]]) -> None:
    """Close all connections, and end the tasks that attend to them.

    A host whose message waits for room, or who does not read, is not waited for: it sends the message again elsewhere.
    """
    server.close()
    async with run_beside(server.wait_closed()) as closing:
        await asyncio.wait([closing], timeout=CLOSE_S)
        for socket in attending:
            socket.transport.abort()
        await end(attending.values())
        await closing
