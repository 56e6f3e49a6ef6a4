"""The shortest broadcast execution that breaks a form, by trying all of them, shortest first."""

from __future__ import annotations

from collections.abc import Iterator

from tests.errata.forms import Form
from tests.errata.stage import REST, Stage, perform


def shortest(form: Form, processes: int, steps_max: int, *, fifo: bool) -> tuple[str, ...] | None:
    """The first script of at most `steps_max` steps after which a delivery was early, or some will never come."""
    names = " ".join(f"P{number}" for number in range(1, processes + 1))
    level: list[tuple[str, ...]] = [()]
    for _ in range(steps_max):
        level = [(*script, step) for script in level for step in _next_steps(perform(form, names, script), fifo)]
        for script in level:
            if perform(form, names, script).oracle.violations or perform(form, names, [*script, REST]).oracle.lost():
                return script
    return None


def _next_steps(stage: Stage, fifo: bool) -> Iterator[str]:
    label = f"M{len(stage.oracle.messages) + 1}"
    for sender in stage.names:
        yield f"{sender} sends {label} to {', '.join(name for name in stage.names if name != sender)}"
    for (_, to), packets in sorted(stage.links.items()):
        for packet in packets[: 1 if fifo else None]:
            assert packet.message is not None
            yield f"{packet.message.payload.decode()} arrives at {to}"
