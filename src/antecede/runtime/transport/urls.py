"""URLs of networks: `nats://host:port`, `tls://user:password@host:port`, `embedded://`, `embedded:///folder`.

A URL also decides where stores are kept if the caller does not say. `embedded:///folder` keeps them in that folder,
beside what its server keeps. `nats://` has no folder, and its server remembers every name: the caller has to say.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.runtime.transport.contract import Network, Unreachable
from antecede.runtime.transport.names import label
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork, address
from antecede.runtime.transport.nats.network import NatsNetwork
from antecede.runtime.transport.nats.options import NatsOptions, describe_servers

EXAMPLES = "give nats://host:port, embedded:// or embedded:///folder, with three slashes"
NATS_SCHEMES = ("nats", "tls", "ws", "wss")


class NotGiven(Enum):
    """The type of the default of an argument for which None has a meaning of its own."""

    NOT_GIVEN = "not given"

    def __repr__(self) -> str:
        return "not given"


NOT_GIVEN: Final = NotGiven.NOT_GIVEN


def network_of(url: str | Network, options: NatsOptions | None = None) -> Network:
    """Return the network of a URL. Return a network as it is."""
    if not isinstance(url, str):
        if options is not None:
            raise Misuse("options for NATS need a URL: a network object has its own options")
        return url
    options = options or NatsOptions()
    try:
        parts = urlsplit(url.partition(",")[0])
    except ValueError:
        raise Misuse(f"{describe_servers([url])!r} is not a URL of a server: {EXAMPLES}") from None
    if parts.scheme in NATS_SCHEMES and parts.netloc:
        return NatsNetwork(url.split(","), options)
    if parts.scheme == "embedded" and not parts.netloc:
        folder = Path(unquote(parts.path)) if parts.path.strip("/") else None
        return EmbeddedNetwork(folder, options)
    raise Misuse(f"{describe_servers([url])!r}: {EXAMPLES}")


def path_of_store(store: str | Path | NotGiven | None, network: Network, space: str, process: ProcessId) -> Path | None:
    """Return the file for the store of a process on `network`, or None for a store in memory."""
    folder = folder_of_stores(store, network)
    return None if folder is None else folder / f"{label(space)}_{label(process)}.sqlite"


def folder_of_stores(store: str | Path | NotGiven | None, network: Network) -> Path | None:
    """Return the folder for the store of a process on `network`, or None for a store in memory.

    Raise `Misuse` if `store` was not given and the network is a NATS server that outlives this process: it would refuse
    the name after a restart, because the store in memory is gone. An empty text is not a folder.
    """
    if store == "":
        raise Misuse("store='' is not a folder: give a folder, or store=None for a state in memory")
    if not isinstance(store, NotGiven):
        return None if store is None else Path(store)
    if isinstance(network, NatsNetwork):
        raise Misuse(
            f"{describe_servers(network.servers)} remembers every name, and a name can be used again only with its "
            "store: give store=FOLDER, or store=None if this name is for one run only"
        )
    return network.stores if isinstance(network, EmbeddedNetwork) else None


def servers_of(url: str) -> list[str]:
    """Return the servers of a NATS that runs already. Raise `Unreachable` if the embedded server does not run."""
    network = network_of(url)
    if isinstance(network, NatsNetwork):
        return list(network.servers)
    folder = Path(unquote(urlsplit(url).path))
    found = address(folder)
    if found is None:
        raise Unreachable(f"no server runs in {folder}: it runs only while a process uses it")
    return [found]
