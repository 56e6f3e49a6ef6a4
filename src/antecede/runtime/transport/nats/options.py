"""How to connect to NATS and how inboxes are kept there; and addresses as they may be shown to anybody."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from inspect import signature
from typing import Any

from nats.aio.client import Client

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId

SIGNED = frozenset({"user_credentials", "nkeys_seed", "nkeys_seed_str"})
SECRET = re.compile(r"^(\w+:/+)?.*@")


@dataclass(frozen=True, slots=True)
class NatsOptions:
    """How inboxes are kept, and how to connect.

    `replicas` are the servers of a cluster that keep the inbox; `domain` is the JetStream domain it is in;
    `inbox_bytes_max` bounds it; `addresses` are servers of peers that can not be reached through ours. `connect` goes
    to `nats.connect` as it is: tls, user, password, token, user_credentials, nkeys_seed.
    """

    replicas: int = 1
    inbox_bytes_max: int = -1
    domain: str | None = None
    addresses: Mapping[ProcessId, str] = field(default_factory=dict)
    connect: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        unknown = sorted(set(self.connect) - signature(Client.connect).parameters.keys())
        if unknown:
            raise Misuse(f"connect={{{unknown[0]!r}: ...}}: nats.connect has no option of this name")
        signed = sorted(SIGNED & self.connect.keys())
        if signed and find_spec("nkeys") is None:
            raise Misuse(f"{signed[0]} needs signatures: pip install 'antecede[nkeys]'")


def shown(servers: Sequence[str]) -> str:
    """The addresses, without the user, password or token that they may carry."""
    each = [part for server in servers for part in server.split(",")]
    return ", ".join(SECRET.sub(r"\1", one) for one in each)
