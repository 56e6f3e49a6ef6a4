"""Ports for the servers of tests."""

import fcntl
import os
import socket
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import SystemRandom
from typing import IO

CHANCE = SystemRandom()
LOWEST, HIGHEST = 10_000, 32_000
"""Below the ports that the system gives to connections. Otherwise a connection could take the port of a server between
its end and its next start."""
TAKEN: set[int] = set()


def free_port() -> int:
    """Return a loopback port that is free."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Return so many different loopback ports that are free, and that no other process of tests was given."""
    found: list[int] = []
    while len(found) < count:
        port = CHANCE.randint(LOWEST, HIGHEST)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            if _take(port):
                found.append(port)
    return found


def _take(port: int) -> bool:
    """Keep a port from all processes of tests until this one ends. Return whether nobody has it."""
    if port in TAKEN:
        return False
    try:
        fcntl.lockf(_register(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    TAKEN.add(port)
    return True


@cache
def _register() -> IO[bytes]:
    """Return a file that all processes of tests of this user have open. Who has locked byte n has port n."""
    return (Path(tempfile.gettempdir()) / f"antecede-test-ports-{os.getuid()}").open("ab")
