"""A host's end of the WebSocket to a station: connected, and introduced."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, field
from ssl import SSLContext
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.uri import parse_uri

from antecede.core.errors import AntecedeError, Misuse, WireError
from antecede.core.types import ProcessId
from antecede.runtime import frames
from antecede.runtime.roaming import websocket
from antecede.runtime.transport.nats.options import shown_address, without_secrets

CONNECT_S = 5.0
PING_S = 20.0
CLOSE_S = 1.0
FRAME_BYTES_MAX = 2**20
TOO_BIG = 1009
CANNOT_CONNECT = (OSError, TimeoutError, WebSocketException, ValueError)
"""What `websockets.connect` raises; a ValueError is for a place that a station has sent the host to."""


class HostRefused(AntecedeError):
    """The station will not serve this host, now or later. The message is the station's reason."""


class NoStation(AntecedeError):
    """The station cannot be reached now."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """An open connection to `station`. It takes frames of `frame_bytes`, and may take problems and `RegisterFrom`."""

    socket: ClientConnection
    url: str = field(repr=False)
    station: ProcessId
    frame_bytes: int
    takes_problems: bool = False
    takes_left: bool = False


def checked_url(url: str, tls: SSLContext | None) -> str:
    """Return `url`. Raise `Misuse` if it is not the address of a station, or not encrypted although `tls` is given."""
    scheme = ""
    with suppress(ValueError, TypeError, AttributeError, InvalidURI):
        parts = urlsplit(url)
        parse_uri(url)
        scheme = parts.scheme if parts.port != 0 and not re.search(r"\s", url) else ""
    if scheme not in ("ws", "wss"):
        raise Misuse(
            f"{shown_address(str(url))!r} is not the address of a station: write ws://host:port or wss://host:port"
        )
    if tls is not None and scheme == "ws":
        raise Misuse(f"{shown_address(url)} is not encrypted, but tls is given: write wss://, or leave tls out")
    return url


def trust(url: str, tls: SSLContext | None) -> SSLContext | bool | None:
    """Return the `ssl` argument of `websockets` for a URL: None if the connection is not encrypted."""
    return (tls or True) if url.startswith("wss:") else None


async def open_link(
    url: str,
    host: ProcessId,
    token: str,
    incarnation: str,
    tls: SSLContext | None,
    *,
    has: websocket.HostMemory = websocket.NOTHING,
    connect_s: float = CONNECT_S,
    ping_s: float = PING_S,
) -> Link:
    """Connect to the station at `url`, and return the link.

    Raise `NoStation` if there is no station now, and `HostRefused` if the station does not serve this host.

    `has` is what the host has, as it tells the station. `connect_s` is how long the connection, and then the answer of
    the station, may take. A station that does not answer a ping within `ping_s` is gone.
    """
    try:
        socket = await connect(
            checked_url(url, tls),
            ssl=trust(url, tls),
            proxy=None,
            compression=None,
            max_size=FRAME_BYTES_MAX,
            open_timeout=connect_s,
            ping_interval=ping_s,
            ping_timeout=ping_s,
            close_timeout=CLOSE_S,
            logger=websocket.QUIET,
        )
    except CANNOT_CONNECT as error:
        raise not_connected(url, error) from None
    try:
        await socket.send(websocket.hello(token, incarnation, host, has))
        async with asyncio.timeout(connect_s):
            answer = websocket.read_answer(await socket.recv())
        takes = [what in answer.takes for what in (frames.TAKES_PROBLEMS, frames.TAKES_LEFT)]
        return Link(socket, url, answer.station, answer.frame_bytes, *takes)
    except (ConnectionClosed, TimeoutError) as error:
        await socket.close()
        raise explain_end(error) from None
    except WireError:
        await socket.close()
        raise NoStation(f"{shown_address(url)} is not a station") from None


def not_connected(url: str, error: Exception) -> NoStation:
    """Return the error for a station that there is no connection to, without the secrets of a URL."""
    return NoStation(f"{shown_address(url)}: {without_secrets(str(error)) or type(error).__name__}")


async def hang_up(link: Link) -> None:
    """Close the connection. Do not wait for a station that hangs, as `websockets` would until everything was read."""
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(2 * CLOSE_S):
                await link.socket.close()
    finally:
        link.socket.transport.abort()


def explain_end(error: Exception) -> AntecedeError:
    """Return the error for the end of a connection: `HostRefused` if the station said so, and otherwise `NoStation`."""
    close = error.rcvd if isinstance(error, ConnectionClosed) else None
    if close is not None and close.code in (websocket.REFUSED, websocket.REPLACED, TOO_BIG):
        return HostRefused(f"the station closed the connection: {close.reason or close.code}")
    return NoStation(f"the connection ended: {close.reason if close is not None and close.reason else repr(error)}")
