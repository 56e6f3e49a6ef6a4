"""Chance that is the same on every machine, and has the distribution it is asked for."""

import math
import statistics

import pytest

from antecede.core.errors import Misuse
from antecede.sim.chance import (
    Distribution,
    Draws,
    draw_exponentials,
    draw_normal,
    exponential,
    minus_log,
    pick,
    stream,
)

DRAWS = 20_000
WRITTEN_DOWN = ["0x1.b51f5826eca18p+0", "0x1.5cf48ae018737p+0", "0x1.578269e34dcf4p-1", "0x1.c000000000000p+2"]


def test_logarithm_and_exponential_agree_with_the_c_library_to_ten_digits() -> None:
    chance = stream(1, "log")
    for _ in range(2_000):
        x = 1.0 - chance.random()
        assert minus_log(x) == pytest.approx(-math.log(x), rel=1e-9, abs=1e-10)
    for x in (-30.0, -1.0, -1e-9, 0.0, 0.3, 1.0, 12.5):
        assert exponential(x) == pytest.approx(math.exp(x), rel=1e-12)
    assert minus_log(1.0) == pytest.approx(0.0, abs=1e-10)
    assert minus_log(2.0**-53) == pytest.approx(53 * math.log(2), rel=1e-10)


def test_draws_are_these_to_the_last_bit_whatever_the_machine() -> None:
    """Written down once: a change of these numbers changes every trace."""
    chance = stream(1, "written down")
    kinds = ("exponential:2", "uniform:1-3", "lognormal:1:0.5", "constant:7")
    assert [Distribution.parse(text).draw(chance).hex() for text in kinds] == WRITTEN_DOWN


def test_many_draws_are_as_many_times_one_draw() -> None:
    for text in ("exponential:2", "uniform:1-3", "lognormal:1:0.5", "constant:7"):
        distribution = Distribution.parse(text)
        one, many = stream(3), stream(3)
        assert distribution.draw_many(many, 50) == [distribution.draw(one) for _ in range(50)]
    one, many = stream(3), stream(3)
    assert draw_exponentials(many, 2.0, 50) == [2.0 * minus_log(1.0 - one.random()) for _ in range(50)]


def test_without_numpy_they_are_the_same() -> None:
    fast = draw_exponentials(stream(1), 3.0, 1_000)
    assert draw_exponentials(stream(1), 3.0, 1_000, in_arrays=False) == fast


@pytest.mark.parametrize("text", ["exponential:2", "uniform:1-2", "lognormal:1:0.5", "constant:1"])
def test_draws_that_are_made_ahead_are_those_made_one_by_one(text: str) -> None:
    times = Distribution.parse(text)
    ahead, single = Draws(times, stream(3)), stream(3)
    for count in (1, 0, 15, 300, 2, 700, 5):
        assert ahead.take(count) == [times.draw(single) for _ in range(count)]


@pytest.mark.parametrize(
    ("text", "mean", "deviation"),
    [
        ("exponential:2", 2.0, 2.0),
        ("constant:2", 2.0, 0.0),
        ("uniform:1-3", 2.0, 2 / math.sqrt(12)),
        ("lognormal:2:0.5", 2.0, 2 * math.sqrt(math.exp(0.25) - 1)),
    ],
)
def test_distributions_have_their_mean_and_deviation(text: str, mean: float, deviation: float) -> None:
    draws = Distribution.parse(text).draw_many(stream(1, text), DRAWS)
    assert min(draws) >= 0
    assert statistics.fmean(draws) == pytest.approx(mean, rel=0.03)
    assert statistics.pstdev(draws) == pytest.approx(deviation, rel=0.05, abs=1e-12)


def test_exponential_latencies_have_the_quantiles_of_the_exponential_distribution() -> None:
    draws = sorted(Distribution().draw_many(stream(2, "quantiles"), DRAWS))
    for share in (0.1, 0.5, 0.9, 0.99):
        assert draws[int(share * DRAWS)] == pytest.approx(-math.log(1 - share), rel=0.06)


def test_normal_numbers_are_normal() -> None:
    chance = stream(1, "normal")
    draws = [draw_normal(chance) for _ in range(DRAWS)]
    assert statistics.fmean(draws) == pytest.approx(0.0, abs=0.03)
    assert statistics.pstdev(draws) == pytest.approx(1.0, rel=0.03)
    assert sum(abs(x) > 1.96 for x in draws) / DRAWS == pytest.approx(0.05, abs=0.01)


def test_streams_of_different_purposes_differ_and_of_the_same_agree() -> None:
    assert stream(1, "a").random() == stream(1, "a").random()
    assert len({stream(*purpose).random() for purpose in ((1, "a"), (1, "b"), (2, "a"), (1, "a", 1))}) == 4


def test_pick_takes_different_ones_and_everybody_equally_often() -> None:
    chance, among = stream(1, "pick"), list(range(6))
    for count in range(7):
        seen = [0] * 6
        for _ in range(3_000):
            picked = pick(chance, among, count)
            assert len(picked) == len(set(picked)) == count
            for item in picked:
                seen[item] += 1
        assert all(times == pytest.approx(500 * count, rel=0.15) for times in seen)
    assert among == list(range(6))


@pytest.mark.parametrize("text", ["", "exponential", "gamma:1", "uniform:3", "uniform:3-1", "exponential:-1", "nan",
                                  "constant:1:2", "lognormal:1:9", "uniform:-1-2", "inf"])  # fmt: skip
def test_a_distribution_that_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(Misuse):
        Distribution.parse(text)


@pytest.mark.parametrize("text", ["exponential:1.5", "constant:0", "uniform:0.5-1.5", "lognormal:1:0.25"])
def test_a_distribution_is_written_as_it_is_read(text: str) -> None:
    assert str(Distribution.parse(text)) == text
