"""Put the pairs that might be overtaken together in the blocks that `mask_walk` walks.

A block of w words walks all events between its first and its last position, and takes EVENT_NS + w * WORD_NS for each.
Wide blocks share the first part between many pairs, but one pair that lives long makes its whole block long. So pairs
that live about as long as each other are put together: there are classes of lifetimes, each up to twice the one
before, and two classes are joined if this is estimated to be faster.

The cost is as follows. If L pairs of a class are alive at a time, each event is walked 1 + L / 64w times, for w words.
The best w is the square root of L / 64 * EVENT_NS / WORD_NS. So the time for an event is constant as long as some
hundred pairs are alive, and then grows as L / 64 words. It does not depend on the number of processes. The masks take
two rows of w words for each process, and one for each message in flight. The limit of w keeps this memory within
bounds: if there are more pairs, there are more blocks, one after the other in the same memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import numpy.typing as npt

from antecede.pipeline.arrow import Doubles, Ints, Longs
from antecede.pipeline.kernel.layout import Layout, Rows
from antecede.pipeline.kernel.linear_order import SENT, LinearOrder
from antecede.pipeline.kernel.mask_walk import IRRELEVANT, RELEVANT, SENDS, MaskBlocks, MaskSteps

WORD_BITS = 64
EVENT_NS, WORD_NS = 20.0, 2.0  # the time to walk one event in one block, and for each word of its masks in addition


@dataclass(frozen=True, slots=True)
class OvertakablePairs:
    """Pairs of a message and a process that might be overtaken. All columns are by pair."""

    deliver: Longs  # the event of the deliver
    send: Longs  # the event of the send
    first: Longs  # the position of the first message that can tell of the pair
    last: Longs  # the position of the last deliver that might overtake the pair

    def take(self, chosen: npt.NDArray[np.generic]) -> OvertakablePairs:
        return OvertakablePairs(self.deliver[chosen], self.send[chosen], self.first[chosen], self.last[chosen])


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """The blocks, and the pairs sorted by block and, in each block, by their first positions."""

    pairs: OvertakablePairs
    block: Longs  # by pair: its block
    words: Longs  # by block: the words of a mask
    start: Longs  # by block: its first position
    end: Longs  # by block: the position after its last

    @property
    def steps(self) -> int:
        """Return about how many steps all blocks take."""
        return int(((self.end - self.start) * (8 + self.words)).sum())

    @property
    def pair_ns(self) -> Doubles:
        """Return for each pair its share of the time that its block will take."""
        block_ns = (self.end - self.start) * (EVENT_NS + WORD_NS * self.words)
        return (block_ns / np.bincount(self.block, minlength=len(block_ns)))[self.block]


@dataclass(frozen=True, slots=True)
class _Lifetimes:
    """Some classes of lifetimes: the number of pairs in them, the longest lifetime, and the sum of all lifetimes."""

    least_class: int
    count: int
    longest: int
    total: int

    def join(self, shorter: _Lifetimes) -> _Lifetimes:
        count, total = self.count + shorter.count, self.total + shorter.total
        return _Lifetimes(shorter.least_class, count, self.longest, total)

    def words(self, positions: int, words_max: int) -> int:
        """Return how many words the blocks of these classes should have."""
        live = self.count * self.longest / min(self.total, positions)
        best = sqrt(live / WORD_BITS * EVENT_NS / WORD_NS)
        return max(1, min(round(best), ceil(self.count / WORD_BITS), words_max))

    def walk_ns(self, positions: int, words_max: int) -> float:
        """Return about how long the blocks of these classes take."""
        words = self.words(positions, words_max)
        blocks = self.count / WORD_BITS / words
        walked = min(self.total, positions) + max(blocks - 1, 0) * self.longest
        return walked * (EVENT_NS + WORD_NS * words)


def find_overtakable(rows: Rows, layout: Layout, order: LinearOrder) -> OvertakablePairs:
    """Return the pairs that might be overtaken if the events are walked in this order."""
    lanes, run = layout.lanes, layout.kernels
    position = np.full(len(lanes.source), -1, np.int32)  # by event; -1 in groups that have a cycle
    position[order.event] = np.arange(len(order.event), dtype=np.int32)
    counts = (lanes.source != SENT) & rows.addressed[layout.event_row] & (position >= 0)
    carried_at, heard_of = run.find_carriers(lanes, position)
    last = run.last_overtakers(lanes, position, counts, carried_at, heard_of)
    deliver = np.flatnonzero(last >= 0)
    send = lanes.source[deliver].astype(np.int64)
    return OvertakablePairs(deliver, send, carried_at[send].astype(np.int64), last[deliver].astype(np.int64))


def plan_blocks(pairs: OvertakablePairs, positions: int, words_max: int) -> BlockPlan:
    """Put pairs together in blocks of at most `words_max` words. `positions` is the length of the linear order."""
    pairs = pairs.take(np.argsort(pairs.first))
    length = pairs.last - pairs.first + 1
    of_class = np.frexp(length)[1]
    chosen, blocks, words, blocks_before = [], [], [], 0
    below = np.iinfo(np.int32).max
    for lifetimes in _join_classes(length, of_class, positions, words_max):
        members = np.flatnonzero((of_class >= lifetimes.least_class) & (of_class < below))
        wanted, below = lifetimes.words(positions, words_max), lifetimes.least_class
        block = _cut(pairs.first[members], pairs.last[members], wanted * WORD_BITS)
        chosen.append(members)
        blocks.append(block + blocks_before)
        words.append(np.full(block[-1] + 1, wanted))
        blocks_before += block[-1] + 1
    if not chosen:
        nothing = np.empty(0, np.int64)
        return BlockPlan(pairs, nothing, nothing, nothing, nothing)
    pairs, block = pairs.take(np.concatenate(chosen)), np.concatenate(blocks)
    starts = np.flatnonzero(np.diff(block, prepend=-1))
    return BlockPlan(
        pairs, block, np.concatenate(words), pairs.first[starts], np.maximum.reduceat(pairs.last, starts) + 1
    )


def _join_classes(length: Longs, of_class: Ints, positions: int, words_max: int) -> list[_Lifetimes]:
    """Return the classes that have pairs, the longest lifetimes first.

    A class is joined with the next one if their blocks take less time together.
    """
    count, total = np.bincount(of_class), np.bincount(of_class, weights=length)
    longest = np.zeros(len(count), np.int64)
    np.maximum.at(longest, of_class, length)
    found: list[_Lifetimes] = []
    for one in np.flatnonzero(count)[::-1].tolist():
        shorter = _Lifetimes(one, int(count[one]), int(longest[one]), int(total[one]))
        joined = found[-1].join(shorter) if found else None
        if joined is not None and joined.walk_ns(positions, words_max) <= (
            found[-1].walk_ns(positions, words_max) + shorter.walk_ns(positions, words_max)
        ):
            found[-1] = joined
        else:
            found.append(shorter)
    return found


def _cut(first: Longs, last: Longs, pairs_max: int) -> Longs:
    """Return the block of each pair. A block ends if it is full, or if the next pair begins after all of its pairs."""
    number = np.arange(len(first))
    reached = np.maximum.accumulate(last)
    alone = np.append(True, first[1:] > reached[:-1])
    since = number - np.maximum.accumulate(np.where(alone, number, 0))
    return np.cumsum(since % pairs_max == 0) - 1


def lay_out_masks(
    rows: Rows, layout: Layout, order: LinearOrder, plan: BlockPlan
) -> tuple[MaskSteps, MaskBlocks, Longs]:
    """Return the steps and blocks for the walk, and for each pair the event of its deliver."""
    lanes, pairs = layout.lanes, plan.pairs
    by_number = np.lexsort((pairs.send, plan.block))
    number = np.empty(len(by_number), np.int32)
    number[by_number] = np.arange(len(by_number))
    what = np.where(rows.addressed[layout.event_row], RELEVANT, IRRELEVANT).astype(np.int32)
    what[lanes.source == SENT] = SENDS
    what[pairs.deliver] = number
    sent = np.where(lanes.source == SENT, np.arange(len(what)), lanes.source)
    steps = MaskSteps(what[order.event], lanes.lane_of[order.event], order.slot[sent[order.event]])
    blocks = MaskBlocks(
        send=pairs.send[by_number],
        dest=lanes.lane_of[pairs.deliver[by_number]],
        coming=number,
        coming_at=pairs.first.astype(np.int32),
        first_pair=np.concatenate([[0], np.cumsum(np.bincount(plan.block, minlength=len(plan.words)))]),
        words=plan.words.astype(np.int32),
        start=plan.start,
        end=plan.end,
    )
    return steps, blocks, pairs.deliver[by_number]
