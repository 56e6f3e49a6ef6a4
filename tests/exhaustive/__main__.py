"""`python -m tests.exhaustive [--large] [NAME...]`: explore the worlds of these algorithms and protocols, or of all.

With `--large`, those that take minutes and gigabytes each.
"""

import argparse
import sys
import time

from tests.exhaustive.search import Explored
from tests.exhaustive.worlds import describe_limits, explore_limited, worlds
from tests.replay import replay_command


def explore_world(name: str, limits: tuple[int, ...]) -> tuple[Explored, str]:
    """Explore a world, and say how large it is."""
    began = time.monotonic()
    explored = explore_limited(name, limits)
    found = f"{explored.states:,} states, {explored.steps:,} steps between them"
    return explored, f"{name}, {describe_limits(name, limits)}: {found}, {time.monotonic() - began:.0f} s"


def explain_violation(name: str, explored: Explored, *, large: bool = False) -> str:
    """Return the shortest execution that breaks a rule, and the command that finds it again."""
    options = ["--large"] if large else []
    return f"{explored.draw()}\nReplay: {replay_command(['tests.exhaustive', *options, name])}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exhaustive", description=__doc__)
    parser.add_argument("name", nargs="*", metavar="NAME", help="an algorithm or a protocol; default: all")
    parser.add_argument(
        "--large", action="store_true", help="the large worlds, which `make test-slow` does not explore"
    )
    arguments = parser.parse_args()
    chosen, large = arguments.name, arguments.large
    unknown = sorted(set(chosen) - {name for name, _ in worlds(large=large)})
    if unknown:
        parser.error(f"there is no {'large ' if large else ''}world of {unknown[0]!r}")
    failed = 0
    for name, limits in worlds(large=large):
        if not chosen or name in chosen:
            explored, found = explore_world(name, limits)
            print(found, flush=True)
            if explored.violation:
                print(explain_violation(name, explored, large=large))
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
