"""A station with 5,000 connected hosts is killed: all of them come back at the same time, and nothing is lost."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from antecede.core.effects import Deliver
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host import IN, OUT, Host
from antecede.core.wire.packets import encode
from antecede.runtime import frames
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.durable_host import NOWHERE
from antecede.runtime.roaming.tokens import issue
from tests.runtime.ports import free_port
from tests.runtime.town import KEY, Town, town

pytestmark = pytest.mark.slow

HOSTS = 5_000
OPENING_MAX = 200
PAUSE_S, DEADLINE_S = 1.0, 500.0


@pytest.fixture(autouse=True)
def enough_files() -> Iterator[None]:
    """Every connection is a file, here and at the station."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[1], 4 * HOSTS), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


class PlainHost:
    """The core's host on a WebSocket, with its state in memory and without timers: 5,000 of them fit into a test."""

    def __init__(self, name: str, url: str, opening: asyncio.Semaphore) -> None:
        self.host = Host(name, NOWHERE, NOWHERE, state=OUT)
        self.got: list[bytes] = []
        self._url, self._opening = url, opening
        self._socket: ClientConnection | None = None

    @property
    def is_served(self) -> bool:
        return self.host.state == IN

    async def send(self, to: str, payload: bytes) -> None:
        await self._carry_out(self.host.send([to], payload))

    async def live(self) -> None:
        """Connect, again and again."""
        while True:
            with suppress(OSError, WebSocketException):
                await self._connect()
            if self.host.state != OUT:
                self.host.leave()
            await asyncio.sleep(PAUSE_S)

    async def _connect(self) -> None:
        async with AsyncExitStack() as stack:
            async with self._opening:
                opened = connect(self._url, proxy=None, compression=None, open_timeout=DEADLINE_S)
                self._socket = await stack.enter_async_context(opened)
                await self._socket.send(websocket.hello(issue(KEY, self.host.me), "1"))
                await self._socket.recv()
                await self._carry_out(self.host.enter("s1"))
            await self._hear(self._socket)

    async def _hear(self, socket: ClientConnection) -> None:
        async for said in socket:
            assert isinstance(said, bytes), f"{self.host.me} is told {said!r}"
            for packet, _ in websocket.read_packets(said):
                await self._carry_out(self.host.hear(packet))

    async def _carry_out(self, effects: Iterable[Effect]) -> None:
        radios = [encode(effect.packet) for effect in effects if isinstance(effect, Radio)]
        self.got += [effect.message.payload for effect in effects if isinstance(effect, Deliver)]
        if radios and self._socket is not None:
            with suppress(ConnectionClosed):  # it is said again when the host has registered again
                await self._socket.send(frames.packets(0, radios))


async def wait_until_all(hosts: list[PlainHost], *, have: int) -> None:
    """Wait until the station serves all hosts, and each has so many messages."""
    while not all(one.is_served and len(one.got) == have for one in hosts):
        await asyncio.sleep(0.2)


async def scenario(run: Town) -> list[PlainHost]:
    """Each host sends to the next one, before the station is killed and while it is away."""
    opening = asyncio.Semaphore(OPENING_MAX)
    hosts = [PlainHost(f"host{number}", run.urls[0], opening) for number in range(HOSTS)]
    async with asyncio.TaskGroup() as group:
        living = [group.create_task(one.live()) for one in hosts]
        await wait_until_all(hosts, have=0)
        for word in (b"one", b"two"):
            for one, other in zip(hosts, [*hosts[1:], hosts[0]], strict=True):
                await one.send(other.host.me, word)
            if word == b"one":
                run.kill("s1")
        run.start("s1")
        await wait_until_all(hosts, have=2)
        for task in living:
            task.cancel()
    return hosts


def test_five_thousand_hosts_come_back_to_a_station_that_was_killed(tmp_path: Path, seed: int) -> None:
    with town(tmp_path, "", messages=0, seed=seed, ports={"s1": free_port()}) as run:
        run.wait(lambda: run.listens("s1"))
        hosts = asyncio.run(asyncio.wait_for(scenario(run), DEADLINE_S))
        assert [one.host.me for one in hosts if one.got != [b"one", b"two"]] == []
        run.running["s1"].terminate()
        assert run.ended("s1") == 0, run.log("s1")
        assert run.whole()
