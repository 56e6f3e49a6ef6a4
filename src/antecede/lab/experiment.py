"""Define the parts of a declaration: an experiment, its charts and its claims."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from antecede.lab.measuring_code import measuring_code
from antecede.lab.results import Estimate, Results

Point: TypeAlias = Mapping[str, float | int | str]
Measure: TypeAlias = Callable[[Point, int], Mapping[str, float | None]]


class Outcome(StrEnum):
    """The outcome of a claim: one of the first four, unless it was not measured.

    REPRODUCED      the whole confidence interval lies within what is stated
    NOT_REPRODUCED  the whole interval lies outside
    UNDECIDED       the interval has both values that agree with the claim and values that do not; or it depends on
                    what the paper does not state; or what the paper describes takes too long to compute
    QUALITATIVE     no number is stated, or an upper bound that was kept, which reproduces nothing; `Finding.holds` says
                    whether the claim is true
    TRIED           not a claim: an explanation or a form of ours was measured, not what the paper describes;
                    `Finding.holds` says whether it meets the number of the paper
    NOT_MEASURED    the points that the claim is about failed
    """

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided"
    QUALITATIVE = "qualitative"
    TRIED = "tried"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a claim, with the number that the claim is about and its confidence interval over the seeds.

    `is_bound` is true if the claim is an upper bound that was kept.
    """

    outcome: Outcome
    holds: bool
    measured: Estimate | None
    words: str = ""
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a paper or of this project that results can confirm or contradict.

    `says` is the sentence of the paper, shortened; `where` is its section; `value` is the number of the paper, in
    words. If `ours` is true, this project makes the claim and not a paper; such claims are counted apart.
    """

    id: str
    says: str
    where: str
    value: str
    judge: Callable[[Results], Finding]
    ours: bool = False


@dataclass(frozen=True, slots=True)
class PaperValue:
    """A value that the paper states: `low`, or from `low` to `high`, at `x`, from `x` to `x_end`, or at every x."""

    label: str
    low: float
    high: float | None = None
    x: float | None = None
    x_end: float | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """One panel of a figure: the number `y` over the parameter (or number) `x`, with a line for each value of `series`.

    `where` selects the points with these parameters. `names` gives labels to values of `series`, or to tuples of them;
    a line with an empty label is left out. `dashed` are labels of lines that show an explanation and not the experiment
    itself. With `ticks` the values of x are names, side by side in that order. With `bars`, `ticks` has the labels of
    values that are not labelled by their names. `order` are labels that have the same colour and marker in every chart
    with the same order. `x_max` leaves out the points beyond it. With `y_percent` the y axis has shares as percentages.
    """

    title: str
    x: str
    y: str
    x_label: str
    y_label: str
    series: Sequence[str] = ()
    where: Mapping[str, object] = field(default_factory=dict)
    names: Mapping[Any, str] = field(default_factory=dict)
    stated: Sequence[PaperValue] = ()
    dashed: Sequence[str] = ()
    ticks: Mapping[Any, str] = field(default_factory=dict)
    order: Sequence[str] = ()
    x_log: bool = False
    y_log: bool = False
    bars: bool = False
    x_max: float | None = None
    y_percent: bool = False


@dataclass(frozen=True, slots=True)
class Experiment:
    """The declaration of an experiment, as `antecede.lab` describes it.

    `cost` returns roughly how long a point takes to measure, in any unit. The slowest points are measured first.
    """

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
        """Return the points of the grid, or of the small grid if `quick`."""
        return self.quick if quick else self.grid

    def jobs(self, quick: bool) -> list[Job]:
        """Return a job for every point with every seed, the slowest first."""
        seeds = self.quick_seeds if quick else self.seeds
        made = [
            Job(self.name, number, canonical_json(point), seed)
            for number, point in enumerate(self.points(quick))
            for seed in seeds
        ]
        costs = [self.cost(point) for point in self.points(quick)]
        return sorted(made, key=lambda job: (-costs[job.point], job.point, job.seed))

    def digest(self, quick: bool) -> str:
        """Return a digest of everything that decides what is measured. Results stored under another digest are not
        used.
        """
        said = [self.name, measuring_code(), [(job.point, job.parameters, job.seed) for job in self.jobs(quick)]]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the DataFrame: a point, its parameters as JSON, and a seed."""

    experiment: str
    point: int
    parameters: str
    seed: int


def canonical_json(point: Point) -> str:
    """Return a point as JSON with sorted keys."""
    return json.dumps(dict(point), sort_keys=True)
