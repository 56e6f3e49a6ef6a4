"""What can be agreed for a host, and luggage that no station can have packed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from antecede import Message, MessageId, Misuse, Packet, RemoteViolation
from antecede.core.mobile import protocols
from antecede.core.mobile.direct import Mind
from antecede.core.mobile.flood import FloodMind
from antecede.core.mobile.handoff import AWAITED
from antecede.core.mobile.host_and_station_frames import Carried, Handover, Register
from antecede.core.mobile.luggage import Luggage, Terms
from antecede.core.mobile.station import Station
from antecede.core.ordering.ks import Ks, KsStamp
from antecede.core.ordering.prs import Prs, PrsStamp
from antecede.core.ordering.rst import RstStamp
from antecede.core.snapshot import values
from antecede.core.types import Stamp


@pytest.mark.parametrize(("when_asleep", "stored_max"), [("forget", 5), ("store", 0), ("drop", True), ("store", 1.5)])
def test_terms_that_no_station_can_keep_are_refused(when_asleep: str, stored_max: Any) -> None:
    with pytest.raises(Misuse, match="when_asleep must be store or drop, and stored_max 1 or more: not Terms"):
        Terms(when_asleep, stored_max)


MESSAGE = Message(MessageId("b", 2), frozenset("a"), b"")


def mind_that_holds(stamp: Stamp, message: Message | None = MESSAGE) -> Mind:
    mind = Mind(Ks("a", multicast=True))
    mind.held.serial, mind.held.packets = 1, {1: Packet("s2", message, stamp)}
    return mind


def mind_that_holds_ahead() -> Mind:
    mind = mind_that_holds(Carried(frozenset("a"), 0, KsStamp({}, {}, {})))
    mind.held.packets = {7: mind.held.packets[1]}
    return mind


def mind_that_learns_later(stamp: Stamp) -> Mind:
    return Mind(Ks("a", multicast=True), unlearned={1: (MESSAGE, stamp)})


@pytest.mark.parametrize(
    ("protocol", "luggage"),
    [
        ("roam", lambda: Luggage("a", mind_that_holds_ahead(), 1)),
        ("roam", lambda: Luggage("a", mind_that_holds(Carried(frozenset("a"), 0, RstStamp({}))), 1)),
        ("roam", lambda: Luggage("a", mind_that_holds(KsStamp({}, {}, {})), 1)),
        ("roam", lambda: Luggage("a", mind_that_holds(Carried(frozenset("a"), 0, KsStamp({}, {}, {})), None), 1)),
        ("roam", lambda: Luggage("a", mind_that_learns_later(PrsStamp({})), 1)),
        ("roam", lambda: Luggage("a", Mind(Ks("b", multicast=True)), 1)),
        ("prs-mobile", lambda: Luggage("a", Mind(Prs("a")), 1)),
        ("prs-mobile", lambda: Luggage("a", FloodMind(Mind(Prs("a"))), 1, serial=1, outbox={1: (MESSAGE, None)})),
    ],
)
def test_luggage_that_no_station_can_have_packed_is_refused(protocol: str, luggage: Callable[[], Luggage]) -> None:
    """Its checksum is right. Once it is taken, the station would fail for all its hosts."""
    station = protocols.station(protocol, name="s1", stations=["s1", "s2"], homes={"a": "s2", "b": "s1"})
    assert isinstance(station, Station)
    station.hear(Packet("a", None, Register(1, "s2")))
    before = station.snapshot()
    with pytest.raises(RemoteViolation, match="the luggage of a is of another protocol, or is not valid"):
        station.receive(Packet("s2", None, Handover("a", 1, values.dumps(luggage()))))
    assert station.berths["a"].state == AWAITED
    assert station.snapshot() == before
