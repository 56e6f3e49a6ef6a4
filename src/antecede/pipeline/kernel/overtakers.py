"""Find the messages that might be overtaken, before they are judged, by a few comparisons of positions.

The events have positions in a linear order in which every send precedes its delivers. Let m be delivered at d. If
another message is delivered at d before, and its send happened after that of m, then one of these is true:

* The sender of m sent the other message, later than m.
* Another process sent it, after this process had delivered a message from elsewhere that was sent no earlier than the
  first message that could tell of m. That first message is m itself if several processes deliver m. Otherwise it is the
  next message of the sender of m, because m tells only d of itself, where m is still due.

Both can be seen from positions alone, and neither is proof. Whether m really happened before is for `mask_walk` to find
out. It need not know of m before that first message, nor after the last deliver at d that might overtake m. If no
deliver might overtake m, m is left out.

A position is enough for the following reason. Knowledge of m comes to another process along a chain of messages, each
sent later than the one before. So the last of them, which that process delivers, is sent no earlier than the first,
which tells of m.
"""

from __future__ import annotations

import numpy as np

from antecede.pipeline.arrow import Flags, Ints
from antecede.pipeline.kernel.linear_order import SENT, Lanes

NEVER = np.iinfo(np.int32).max  # a position that no event has


def find_carriers(lanes: Lanes, position: Ints) -> tuple[Ints, Ints]:
    """Return for each send the position of the first message that can tell of it, and what its lane had heard of.

    What a lane had heard of is a position: that of the latest send among the messages from other lanes that the lane
    had delivered, or -1 if there are none.
    """
    carried_at, heard_of = np.full(len(position), NEVER, np.int32), np.full(len(position), -1, np.int32)
    for lane in range(len(lanes.start) - 1):
        latest, following = -1, NEVER
        for event in range(lanes.start[lane], lanes.start[lane + 1]):
            source = lanes.source[event]
            if source == SENT:
                heard_of[event] = latest
            elif lanes.lane_of[source] != lane:
                latest = max(latest, position[source])
        for event in range(lanes.start[lane + 1] - 1, lanes.start[lane] - 1, -1):
            if lanes.readers[event] > 0:
                carried_at[event] = position[event] if lanes.readers[event] > 1 else following
                following = position[event]
    return carried_at, heard_of


def last_overtakers(lanes: Lanes, position: Ints, counts: Flags, carried_at: Ints, heard_of: Ints) -> Ints:
    """Return for each deliver that counts the position of the last deliver that might overtake it, or -1.

    `counts` says which delivers count. `carried_at` and `heard_of` are the results of `find_carriers`. For an overtaker
    from the same sender, the last deliver from that sender is taken, even if its message was sent earlier: to know of a
    pair for too long does no harm. For an overtaker from elsewhere there is a stack of those delivers of the lane whose
    senders had heard of more than the senders of all later delivers. `heard` is what they had heard of; it decreases.
    """
    found = np.full(len(position), -1, np.int32)
    stack, heard = np.empty(len(position), np.int32), np.empty(len(position), np.int32)
    last_deliver, last_sent = np.full(len(lanes.group), -1, np.int32), np.empty(len(lanes.group), np.int32)  # by sender
    for lane in range(len(lanes.start) - 1):
        depth = 0
        for event in range(lanes.start[lane], lanes.start[lane + 1]):
            if not counts[event]:
                continue
            send = lanes.source[event]
            sender, sent_at = lanes.lane_of[send], position[send]
            if last_deliver[sender] < lanes.start[lane]:  # the last deliver was in another lane
                last_sent[sender] = sent_at
            elif last_sent[sender] > sent_at:
                found[event] = position[last_deliver[sender]]
            last_deliver[sender], last_sent[sender] = event, max(last_sent[sender], sent_at)
            low, high = 0, depth
            while low < high:
                middle = (low + high) // 2
                if heard[middle] >= carried_at[send]:
                    low = middle + 1
                else:
                    high = middle
            if low > 0:
                found[event] = max(found[event], position[stack[low - 1]])
            while depth > 0 and heard[depth - 1] <= heard_of[send]:
                depth -= 1
            stack[depth], heard[depth], depth = event, heard_of[send], depth + 1
    return found
