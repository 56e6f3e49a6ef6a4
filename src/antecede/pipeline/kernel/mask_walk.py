"""Judge with bit masks: one bit for each message on its way to one process, for as long as it might be overtaken.

A *pair* is a message and a process that it is addressed to and that delivers it. The events are walked in a linear
order (`linear_order`). A deliver of m overtakes the pairs of its process that are still due and whose send happened
before the send of m. Most pairs cannot be overtaken by anything, and `overtakers` tells which can, and between which
positions:

    position    1   2   3   4   5   6   7   8
    a           s1          s3                      messages 1, 2 and 4 are sent to c, message 3 is sent to b
    b               s2          d3  s4
    c                   d2              d4  d1      only (1, c) might be overtaken: by d4, because of s3, from 4 to 7

The pairs that might be overtaken are put together in *blocks* of some words of 64 bits (`mask_blocks`). For each block
the events between its first and its last position are walked, as if nothing else were in flight:

* The mask of a process is the set of those pairs of the block whose send happened before. A send adds its pairs, and
  copies the mask to the slot of its message: the stamp.
* Beside it, each process has the pairs of the block that are addressed to it and still due.
* A deliver takes its own pair out of the due ones. It has overtaken the pairs that are still due and in the stamp. Then
  the stamp is added to the mask of its process.

A block begins with empty masks, so no bit ever stands for two pairs, and nothing has to be cleared when a pair is
delivered. An empty mask costs no time: a number beside each mask says to which block it belongs, and the mask is
cleared when its first pair comes.

The bits of a block are in the order of the sends by (sender, index), so the first bit in common is the first overtaken
message.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antecede.pipeline.arrow import Ints, Longs

Words = npt.NDArray[np.uint64]

SENDS, IRRELEVANT, RELEVANT = -3, -2, -1
"""What a step is: a send; a deliver that does not count for order; a deliver that counts, of a pair that is not in any
block. A step with a number from 0 on is the deliver of the pair with this number."""
ONE, TWO, FOUR, EIGHT, SIXTEEN, THIRTY_TWO = (np.uint64(1 << exponent) for exponent in range(6))
EVEN_BITS = np.uint64(0x5555_5555_5555_5555)
EVEN_TWOS = np.uint64(0x3333_3333_3333_3333)
EVEN_FOURS = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
COUNT_BITS = np.uint64(0x7F)


class MaskSteps(NamedTuple):
    """The events in linear order."""

    what: Ints  # SENDS, IRRELEVANT, RELEVANT, or the pair that is delivered
    lane: Ints
    slot: Ints  # the slot where the stamp of the message is written or read; -1 if it is never read


class MaskBlocks(NamedTuple):
    """The pairs that might be overtaken, numbered by block, and in their block by the events of their sends."""

    send: Longs  # by pair: the event of its send
    dest: Ints  # by pair: the lane that delivers it
    coming: Ints  # the pairs by block, and in their block by the positions from which on they count
    coming_at: Ints  # by pair of `coming`: that position
    first_pair: Longs  # by block, and the end
    words: Ints  # by block: the words of a mask
    start: Longs  # by block: its first position
    end: Longs  # by block: the position after its last


def bit_count(word: Any) -> Any:
    """Return how many bits of a word are set, by adding up neighbours: bits, then twos, fours and so on."""
    word -= (word >> ONE) & EVEN_BITS
    word = (word & EVEN_TWOS) + ((word >> TWO) & EVEN_TWOS)
    word = (word + (word >> FOUR)) & EVEN_FOURS
    word += word >> EIGHT
    word += word >> SIXTEEN
    word += word >> THIRTY_TWO
    return np.int64(word & COUNT_BITS)


def overtaken_in(stamp: Words, due: Words) -> tuple[int, int]:
    """Return how many pairs are in both masks, and the first of them or -1."""
    count, first = 0, -1
    for word in range(len(stamp)):
        both = stamp[word] & due[word]
        if both:
            if count == 0:
                first = 64 * word + bit_count((both ^ (both - ONE)) >> ONE)  # the number of zeros below the first bit
            count += bit_count(both)
    return count, first


def walk_masks(steps: MaskSteps, blocks: MaskBlocks, lanes: int, slots: int) -> tuple[Longs, Longs]:  # noqa: PLR0912
    """Return for each position how many messages its deliver overtook, and the first of them as a pair, or -1."""
    most = blocks.words.max()
    known, due = np.empty(lanes * most, np.uint64), np.empty(lanes * most, np.uint64)
    known_in, due_in = np.full(lanes, -1, np.int32), np.full(lanes, -1, np.int32)  # the block that each mask is of
    stamps, stamp_in, still_due = (
        np.empty(slots * most, np.uint64),
        np.full(slots, -1, np.int32),
        np.zeros(lanes, np.int32),
    )
    overtaken, witness = np.zeros(len(steps.what), np.int64), np.full(len(steps.what), -1, np.int64)
    for block in range(len(blocks.words)):
        words, first, end = blocks.words[block], blocks.first_pair[block], blocks.first_pair[block + 1]
        coming = first
        for position in range(blocks.start[block], blocks.end[block]):
            what, lane, slot = steps.what[position], steps.lane[position], steps.slot[position]
            mask, stamp = lane * words, slot * words
            if what == SENDS:
                while coming < end and blocks.coming_at[coming] == position:
                    pair, coming = blocks.coming[coming], coming + 1
                    dest, word, bit = blocks.dest[pair], (pair - first) // 64, ONE << np.uint64((pair - first) % 64)
                    if known_in[lane] != block:
                        known_in[lane] = block
                        known[mask : mask + words] = 0
                    if due_in[dest] != block:
                        due_in[dest], still_due[dest] = block, 0
                        due[dest * words : (dest + 1) * words] = 0
                    known[mask + word] |= bit
                    due[dest * words + word] |= bit
                    still_due[dest] += 1
                if slot >= 0:
                    stamp_in[slot] = known_in[lane]
                    if known_in[lane] == block:
                        stamps[stamp : stamp + words] = known[mask : mask + words]
                continue
            if first <= what < end:
                due[mask + (what - first) // 64] &= ~(ONE << np.uint64((what - first) % 64))
                still_due[lane] -= 1
            if stamp_in[slot] != block:
                continue
            if what > IRRELEVANT and due_in[lane] == block and still_due[lane] > 0:
                count, place = overtaken_in(stamps[stamp : stamp + words], due[mask : mask + words])
                overtaken[position] += count
                if count > 0 and (witness[position] < 0 or blocks.send[first + place] < blocks.send[witness[position]]):
                    witness[position] = first + place
            if known_in[lane] != block:
                known_in[lane] = block
                known[mask : mask + words] = stamps[stamp : stamp + words]
            else:
                for word in range(words):
                    known[mask + word] |= stamps[stamp + word]
    return overtaken, witness
