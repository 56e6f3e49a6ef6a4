"""Find what might be overtaken, before it is judged: a few comparisons of positions for each deliver.

The events have positions in a linear order in which every send precedes its delivers. Let m be delivered at d. If
another message is delivered at d before, and its send happened after that of m, then one of these is true:

* The same process sent it, later than m.
* Another process sent it, after it had delivered a message from elsewhere that was sent no earlier than the first
  message that could tell of m. That is m itself if several processes deliver it, and otherwise the next message of m's
  sender: m tells only d of itself, where it is still due.

Both can be seen from positions alone. Neither is proof: whether m really happened before is left to `mask_walk`, which
need not know of m before that first message, nor after the last deliver at d that might overtake it. If none might, m
is left out.

Why a position is enough: knowledge of m comes to another process along messages each of which is sent later than the
one before. So the last of them, which that process delivers, is sent no earlier than the first, which tells of m.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from antecede.pipeline.kernel.linear_order import SENT, Lanes

Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

NEVER = np.iinfo(np.int32).max  # a position that no event has


def find_carriers(lanes: Lanes, position: Ints) -> tuple[Ints, Ints]:
    """Return for each send the position of the first message that can tell of it, and what its lane had heard of.

    What a lane had heard of is the position of the latest send among the messages from other lanes that it had
    delivered, or -1.
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

    For an overtaker from the same sender, the last deliver from that sender is taken, even if that one was sent
    earlier: to know of a pair for too long does no harm. For an overtaker from elsewhere there is a stack of the
    lane's delivers whose senders had heard of more than those of all later delivers, with `heard`, what they had heard
    of, which decreases.
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
            if last_deliver[sender] < lanes.start[lane]:  # in another lane
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
