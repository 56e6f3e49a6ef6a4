"""Judge claims. Each function here makes a function from results to a finding.

One rule decides: the whole 95 % confidence interval over the seeds must be on one side. If the interval lies within
what the claim allows, widened by the tolerance, the claim is reproduced, or holds. If it lies outside, the claim is not
reproduced, or does not hold. If it has values of both sides, the claim is undecided. An upper bound that is not
exceeded holds, which reproduces nothing. A claim that something can happen holds if it happened once, and is undecided
if it did not. A claim about several settings is decided if all of them decide it alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from statistics import fmean
from typing import Any, TypeAlias

from antecede.lab.experiment import Claim, Experiment, Finding, Outcome
from antecede.lab.papers import cite
from antecede.lab.results import Estimate, MissingResult, Results, estimate

Judge: TypeAlias = Callable[[Results], Finding]
Values: TypeAlias = Callable[[Results], Sequence[float]]
"""The number that a claim is about, once for each seed."""


def at(name: str, /, **where: object) -> Values:
    """Return a function that selects the number `name` of one point."""
    return lambda results: results.values(name, **where)


def within(values: Values, low: float, high: float | None = None, *, tolerance: float = 0.0, words: str = "") -> Judge:
    """Return a judge of the claim that the values are `low`, or lie between `low` and `high`."""
    least, most = low - tolerance, (low if high is None else high) + tolerance
    return _estimate_judge(
        values,
        lambda found: least <= found.low and found.high <= most,
        lambda found: found.high < least or found.low > most,
        (Outcome.REPRODUCED, Outcome.NOT_REPRODUCED),
        words,
    )


def at_most(values: Values, limit: float, *, words: str = "") -> Judge:
    """Return a judge of the claim that the values do not exceed `limit`. To keep a bound reproduces nothing."""
    judge = _estimate_judge(
        values,
        lambda found: found.high <= limit,
        lambda found: found.low > limit,
        (Outcome.QUALITATIVE, Outcome.NOT_REPRODUCED),
        words,
    )

    def judge_bound(results: Results) -> Finding:
        found = judge(results)
        return replace(found, is_bound=found.holds)

    return judge_bound


def trend(values: Values, *, above: float = -inf, below: float = inf, words: str = "") -> Judge:
    """Return a judge of a claim without a number: the whole confidence interval lies above or below a bound."""
    return _estimate_judge(
        values,
        lambda found: above < found.low and found.high < below,
        lambda found: found.high <= above or found.low >= below,
        (Outcome.QUALITATIVE, Outcome.QUALITATIVE),
        words,
    )


def explanation(
    values: Values, low: float, high: float | None = None, *, tolerance: float = 0.0, words: str = ""
) -> Judge:
    """Return a judge that says whether an explanation meets the number of the paper, in the mean.

    The values are measured on something else than what the paper describes.
    """
    least, most = low - tolerance, (low if high is None else high) + tolerance
    return _estimate_judge(
        values,
        lambda found: least <= found.mean <= most,
        lambda found: not least <= found.mean <= most,
        (Outcome.TRIED, Outcome.TRIED),
        words,
    )


def _estimate_judge(
    values: Values,
    is_inside: Callable[[Estimate], bool],
    is_outside: Callable[[Estimate], bool],
    outcomes: tuple[Outcome, Outcome],
    words: str,
) -> Judge:
    """Return a judge that decides by the mean of the values and its confidence interval.

    `outcomes` are those of an estimate that lies inside what the claim allows, and outside. Any other estimate leaves
    the claim undecided.
    """

    def judge(results: Results) -> Finding:
        found = estimate(values(results))
        holds = is_inside(found)
        missed = outcomes[1] if is_outside(found) else Outcome.UNDECIDED
        return Finding(outcomes[0] if holds else missed, holds, found, words)

    return judge


def spreads_within(name: str, share: float, /, **where: object) -> Judge:
    """Return a judge of the claim that the runs of every point are within this share of each other.

    The values are shares themselves, so the claim can be read in two ways: the runs differ by at most this share of
    their mean, or by at most this share of the whole. If only the second is so, the claim is undecided. What is shown
    as an interval is the smallest and the largest difference, as a share of the mean. Points with one seed are left
    out.
    """

    def judge(results: Results) -> Finding:
        points = [values for values in _by_point(results, name, where) if len(values) > 1]
        if not points:
            raise MissingResult(f"no point with {where} has {name} with several seeds")
        of_whole = [max(values) - min(values) for values in points]
        of_mean = [spread / fmean(values) for spread, values in zip(of_whole, points, strict=True)]
        holds, kept = max(of_mean) <= share, sum(spread <= share for spread in of_mean)
        missed = Outcome.UNDECIDED if max(of_whole) <= share else Outcome.NOT_REPRODUCED
        words = (
            f"largest difference between two runs of a point, as a share of their mean (least to largest); {kept} of "
            f"{len(points)} are within; as a share of the whole at most {max(of_whole):.2g}"
        )
        measured = Estimate(max(of_mean), min(of_mean), max(of_mean), len(points[0]))
        return Finding(Outcome.REPRODUCED if holds else missed, holds, measured, words)

    return judge


def in_all(judges: Mapping[str, Judge]) -> Judge:
    """Return a judge of a claim that is made for several settings, which `judges` judge one by one, by name.

    If they do not agree, the claim is undecided: it depends on what the paper does not state.
    """

    def judge(results: Results) -> Finding:
        found = {name: one(results) for name, one in judges.items()}
        kinds = {
            "so": [name for name, one in found.items() if one.holds],
            "not so": [name for name, one in found.items() if not one.holds and one.outcome is not Outcome.UNDECIDED],
            "undecided": [name for name, one in found.items() if one.outcome is Outcome.UNDECIDED],
        }
        words = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names)
        if len(kinds["so"]) == len(found) or len(kinds["not so"]) == len(found):
            first = next(iter(found.values()))
            return Finding(first.outcome, first.holds, None, words)
        return Finding(Outcome.UNDECIDED, False, None, words)

    return judge


def largest(name: str, /, **where: object) -> Values:
    """Return a function that selects the number `name` at the point with its largest mean."""
    return lambda results: max(_by_point(results, name, where), key=fmean)


def smallest(name: str, /, **where: object) -> Values:
    """Return a function that selects the number `name` at the point with its smallest mean."""
    return lambda results: min(_by_point(results, name, where), key=fmean)


def _by_point(results: Results, name: str, where: Mapping[str, object]) -> list[list[float]]:
    """Return the values of the number `name`, for each point with these parameters."""
    rows = [row for row in results.select(**where).rows if name in row.measurements]
    if not rows:
        raise MissingResult(f"no point with {where} has {name}")
    return [[row.measurements[name] for row in rows if row.point == point] for point in sorted({r.point for r in rows})]


def difference(first: Values, second: Values) -> Values:
    """Return a function that subtracts two numbers seed by seed, so that what both share cancels out."""
    return lambda results: [one - two for one, two in zip(first(results), second(results), strict=True)]


def ratio(first: Values, second: Values) -> Values:
    """Return a function that divides two numbers seed by seed."""
    return lambda results: [one / two for one, two in zip(first(results), second(results), strict=True)]


def ever(values: Values, *, words: str = "") -> Judge:
    """Return a judge of a claim that something can happen. The claim holds if it happened with any seed."""

    def judge(results: Results) -> Finding:
        found = values(results)
        happened = any(found)
        return Finding(Outcome.QUALITATIVE if happened else Outcome.UNDECIDED, happened, estimate(found), words)

    return judge


def judge_claims(experiment: Experiment, results: Results) -> list[dict[str, Any]]:
    """Return every claim with its finding, as written to claims.json, which cites papers by author and year.

    Seeds that failed at a point count nowhere.
    """
    paired = results.pair_by_seed()
    return [_entry(claim, _judge_claim(claim, paired)) for claim in experiment.claims]


def _judge_claim(claim: Claim, results: Results) -> Finding:
    """Return the finding on a claim. A point or a seed that failed makes the claim not measured."""
    try:
        return claim.judge(results)
    except (MissingResult, ZeroDivisionError, ValueError) as reason:  # points or seeds that failed
        return Finding(Outcome.NOT_MEASURED, False, None, str(reason))


def _entry(claim: Claim, finding: Finding) -> dict[str, Any]:
    found = finding.measured
    return {
        "id": claim.id,
        "says": claim.says,
        "where": cite(claim.where),
        "stated": claim.value,
        "ours": claim.ours,
        "outcome": finding.outcome.value,
        "holds": finding.holds,
        "is_bound": finding.is_bound,
        "measured": None if found is None else found.mean,
        "confidence_95": None if found is None else [found.low, found.high],
        "seeds": None if found is None else found.count,
        "words": finding.words,
    }


def as_json(entries: Mapping[str, Any]) -> str:
    """Return the text of claims.json."""
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"
