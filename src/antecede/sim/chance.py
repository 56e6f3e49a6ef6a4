"""Draw random numbers: streams by purpose, and draws that are the same on every machine.

A stream is seeded with the seed of the run and the words that say what the stream is for. So no source of chance
disturbs another: if a run has more destinations, the times of its sends are still the same.

`random.Random` gives the same uniform numbers everywhere. The logarithm of the C library does not have the same last
digit everywhere, and one digit can swap two arrivals. So this module computes logarithm and exponential from additions,
multiplications and powers of two, which IEEE 754 fixes to the last bit. The results are right to ten digits, which is
more than a latency needs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp, ldexp, sqrt
from random import Random
from typing import TypeVar

from antecede.core.errors import Misuse
from antecede.sim.bounds import TIME_MAX_S, check_time

try:
    import numpy as np

    IN_ARRAYS = True
except ModuleNotFoundError:  # NumPy is optional: without it the simulator is slower
    IN_ARRAYS = False

Item = TypeVar("Item")

LN_2 = 0.6931471805599453
ROOT_HALF = 0.7071067811865476
DRAWN_AT_ONCE = 256
KINDS = ("constant", "exponential", "lognormal", "uniform")


def stream(*purpose: object) -> Random:
    """Return the random numbers of one purpose, such as `stream(seed, "interval", "p1")`."""
    return Random("/".join(map(str, purpose)))  # noqa: S311 - a simulation has to be repeatable


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution of times in seconds.

    `spread` is half the width of `uniform`, and sigma of the logarithm of `lognormal`.
    """

    kind: str = "exponential"
    mean_s: float = 1.0
    spread: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Misuse(f"there is no distribution {self.kind!r}; there are {', '.join(KINDS)}")
        if self.kind == "uniform" and not 0 <= self.spread <= self.mean_s:
            raise Misuse(f"{self}: give two times from 0 on, the lower first")
        check_time(f"{self.kind}: a mean", self.mean_s, zero=True)
        if not 0 <= self.spread <= TIME_MAX_S:
            raise Misuse(f"{self}: give a sigma of 0 or more")
        if self.kind in ("constant", "exponential") and self.spread:
            raise Misuse(f"{self}: {self.kind} takes only a mean")
        if self.kind == "lognormal" and self.spread > 5:
            raise Misuse(f"{self}: with sigma above 5 a few draws would be the whole mean")

    @classmethod
    def parse(cls, text: str) -> Distribution:
        """Return the distribution that `text` names.

        Examples: "exponential:1.5", "constant:1", "uniform:0.5-1.5", "lognormal:1:0.5". A number alone is the mean of
        an exponential distribution.
        """
        kind, _, rest = text.rpartition(":") if text.count(":") < 2 else text.partition(":")
        try:
            if kind == "uniform":
                low, high = map(float, re.split(r"(?<![eE])-", rest))
                return cls(kind, (low + high) / 2, (high - low) / 2)
            mean, _, spread = rest.partition(":")
            return cls(kind or "exponential", float(mean), float(spread or (0.5 if kind == "lognormal" else 0)))
        except ValueError:
            raise Misuse(
                f"{text!r} is not a distribution: write exponential:1.0, constant:1.0, uniform:0.5-1.5, "
                "or lognormal:1.0:0.5 (mean, sigma)"
            ) from None

    def __str__(self) -> str:
        if self.kind == "uniform":
            return f"uniform:{self.mean_s - self.spread:g}-{self.mean_s + self.spread:g}"
        return f"{self.kind}:{self.mean_s:g}" + (f":{self.spread:g}" if self.kind == "lognormal" else "")

    def draw(self, chance: Random) -> float:
        """Return one random time."""
        mean, spread = self.mean_s, self.spread
        if self.kind == "constant":
            return mean
        if self.kind == "uniform":
            return mean + spread * (2.0 * chance.random() - 1.0)
        if self.kind == "lognormal":
            return mean * exponential(spread * (draw_normal(chance) - spread / 2))
        return mean * minus_log(1.0 - chance.random())

    def draw_many(self, chance: Random, count: int) -> list[float]:
        """Return `count` random times, the same as `count` calls of `draw`."""
        if self.kind == "exponential":
            return draw_exponentials(chance, self.mean_s, count)
        return [self.draw(chance) for _ in range(count)]


def pick(chance: Random, among: Sequence[Item], count: int) -> list[Item]:
    """Return `count` different items of `among`.

    The result is like that of `Random.sample`, but faster. If `count` is large, the function picks the items to leave
    out.
    """
    pool, size, random = list(among), len(among), chance.random
    swaps = min(count, size - count)
    for at in range(swaps):
        other = at + int(random() * (size - at))
        pool[at], pool[other] = pool[other], pool[at]
    return pool[:count] if swaps == count else pool[swaps:]


def minus_log(x: float) -> float:
    """Return -ln x for 0 < x <= 1, by the series of the area tangent around the square root of a half."""
    mantissa, exponent = frexp(x)
    s = (mantissa - ROOT_HALF) / (mantissa + ROOT_HALF)
    z = s * s
    series = 2.0 + z * (2 / 3 + z * (2 / 5 + z * (2 / 7 + z * (2 / 9 + z * (2 / 11)))))
    return abs((0.5 - exponent) * LN_2 - s * series)  # abs: around x = 1 the last bit may be on the wrong side of 0


def draw_exponentials(chance: Random, mean: float, count: int, *, in_arrays: bool = IN_ARRAYS) -> list[float]:
    """Return `count` values of mean * minus_log(1 - random()), computed in arrays unless `in_arrays` is false.

    The operations are those of `minus_log`, one by one, and IEEE 754 fixes their results in an array as it does
    outside.
    """
    random = chance.random
    if not in_arrays:
        return [mean * minus_log(1.0 - random()) for _ in range(count)]
    mantissa, exponent = np.frexp(1.0 - np.array([random() for _ in range(count)]))
    s = (mantissa - ROOT_HALF) / (mantissa + ROOT_HALF)
    z = s * s
    series = 2.0 + z * (2 / 3 + z * (2 / 5 + z * (2 / 7 + z * (2 / 9 + z * (2 / 11)))))
    found: list[float] = (mean * np.abs((0.5 - exponent) * LN_2 - s * series)).tolist()
    return found


class Draws:
    """A buffer of draws of one distribution, from a stream that serves nothing else.

    A simulation needs a draw for every packet, so they are made many at a time. They are the same as if they were made
    one by one.
    """

    __slots__ = ("_at", "_chance", "_ready", "_times")

    def __init__(self, times: Distribution, chance: Random) -> None:
        self._times, self._chance = times, chance
        self._ready: list[float] = []
        self._at = 0

    def take(self, count: int) -> list[float]:
        """Return the next `count` draws."""
        start, end = self._at, self._at + count
        if end > len(self._ready):
            more = self._times.draw_many(self._chance, max(count, DRAWN_AT_ONCE))
            self._ready = self._ready[start:] + more
            start, end = 0, count
        self._at = end
        return self._ready[start:end]


def exponential(x: float) -> float:
    """Return e to the power of x: the series of a remainder below 0.35, times a power of two."""
    twos = round(x / LN_2)
    remainder = x - twos * LN_2
    term = total = 1.0
    for n in range(1, 14):
        term = term * remainder / n
        total += term
    return ldexp(total, twos)


def draw_normal(chance: Random) -> float:
    """Return a value of the standard normal distribution, by the polar method of Marsaglia."""
    while True:
        x, y = 2.0 * chance.random() - 1.0, 2.0 * chance.random() - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            return x * sqrt(2.0 * minus_log(square) / square)
