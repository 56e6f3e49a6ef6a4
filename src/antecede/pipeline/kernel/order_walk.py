"""Find where runs break orders of delivery other than causal order. The orders are those of `antecede.judge.orders`.

A lane is one process of one run, or of a part of it: the messages of its events in its own order, as numbers. Events
are numbered through, lane after lane. Messages are numbered by sender, and for each sender in the order of its sends.
These are loops for `kernel.loops`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antecede.pipeline.arrow import Flags, Longs


class MessageLists(NamedTuple):
    """The messages of each lane, and the events of each message, from begin[k] to begin[k + 1] for message k."""

    start: Longs  # by lane, and the end: its first event
    lane_of: Longs  # by event
    message: Longs  # by event
    begin: Longs  # by message, and the end
    events: Longs


def overtake_on_channels(start: Longs, message: Longs, is_judged: Flags, sender: Longs, found: Longs) -> None:
    """Find for each lane two events of messages of the same sender that are in another order than their sends.

    `start` is where the events of each lane begin, and the end. `message` is the message of each event, and `is_judged`
    says whether the event counts. `sender` is a number for the sender of each message. `found` has two places for each
    lane, for the two events; both are -1 before.
    """
    senders = sender.max() + 1
    greatest = np.full(senders, -1, np.int64)  # by sender: the event of the latest of its messages so far
    asked_by = np.full(senders, -1, np.int64)
    for lane in range(len(start) - 1):
        for event in range(start[lane], start[lane + 1]):
            if not is_judged[event]:
                continue
            source = sender[message[event]]
            if asked_by[source] != lane or message[event] > message[greatest[source]]:
                asked_by[source], greatest[source] = lane, event
            elif found[2 * lane] < 0:
                found[2 * lane], found[2 * lane + 1] = greatest[source], event


def list_events(message: Longs, begin: Longs, events: Longs) -> None:
    """List the events of each message: fill `begin` and `events` of `MessageLists`. `begin` is zero before."""
    for event in range(len(message)):
        begin[message[event] + 1] += 1
    begin[:] = np.cumsum(begin)
    fill = begin.copy()
    for event in range(len(message)):
        events[fill[message[event]]] = event
        fill[message[event]] += 1


def take_fronts(lists: MessageLists) -> Longs:
    """Take away messages whose events are all the first that are left in their lanes, until there is no such message.

    Return for each lane the first event that is left in it. No lane has two events of one message next to each other.
    """
    start, message, begin = lists.start, lists.message, lists.begin
    at = start[:-1].copy()
    in_front, stack, depth = np.zeros(len(begin), np.int64), np.empty(len(begin), np.int64), 0
    for lane in range(len(at)):
        if at[lane] < start[lane + 1]:
            one = message[at[lane]]
            in_front[one] += 1
            if in_front[one] == begin[one + 1] - begin[one]:
                stack[depth], depth = one, depth + 1
    while depth > 0:
        depth -= 1
        taken = stack[depth]
        for place in range(begin[taken], begin[taken + 1]):
            lane = lists.lane_of[lists.events[place]]
            at[lane] += 1
            if at[lane] < start[lane + 1]:
                one = message[at[lane]]
                in_front[one] += 1
                if in_front[one] == begin[one + 1] - begin[one]:
                    stack[depth], depth = one, depth + 1
    return at


def disagree(lists: MessageLists, at: Longs, group: Longs, found: Longs) -> None:
    """Find for each group two lanes that have two messages in different orders, among the events from `at` on.

    `at` is the first event that is left in each lane, and `group` is the group of each lane. `found` has four places
    for each group, which are -1 before: the events of the two messages in the one lane, and those in the other.
    """
    lanes = len(at)
    latest = np.full(lanes, -1, np.int64)  # by lane: its latest event of a message that the asking lane has passed
    passed = np.full(lanes, -1, np.int64)  # by lane: the event of that message in the asking lane
    asked_by = np.full(lanes, -1, np.int64)
    for lane in range(lanes):
        result = 4 * group[lane]
        for event in range(at[lane], lists.start[lane + 1]):
            if found[result] >= 0:
                break
            one = lists.message[event]
            for place in range(lists.begin[one], lists.begin[one + 1]):
                other = lists.events[place]
                its = lists.lane_of[other]
                if its <= lane:
                    continue
                if asked_by[its] != lane or other > latest[its]:
                    asked_by[its], latest[its], passed[its] = lane, other, event
                elif found[result] < 0:
                    found[result], found[result + 1] = passed[its], event
                    found[result + 2], found[result + 3] = latest[its], other


def follow_crown(lists: MessageLists, at: Longs, lane: int, place_of: Longs, chain: Longs) -> Longs:
    """Return messages of which each has an event before an event of the next, and the last before one of the first.

    The first event that is left in `lane` is of a message that could not be taken away. `place_of` and `chain` have a
    place for each message. They are arguments so that many runs can share them. `place_of` is -1 everywhere, before and
    after.
    """
    length, one = 0, lists.message[at[lane]]
    while place_of[one] < 0:
        place_of[one] = length
        chain[length], length = one, length + 1
        for place in range(lists.begin[one], lists.begin[one + 1]):
            event = lists.events[place]
            if event > at[lists.lane_of[event]]:
                one = lists.message[event - 1]
                break
    crown = chain[place_of[one] : length][::-1].copy()
    for place in range(length):
        place_of[chain[place]] = -1
    return crown
