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
SCHEME = re.compile(r"^\w+:/+")
ADDRESS = re.compile(r"\w+:/+\S+")


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
    addresses: Mapping[ProcessId, str] = field(default_factory=dict, repr=False)
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
    """Return the addresses as a text, without the secrets that they may carry."""
    return ", ".join(shown_address(one) for server in servers for one in server.split(","))


def shown_address(address: str) -> str:
    """Return one address without a user, password, token or query.

    An @ after a question mark may end a password or be in the query: then nothing is shown but the scheme.
    """
    scheme = SCHEME.match(address)
    start = scheme.end() if scheme else 0
    before, *after = re.split("[?#]", address[start:], maxsplit=1)
    where = "..." if "@" in "".join(after) else before.rpartition("@")[2]
    return address[:start] + where


def without_secrets(text: str) -> str:
    """Return a text with every address in it as `shown_address` shows it."""
    return ADDRESS.sub(lambda found: shown_address(found[0]), text)
