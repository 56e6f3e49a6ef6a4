"""Messages to all stations: a stamp of another protocol."""

from __future__ import annotations

import pytest

from antecede import Message, MessageId, Packet, RemoteViolation
from antecede.core.mobile.host_and_station_frames import Cast
from antecede.core.ordering.ks import KsStamp
from tests.core.mobile.script import world


def test_a_cast_with_a_stamp_of_another_protocol_is_refused() -> None:
    station = world("prs-mobile", {"a": "n", "b": "s"}).stations["s"]
    before = station.snapshot()
    wrong = Packet("n", Message(MessageId("a", 1), frozenset("b"), b""), Cast(0, KsStamp({}, {}, {})))
    with pytest.raises(RemoteViolation, match="n sent a KsStamp, which is of another protocol"):
        station.receive(wrong)
    assert station.snapshot() == before
