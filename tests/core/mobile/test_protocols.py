"""What stations and hosts are made of and restored from: options and snapshots that are wrong."""

from __future__ import annotations

from typing import Any

import pytest

import antecede
from antecede import Misuse, SnapshotError
from antecede.core.mobile import protocols
from antecede.core.mobile.direct import Mind
from antecede.core.mobile.luggage import Luggage
from antecede.core.mobile.station import Station
from antecede.core.ordering.prs import Prs
from antecede.core.snapshot import values
from tests.mobile_worlds import Calm, MobileWorld


@pytest.mark.parametrize("hold_max", [0, -1, True, 1.5, "7", None])
def test_at_least_one_message_may_be_held_back(hold_max: Any) -> None:
    with pytest.raises(Misuse) as caught:
        protocols.station("roam", name="s1", stations=["s1"], homes={}, hold_max=hold_max)
    assert str(caught.value) == f"hold_max is {hold_max!r}: give 1 or more"


def test_a_snapshot_of_something_else_is_not_restored() -> None:
    process = antecede.create("ks", process="a", processes=["a"]).snapshot()
    for snapshot, name in ((process, "Process"), (values.dumps(Luggage("a")), "Luggage")):
        with pytest.raises(SnapshotError, match=f"this is the snapshot of a {name}, not of a station or a host"):
            protocols.restore(snapshot)


def test_a_station_whose_parts_do_not_fit_together_is_not_restored() -> None:
    """The checksum is right: an editor, or a fault of another station, is to blame."""
    made = protocols.station("roam", name="s1", stations=["s1"], homes={"a": "s1"})
    assert isinstance(made, Station)
    luggage = made.berths["a"].luggage_here
    luggage.mind = Mind(Prs("a"))
    with pytest.raises(SnapshotError, match=r"parts do not fit together: .*the luggage of a is of another protocol"):
        protocols.restore(made.snapshot())


@pytest.mark.parametrize("protocol", sorted(protocols.protocols()))
def test_what_waits_is_what_is_held(protocol: str) -> None:
    """`waiters` names the same hosts and messages as `held`, in the same order, without what they wait for."""
    waited = 0
    for seed in range(8):
        world = MobileWorld(protocol, seed, calm=Calm(drag=0.3, pace=2, roaming=0.15))
        for _ in range(120):
            choice = world.random.random()
            (world._send if choice < 0.2 else world._roam if choice < 0.25 else world._arrive)()
            for station in world.stations.values():
                waiters = list(station.waiters())
                assert waiters == [(held.host, held.message) for held in station.held()]
                waited += len(waiters)
    assert waited
