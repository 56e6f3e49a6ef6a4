"""What a random test that fails prints: a drawing of its execution, and the one command that plays it again.

A test that performs a random execution makes a `Drawing`, and adds to it what happens. If it fails, `tests/conftest.py`
prints the drawing that was begun last and a line `Replay: COMMAND`. The fuzzers print the same for each execution that
fails. The command is for a shell in the folder of the project, and fails in the same way.

           p1                p2                p3
      1.   send p1:1 to p2, p3
      2.                     deliver p1:1
      3.                     send p2:1 to p3
      4.                                       deliver p2:1
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from antecede import Deliver, Effect, Packet, Sent

STEPS_MAX = 150
"""How many steps are drawn, the last ones."""
SEED_VARIABLE = "ANTECEDE_SEED"
Step = tuple[str, str]
"""A process, and what it does, in words."""


class DrawnEvent(Protocol):
    """An event of a trace, as the judge and the pipeline know it."""

    @property
    def process(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def message(self) -> str | None: ...
    @property
    def dests(self) -> tuple[str, ...] | None: ...


class Drawing:
    """A space-time drawing: a column for each process, and a line for each step, in the order of the steps."""

    latest: Drawing | None = None
    """The drawing that was begun last in this process."""

    def __init__(self, steps: Iterable[Step] | Callable[[], list[Step]] = ()) -> None:
        """Begin with these steps. A function is called for all steps when they are drawn."""
        self.read = steps if callable(steps) else None
        self.steps = [] if callable(steps) else list(steps)
        Drawing.latest = self

    def add(self, process: str, words: str) -> None:
        """Add a step of a process."""
        self.steps.append((process, words))

    def add_event(self, event: DrawnEvent) -> None:
        """Add an event of a trace."""
        self.steps.append(describe_event(event))

    def add_arrival(self, process: str, packet: Packet) -> None:
        """Add the arrival of a packet."""
        what = (
            str(packet.message.id)
            if packet.message is not None
            else f"{type(packet.stamp).__name__} of {packet.sender}"
        )
        self.steps.append((process, f"receive {what}"))

    def add_effect(self, process: str, effect: Effect) -> None:
        """Add a send or a delivery. Other effects are drawn when they arrive somewhere."""
        if isinstance(effect, Sent):
            self.steps.append((process, f"send {effect.message.id} to {', '.join(sorted(effect.message.dests))}"))
        elif isinstance(effect, Deliver):
            self.steps.append((process, f"deliver {effect.message.id}"))

    def __str__(self) -> str:
        return draw(self.steps if self.read is None else self.read())


def describe_event(event: DrawnEvent) -> Step:
    """Return the process of an event, and the event in words."""
    words = event.kind if event.message is None else f"{event.kind} {event.message}"
    return event.process, f"{words} to {', '.join(event.dests)}" if event.kind == "send" and event.dests else words


def draw(steps: Sequence[Step]) -> str:
    """Return a drawing of the last steps."""
    first = max(0, len(steps) - STEPS_MAX)
    shown = steps[first:]
    widths: dict[str, int] = {}
    for process, words in sorted(shown):
        widths[process] = max(widths.get(process, len(process)), len(words))
    lines = [f"{first} steps before these are not drawn"] if first else []
    lines.append(" " * 8 + "  ".join(process.ljust(width) for process, width in widths.items()))
    for number, (process, words) in enumerate(shown, first + 1):
        cells = ((words if name == process else "").ljust(width) for name, width in widths.items())
        lines.append(f"{number:5}.  " + "  ".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def explain_failure(what: str, command: Sequence[str], drawing: Drawing | None = None) -> str:
    """Return what failed, the drawing, and the line that says how to play it again, which is the last.

    `command` is a module and its arguments. Without a `drawing`, the one that was begun last is shown, if there is one.
    """
    shown = drawing or Drawing.latest
    return "\n".join([what, *([str(shown)] if shown is not None else []), f"Replay: {replay_command(command)}"])


def replay_command(command: Sequence[str]) -> str:
    """Return a command for the shell that runs a module with its arguments, with the seed of the environment if it has
    one.
    """
    python = Path(sys.executable)
    here = Path.cwd()
    program = python.relative_to(here) if python.is_relative_to(here) else python
    seed = f"{SEED_VARIABLE}={os.environ[SEED_VARIABLE]} " if SEED_VARIABLE in os.environ else ""
    return f"{seed}PYTHONPATH=src {shlex.join([str(program), '-m', *command])}"
