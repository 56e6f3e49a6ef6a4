"""Real NATS servers with a configuration of the test's own: users, certificates, leaf nodes and clusters."""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from antecede.runtime.transport.nats.embedded import server_binary
from tests.paths import CERTIFICATE
from tests.runtime.ports import free_port, free_ports
from tests.runtime.proxy import Proxy

START_S = 20.0
HANDSHAKE_S = 10
"""How long a TLS handshake may take on a busy machine."""
KEY = CERTIFICATE.with_suffix(".key")


@dataclass(slots=True)
class Server:
    """One that runs; its address has no scheme. `home` is its folder."""

    address: str
    process: subprocess.Popen[bytes]
    home: Path

    def __str__(self) -> str:
        return self.address

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        """Start a server that was killed, at the same address and with what it kept."""
        self.process = start_server(self.home)


def start_server(home: Path) -> subprocess.Popen[bytes]:
    """Start the server of a folder that has its configuration, and wait until it listens."""
    process = subprocess.Popen([server_binary(), "-c", str(home / "nats.conf")], stderr=subprocess.DEVNULL)
    until = time.monotonic() + START_S
    while not (home / f"nats-server_{process.pid}.ports").exists():
        assert process.poll() is None, (home / "nats.log").read_text()
        assert time.monotonic() < until, "the server does not listen"
        time.sleep(0.02)
    return process


@contextmanager
def server(folder: Path, name: str, config: str = "", jetstream: str = "", port: int = 0) -> Iterator[Server]:
    """A server on a loopback port, which is free if none is given, with its store in `folder`."""
    home = folder / name
    home.mkdir(parents=True)
    port = port or free_port()
    path = home / "nats.conf"
    path.write_text(
        f"server_name: {name}\nlisten: 127.0.0.1:{port}\nports_file_dir: {json.dumps(str(home))}\n"
        f"log_file: {json.dumps(str(home / 'nats.log'))}\n"
        f"jetstream {{ store_dir: {json.dumps(str(home))}, {jetstream} }}\n{config}\n"
    )
    running = Server(f"127.0.0.1:{port}", start_server(home), home)
    try:
        yield running
    finally:
        running.kill()


@contextmanager
def hub_and_leaf(folder: Path) -> Iterator[tuple[Server, Server]]:
    """Two servers, each with JetStream of its own, in domains `hub` and `leaf`, joined as hub and leaf node."""
    port = free_port()
    with (
        server(folder, "hub", f"leafnodes {{ listen: 127.0.0.1:{port} }}", "domain: hub") as hub,
        server(
            folder, "leaf", f'leafnodes {{ remotes: [ {{ url: "nats-leaf://127.0.0.1:{port}" }} ] }}', "domain: leaf"
        ) as leaf,
    ):
        yield hub, leaf


@contextmanager
def cluster(folder: Path, size: int = 3, config: str = "") -> Iterator[list[Server]]:
    """Servers that keep streams together, each with this `config`."""
    ports = free_ports(size)
    with ExitStack() as stack:
        yield _start_cluster(stack, folder, ports, [ports] * size, config=config)


@dataclass(frozen=True, slots=True)
class RouteLinks:
    """The links between the servers of a cluster, by the places of who connects and who is connected to."""

    links: Mapping[tuple[int, int], Proxy]

    def of(self, at: int) -> list[Proxy]:
        """Return the links between one server and all others, in both directions."""
        return [link for ends, link in self.links.items() if at in ends]


@contextmanager
def linked_cluster(folder: Path, size: int = 3, config: str = "") -> Iterator[tuple[list[Server], RouteLinks]]:
    """A cluster whose servers reach each other, over TLS, through links that can be broken.

    Servers tell each other where they listen. The address that they tell leads nowhere, so that the links are the only
    way.
    """
    ports = free_ports(size)
    with ExitStack() as stack:
        links = {(one, other): Proxy(ports[other]) for one, other in permutations(range(size), 2)}
        for link in links.values():
            stack.callback(link.close)
        routes = [[links[at, other].port for other in range(size) if other != at] for at in range(size)]
        own = f'advertise: "127.0.0.1:1", {tls(verify=True)}'
        servers = _start_cluster(stack, folder, ports, routes, config=config, own=own)
        _wait_for_leader(servers)
        yield servers, RouteLinks(links)


def _wait_for_leader(servers: list[Server]) -> None:
    """Wait until the servers have found each other."""
    until = time.monotonic() + START_S
    while not any("new metadata leader" in (server.home / "nats.log").read_text() for server in servers):
        assert time.monotonic() < until, "the servers do not find each other"
        time.sleep(0.05)


def _start_cluster(
    stack: ExitStack, folder: Path, ports: list[int], routes: list[list[int]], *, config: str, own: str = ""
) -> list[Server]:
    """Start servers that listen to each other at `ports`, and connect to the `routes` of each.

    `own` is more configuration of the cluster.
    """
    servers: list[Server] = []
    for at, (port, client) in enumerate(zip(ports, free_ports(len(ports)), strict=True)):
        urls = ", ".join(f'"nats-route://127.0.0.1:{route}"' for route in routes[at])
        listen = f"cluster {{ name: c, listen: 127.0.0.1:{port}, routes: [ {urls} ], {own} }}\n{config}"
        servers.append(stack.enter_context(server(folder, f"n{at + 1}", listen, port=client)))
    return servers


def tls(*, verify: bool = False) -> str:
    """The configuration of a server that shows the certificate of the tests, and wants to see one where `verify`."""
    asks = f"ca_file: {json.dumps(str(CERTIFICATE))}, verify: true" if verify else ""
    shows = f"cert_file: {json.dumps(str(CERTIFICATE))}, key_file: {json.dumps(str(KEY))}"
    return f"tls {{ {shows}, timeout: {HANDSHAKE_S}, {asks} }}"
