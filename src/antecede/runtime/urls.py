"""URLs of networks: `nats://host:port`, `tls://user:password@host:port`, `embedded://`, `embedded:///folder`."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from antecede.core.errors import Misuse
from antecede.runtime.embedded import EmbeddedNetwork, address
from antecede.runtime.nats import NatsNetwork
from antecede.runtime.natsoptions import NatsOptions, shown
from antecede.runtime.transport import Network, Unreachable

EXAMPLES = "give nats://host:port, embedded:// or embedded:///folder, with three slashes"
NATS_SCHEMES = ("nats", "tls", "ws", "wss")


def network_of(url: str | Network, options: NatsOptions | None = None) -> tuple[Network, Path | None]:
    """The network, and the folder in which it would have stores kept, if it has one."""
    if not isinstance(url, str):
        if options is not None:
            raise Misuse("options for NATS go with a URL: a network that is given has its own")
        return url, None
    options = options or NatsOptions()
    try:
        parts = urlsplit(url.partition(",")[0])
    except ValueError:
        raise Misuse(f"{shown([url])!r} is no URL: {EXAMPLES}") from None
    if parts.scheme in NATS_SCHEMES:
        return NatsNetwork(url.split(","), options), None
    if parts.scheme == "embedded" and not parts.netloc:
        folder = Path(unquote(parts.path)) if parts.path.strip("/") else None
        return EmbeddedNetwork(folder, options), None if folder is None else folder / "stores"
    raise Misuse(f"{shown([url])!r}: {EXAMPLES}")


def servers_of(url: str) -> list[str]:
    """The servers of a NATS that runs already, for whoever only wants to look."""
    network, _ = network_of(url)
    if isinstance(network, NatsNetwork):
        return list(network.servers)
    folder = Path(unquote(urlsplit(url).path))
    found = address(folder)
    if found is None:
        raise Unreachable(f"no server runs in {folder}: it is there as long as somebody uses it")
    return [found]
