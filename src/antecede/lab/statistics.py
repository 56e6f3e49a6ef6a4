"""Estimate a mean, with its 95 % confidence interval by Student's t over the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""The 0.975 quantile of Student's t with 1 to 30 degrees of freedom."""
T_975_BEYOND = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and the ends of its 95 % confidence interval. Both ends equal the mean if nothing varies."""

    mean: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        return f"{self.mean:.3g} ({self.low:.3g} to {self.high:.3g})"


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of the values and its confidence interval. The interval of a single value is that value."""
    count = len(values)
    mean = fsum(values) / count
    if count == 1:
        return Estimate(mean, mean, mean, 1)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (count - 1))
    t = T_975[count - 2] if count - 2 < len(T_975) else T_975_BEYOND
    half = t * deviation / sqrt(count)
    return Estimate(mean, mean - half, mean + half, count)
