"""The tables: complete, used, and drawn as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tools.handoff import diagram

from antecede.core.mobile import handoff
from antecede.core.mobile.direct import Direct
from antecede.core.mobile.effects import Effect
from antecede.core.mobile.flood import CombiningFlood, Flood
from antecede.core.mobile.relay import Relay
from antecede.core.mobile.station import Station
from antecede.lab.printed.roaming import NOTIFIED_AT_ONCE, NotifyingRelay
from tests.mobile_worlds import VARIANTS, run

SCHEMES = [
    (handoff.SIMPLE, Direct),
    (handoff.SIMPLE, Flood),
    (handoff.COMBINED, CombiningFlood),
    (handoff.DRAINED, Relay),
    (NOTIFIED_AT_ONCE, NotifyingRelay),
]


@pytest.mark.parametrize(("table", "scheme"), SCHEMES)
def test_every_action_is_the_station_s_or_the_scheme_s(table: handoff.Table, scheme: type) -> None:
    actions = {action for _, actions in table.values() for action in actions}
    assert all(hasattr(Station, f"_{action}") or hasattr(scheme, action) for action in actions)


@pytest.mark.parametrize(
    ("table", "name"), [(handoff.SIMPLE, "roam"), (handoff.DRAINED, "av2"), (handoff.COMBINED, "prs-mobile, combined")]
)
def test_random_worlds_use_every_entry_and_nothing_else(
    table: handoff.Table, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = set()
    step = Station.step
    protocol, settings = VARIANTS[name]

    def recorded(self: Station, host: str, event: str, subject: Any = None) -> Iterator[Effect]:
        used.add((self.berths[host].state, event))
        return step(self, host, event, subject)

    monkeypatch.setattr(Station, "step", recorded)
    for seed in range(400):
        run(protocol, seed, **settings)
        if used == set(table):
            break
    assert used == set(table)


def test_the_diagram_shows_every_entry_once() -> None:
    drawn = diagram(handoff.DRAINED)
    assert drawn.startswith("stateDiagram-v2\n")
    assert drawn.count(" --> ") == len(handoff.DRAINED) + 1
    for (state, event), (after, actions) in handoff.DRAINED.items():
        assert f"    {state} --> {after}: {event} / {', '.join(actions).replace('_', ' ')}\n" in drawn
