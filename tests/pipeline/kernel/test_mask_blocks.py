"""The blocks of a walk with masks: every pair in one of them, none longer than it must be."""

from __future__ import annotations

import numpy as np
import pytest

from antecede.pipeline.kernel.mask_blocks import WORD_BITS, BlockPlan, OvertakablePairs, plan_blocks

POSITIONS = 1_000_000


def pairs(lifetimes: list[tuple[int, int]], seed: int = 1) -> OvertakablePairs:
    """So many pairs with about such a lifetime each, anywhere."""
    rng = np.random.default_rng(seed)
    length = np.concatenate([rng.integers(1, 2 * lifetime, count) for count, lifetime in lifetimes])
    first = rng.integers(0, POSITIONS - length)
    return OvertakablePairs(np.arange(len(first)), np.arange(len(first)), first, first + length - 1)


def walked(plan: BlockPlan) -> int:
    return int((plan.end - plan.start).sum())


@pytest.mark.parametrize("words_max", [1, 5, 1_000])
@pytest.mark.parametrize(
    "lifetimes", [[(50_000, 40)], [(20_000, 20_000)], [(100_000, 100), (300, 300_000)], [(1, 1)], []], ids=str
)
def test_every_pair_is_in_one_block_that_lasts_as_long_and_is_wide_enough(
    lifetimes: list[tuple[int, int]], words_max: int
) -> None:
    given = pairs(lifetimes) if lifetimes else pairs([(1, 1)]).take(np.empty(0, np.int64))
    plan = plan_blocks(given, POSITIONS, words_max)
    assert sorted(plan.pairs.send.tolist()) == given.send.tolist()
    assert np.all(plan.start[plan.block] <= plan.pairs.first)
    assert np.all(plan.end[plan.block] > plan.pairs.last)
    assert np.all(np.bincount(plan.block, minlength=len(plan.words)) <= WORD_BITS * plan.words)
    assert np.all((plan.words >= 1) & (plan.words <= words_max))


def test_a_few_pairs_that_live_long_do_not_make_the_blocks_of_the_others_long() -> None:
    short, long = [(100_000, 100)], [(60, 300_000)]
    apart = walked(plan_blocks(pairs(short), POSITIONS, 1_000)) + walked(plan_blocks(pairs(long), POSITIONS, 1_000))
    assert walked(plan_blocks(pairs(short + long), POSITIONS, 1_000)) < 1.1 * apart


def test_positions_between_pairs_are_not_walked() -> None:
    first = np.array([10, 500_000, 900_000])
    plan = plan_blocks(OvertakablePairs(np.arange(3), np.arange(3), first, first + 9), POSITIONS, 1_000)
    assert walked(plan) == 30


def test_the_estimate_grows_with_what_is_alive() -> None:
    few, many = (plan_blocks(pairs([(count, 50_000)]), POSITIONS, 1_000).pair_ns.sum() for count in (1_000, 100_000))
    assert 10 * few < many < 100 * few
