"""Define how commands reach NATS: the options that `station`, `status` and `trace` share.

Secrets do not belong on a command line, because every user of the machine can read it. So `ANTECEDE_NATS` in the
environment can replace `--nats`, and keys and credentials come from files.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from ssl import SSLContext

    from antecede.runtime.transport.nats.options import NatsOptions

VARIABLE = "ANTECEDE_NATS"


def add(parser: argparse.ArgumentParser) -> None:
    """Add `--nats` and the options of the connection to a parser.

    There is no option for the timeouts: a program that runs a command itself may set `nats_limits` of its arguments.
    """
    parser.set_defaults(nats_limits=None)
    group = parser.add_argument_group("NATS")
    group.add_argument(
        "--nats",
        default=os.environ.get(VARIABLE),
        metavar="URL",
        help=f"nats://host:port, tls://host:port, embedded:///folder; default: ${VARIABLE}",
    )
    group.add_argument(
        "--nats-ca", type=Path, metavar="FILE", help="the authority that signed the certificates of the servers"
    )
    group.add_argument(
        "--nats-cert", type=Path, metavar="FILE", help="the client certificate, if the servers ask for one"
    )
    group.add_argument("--nats-key", type=Path, metavar="FILE", help="the private key of --nats-cert")
    group.add_argument("--nats-creds", type=Path, metavar="FILE", help="the credentials: a JWT and its seed")
    group.add_argument("--nats-nkey", type=Path, metavar="FILE", help="the seed of an nkey")
    group.add_argument("--domain", metavar="NAME", help="the JetStream domain")


def url(arguments: argparse.Namespace) -> str:
    """Return the URL of the NATS server, or raise `Misuse` if neither an option nor the environment gives it."""
    if not arguments.nats:
        raise Misuse(f"no NATS server is given: use --nats nats://host:port, or set {VARIABLE} in the environment")
    return str(arguments.nats)


def options(arguments: argparse.Namespace, *, replicas: int = 1) -> NatsOptions:
    """Return the options of the connection."""
    from antecede.runtime.transport.nats.options import NatsLimits, NatsOptions

    limits = arguments.nats_limits or NatsLimits()
    return NatsOptions(replicas=replicas, domain=arguments.domain, connect=_connect(arguments), limits=limits)


def _connect(arguments: argparse.Namespace) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    if arguments.nats_ca is not None or arguments.nats_cert is not None:
        settings["tls"] = tls_context(arguments.nats_ca, arguments.nats_cert, arguments.nats_key)
    for name, path in (("user_credentials", arguments.nats_creds), ("nkeys_seed", arguments.nats_nkey)):
        if path is not None:
            settings[name] = str(_readable(path))
    return settings


def tls_context(authority: Path | None, certificate: Path | None = None, key: Path | None = None) -> SSLContext:
    """Return TLS for servers that `authority` vouches for, with a client certificate if there is one."""
    import ssl

    try:
        context = ssl.create_default_context(cafile=authority)
        if certificate is not None:
            context.load_cert_chain(certificate, key)
    except OSError as error:
        files = ", ".join(str(path) for path in (authority, certificate, key) if path is not None)
        raise Misuse(f"the certificates in {files} cannot be used: {error}") from error
    return context


def _readable(path: Path) -> Path:
    if not path.is_file():
        raise Misuse(f"the file {path} does not exist")
    return path
