"""`python -m tests.exhaustive [NAME...]`: explore the worlds of these algorithms and protocols, or of all."""

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


def explain_violation(name: str, explored: Explored) -> str:
    """Return the shortest execution that breaks a rule, and the command that finds it again."""
    return f"{explored.draw()}\nReplay: {replay_command(['tests.exhaustive', name])}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exhaustive", description=__doc__)
    parser.add_argument("name", nargs="*", metavar="NAME", help="an algorithm or a protocol; default: all")
    chosen = parser.parse_args().name
    unknown = sorted(set(chosen) - {name for name, _ in worlds()})
    if unknown:
        parser.error(f"there is no world of {unknown[0]!r}")
    failed = 0
    for name, limits in worlds():
        if not chosen or name in chosen:
            explored, found = explore_world(name, limits)
            print(found, flush=True)
            if explored.violation:
                print(explain_violation(name, explored))
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
