"""A TCP link that can be cut, that can swallow everything, and that can be slow."""

import asyncio
import threading
from contextlib import suppress
from urllib.parse import urlsplit


class Proxy:
    """From a free loopback port to `port`, in a thread of its own. `delay_s` is for each chunk, each way.

    `user` is what a NATS server at that port wants to see in a URL: `user:password`.
    """

    def __init__(self, port: int, user: str = "") -> None:
        self.target, self.delay_s, self.swallows = port, 0.0, False
        self._user = f"{user}@" if user else ""
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._done = asyncio.Event()
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve(ready)))
        self._thread.start()
        ready.wait()

    @property
    def url(self) -> str:
        return f"nats://{self._user}127.0.0.1:{self.port}"

    @classmethod
    def to(cls, url: str) -> "Proxy":
        """Return a link to the NATS server at `url`."""
        parts = urlsplit(url)
        assert parts.port is not None
        return cls(parts.port, parts.netloc.rpartition("@")[0])

    def cut(self) -> None:
        """End every connection; new ones are taken, but nothing passes until `heal`."""
        self.swallows = True
        self._loop.call_soon_threadsafe(self._cut)

    def swallow(self) -> None:
        """Connections stay, and nothing passes: what a lost route looks like."""
        self.swallows = True

    def heal(self) -> None:
        """Links that lost something are of no use any more: they end, and can be made again."""
        self.swallows = False
        self._loop.call_soon_threadsafe(self._cut)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join()
        self._loop.close()

    def _cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, ready: threading.Event) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._done.wait()
        server.close()
        self._cut()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()  # the server is not there either
            return
        self._writers |= {writer, far_writer}
        try:
            await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer))
        finally:
            for one in (writer, far_writer):
                self._writers.discard(one)
                one.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await asyncio.sleep(self.delay_s)
                if not self.swallows:
                    writer.write(data)
                    await writer.drain()
        writer.transport.abort()
