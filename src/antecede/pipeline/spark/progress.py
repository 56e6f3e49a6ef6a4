"""The stages of a long piece of work: their names for whoever waits, and how long each took."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from antecede.pipeline.spark.session import explained

Progress = Callable[[str], None]


def silent(stage: str) -> None:
    """Nobody waits."""


@dataclass(slots=True)
class Stages:
    """Names each stage to whoever waits, keeps what it took, and puts the failures of Spark into words."""

    progress: Progress = silent
    took: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.progress(name)
        begun = perf_counter()
        with explained(f"{name} failed"):
            yield
        self.took.append((name, perf_counter() - begun))
