"""A deterministic simulator with roaming hosts: `simulate_mobile(MobileParameters(...))` returns a `MobileResult`.

It drives the stations and hosts of `core.mobile`. The same seed gives the same sends and the same moves, whichever
protocol carries the messages. Read in this order:

parameters       the declaration of a run
energy           what the air costs a host
host_work        how much a host computes
mobility         where hosts are, and when they move
world            one run
packet_contents  what a packet on a wire is for, and how large its header is
ledger           which messages are in flight or held back at the stations, and which hand-offs happen
metrics          the result of a run
stationless      runs with hosts that have no stations, and send to each other
"""

from antecede.sim.mobile.energy import AirEnergy
from antecede.sim.mobile.metrics import MobileResult
from antecede.sim.mobile.mobility import Mobility
from antecede.sim.mobile.parameters import Header, MobileParameters
from antecede.sim.mobile.stationless import StationlessParameters, StationlessResult, simulate_stationless
from antecede.sim.mobile.world import MobileWorld, simulate_mobile

__all__ = [
    "AirEnergy",
    "Header",
    "MobileParameters",
    "MobileResult",
    "MobileWorld",
    "Mobility",
    "StationlessParameters",
    "StationlessResult",
    "simulate_mobile",
    "simulate_stationless",
]
