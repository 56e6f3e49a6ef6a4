"""URLs of networks: `nats://host:port`, `tls://host:port`, `embedded://`, `embedded:///folder`."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from antecede.core.errors import Misuse
from antecede.runtime.embedded import EmbeddedNetwork
from antecede.runtime.nats import NatsNetwork
from antecede.runtime.transport import Network

NATS_SCHEMES = ("nats", "tls", "ws", "wss")


def network_of(url: str | Network) -> tuple[Network, Path | None]:
    """The network, and the folder in which it would have stores kept, if it has one."""
    if not isinstance(url, str):
        return url, None
    parts = urlsplit(url.partition(",")[0])
    if parts.scheme in NATS_SCHEMES:
        return NatsNetwork(url.split(",")), None
    if parts.scheme == "embedded" and not parts.netloc:
        folder = Path(unquote(parts.path)) if parts.path.strip("/") else None
        return EmbeddedNetwork(folder), None if folder is None else folder / "stores"
    raise Misuse(f"{url!r}: give nats://host:port, embedded:// or embedded:///folder, with three slashes")
