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
class NatsLimits:
    """How long a connection waits for NATS, and how much it asks for at once."""

    connect_s: float = 10.0
    """How long the first connection may take."""
    ping_s: float = 5.0
    """The time between two pings. A server that leaves two unanswered is gone."""
    answer_s: float = 5.0
    """How long a publication or a request waits for its answer."""
    duplicates_s: float = 120.0
    """How long an inbox remembers a publication, and drops its repetition."""
    ack_wait_s: float = 5.0
    """How long the server waits for the acknowledgement of a message before it gives the message out again."""
    batch: int = 256
    """The messages that one request to the inbox asks for."""
    request_s: float = 30.0
    """How long a request to the inbox is open."""
    heartbeat_s: float = 2.0
    """The time between two signs of life on an open request. A request without any for twice as long is lost."""


@dataclass(frozen=True, slots=True)
class NatsOptions:
    """How to connect to NATS, and how inboxes are kept there.

    `replicas` is the number of servers of a cluster that keep the inbox. `inbox_bytes_max` bounds it; -1 is no bound.
    `domain` is the JetStream domain that it is in. `addresses` are the servers of peers that cannot be reached through
    ours. `connect` goes to `nats.connect` as it is: tls, user, password, token, user_credentials, nkeys_seed.
    `limits` are its timeouts.
    """

    replicas: int = 1
    inbox_bytes_max: int = -1
    domain: str | None = None
    addresses: Mapping[ProcessId, str] = field(default_factory=dict)
    connect: Mapping[str, Any] = field(default_factory=dict, repr=False)
    limits: NatsLimits = field(default_factory=NatsLimits, repr=False)

    def __post_init__(self) -> None:
        unknown = sorted(set(self.connect) - signature(Client.connect).parameters.keys())
        if unknown:
            raise Misuse(f"connect={{{unknown[0]!r}: ...}}: nats.connect has no option of this name")
        signed = sorted(SIGNED & self.connect.keys())
        if signed and find_spec("nkeys") is None:
            raise Misuse(f"{signed[0]} needs signatures: pip install 'antecede[nkeys]'")


def describe_servers(servers: Sequence[str]) -> str:
    """Return the addresses as a text, without the user, password or token that they may carry."""
    each = [part for server in servers for part in server.split(",")]
    return ", ".join(SECRET.sub(r"\1", one) for one in each)
