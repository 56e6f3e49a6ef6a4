"""A deterministic world with roaming hosts: `simulate_mobile(MobileParameters(...))` gives a `MobileResult`.

It drives the very stations and hosts of `core.mobile`. The same seed gives the same sends and the same journeys,
whichever protocol carries the messages.
"""

from antecede.sim.mobile.metrics import MobileResult
from antecede.sim.mobile.mobility import Mobility
from antecede.sim.mobile.parameters import Header, MobileParameters
from antecede.sim.mobile.world import MobileWorld, simulate_mobile

__all__ = ["Header", "MobileParameters", "MobileResult", "MobileWorld", "Mobility", "simulate_mobile"]
