"""The causal layer between stations: packets that do not come through it, and messages for hosts that are elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antecede import Message, MessageId, Packet, RemoteViolation, encode
from antecede.core.mobile.effects import Dropped, Radio
from antecede.core.mobile.host_and_station_frames import Begin, Relayed
from antecede.core.ordering.ks import KsStamp
from antecede.core.ordering.rst import RstStamp
from antecede.core.process import Baseline
from antecede.core.types import Stamp
from tests.core.mobile.script import world

HOMES = {"a": "n", "b": "s"}
STAMPS: dict[str, Stamp] = {"av2": RstStamp({}), "av2-ks": KsStamp({}, {}, {})}


@pytest.mark.parametrize("stamp", [Begin("b", 1, "n", 0), Baseline({})], ids=lambda stamp: type(stamp).__name__)
@pytest.mark.parametrize("protocol", STAMPS)
def test_control_that_does_not_come_through_the_causal_layer_is_refused(protocol: str, stamp: Stamp) -> None:
    station = world(protocol, HOMES).stations["s"]
    before = station.snapshot()
    with pytest.raises(RemoteViolation, match=f"n sent a {type(stamp).__name__}, which is of another algorithm"):
        station.receive(Packet("n", None, stamp))
    assert station.snapshot() == before


def relayed(protocol: str, seq: int, author: str, host: str) -> Packet:
    """The `seq`-th packet of n to s, with the first message of `author` for `host`, who is said to be at s."""
    inner = Packet("n", Message(MessageId(author, 1), frozenset(host), b""), Relayed({"s": frozenset(host)}))
    return Packet("n", Message(MessageId("n", seq), frozenset("s"), encode(inner)), STAMPS[protocol])


@pytest.mark.parametrize("protocol", STAMPS)
def test_a_message_for_a_host_that_is_elsewhere_is_its_senders_fault_and_does_no_harm_to_the_next(
    protocol: str,
) -> None:
    """No correct station sends it: it would have been notified of the move first. It is not counted."""
    station = world(protocol, HOMES).stations["s"]
    before = station.snapshot()
    with pytest.raises(RemoteViolation, match="message b:1 for a, which is away at s"):
        station.receive(relayed(protocol, 1, "b", "a"))
    assert station.snapshot() == before
    effects = station.receive(relayed(protocol, 2, "a", "b"))
    assert [effect.to for effect in effects if isinstance(effect, Radio)] == ["b"]


WAITS: dict[str, Stamp] = {
    "av2": RstStamp({"n": {"s": 1}}),
    "av2-ks": KsStamp({}, {"s": {"n": 1}}, {"n": 1}),
}
"""Stamps of a message that waits for the first message of n to s."""


@pytest.mark.parametrize("protocol", STAMPS)
def test_a_message_that_is_held_back_for_a_host_that_is_elsewhere_is_dropped_when_its_turn_comes(protocol: str) -> None:
    """Whoever sent what released it is not to blame: that is delivered."""
    station = world(protocol, HOMES).stations["s"]
    late = replace(relayed(protocol, 2, "b", "a"), stamp=WAITS[protocol])
    assert station.receive(late) == []
    effects = station.receive(relayed(protocol, 1, "a", "b"))
    assert [effect.to for effect in effects if isinstance(effect, Radio)] == ["b"]
    assert [effect for effect in effects if isinstance(effect, Dropped)] == [Dropped("a", MessageId("b", 1))]
    before = station.snapshot()
    assert station.receive(late) == [], "a repetition has no effect, though it would be refused now"
    assert station.snapshot() == before
