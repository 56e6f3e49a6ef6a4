"""Functions that judge claims: each makes a function from results to a finding.

A number counts as reproduced if the mean over the seeds lies within what the paper states, widened by the tolerance.
A claim without a number is qualitative; it holds if the whole 95 % confidence interval is on the right side, or, where
it says that something can happen, if that happened once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from antecede.lab.experiment import Claim, Experiment, Finding, Outcome
from antecede.lab.results import Missing, Results
from antecede.lab.statistics import Estimate, estimate

Judge: TypeAlias = Callable[[Results], Finding]
Values: TypeAlias = Callable[[Results], Sequence[float]]
"""The number that a claim is about, once for each seed."""


def at(name: str, /, **where: object) -> Values:
    """The number `name` of one point."""
    return lambda results: results.values(name, **where)


def within(values: Values, low: float, high: float | None = None, *, tolerance: float = 0.0, words: str = "") -> Judge:
    """Is it what the paper states: `low`, or from `low` to `high`?"""

    def judge(results: Results) -> Finding:
        found = estimate(values(results))
        holds = low - tolerance <= found.mean <= (low if high is None else high) + tolerance
        return _stated(found, holds, words)

    return judge


def at_most(values: Values, limit: float, *, words: str = "") -> Judge:
    def judge(results: Results) -> Finding:
        found = estimate(values(results))
        return _stated(found, found.mean <= limit, words)

    return judge


def tried(values: Values, low: float, high: float | None = None, *, tolerance: float = 0.0, words: str = "") -> Judge:
    """Would something else than what the paper describes meet the number that the paper states?"""
    met = within(values, low, high, tolerance=tolerance, words=words)
    return lambda results: replace(met(results), outcome=Outcome.TRIED)


def largest(name: str, /, **where: object) -> Values:
    """The number `name` at the point where its mean is largest."""
    return lambda results: max(_by_point(results, name, where), key=_mean)


def smallest(name: str, /, **where: object) -> Values:
    return lambda results: min(_by_point(results, name, where), key=_mean)


def _by_point(results: Results, name: str, where: Mapping[str, object]) -> list[list[float]]:
    rows = [row for row in results.of(**where).rows if name in row.measurements]
    if not rows:
        raise Missing(f"no point with {where} has {name}")
    return [[row.measurements[name] for row in rows if row.point == point] for point in sorted({r.point for r in rows})]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def difference(first: Values, second: Values) -> Values:
    """Seed by seed: what is the same in both does not blur it."""
    return lambda results: [one - two for one, two in zip(first(results), second(results), strict=True)]


def ratio(first: Values, second: Values) -> Values:
    return lambda results: [one / two for one, two in zip(first(results), second(results), strict=True)]


def trend(values: Values, *, above: float | None = None, below: float | None = None, words: str = "") -> Judge:
    """A claim without a number: is this above, or below, a bound, confidence interval and all?"""

    def judge(results: Results) -> Finding:
        found = estimate(values(results))
        holds = (above is None or found.low > above) and (below is None or found.high < below)
        return Finding(Outcome.QUALITATIVE, holds, found, words)

    return judge


def ever(values: Values, *, words: str = "") -> Judge:
    """A claim that something can happen: did it, with any seed?"""

    def judge(results: Results) -> Finding:
        found = values(results)
        return Finding(Outcome.QUALITATIVE, any(found), estimate(found), words)

    return judge


def judged(experiment: Experiment, results: Results) -> list[dict[str, Any]]:
    """Every claim with what came of it, as it is written to claims.json."""
    return [_entry(claim, _finding(claim, results)) for claim in experiment.claims]


def _finding(claim: Claim, results: Results) -> Finding:
    try:
        return claim.judge(results)
    except (Missing, ZeroDivisionError, ValueError) as reason:  # points or seeds that failed, and left holes
        return Finding(Outcome.NOT_MEASURED, False, None, str(reason))


def _stated(found: Estimate, holds: bool, words: str) -> Finding:
    return Finding(Outcome.REPRODUCED if holds else Outcome.NOT_REPRODUCED, holds, found, words)


def _entry(claim: Claim, finding: Finding) -> dict[str, Any]:
    found = finding.measured
    return {
        "id": claim.id,
        "says": claim.says,
        "where": claim.where,
        "stated": claim.value,
        "outcome": finding.outcome.value,
        "holds": finding.holds,
        "measured": None if found is None else found.mean,
        "confidence_95": None if found is None else [found.low, found.high],
        "seeds": None if found is None else found.count,
        "words": finding.words,
    }


def as_json(entries: Mapping[str, Any]) -> str:
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"
