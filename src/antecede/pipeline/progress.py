"""The stages of a long piece of work: their names for whoever waits, and how long each took."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

Progress = Callable[[str], None]


def no_progress(stage: str) -> None:
    """Do nothing: nobody waits."""


@dataclass(slots=True)
class Stages:
    """Names each stage to whoever waits, and keeps what it took."""

    progress: Progress = no_progress
    took: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Run a stage under this name."""
        self.progress(name)
        begun = perf_counter()
        yield
        self.took.append((name, perf_counter() - begun))
