"""Verify a trace: read it according to a plan, judge its runs, and put together what the tasks tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from antecede.core.errors import Misuse
from antecede.pipeline.dealing import DEALT
from antecede.pipeline.limits import LIMITS, Limits
from antecede.pipeline.read.source import Source
from antecede.pipeline.verify.results import RESULTS, put_together
from antecede.pipeline.verify.tasks import JudgeOptions, deal_runs, judge_dealt, judge_here


@dataclass(frozen=True, slots=True)
class Verified:
    """What the tasks told, by name, and how large runs were cut."""

    told: Mapping[str, pa.Table]
    windows: Mapping[str, int] = field(default_factory=dict)
    one_task: Mapping[str, str] = field(default_factory=dict)


def verify(
    source: Source,
    *,
    dealt_to: int,
    large: frozenset[str] = frozenset(),
    windows: int | None = None,
    worst: int = 0,
    limits: Limits = LIMITS,
) -> Verified:
    """Judge the runs of a source. `dealt_to` and `large` are those of its plan.

    With `windows`, every run is cut into about so many, if it can be. Otherwise only runs of more than
    `limits.run_events_max` events are.
    """
    if windows is not None and windows < 1:
        raise Misuse(f"windows is {windows}: give 1 or more, or None to decide by the size of each run")
    run_events_max = limits.run_events_max if windows is None else 0
    options = JudgeOptions(worst=worst, run_events_max=run_events_max, limits=limits)
    if dealt_to:
        dealt = source.map(deal_runs(dealt_to, large), DEALT).deal(dealt_to)
        results = dealt.map(judge_dealt(options), RESULTS).collect()
    else:
        results = source.map(judge_here(options), RESULTS).collect()
    return Verified(put_together(results))
