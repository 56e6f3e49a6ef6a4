"""Name the stages of a long piece of work to a caller who waits, and measure how long each takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

Progress = Callable[[str], None]


def no_progress(stage: str) -> None:
    """Do nothing. This is the progress callback for a caller who does not wait."""


@dataclass(slots=True)
class Stages:
    """The stages so far: `progress` is called with the name of each, and `took` has the name and seconds of each."""

    progress: Progress = no_progress
    took: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Run a stage under this name."""
        self.progress(name)
        begun = perf_counter()
        yield
        self.took.append((name, perf_counter() - begun))
