"""Arrivals as text, so that a trace can carry them and two messages can be compared long after they arrived.

The text is a JSON object with what `determination_4` asks for: the receiver, the sender, the position among the
messages of the sender, the clock entries that the message carried and, at a gateway, the note of when it was known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from antecede.core.clocks.stamp import Arrival, Order, is_value
from antecede.core.errors import Misuse
from antecede.core.locality.local_clock import determination_4
from antecede.core.types import ProcessId


def write_arrival(arrival: Arrival, receiver: ProcessId) -> str:
    """Return what `receiver` remembers of a message, as text."""
    if not arrival.is_ordered:
        raise Misuse("the plan is for chosen pairs of processes, and does not order arrivals: write timestamps instead")
    fields: dict[str, object] = {
        "receiver": receiver,
        "sender": arrival.sender,
        "position": arrival.position,
        "clock": dict(arrival.clock),
    }
    if arrival.known_at is not None:
        fields["known_at"] = arrival.known_at
    return json.dumps(fields, separators=(",", ":"))


def read_arrival(text: str) -> tuple[ProcessId, Arrival]:
    """Return the receiver and the arrival that `write_arrival` wrote, or raise `Misuse` if the text is not one."""
    try:
        fields = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or not _is_arrival(fields):
        raise Misuse(f"{str(text)[:200]!r} is not an arrival: give the attribute local_clock of a deliver, as it is")
    arrival = Arrival(fields["sender"], fields["position"], fields["clock"], fields.get("known_at"))
    return fields["receiver"], arrival


def compare_texts(first: str, second: str) -> Order:
    """Return how two messages that arrived at one process stand to each other, from the texts of their arrivals.

    Raise `Misuse` if the texts are of two processes, or of the same message.
    """
    (receiver, m1), (other, m2) = read_arrival(first), read_arrival(second)
    if receiver != other:
        raise Misuse(f"one message arrived at {receiver!r} and the other at {other!r}: compare arrivals at one process")
    if (m1.sender, m1.position) == (m2.sender, m2.position):
        raise Misuse(f"both texts are of message {m1.position} of {m1.sender!r}: compare two messages")
    return determination_4(m1, m2, receiver)


def _is_arrival(fields: Mapping[str, object]) -> bool:
    clock = fields.get("clock")
    return (
        all(isinstance(fields.get(name), str) for name in ("receiver", "sender"))
        and is_value(fields.get("position"))
        and isinstance(clock, dict)
        and all(map(is_value, clock.values()))
        and ("known_at" not in fields or is_value(fields["known_at"]))
    )
