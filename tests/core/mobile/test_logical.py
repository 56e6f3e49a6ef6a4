"""The logical stations of one station: a stranger among their hosts."""

from __future__ import annotations

import pytest

from antecede import Packet, RemoteViolation
from antecede.core.mobile import protocols
from antecede.core.mobile.host_and_station_frames import Register


def test_logical_stations_do_not_know_a_host_that_did_not_join() -> None:
    cluster = protocols.station("av3", name="s1", stations=["s1"], homes={"a": "s1"}, logical=2)
    before = cluster.snapshot()
    with pytest.raises(RemoteViolation, match="host 'zoe' is not known at s1: call join first"):
        cluster.hear(Packet("zoe", None, Register(1, "s1")))
    assert cluster.snapshot() == before
