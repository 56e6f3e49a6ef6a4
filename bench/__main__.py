"""`python -m bench [PART...]`: every measurement, or the parts named."""

import importlib
import sys

PARTS = {
    "core": "bench.core.run",
    "locality": "bench.locality.measure",
    "separators": "bench.locality.separators",
    "links": "bench.locality.known_links",
    "mobile": "bench.mobile.run",
    "check": "bench.check.measure",
    "check-processes": "bench.check.processes",
    "lab": "bench.lab.run",
    "runtime": "bench.runtime.run",
    "stations": "bench.runtime.stations",
    "commits": "bench.runtime.commits",
}


def main(chosen: list[str]) -> int:
    unknown = sorted(set(chosen) - set(PARTS))
    if unknown:
        print(f"no measurement {unknown[0]!r}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    for part in chosen or PARTS:
        importlib.import_module(PARTS[part]).main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
