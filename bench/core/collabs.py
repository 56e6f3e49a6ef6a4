"""Collabs, the peer: the same broadcast traffic through `@collabs/collabs`, run by Node.js, and what it cost.

`measure` installs the package as locked in `collabs/`, once and into `collabs/node_modules`, hands a schedule of
`bench.core.traffic` to `collabs/peer.mjs`, and returns what that program measured. On a machine without Node.js, or
where the package can not be had, it prints the reason and returns None: the rest of the measurements do not depend on a
peer. A peer that runs and fails is an error, for then a figure is missing that the machine could have given.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bench.core.traffic import Broadcast, Receive

VERSION = "0.13.4"
FOLDER = Path(__file__).parent / "collabs"
INSTALL_SECONDS_MAX = 300
RUN_SECONDS_MAX = 900


@dataclass(frozen=True, slots=True)
class PeerResult:
    """What `collabs/peer.mjs` reports. Bytes are whole messages, payload included; seconds are one per timed pass."""

    version: str
    node: str
    n: int
    payload_bytes: int
    replica_ids: str
    messages: int
    bytes_min: int
    bytes_mean: float
    bytes_max: int
    entries_mean: float  # vector clock entries per message, beside the sender's own
    deliveries: int  # in each pass, not counting a sender's own
    held_back: int  # of them, those that could not be delivered on arrival
    send_seconds: tuple[float, ...]
    receive_seconds: tuple[float, ...]
    loop_seconds: float  # of each pass's receive time, what the loop over the schedule took and not Collabs

    @property
    def overhead_bytes_mean(self) -> float:
        return self.bytes_mean - self.payload_bytes

    @property
    def deliveries_per_second(self) -> float:
        """Of the fastest pass: receive work alone, parsing included."""
        return self.deliveries / (min(self.receive_seconds) - self.loop_seconds)

    @property
    def sends_per_second(self) -> float:
        return self.messages / min(self.send_seconds)


def measure(
    n: int,
    schedule: Sequence[Broadcast | Receive],
    *,
    payload_bytes: int = 64,
    replica_ids: Literal["default", "short"] = "default",
    passes: int = 3,
    folder: Path = FOLDER,
) -> PeerResult | None:
    """Run `schedule` through `n` replicas of Collabs; None, and the reason on standard error, where it can not be."""
    obstacle = _install(folder)
    if obstacle is not None:
        print(f"without the peer Collabs: {obstacle}", file=sys.stderr)
        return None
    options: dict[str, Any] = {"n": n, "payload_bytes": payload_bytes, "replica_ids": replica_ids}
    answer = _run(folder, {**options, "passes": passes, "steps": schedule})
    answer |= {key: tuple(answer[key]) for key in ("send_seconds", "receive_seconds")}
    return PeerResult(**options, **answer)


def _install(folder: Path) -> str | None:
    """Put Collabs into `folder/node_modules` unless it is there; return what stood in the way, if anything."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        return "Node.js is not installed (no `node` on the path)"
    if _installed_version(folder) == VERSION:
        return None
    if npm is None:
        return "it is not installed yet, and there is no `npm` on the path to install it with"
    # The scripts of the dependencies are not needed, and code from outside runs only where it must.
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS_MAX, check=False
        )
    except subprocess.TimeoutExpired:
        return f"`npm ci` did not finish in {INSTALL_SECONDS_MAX} s"
    if done.returncode != 0:
        return f"`npm ci` failed: {_last_line(done.stderr)}"
    return None


def _installed_version(folder: Path) -> str | None:
    manifest = folder / "node_modules" / "@collabs" / "collabs" / "package.json"
    if not manifest.exists():
        return None
    version: str = json.loads(manifest.read_text())["version"]
    return version


def _run(folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    command = ["node", str(folder / "peer.mjs")]
    done = subprocess.run(
        command, input=json.dumps(job), capture_output=True, text=True, timeout=RUN_SECONDS_MAX, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{folder / 'peer.mjs'} ended with status {done.returncode}:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it gave no reason"
