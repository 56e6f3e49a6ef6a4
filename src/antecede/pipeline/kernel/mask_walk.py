"""Judge with bit masks: one bit for each message on its way to one process, if it can be overtaken at all.

A pair is a message and a process that it is addressed to and that delivers it. A pair that has been delivered cannot be
overtaken any more, so a run is judged by knowing, for each deliver, which pairs still due at its process happened before
its message. The events are walked in the order of `linear_order`, in which a send precedes all that it can affect. So a
pair can be overtaken only by a message that is sent after it and delivered before it, by that order:

    position    1   2   3   4   5   6   7   8
    a           s1          s3                      s1, s2 and s4 are sent to c, s3 is sent to b
    b               s2          d3  s4
    c                   d2              d4  d1      d1 can be overtaken by d2 and by d4; d2, d3 and d4 cannot

Here one pair is *overtakable*: message 1 to c. It takes one bit, from its send to the last deliver that can overtake it (position
1 to 7), and none of the others takes any. Overtakable pairs are put together in *blocks* of some words of 64 bits. For
each block the events from its first send to its last overtaker are walked, as if nothing else were in flight:

* The mask of a lane is the set of the block's pairs whose send happened before. A send adds its own pairs, and copies
  the mask to the slot of its message: its stamp.
* Beside it each lane has the pairs of the block that are sent to it and still due.
* A deliver takes its own pair out of what is due. What remains of that, and is in the stamp as well, it has overtaken.
  Then the stamp is added to the mask of its lane.

A block begins with empty masks, so no bit ever means two things. Masks that are empty cost nothing: whether a mask belongs to
the present block is one number beside it, and it is set to zero when the first pair is added.

The bits of a block are in the order of sends, by (sender, index), so the first bit found is the first message overtaken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

SENDS, IRRELEVANT, COUNTS = -3, -2, -1
"""What a step is: a send; a deliver that does not count for order; one that counts, but is of no overtakable pair. A step
that is none of these is the deliver of the overtakable pair of that number."""
ONE, TWO, FOUR, EIGHT, SIXTEEN, THIRTY_TWO = (np.uint64(1 << exponent) for exponent in range(6))
EVEN_BITS = np.uint64(0x5555_5555_5555_5555)
EVEN_TWOS = np.uint64(0x3333_3333_3333_3333)
EVEN_FOURS = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
COUNT_BITS = np.uint64(0x7F)


class MaskSteps(NamedTuple):
    """The events by their position in the linear order."""

    what: Ints  # SENDS, IRRELEVANT, COUNTS, or the pair that is delivered
    lane: Ints
    slot: Ints  # where the stamp of the message is written, or read; -1 where nobody reads it


class MaskBlocks(NamedTuple):
    """Overtakable pairs, numbered by block, and in their block by the events of their sends."""

    send: Longs  # by pair: the event of its send
    dest: Ints  # by pair: the lane that delivers it
    coming: Ints  # the pairs by block, and in their block by the positions of their sends
    coming_at: Ints  # those positions
    first_pair: Longs  # by block, and the end
    words: Ints  # by block
    start: Longs  # by block: the position of its first send
    end: Longs  # by block: the position after its last overtaker


def last_overtakers(lane: Ints, sent_at: Longs) -> Longs:
    """Return for each deliver the last one before it, in its lane, whose message was sent after its own, or -1.

    The delivers are in the order of (lane, index), and `sent_at` has the positions of their sends.
    """
    found = np.empty(len(lane), np.int64)
    for deliver in range(len(lane)):
        before = deliver - 1 if deliver > 0 and lane[deliver - 1] == lane[deliver] else -1
        while before >= 0 and sent_at[before] < sent_at[deliver]:
            before = found[before]  # those between were sent before `before`
        found[deliver] = before
    return found


def bit_count(word: np.uint64) -> np.int64:
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
                first = 64 * word + bit_count((both ^ (both - ONE)) >> ONE)  # as many as there are zeros below
            count += bit_count(both)
    return count, first


def walk_masks(steps: MaskSteps, blocks: MaskBlocks, lanes: int, slots: int) -> tuple[Longs, Longs]:  # noqa: PLR0912
    """Return by position how many messages a deliver overtook, and the first of them as a pair or -1."""
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
