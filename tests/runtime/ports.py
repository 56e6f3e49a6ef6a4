"""Ports for the servers of tests."""

import socket
from contextlib import suppress
from random import SystemRandom

CHANCE = SystemRandom()
LOWEST, HIGHEST = 10_000, 32_000
"""Below the ports that the system gives to connections. Otherwise a connection could take the port of a server between
its end and its next start."""


def free_port() -> int:
    """Return a loopback port that is free."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Return so many different loopback ports that are free."""
    found: dict[int, None] = {}
    while len(found) < count:
        port = CHANCE.randint(LOWEST, HIGHEST)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found[port] = None
    return list(found)
