"""`python -m tests.runtime.command NAME ARGUMENT...`: one command by itself, in a process that a test can kill."""

import argparse
import importlib
import sys

from antecede.core.errors import AntecedeError
from tests.runtime.conditions import nats_limits


def main(name: str, argv: list[str]) -> int:
    parser = argparse.ArgumentParser()
    command = importlib.import_module(f"antecede.cli.{name}")
    command.add(parser.add_subparsers())
    arguments = parser.parse_args([name, *argv])
    arguments.nats_limits = nats_limits()
    try:
        return int(command.run(arguments))
    except AntecedeError as error:
        print(f"antecede: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
