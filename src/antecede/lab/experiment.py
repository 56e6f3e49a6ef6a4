"""The shapes of a declaration: an experiment, what is drawn of it, and what is claimed about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from antecede import __version__
from antecede.lab.results import Results
from antecede.lab.statistics import Estimate

Point: TypeAlias = Mapping[str, float | int | str]
Measure: TypeAlias = Callable[[Point, int], Mapping[str, float | None]]


class Outcome(StrEnum):
    """What came of a claim. `Finding.holds` says beside `QUALITATIVE` and `TRIED` whether the claim holds.

    BOUND_KEPT      an upper bound was not exceeded; that contradicts nothing, and reproduces nothing
    QUALITATIVE     the claim has no number, and was decided
    UNDECIDED       the confidence interval has both values that agree with the claim and values that do not
    TRIED           not what the paper describes was measured, but an explanation or a form of ours
    NOT_TESTED      the run does not test the claim: `Claim.outside` says why
    NOT_MEASURED    the points that the claim is about failed
    """

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    BOUND_KEPT = "bound kept"
    QUALITATIVE = "qualitative"
    UNDECIDED = "undecided"
    TRIED = "tried"
    NOT_TESTED = "not decided by this run"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a claim: `measured` is the number it is about, with its confidence interval over the seeds."""

    outcome: Outcome
    holds: bool
    measured: Estimate | None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """`says`: the paper's sentence, in short; `where`: its section; `value`: the paper's number, in words.

    `ours`: the claim is made by this project and not by a paper; it is counted apart. `outside`: the reason, in words,
    why this run does not test the claim, if it does not: what was measured is shown, and counts for neither side.
    """

    id: str
    says: str
    where: str
    value: str
    judge: Callable[[Results], Finding]
    ours: bool = False
    outside: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """What the paper states: the value `low` (to `high`) at `x`, or from `x` to `x_end`, or everywhere."""

    label: str
    low: float
    high: float | None = None
    x: float | None = None
    x_end: float | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """One panel of a figure: the number `y` over the parameter (or number) `x`, a line for each value of `series`.

    `where` leaves out all points but those with these parameters. `names` gives labels to values of `series`, or to
    tuples of them; with an empty label a line is left out. `dashed` are labels of lines that are not the experiment
    itself but an explanation tried. With `ticks` the values of x are names, side by side in that order; with `bars`,
    `ticks` has the labels of those that are not labelled by their names.
    `order` are labels that have the same colour and marker in every chart that gives the same order.
    """

    title: str
    x: str
    y: str
    x_label: str
    y_label: str
    series: Sequence[str] = ()
    where: Mapping[str, object] = field(default_factory=dict)
    names: Mapping[Any, str] = field(default_factory=dict)
    stated: Sequence[Stated] = ()
    dashed: Sequence[str] = ()
    ticks: Mapping[Any, str] = field(default_factory=dict)
    order: Sequence[str] = ()
    x_log: bool = False
    y_log: bool = False
    bars: bool = False


@dataclass(frozen=True, slots=True)
class Experiment:
    """See `antecede.lab`. `cost` says roughly what a point takes to measure, in any unit: slow ones are begun first."""

    name: str
    paper: str
    figure: str
    title: str
    about: str
    grid: Sequence[Point]
    quick: Sequence[Point]
    measure: Measure
    charts: Sequence[Chart]
    claims: Sequence[Claim]
    seeds: Sequence[int] = (1, 2, 3, 4, 5)
    quick_seeds: Sequence[int] = (1, 2, 3)
    timed: Sequence[str] = ()
    tried: str = ""
    cost: Callable[[Point], float] = lambda _point: 1.0

    def points(self, quick: bool) -> Sequence[Point]:
        return self.quick if quick else self.grid

    def jobs(self, quick: bool) -> list[Job]:
        """Every point with every seed, the slow ones first."""
        seeds = self.quick_seeds if quick else self.seeds
        made = [
            Job(self.name, number, canonical(point), seed)
            for number, point in enumerate(self.points(quick))
            for seed in seeds
        ]
        costs = [self.cost(point) for point in self.points(quick)]
        return sorted(made, key=lambda job: (-costs[job.point], job.point, job.seed))

    def digest(self, quick: bool) -> str:
        """Of all that decides what is measured: what was kept under another digest is of no use."""
        said = [self.name, __version__, [(job.point, job.parameters, job.seed) for job in self.jobs(quick)]]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the DataFrame: a point, its parameters as JSON, and a seed."""

    experiment: str
    point: int
    parameters: str
    seed: int


def canonical(point: Point) -> str:
    return json.dumps(dict(point), sort_keys=True)
