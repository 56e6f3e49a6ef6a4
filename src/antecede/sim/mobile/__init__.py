"""A deterministic world with roaming hosts: `simulate_mobile(MobileParameters(...))` gives a `MobileResult`.

It drives the stations and hosts of `core.mobile`. The same seed gives the same sends and the same moves, whichever
protocol carries the messages. Read in this order:

parameters  a run, declared
mobility    where hosts are, and when they move
world       one run
contents    what a packet on a wire is for, and what of it is header
books       which messages are in flight
metrics     the result of a run
watch       what a run is watched for
"""

from antecede.sim.mobile.metrics import MobileResult
from antecede.sim.mobile.mobility import Mobility
from antecede.sim.mobile.parameters import Header, MobileParameters
from antecede.sim.mobile.world import MobileWorld, simulate_mobile

__all__ = ["Header", "MobileParameters", "MobileResult", "MobileWorld", "Mobility", "simulate_mobile"]
