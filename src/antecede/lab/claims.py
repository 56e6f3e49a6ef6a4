"""Functions that judge claims: each makes a function from results to a finding.

One rule decides: the whole 95 % confidence interval over the seeds must be on one side. If it lies within what the
claim allows, widened by the tolerance, the claim is reproduced, or holds; if it lies outside, it is not, or does not;
if it has values of both sides, the claim is undecided. An upper bound that is not exceeded is kept, which reproduces
nothing. A claim that something can happen holds if it happened once, and is undecided if it did not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from antecede.lab.experiment import Claim, Experiment, Finding, Outcome
from antecede.lab.results import Missing, Results
from antecede.lab.statistics import estimate

Judge: TypeAlias = Callable[[Results], Finding]
Values: TypeAlias = Callable[[Results], Sequence[float]]
"""The number that a claim is about, once for each seed."""


def at(name: str, /, **where: object) -> Values:
    """The number `name` of one point."""
    return lambda results: results.values(name, **where)


def within(values: Values, low: float, high: float | None = None, *, tolerance: float = 0.0, words: str = "") -> Judge:
    """Is it what the paper states: `low`, or from `low` to `high`?"""
    least, most = low - tolerance, (low if high is None else high) + tolerance

    def judge(results: Results) -> Finding:
        found = estimate(values(results))
        if least <= found.low and found.high <= most:
            return Finding(Outcome.REPRODUCED, True, found, words)
        is_missed = found.high < least or found.low > most
        return Finding(Outcome.NOT_REPRODUCED if is_missed else Outcome.UNDECIDED, False, found, words)

    return judge


def at_most(values: Values, limit: float, *, words: str = "") -> Judge:
    """An upper bound: was it exceeded?"""

    def judge(results: Results) -> Finding:
        found = estimate(values(results))
        if found.high <= limit:
            return Finding(Outcome.BOUND_KEPT, True, found, words)
        return Finding(Outcome.NOT_REPRODUCED if found.low > limit else Outcome.UNDECIDED, False, found, words)

    return judge


def tried(values: Values, low: float, high: float | None = None, *, tolerance: float = 0.0, words: str = "") -> Judge:
    """Would something else than what the paper describes meet, in the mean, the number that the paper states?"""

    def judge(results: Results) -> Finding:
        found = estimate(values(results))
        holds = low - tolerance <= found.mean <= (low if high is None else high) + tolerance
        return Finding(Outcome.TRIED, holds, found, words)

    return judge


def shown(values: Values, *, words: str = "") -> Judge:
    """A number that nothing is held against, because the paper gives no measure for its words."""
    return lambda results: Finding(Outcome.NOT_TESTED, False, estimate(values(results)), words)


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
        fails = (above is not None and found.high <= above) or (below is not None and found.low >= below)
        return Finding(Outcome.QUALITATIVE if holds or fails else Outcome.UNDECIDED, holds, found, words)

    return judge


def ever(values: Values, *, words: str = "") -> Judge:
    """A claim that something can happen: did it, with any seed?"""

    def judge(results: Results) -> Finding:
        found = values(results)
        happened = any(found)
        return Finding(Outcome.QUALITATIVE if happened else Outcome.UNDECIDED, happened, estimate(found), words)

    return judge


def judged(experiment: Experiment, results: Results) -> list[dict[str, Any]]:
    """Every claim with what came of it, as it is written to claims.json."""
    return [_entry(claim, _finding(claim, results)) for claim in experiment.claims]


def _finding(claim: Claim, results: Results) -> Finding:
    try:
        found = claim.judge(results)
        return replace(found, outcome=Outcome.NOT_TESTED, holds=False) if claim.outside else found
    except (Missing, ZeroDivisionError, ValueError) as reason:  # points or seeds that failed, and left holes
        return Finding(Outcome.NOT_MEASURED, False, None, str(reason))


def _entry(claim: Claim, finding: Finding) -> dict[str, Any]:
    found = finding.measured
    return {
        "id": claim.id,
        "says": claim.says,
        "where": claim.where,
        "stated": claim.value,
        "ours": claim.ours,
        "outside": claim.outside,
        "outcome": finding.outcome.value,
        "holds": finding.holds,
        "measured": None if found is None else found.mean,
        "confidence_95": None if found is None else [found.low, found.high],
        "seeds": None if found is None else found.count,
        "words": finding.words,
    }


def as_json(entries: Mapping[str, Any]) -> str:
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"
