"""A roaming host: connects to one of several stations, moves between them, and loses nothing on the way.

    async with Host(["ws://127.0.0.1:7001", "ws://127.0.0.1:7002"], "ann", token, path="ann.sqlite") as ann:
        await ann.send({"bob"}, b"are you there?")
        async for message in ann:
            ...
            await message.ack()

`send` returns when the message is durable here, connected or not; it goes to the station as soon as there is one.
`move` changes the station on command; when the station is gone the host looks for another by itself, ever more slowly.
With a `path`, everything goes on after a restart, days later if need be: what was not acknowledged is offered again,
what was not sent is sent. Without it, the host ends with the process, and so does the use of its name.

`refusals()` are messages that a station could not take because a destination was unknown.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from ssl import SSLContext
from typing import Self

from websockets.exceptions import ConnectionClosed

from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.mobile.host import IN
from antecede.core.mobile.host_and_station_frames import Welcome
from antecede.core.roster import checked_names, checked_payload
from antecede.core.types import MessageId, ProcessId
from antecede.runtime.background import end
from antecede.runtime.delivery import Delivery
from antecede.runtime.group_commit import Grouping
from antecede.runtime.limits import SNAPSHOT_BYTES_MIN
from antecede.runtime.roaming import protocol
from antecede.runtime.roaming.host.durable_host import Device
from antecede.runtime.roaming.host.itinerary import Roaming
from antecede.runtime.roaming.host.link import (
    CONNECT_S,
    PING_S,
    Link,
    NoStation,
    checked_url,
    ended,
    hang_up,
    open_link,
)
from antecede.runtime.roaming.host.writer import Writer
from antecede.runtime.state.identity import identify
from antecede.runtime.state.store import Delivered, Store
from antecede.runtime.state.trace_recorder import Recorder, TraceFiles, stream_of

RETRY_S = 5.0
LOOK_S = 0.25
UNSENT_MAX = 10_000
PAYLOAD_BYTES_MAX = 7 * 2**10
REFUSALS_MAX = 1_000


class Host:
    """A roaming host: `async with Host(urls, id, token) as host`. Iterating over it gives messages, each a `Delivery`.

    `urls` are the WebSocket addresses of stations, of which the first that answers is used. `id` is the host's name,
    and `token` proves it; `antecede token` makes one. `path` is the file of the durable state: without it, the host and
    its name end with the process. `trace` is a folder for the trace, and `run` the name of the run in it. `tls` is for
    `wss://`. `clock` and `wall` are for tests.

    `send` refuses payloads of more than `payload_bytes_max` bytes, and messages beyond `unsent_max` that no station has
    yet. A snapshot of the state is taken when more than `snapshot_bytes_min` of inputs are logged. A station is gone if
    it takes longer than `connect_s` to answer, or does not answer a ping within `ping_s`.
    """

    def __init__(
        self,
        urls: Sequence[str],
        id: ProcessId,
        token: str,
        *,
        path: str | Path | None = None,
        trace: str | Path | None = None,
        run: str = "roam",
        tls: SSLContext | None = None,
        payload_bytes_max: int = PAYLOAD_BYTES_MAX,
        unsent_max: int = UNSENT_MAX,
        snapshot_bytes_min: int = SNAPSHOT_BYTES_MIN,
        connect_s: float = CONNECT_S,
        ping_s: float = PING_S,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        if not urls or isinstance(urls, str):
            raise Misuse("give a list of at least one station: ['ws://127.0.0.1:7001']")
        checked_names("the host", [id])
        if stream_of(trace) is not None:
            raise Misuse("a host has no connection to JetStream: give a folder for its trace")
        self.id, self._urls, self._token, self._tls = id, [checked_url(url, tls) for url in urls], token, tls
        self._path = None if path is None else Path(path)
        self._trace, self._run = None if trace is None else Path(trace), run
        self._payload_bytes_max, self._unsent_max = payload_bytes_max, unsent_max
        self._snapshot_bytes_min, self._connect_s, self._ping_s = snapshot_bytes_min, connect_s, ping_s
        self._clock, self._wall = clock, wall
        self._link: Link | None = None
        self._former: list[Link] = []
        self._writer: Writer | None = None
        self._writing: asyncio.Task[None] | None = None
        self._welcomed_at = ""
        self._ready: deque[Delivered] = deque()
        self._arrived, self._changed = asyncio.Event(), asyncio.Event()
        self._refusals: deque[tuple[str, ProcessId]] = deque(maxlen=REFUSALS_MAX)
        self._failure: Exception | None = None
        self._closed = False
        self._tasks: list[asyncio.Task[None]] = []
        self._stack = ExitStack()

    # The application's side.

    async def __aenter__(self) -> Self:
        with ExitStack() as stack:
            store = Store(self._path, snapshot_bytes_min=self._snapshot_bytes_min)
            stack.callback(store.close)
            self._incarnation = identify(store, host=self.id)
            recorder = None
            if self._trace is not None:
                files = TraceFiles(self._trace, self.id, store)
                stack.callback(files.close)
                recorder = Recorder(self._run, self.id, files, store, self._wall)
            self._device = Device(store, self.id, recorder, retry_s=RETRY_S, unsent_max=self._unsent_max)
            self._device.leave()
            self._device.commit()
            self._stack = stack.pop_all()
        self._clock_base = float(store.facts.get("clock", b"0")) - self._clock()
        self._grouping = Grouping(self._commit)
        self._offer(store.inbox())
        self._roaming = Roaming(self._urls, self._open, self)
        works = (self._roaming.run, self._keep_time, self._mind)
        self._tasks = [asyncio.create_task(self._guard(work)) for work in works]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def station(self) -> ProcessId | None:
        """The station that serves this host now, or None."""
        return self._device.host.cell if self._link is not None and self._device.host.state == IN else None

    @property
    def sent(self) -> int:
        """The number of messages that this host has ever sent, restarts included: where to go on after one."""
        return self._device.host.sent

    @property
    def unsent(self) -> int:
        """The number of messages that no station is known to have taken."""
        return len(self._device.host.unsent)

    async def send(self, dests: ProcessId | Iterable[ProcessId], payload: bytes) -> MessageId:
        """Send `payload`. Return the message's identity when it is durable here. Raise `LimitReached` if too much waits
        for a station.
        """
        self._check()
        checked_payload(payload)
        if len(payload) > self._payload_bytes_max:
            raise Misuse(f"the payload has {len(payload)} bytes, and the limit is {self._payload_bytes_max}: split it")
        identity = self._device.send([dests] if isinstance(dests, str) else dests, payload)
        await self._grouping.done()
        return identity

    def __aiter__(self) -> AsyncIterator[Delivery]:
        return self

    async def __anext__(self) -> Delivery:
        while not self._ready:
            self._check(StopAsyncIteration())
            self._arrived.clear()
            await self._arrived.wait()
        return Delivery(self, self._ready.popleft())

    async def ack(self, batch: Iterable[Delivery]) -> None:
        """Acknowledge these messages. When this returns, none of them is ever offered again."""
        self._check()
        for delivery in batch:
            self._device.acknowledge(delivery.n)
        await self._grouping.done()

    async def connected(self) -> ProcessId:
        """Wait until a station serves this host, and return its name."""
        await self._until(lambda: self.station is not None)
        return self._device.host.cell

    async def drained(self) -> None:
        """Wait until stations have taken everything that was sent."""
        await self._until(lambda: not self._device.host.unsent)

    async def move(self, url: str) -> ProcessId:
        """Go to the station at `url`. Return the station that serves this host then, which is another if that one is
        gone.
        """
        self._check()
        checked_url(url, self._tls)
        if self._link is None or self._link.url != url:
            self._roaming.want(url)
            await self._until(lambda: self._roaming.wanted is None)
        return await self.connected()

    def trouble(self) -> str:
        """Return why no station serves this host now, as far as is known, or an empty string if one does."""
        return "" if self.station is not None else self._roaming.trouble

    def refusals(self) -> list[tuple[str, ProcessId]]:
        """Return the messages that went to nobody since the last call, each with the destination that is unknown."""
        taken = list(self._refusals)
        self._refusals.clear()
        return taken

    async def close(self) -> None:
        """Switch off. With a `path`, everything goes on from here the next time."""
        if self._closed:
            return
        self._closed = True
        link = self._link
        try:
            if link is not None and self._failure is None and self._grouping.failure is None:
                await self._part(link)
        finally:
            await self._end()

    async def _part(self, link: Link) -> None:
        """The last words to a station: that we leave."""
        self._former.append(link)
        self.left(link)
        await self._grouping.done()
        if self._writer is not None:
            await self._writer.finish()

    async def _end(self) -> None:
        """Whatever has failed, nothing goes on, and nothing is left open."""
        try:
            await end(self._tasks)
            await self._leave_former()
            if self._grouping.failure is None:
                self._grouping.now()
        finally:
            self._wake()
            self._stack.close()

    def _check(self, error: BaseException | None = None) -> None:
        failure = self._failure or self._grouping.failure
        if failure is not None:
            raise failure
        if self._closed:
            raise error or Misuse("the host was closed")

    async def _until(self, done: Callable[[], bool]) -> None:
        while not done():
            self._check()
            self._changed.clear()
            await self._changed.wait()
        self._check()

    def _wake(self) -> None:
        self._changed.set()
        self._arrived.set()

    # Commits, and what they let out.

    def _commit(self) -> None:
        shown = self._device.commit()
        self._offer(shown.delivered)
        if self._writer is not None:
            self._writer.put(radio.packet for radio in shown.radios)
        self._changed.set()

    def _offer(self, delivered: Iterable[Delivered]) -> None:
        self._ready.extend(delivered)
        if self._ready:
            self._arrived.set()

    # Stations.

    async def _guard(self, work: Callable[[], Awaitable[None]]) -> None:
        """A failure of the inside is the application's to see: the next call raises it."""
        try:
            await work()
        except Exception as fault:
            self._failure = fault
            self._wake()

    async def _mind(self) -> None:
        """A store that cannot be written ends everything, whoever was waiting for what."""
        await self._grouping.failed.wait()
        assert self._grouping.failure is not None
        raise self._grouping.failure

    async def _open(self, url: str) -> Link:
        timeouts = {"connect_s": self._connect_s, "ping_s": self._ping_s}
        return await open_link(url, self.id, self._token, self._incarnation, self._tls, **timeouts)

    def entered(self, link: Link) -> None:
        """Internal: use `link` from now on. The last link ends when the station of the new one welcomes this host."""
        if self._link is not None:
            self._former.append(self._link)
        self._stop_writing()
        self._link, self._writer = link, Writer(link)
        self._writing = asyncio.create_task(self._guard(self._writer.run))
        self._device.enter(link.station)
        self._grouping.soon()

    def left(self, link: Link) -> None:
        """Internal: note that there is no link now."""
        if self._link is not None:
            self._device.note("disconnect", link.station)
            self._device.leave()
            self._stop_writing()
            self._link = None
            self._grouping.soon()

    def changed(self) -> None:
        """Internal: wake whoever waits for a change."""
        self._changed.set()

    async def read(self, link: Link) -> None:
        """Internal: read everything that the station says."""
        try:
            async for said in link.socket:
                if isinstance(said, str):
                    self._noticed(said)
                    continue
                for packet, data in protocol.read_packets(said):
                    self._device.hear(packet, data)
                    if isinstance(packet.stamp, Welcome) and packet.stamp.move == self._device.host.move:
                        self._welcomed(link)
                await self._grouping.done()
                if self.station is not None:
                    await self._leave_former()
        except ConnectionClosed as error:
            raise ended(error) from None
        except RemoteViolation as error:
            raise NoStation(f"{link.url} sent a frame that is not valid: {error}") from None
        raise NoStation(f"{link.url} has ended the connection")

    def _welcomed(self, link: Link) -> None:
        self._device.note("connect" if self._welcomed_at in ("", link.station) else "move", link.station)
        self._welcomed_at = link.station

    async def _leave_former(self) -> None:
        while self._former:
            await hang_up(self._former[-1])
            self._former.pop()

    def _noticed(self, said: str) -> None:
        notice = protocol.read_text(said)
        if "refused" in notice:
            self._refusals.append((str(notice["refused"]), str(notice.get("unknown"))))
            self._changed.set()

    def _stop_writing(self) -> None:
        if self._writing is not None:
            self._writing.cancel()

    async def _keep_time(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            now, due = self._clock_base + self._clock(), self._device.host.due
            if due is not None and due <= now:
                self._device.tick(now)
                self._grouping.soon()
