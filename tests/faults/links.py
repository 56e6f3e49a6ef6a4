"""Nodes, and stations with hosts, some of whose links can be cut, swallow everything, or be slow."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from tests.runtime.arena import Arena, arena
from tests.runtime.conditions import Conditions
from tests.runtime.ports import free_port
from tests.runtime.proxy import Proxy
from tests.runtime.town import STATIONS, Town, town


@contextmanager
def linked_arena(
    folder: Path, names: str, *, messages: int, seed: int, conditions: Conditions
) -> Iterator[tuple[Arena, list[Proxy]]]:
    """Start nodes. Yield them with the link by which the last of them reaches the server."""
    with server(folder) as url, links(url) as made:
        urls = {names.rsplit(maxsplit=1)[-1]: made[0].url}
        with arena(folder, names, messages=messages, seed=seed, urls=urls, conditions=conditions) as run:
            yield run, made


@contextmanager
def linked_town(
    folder: Path, hosts: str, *, messages: int, seed: int, conditions: Conditions
) -> Iterator[tuple[Town, list[Proxy]]]:
    """Start stations and hosts. Yield them with their links: the one by which the last station reaches the server, and
    those by which hosts reach stations.
    """
    ports = {name: free_port() for name in STATIONS}
    with (
        server(folder) as url,
        links(url, *ports.values()) as made,
        town(
            folder,
            hosts,
            messages=messages,
            seed=seed,
            ports=ports,
            nats={STATIONS[-1]: made[0].url},
            air={name: link.port for name, link in zip(STATIONS, made[1:], strict=True)},
            conditions=conditions,
        ) as run,
    ):
        yield run, made


@contextmanager
def links(url: str, *ports: int) -> Iterator[list[Proxy]]:
    """Yield links to the server at `url`, and to each of these ports."""
    with ExitStack() as stack:
        made = [Proxy.to(url), *(Proxy(port) for port in ports)]
        for link in made:
            stack.callback(link.close)
        yield made


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Keep the embedded server of `folder` in use as long as this lasts, and yield its URL."""
    network = EmbeddedNetwork(folder / "nats")
    asyncio.run(network.start())
    try:
        yield network.url
    finally:
        asyncio.run(network.stop())
