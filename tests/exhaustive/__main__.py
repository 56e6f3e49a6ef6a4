"""`python -m tests.exhaustive [NAME...]`: explore the worlds of these algorithms and protocols, or of all of them."""

import argparse
import sys
import time

from tests.exhaustive.search import Explored, explore
from tests.exhaustive.worlds import ORDERING, ROAMING, ordering_world, roaming_world


def explore_named(name: str) -> Explored:
    """Explore the world of an algorithm or protocol, and print how large it is."""
    began = time.monotonic()
    explored = explore(roaming_world(name)) if name in ROAMING else explore(ordering_world(name))
    limits = ROAMING.get(name) or ORDERING[name]
    what = "messages, moves and repetitions" if name in ROAMING else "messages and repetitions"
    took_s = time.monotonic() - began
    print(
        f"{name}: {explored.states:,} states, {explored.steps:,} steps between them, with {limits} {what},"
        f" {took_s:.0f} s",
        flush=True,
    )
    return explored


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exhaustive", description=__doc__)
    parser.add_argument("name", nargs="*", choices=[*ORDERING, *ROAMING, []], metavar="NAME")
    failed = 0
    for name in parser.parse_args().name or [*ORDERING, *ROAMING]:
        explored = explore_named(name)
        if explored.violation:
            print(explored.draw())
            failed += 1
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
