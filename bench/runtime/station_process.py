"""A station by itself, so that its memory and its time are its own: `python -m bench.runtime.station_process SETTINGS`.

It ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from antecede.runtime.roaming.station.serve import serve_station
from antecede.runtime.roaming.websocket import AirLimits

PATIENCE_S = 60.0
"""How long stations and hosts wait for each other on a machine that is busy with all of them."""


async def main(settings: dict[str, Any]) -> None:
    async with serve_station(
        settings["nats"],
        name=settings["name"],
        stations=settings["stations"],
        key=settings["key"].encode(),
        store=settings["store"],
        limits=AirLimits(packets_per_s=1e6, ping_s=PATIENCE_S),
    ) as server:
        print(server.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
