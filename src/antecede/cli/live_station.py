"""Run one station of `antecede demo --live` in its own process: `python -m antecede.cli.live_station SETTINGS`.

SETTINGS is a JSON object. The station ends when its standard input does, so that it never outlives the demonstration.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any


async def main(settings: dict[str, Any]) -> None:
    from antecede.runtime.roaming.station.serve import serve_station
    from antecede.runtime.roaming.tokens import read_key
    from antecede.runtime.roaming.unordered import plain_station
    from antecede.runtime.transport.delayed import SlowNetwork
    from antecede.runtime.transport.urls import network_of

    network = network_of(settings["nats"])
    async with serve_station(
        SlowNetwork(network, settings["delays_s"]),
        name=settings["name"],
        stations=settings["stations"],
        key=read_key(Path(settings["key"])),
        listen=("127.0.0.1", settings["port"]),
        space=settings["space"],
        store=settings["store"],
        begin=None if settings["ordered"] else plain_station,
    ):
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
