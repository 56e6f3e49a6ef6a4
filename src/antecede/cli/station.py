"""`antecede station`: serve roaming hosts over WebSocket until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import ipaddress
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.cli import broker
from antecede.core.errors import AntecedeError, Misuse

if TYPE_CHECKING:
    from ssl import SSLContext

EXPLANATION = """\
Run a station, which serves roaming hosts and delivers their messages in causal order. All stations have the same list
of names, and reach each other through NATS. Hosts connect over WebSocket, with a token (see antecede token). The state
is in the store: if a station is killed, it continues from the store when it is started again.
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "station",
        help="run a station, which serves roaming hosts over WebSocket",
        description=EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--name", required=True, help="the name of this station")
    parser.add_argument("--stations", required=True, metavar="A,B,...", help="the names of all stations, with this one")
    parser.add_argument(
        "--listen",
        default="127.0.0.1:0",
        metavar="HOST:PORT",
        help="the address to listen on; default: any port of 127.0.0.1",
    )
    parser.add_argument(
        "--announce",
        metavar="ADDRESS:PORT",
        help="send a beacon there, by which hosts that are not connected learn of this station: a broadcast or "
        "multicast address, or that of one host; default: none",
    )
    parser.add_argument(
        "--announce-every", type=float, default=1.0, metavar="S", help="seconds between two beacons; default: 1"
    )
    parser.add_argument(
        "--announce-url", metavar="URL", help="the URL in the beacon, as hosts were given it; default: made of --listen"
    )
    parser.add_argument(
        "--key", required=True, type=Path, metavar="FILE", help="the key that signs tokens, at least 32 bytes"
    )
    parser.add_argument("--store", type=Path, metavar="DIR", help="the folder for the state; required with nats://")
    parser.add_argument("--space", default="roam", help="the name of the space; spaces are independent; default: roam")
    parser.add_argument(
        "--durability",
        choices=("process", "power"),
        default="process",
        help="what the state survives: a crash of the process, or a power cut; default: process",
    )
    parser.add_argument(
        "--wire",
        type=int,
        choices=(1, 2),
        default=2,
        help="the newest form of frames between stations; give 1 to all before going back to a release that reads only "
        "form 1; default: 2",
    )
    parser.add_argument(
        "--metrics", type=int, metavar="PORT", help="serve metrics for Prometheus at 127.0.0.1:PORT/metrics"
    )
    parser.add_argument("--trace", metavar="DIR", help="the folder for the trace, or jetstream:NAME")
    parser.add_argument(
        "--replicas",
        type=int,
        default=1,
        metavar="N",
        help="the number of NATS servers that keep the inbox; default: 1",
    )
    broker.add(parser)
    _add_hosts(parser.add_argument_group("hosts"))
    _add_tls(parser.add_argument_group("TLS"))


def _add_hosts(group: Any) -> None:
    group.add_argument(
        "--policy", choices=("store", "drop"), default="store", help="messages for hosts that are away; default: store"
    )
    group.add_argument(
        "--stored-max", type=int, default=1_500, metavar="N", help="the most messages kept for one host; default: 1500"
    )
    group.add_argument(
        "--frame-bytes", type=int, default=8_192, metavar="N", help="the longest frame from a host; default: 8192"
    )
    group.add_argument(
        "--rate",
        type=float,
        default=1_000.0,
        metavar="N",
        help="the most packets per second from one host; default: 1000",
    )
    group.add_argument(
        "--ping",
        type=float,
        default=20.0,
        metavar="S",
        help="seconds between pings; a host silent for twice as long is away; default: 20",
    )
    group.add_argument(
        "--connections",
        type=int,
        default=10_000,
        metavar="N",
        help="the most connections at the same time; default: 10000",
    )
    group.add_argument("--allow-remote", action="store_true", help="allow an address that other machines can reach")


def _add_tls(group: Any) -> None:
    group.add_argument(
        "--tls-cert", type=Path, metavar="FILE", help="the certificate chain for hosts that connect with wss://"
    )
    group.add_argument("--tls-key", type=Path, metavar="FILE", help="the private key of --tls-cert")


def run(arguments: argparse.Namespace) -> int:
    from antecede.runtime.roaming.beacon import parse_address

    host, port = _address(arguments.listen)
    tls = _tls(arguments)
    if arguments.announce is not None and not arguments.allow_remote:
        to, _ = parse_address(arguments.announce)
        if not _is_loopback(to):
            raise Misuse(f"other machines can read beacons sent to {to}: add --allow-remote to allow this")
    if not _is_loopback(host):
        if not arguments.allow_remote:
            raise Misuse(f"other machines can reach {host}: add --allow-remote to allow this, or listen on 127.0.0.1")
        if tls is None:
            print("antecede: warning: without --tls-cert, tokens and messages are sent unencrypted", file=sys.stderr)
    if broker.url(arguments).partition(":")[0] != "embedded" and arguments.store is None:
        raise Misuse("give --store DIR: without it, a restarted station would not know its hosts")
    return asyncio.run(_serve(arguments, (host, port), tls))


async def _serve(arguments: argparse.Namespace, listen: tuple[str, int], tls: SSLContext | None) -> int:
    """Run the station until SIGTERM or SIGINT comes. Before it is open, as while NATS is awaited, at once."""
    stop, opened = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(_serve_until(stop, opened, arguments, listen, tls))

    def end() -> None:
        stop.set()
        if not opened.is_set():
            serving.cancel()

    for signaled in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signaled, end)
    try:
        return await serving
    except asyncio.CancelledError:
        if not stop.is_set():
            raise
        print("antecede: stopped before the station was open", file=sys.stderr)
        return 130


async def _serve_until(
    stop: asyncio.Event,
    opened: asyncio.Event,
    arguments: argparse.Namespace,
    listen: tuple[str, int],
    tls: SSLContext | None,
) -> int:
    """Run the station until `stop` is set. Set `opened` when it listens."""
    from antecede.runtime.roaming.station.serve import policy, serve_station
    from antecede.runtime.roaming.tokens import read_key
    from antecede.runtime.roaming.websocket import AirLimits
    from antecede.runtime.transport.urls import NOT_GIVEN

    async with serve_station(
        broker.url(arguments),
        name=arguments.name,
        stations=[name.strip() for name in arguments.stations.split(",")],
        key=read_key(arguments.key),
        listen=listen,
        announce=arguments.announce,
        announce_every_s=arguments.announce_every,
        announce_url=arguments.announce_url,
        space=arguments.space,
        store=NOT_GIVEN if arguments.store is None else arguments.store,
        durability=arguments.durability,
        wire=arguments.wire,
        rules=policy(arguments.policy, arguments.stored_max),
        limits=AirLimits(
            frame_bytes=arguments.frame_bytes,
            packets_per_s=arguments.rate,
            connections=arguments.connections,
            ping_s=arguments.ping,
        ),
        tls=tls,
        nats=broker.options(arguments, replicas=arguments.replicas),
        trace=arguments.trace,
    ) as server:
        opened.set()
        metrics = None if arguments.metrics is None else server.metrics.serve(arguments.metrics)
        shown = f"[{listen[0]}]" if ":" in listen[0] else listen[0]
        print(f"{arguments.name} listens at {'ws' if tls is None else 'wss'}://{shown}:{server.port}", flush=True)
        failed, stopped = asyncio.create_task(server.failed()), asyncio.create_task(stop.wait())
        await asyncio.wait((failed, stopped), return_when=asyncio.FIRST_COMPLETED)
        if metrics is not None:
            metrics.shutdown()
        stopped.cancel()
        if failed.done():
            fault = failed.result()
            raise fault if isinstance(fault, AntecedeError) else RuntimeError("a bug in antecede") from fault
        failed.cancel()
    return 0


def _tls(arguments: argparse.Namespace) -> SSLContext | None:
    if arguments.tls_cert is None and arguments.tls_key is None:
        return None
    if arguments.tls_cert is None or arguments.tls_key is None:
        raise Misuse("TLS needs both --tls-cert and --tls-key")
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(arguments.tls_cert, arguments.tls_key)
    except OSError as error:
        raise Misuse(f"{arguments.tls_cert} and {arguments.tls_key} cannot be used: {error}") from error
    return context


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise Misuse(f"{text!r} is not an address: give HOST:PORT, such as 127.0.0.1:7001")
    return host.strip("[]"), int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
