"""Real NATS servers with a configuration of the test's own: users, certificates, leaf nodes and clusters."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from antecede.runtime.transport.nats.embedded import server_binary
from tests.paths import CERTIFICATE
from tests.runtime.town import free_port

START_S = 20.0
KEY = CERTIFICATE.with_suffix(".key")


@dataclass(frozen=True, slots=True)
class Server:
    """One that runs; its address has no scheme."""

    address: str
    process: subprocess.Popen[bytes]

    def __str__(self) -> str:
        return self.address

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def server(folder: Path, name: str, config: str = "", jetstream: str = "") -> Iterator[Server]:
    """A server on a free loopback port, with its store in `folder`."""
    home = folder / name
    home.mkdir(parents=True)
    port = free_port()
    path = home / "nats.conf"
    path.write_text(
        f"server_name: {name}\nlisten: 127.0.0.1:{port}\nports_file_dir: {json.dumps(str(home))}\n"
        f"log_file: {json.dumps(str(home / 'nats.log'))}\n"
        f"jetstream {{ store_dir: {json.dumps(str(home))}, {jetstream} }}\n{config}\n"
    )
    process = subprocess.Popen([server_binary(), "-c", str(path)], stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + START_S
        while not (home / f"nats-server_{process.pid}.ports").exists():
            assert process.poll() is None, (home / "nats.log").read_text()
            assert time.monotonic() < until, "the server does not listen"
            time.sleep(0.02)
        yield Server(f"127.0.0.1:{port}", process)
    finally:
        process.kill()
        process.wait()


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
def cluster(folder: Path, size: int = 3) -> Iterator[list[Server]]:
    """Servers that keep streams together."""
    ports = [free_port() for _ in range(size)]
    routes = ", ".join(f'"nats-route://127.0.0.1:{port}"' for port in ports)
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                server(folder, f"n{at}", f"cluster {{ name: c, listen: 127.0.0.1:{port}, routes: [ {routes} ] }}")
            )
            for at, port in enumerate(ports, 1)
        ]


def tls(*, verify: bool = False) -> str:
    """The configuration of a server that shows the certificate of the tests, and wants to see one where `verify`."""
    asks = f"ca_file: {json.dumps(str(CERTIFICATE))}, verify: true" if verify else ""
    return f"tls {{ cert_file: {json.dumps(str(CERTIFICATE))}, key_file: {json.dumps(str(KEY))}, {asks} }}"
