"""`python -m tests.runtime.conditions MODULE ARGUMENT...`: run a module as a program, under hard conditions.

Which, is in the environment, where `Conditions.environment` put it:

* **brisk**: timeouts of a second or two, so that a test can outlast every one of them.
* **clock**: what the runtime takes for time starts anywhere, leaps forward by up to an hour and stands still for
  moments; the time of day jumps by up to a day either way. The event loop and the rest of the standard library keep
  the true time, as a system would.
* **file_bytes_max**: no file can grow beyond that; writing more fails, as on a full disk.
* **replicas**: so many NATS servers keep each inbox.
* **authority**: the file of the certificate that the NATS servers have to show.
* **pause_s**: the longest pause of a process between two messages that it sends.
"""

from __future__ import annotations

import importlib
import os
import random
import resource
import runpy
import ssl
import subprocess  # noqa: F401 - before the clock leaps, which this module takes when it is imported
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antecede.runtime.transport.nats.options import NatsLimits, NatsOptions

PREFIX = "ANTECEDE_TEST_"
OUTLAST_S = 5.0
"""Longer than every timeout of a brisk process."""
BRISK_NATS = {
    "answer_s": 1.0,
    "ping_s": 1.5,
    "ack_wait_s": 1.0,
    "duplicates_s": 1.0,
    "request_s": 2.0,
    "heartbeat_s": 0.5,
}
BRISK_HOST = {"connect_s": 2.0, "ping_s": 2.0}
READ_THE_CLOCK = ("node.join", "roaming.station.serve", "roaming.host.host")
"""Modules of the runtime that take the clock when they are imported."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which a process runs."""

    brisk: bool = False
    clock: bool = False
    file_bytes_max: int | None = None
    replicas: int | None = None
    authority: Path | None = None
    pause_s: float | None = None

    def environment(self, chance: str) -> dict[str, str]:
        """For a process whose clock is to be seeded with `chance`."""
        chosen = {
            "BRISK": "1" if self.brisk else None,
            "CLOCK": chance if self.clock else None,
            "FILE_BYTES_MAX": self.file_bytes_max,
            "REPLICAS": self.replicas,
            "AUTHORITY": self.authority,
            "PAUSE_S": self.pause_s,
        }
        return {f"{PREFIX}{name}": str(value) for name, value in chosen.items() if value is not None}


def leaping(chance: random.Random, true: Callable[[], float]) -> Callable[[], float]:
    """A clock that never goes back, and is otherwise not to be relied on."""
    shift = chance.uniform(-1e6, 1e6)
    last = true() + shift

    def now() -> float:
        nonlocal shift, last
        if chance.random() < 0.01:
            shift += chance.choice([0.01, 1.0, 3_600.0])
        if chance.random() < 0.9:
            last = max(last, true() + shift)
        return last

    return now


def jumping(chance: random.Random, true: Callable[[], float]) -> Callable[[], float]:
    """The time of day, which anybody may set."""
    shift = 0.0

    def now() -> float:
        nonlocal shift
        if chance.random() < 0.05:
            shift = chance.uniform(-86_400, 86_400)
        return true() + shift

    return now


def nats_limits() -> NatsLimits:
    """Return the timeouts of NATS that the environment asks for."""
    from antecede.runtime.transport.nats.options import NatsLimits

    return NatsLimits(**BRISK_NATS) if f"{PREFIX}BRISK" in os.environ else NatsLimits()  # type: ignore[arg-type]  # settings in a dict have no types of their own


def nats_options() -> NatsOptions:
    """Return how to connect to NATS and how to keep an inbox, as the environment asks for."""
    from antecede.runtime.transport.nats.options import NatsOptions

    authority = os.environ.get(f"{PREFIX}AUTHORITY")
    connect = {} if authority is None else {"tls": ssl.create_default_context(cafile=authority)}
    return NatsOptions(replicas=int(os.environ.get(f"{PREFIX}REPLICAS", "1")), connect=connect, limits=nats_limits())


def longest_pause_s(usual_s: float) -> float:
    """Return the longest pause between two messages that the environment asks for, or the usual one."""
    return float(os.environ.get(f"{PREFIX}PAUSE_S", usual_s))


def host_limits() -> dict[str, Any]:
    """Return the timeouts of a host that the environment asks for, as arguments of `Host`."""
    return BRISK_HOST if f"{PREFIX}BRISK" in os.environ else {}


def apply() -> None:
    """What the environment asks for; before anything of the runtime is imported."""
    clock = os.environ.get(f"{PREFIX}CLOCK")
    true = time.monotonic
    if clock is not None:
        chance = random.Random(clock)
        time.monotonic, time.time = leaping(chance, true), jumping(chance, time.time)
    for name in READ_THE_CLOCK:
        importlib.import_module(f"antecede.runtime.{name}")
    time.monotonic = true
    if f"{PREFIX}FILE_BYTES_MAX" in os.environ:
        most = int(os.environ[f"{PREFIX}FILE_BYTES_MAX"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


if __name__ == "__main__":
    apply()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
