"""The command line: one thin module for each command, each with `add(subparsers)` and `run(arguments) -> exit status`.

A command imports the layer that it needs only when it is run. So `antecede --help` is quick, and if a part is missing
the error says how to install it. The commands come first, then what they share:

check           check a trace, and write a report
demo            the same traffic without and with causal order
live            `antecede demo --live`: hosts that roam between real stations
live_station    one station of it, in a process of its own
simulate        run an algorithm in a simulated world
simulation/     the parts of `antecede simulate`
groups          the graph of groups, and its cycles
locality        which clocks each process needs on a known graph
lab             rerun the experiments of the papers
prepare         make later commands start faster
station         serve roaming hosts
token           sign the token of a host
status          spaces, processes, stalls, hosts
trace           get a trace from a stream of NATS
remove          remove a host for good
broker          how commands reach NATS
standard_input  standard input where a path is `-`
screen          the output that commands share
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Sequence

from antecede import __version__
from antecede.cli.screen import without_controls
from antecede.core.errors import AntecedeError, Misuse

COMMANDS = (
    *("check", "demo", "groups", "lab", "locality", "prepare"),
    *("remove", "simulate", "station", "status", "token", "trace"),
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="antecede",
        description="Causal message ordering: check whether a system delivers messages in causal order, choose an "
        "algorithm, and enforce the order.",
    )
    top.add_argument("--version", action="version", version=f"antecede {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        importlib.import_module(f"antecede.cli.{name}").add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0 holds, 1 does not, 2 usage, unreadable input or a fault, 3
    undecidable.
    """
    try:
        arguments, unknown = parser().parse_known_args(argv)
        if unknown:
            raise Misuse(f"{' '.join(unknown)}: see `antecede {arguments.command} --help` for what can be given")
        status: int = importlib.import_module(f"antecede.cli.{arguments.command}").run(arguments)
    except KeyboardInterrupt:
        print("antecede: stopped", file=sys.stderr)
        return 130
    except AntecedeError as error:
        print(f"antecede: {without_controls(str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of the output, such as `head`, has stopped reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (OSError, OverflowError) as error:  # a port in use, or out of range; a host without an address
        reason, place = getattr(error, "strerror", None) or error, getattr(error, "filename", None)
        print(without_controls(f"antecede: {reason}{f': {place}' if place else ''}"), file=sys.stderr)
        return 2
    except Exception as error:  # Python's own status would be 1, which says that causal order is violated
        return _report_error(error)
    return status


def _report_error(error: Exception) -> int:
    """Print what is missing, or that the error is a fault of antecede, and return the exit status."""
    if isinstance(error, ModuleNotFoundError):
        print(f"antecede: this command needs the package '{error.name}': pip install 'antecede[app]'", file=sys.stderr)
        return 2
    traceback.print_exception(error)
    words = f"stopped by a bug in antecede ({type(error).__name__}); please report the text above"
    print(f"antecede: {words}", file=sys.stderr)
    return 2
