"""A roaming host: connects to one of several stations, moves between them, and loses nothing on the way.

    async with Host(["ws://127.0.0.1:7001", "ws://127.0.0.1:7002"], "ann", token, path="ann.sqlite") as ann:
        await ann.send({"bob"}, b"are you there?")
        async for message in ann:
            ...
            await message.ack()

`send` returns when the message is durable here, connected or not; it goes to the station as soon as there is one.
`move` changes the station on command; when the station is gone the host looks for another by itself, ever more slowly.
With a `path`, everything goes on after a restart, days later if need be: what was not acknowledged is offered again,
what was not sent is sent. Without it, a restart loses what was not sent yet and what was not acknowledged here; the
host goes on under its name all the same, with the numbers that the station knows. So its first `send` waits for a
station. With `hear`, it prefers the stations of its list whose beacons it hears.

`problems()` is what is wrong: no station, a `move` that failed, messages that are not acknowledged, and messages that a
station could not take because a destination was unknown. `refusals()` returns the last.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from ssl import SSLContext
from typing import NoReturn, Self

from websockets.exceptions import ConnectionClosed

from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.mobile.host import IN
from antecede.core.mobile.host_and_station_frames import Welcome
from antecede.core.roster import checked_names, checked_payload
from antecede.core.types import MessageId, ProcessId
from antecede.runtime.block import Explained
from antecede.runtime.delivery import Delivery
from antecede.runtime.driver import Driver
from antecede.runtime.limits import FORGOTTEN_AFTER_S, SNAPSHOT_BYTES_MIN
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.durable_host import DurableHost, checked_path
from antecede.runtime.roaming.host.heard_stations import HeardStations, StationHeard
from antecede.runtime.roaming.host.itinerary import Itinerary
from antecede.runtime.roaming.host.link import CONNECT_S, PING_S, Link, NoStation, checked_url, explain_end, open_link
from antecede.runtime.roaming.host.links import HostLinks
from antecede.runtime.roaming.host.view import HostView
from antecede.runtime.state.identity import identify
from antecede.runtime.state.store import Delivered, Store
from antecede.runtime.state.trace_recorder import open_recorder, stream_of
from antecede.runtime.transport.nats.options import shown_address
from antecede.runtime.watch.acknowledgements import Acknowledgements
from antecede.runtime.watch.metrics import HOST_COUNTERS, HOST_GAUGES, Metrics
from antecede.runtime.watch.problems import Problem

RETRY_S = 5.0
UNSENT_MAX = 10_000
PAYLOAD_BYTES_MAX = 7 * 2**10
REFUSALS_MAX = 1_000
ENTER = "async with Host(...) as host:"


class Host(Explained):
    """A roaming host: `async with Host(urls, id, token) as host`. Iterating over it gives messages, each a `Delivery`.

    `urls` are the WebSocket addresses of stations, of which the first that answers is used. `id` is the host's name,
    and `token` proves it; `antecede token` makes one. `path` is the file of the durable state: without it, a restart
    loses what was not sent yet and what was not acknowledged here. `hear`, an ADDRESS:PORT, is where stations send
    their beacons: of `urls`, those that are heard come first, and one that is heard anew is tried at once.
    `durability` is "process" or "power": what the state survives, a crash of the process or a loss of power. `trace` is
    its folder, and `run` the name of the run in it. `tls` is for `wss://`. `clock` and `wall` are for tests.

    `send` refuses payloads of more than `payload_bytes_max` bytes, and messages beyond `unsent_max` that no station has
    yet. A snapshot of the state is taken when more than `snapshot_bytes_min` of inputs are logged. A station is gone if
    it takes longer than `connect_s` to answer, or does not answer a ping within `ping_s`. A message that is not
    acknowledged `forgotten_after_s` after it was taken is a problem, if a later one is acknowledged.
    """

    def __init__(
        self,
        urls: Sequence[str],
        id: ProcessId,
        token: str,
        *,
        path: str | Path | None = None,
        hear: str | None = None,
        durability: str = "process",
        trace: str | Path | None = None,
        run: str = "roam",
        tls: SSLContext | None = None,
        payload_bytes_max: int = PAYLOAD_BYTES_MAX,
        unsent_max: int = UNSENT_MAX,
        snapshot_bytes_min: int = SNAPSHOT_BYTES_MIN,
        forgotten_after_s: float = FORGOTTEN_AFTER_S,
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
        self._path, self._durability = checked_path(path), durability
        self._trace, self._run = None if trace is None else Path(trace), run
        self._payload_bytes_max, self._unsent_max = payload_bytes_max, unsent_max
        self._snapshot_bytes_min, self._connect_s, self._ping_s = snapshot_bytes_min, connect_s, ping_s
        self._clock, self._wall = clock, wall
        self._heard = HeardStations(hear, self._urls, self._come_near, clock=clock)
        self._welcomed_at = ""
        self._ready: deque[Delivered] = deque()
        self._arrived, self._changed = asyncio.Event(), asyncio.Event()
        self._refusals: deque[websocket.Refusal] = deque(maxlen=REFUSALS_MAX)
        self._closed = False
        self._stack = ExitStack()
        self._acknowledgements = Acknowledgements(clock, forgotten_after_s)
        super().__init__(ENTER)  # last: a host that is refused here is not one that was forgotten

    # The application's side.

    async def __aenter__(self) -> Self:
        self._was_used = True
        with ExitStack() as stack:
            store = Store(self._path, durability=self._durability, snapshot_bytes_min=self._snapshot_bytes_min)
            stack.callback(store.close)
            self._incarnation = websocket.VOLATILE if self._path is None else identify(store, host=self.id)
            recorder = stack.enter_context(open_recorder(self._trace, self._run, self.id, store=store, wall=self._wall))
            self._durable = DurableHost(store, self.id, recorder, retry_s=RETRY_S, unsent_max=self._unsent_max)
            self._durable.leave()
            self._durable.commit()
            self._stack = stack.pop_all()
        self._driver = Driver(store, commit=self._commit, stopped=self._fail, clock=self._clock)
        self._commits = self._driver.commits
        self._links = HostLinks(self._driver.background.guard)
        self._offer(store.inbox())
        self._itinerary = Itinerary(self._urls, self._open, self, self._heard.has)
        self._view = HostView(
            self._durable,
            self._itinerary,
            self._acknowledgements,
            self._refusals,
            self._heard,
            is_served=lambda: self.station is not None,
            forgets=self._path is None,
            clock=self._clock,
        )
        self.metrics = Metrics(self._view, HOST_COUNTERS, HOST_GAUGES)
        self._driver.start(self._itinerary.run, self._keep_time, self._heard.run)
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Close. Raise why the host has stopped by itself, unless a call has raised it or there is an exception."""
        try:
            if error is None:
                self._driver.raise_untold()
        finally:
            await self.close()

    def __getattr__(self, name: str) -> NoReturn:
        """Explain that the host is not open, if something is asked of it that only an open one has."""
        if name in ("_durable", "_driver", "_commits", "_links", "_itinerary", "_view", "metrics"):
            raise self._explain("the host is not open")
        raise AttributeError(f"a Host has no {name!r}")

    @property
    def station(self) -> ProcessId | None:
        """Return the station that serves this host now, or None."""
        return self._durable.host.cell if self._links.current is not None and self._durable.host.state == IN else None

    @property
    def sent(self) -> int:
        """Return how many messages this host has ever sent, restarts included: where to go on after a restart."""
        return self._durable.host.sent

    @property
    def unsent(self) -> int:
        """Return the number of messages that no station is known to have taken."""
        return len(self._durable.host.unsent)

    async def send(self, dests: ProcessId | Iterable[ProcessId], payload: bytes) -> MessageId:
        """Send `payload`. Return the message's identity when it is durable here. Raise `LimitReached` if too much waits
        for a station.
        """
        self._check()
        checked_payload(payload)
        if len(payload) > self._payload_bytes_max:
            raise Misuse(f"the payload has {len(payload)} bytes, and the limit is {self._payload_bytes_max}: split it")
        if self._path is None and not self._welcomed_at:
            await self.connected()  # the station knows how many messages were sent under this name
        identity = self._durable.send([dests] if isinstance(dests, str) else dests, payload)
        await self._driver.durable()
        return identity

    def __aiter__(self) -> AsyncIterator[Delivery]:
        return self

    async def __anext__(self) -> Delivery:
        self._acknowledgements.ask()
        while not self._ready:
            self._check(StopAsyncIteration())
            self._arrived.clear()
            await self._arrived.wait()
        delivered = self._ready.popleft()
        self._acknowledgements.take(delivered)
        return Delivery(self, delivered)

    async def ack(self, batch: Iterable[Delivery]) -> None:
        """Acknowledge these messages. When this returns, none of them is ever offered again."""
        self._check()
        for delivery in batch:
            self._durable.acknowledge(delivery.n)
            self._acknowledgements.acknowledge(delivery.n)
        await self._driver.durable()

    async def connected(self) -> ProcessId:
        """Wait until a station serves this host, and return its name."""
        await self._until(lambda: self.station is not None)
        return self._durable.host.cell

    async def drained(self) -> None:
        """Wait until stations have taken everything that was sent."""
        await self._until(lambda: not self._durable.host.unsent)

    async def move(self, url: str) -> ProcessId:
        """Go to the station at `url`. Return the station that serves this host then, which is another if that one is
        gone.
        """
        self._check()
        checked_url(url, self._tls)
        link = self._links.current
        if link is None or link.url != url:
            self._itinerary.want(url)
            await self._until(lambda: self._itinerary.wanted is None)
        return await self.connected()

    def trouble(self) -> str:
        """Return why no station serves this host now, as far as is known, or an empty string if one does."""
        return "" if self.station is not None else self._itinerary.trouble

    def problems(self) -> list[Problem]:
        """Return what is wrong now, each with since when and in words. The same is logged."""
        return self._view.problems()

    def counts(self) -> dict[str, int]:
        """Return what this host sent and got, restarts included, and what waits now."""
        return self._view.counts()

    def refusals(self) -> list[tuple[str, ProcessId]]:
        """Return the messages that went to nobody since the last call, each with the destination that is unknown."""
        taken = [(refusal.message, refusal.unknown) for refusal in self._refusals]
        self._refusals.clear()
        return taken

    def stations_heard(self) -> list[StationHeard]:
        """Return the stations whose beacons are heard, as they say, the last heard first. `move` takes their `url`."""
        return self._heard.stations()

    async def close(self) -> None:
        """Switch off. With a `path`, everything goes on from here the next time."""
        if self._closed:
            return
        self._closed = True
        link = self._links.current
        try:
            if self._driver.failure is None:
                self._view.tell_what_is_left()
                if link is not None:
                    await self._part(link)
        finally:
            await self._end()

    async def _part(self, link: Link) -> None:
        """Tell a station that this host leaves."""
        self._links.keep(link)
        self.lose(link)
        await self._commits.done()
        await self._links.finish()

    async def _end(self) -> None:
        """Stop everything, whatever has failed, and leave nothing open."""
        try:
            await self._driver.background.end()
            self._links.stop_writing()
            await self._links.end_former()
            await self._driver.close()
        finally:
            self._view.warn_of_unsent()
            self._wake()
            self._stack.close()

    def _fail(self, failure: Exception) -> None:
        """Stop at once, and log why. The next call of the application, or the end of its block, raises the failure."""
        if not self._closed:
            self._view.stop(failure)
        self._wake()

    def _check(self, error: BaseException | None = None) -> None:
        self._driver.check()
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
        shown = self._durable.commit()
        self._offer(shown.delivered)
        self._links.put(radio.packet for radio in shown.radios)
        self._changed.set()

    def _offer(self, delivered: Iterable[Delivered]) -> None:
        self._ready.extend(delivered)
        if self._ready:
            self._arrived.set()

    # Stations.

    async def _open(self, url: str) -> Link:
        timeouts = {"connect_s": self._connect_s, "ping_s": self._ping_s}
        has = self._durable.memory
        return await open_link(url, self.id, self._token, self._incarnation, self._tls, has=has, **timeouts)

    def enter(self, link: Link) -> None:
        """Internal: use `link` from now on. The last link ends when the station of the new one welcomes this host."""
        self._links.enter(link)
        is_first = self._path is None and not self._durable.host.move
        self._durable.enter(link.station, int(self._wall() * 1000) if is_first else 0)
        self._commits.soon()

    def lose(self, link: Link) -> None:
        """Internal: note that there is no link now."""
        if self._links.current is not None:
            self._durable.note("disconnect", link.station)
            self._durable.leave()
            self._links.leave()
            self._commits.soon()

    def note_change(self) -> None:
        """Internal: wake whoever waits for a change."""
        self._changed.set()

    def _come_near(self, url: str) -> None:
        self._itinerary.come_near(url)

    async def read(self, link: Link) -> None:
        """Internal: read everything that the station says."""
        try:
            async for said in link.socket:
                if isinstance(said, str):
                    self._take_notice(said)
                    continue
                for packet, data in websocket.read_packets(said):
                    self._durable.hear(packet, data)
                    if isinstance(packet.stamp, Welcome) and packet.stamp.move == self._durable.host.move:
                        self._note_welcome(link)
                await self._commits.done()
                if self.station is not None:
                    await self._links.end_former()
        except ConnectionClosed as error:
            raise explain_end(error) from None
        except RemoteViolation as error:
            raise NoStation(f"{shown_address(link.url)} sent a frame that is not valid: {error}") from None
        raise NoStation(f"{shown_address(link.url)} has ended the connection")

    def _note_welcome(self, link: Link) -> None:
        self._durable.note("connect" if self._welcomed_at in ("", link.station) else "move", link.station)
        self._welcomed_at = link.station

    def _take_notice(self, said: str) -> None:
        notice = websocket.read_text(said)
        counts = websocket.read_counts(notice)
        if self._path is None and counts is not None:
            self._durable.adopt(*counts)
        refusal = websocket.read_refusal(notice)
        if refusal is not None:
            self._refusals.append(refusal)
            self._changed.set()

    async def _keep_time(self) -> None:
        await self._driver.keep_time(lambda: self._durable.host.due, self._durable.tick, self._look)

    def _look(self) -> None:
        if not self._closed:  # what was told at the end is not over
            self._links.tell(self._view.look())
