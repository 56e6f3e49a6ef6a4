"""Write golden files with the code as it is: `python -m tests.golden.write FOLDER`.

FOLDER is new, and named after the version: `tests/golden/v2`. A folder that is there is never written to again: its
files are what a release of antecede wrote. `docs/design/formats.md` says when a new folder is due.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.golden.files import SUMS, digests
from tests.golden.frames import golden_air_frames, golden_beacons, golden_frames
from tests.golden.packets import golden_packets
from tests.golden.snapshots import golden_roaming_snapshots, golden_snapshots
from tests.golden.stores import write_stores
from tests.golden.traces import write_traces

ENTRIES = {
    "packets.json": golden_packets,
    "snapshots.json": golden_snapshots,
    "roaming-snapshots.json": golden_roaming_snapshots,
    "frames.json": golden_frames,
    "air.json": golden_air_frames,
    "beacons.json": golden_beacons,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden.write", description="Write golden files.")
    parser.add_argument("folder", type=Path, help="a folder that does not exist yet")
    folder: Path = parser.parse_args(arguments).folder
    if folder.exists():
        print(f"{folder} exists, and golden files are never changed: name a new folder", file=sys.stderr)
        return 2
    folder.mkdir(parents=True)
    for name, make in ENTRIES.items():
        (folder / name).write_text(as_lines(make()), encoding="utf-8")
    found = write_traces(folder / "traces")
    (folder / "traces.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        write_stores(folder, Path(scratch))
    sums = "".join(f"{digest}  {name}\n" for name, digest in digests(folder).items())
    (folder / SUMS).write_text(sums, encoding="utf-8")
    return 0


def as_lines(entries: Sequence[dict[str, Any]]) -> str:
    """Return a JSON list with one entry a line."""
    lines = [json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries]
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    sys.exit(main())
