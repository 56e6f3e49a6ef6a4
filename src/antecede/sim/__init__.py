"""A deterministic world to try any algorithm in: same parameters, same run, byte for byte, on any machine.

`simulate(Parameters(...))` drives the algorithms of `core` and returns a `Result`; a `Recorder` takes the trace.

Read in this order:

kernel      simulated time
chance      random numbers by purpose, the same on every machine
bounds      numbers that a simulation can work with
parameters  a run, declared
network     what the channels between processes are like
channels    carrying packets through a network
workload    who sends what to whom, and when
flight      a message between its send and its last delivery
world       one run: algorithms, a network and traffic
trace       the trace of a run, as JSON Lines or Parquet
measure/    what a run is measured by
mobile/     the same with stations and roaming hosts
"""

from antecede.sim.chance import Distribution
from antecede.sim.measure.metrics import Result
from antecede.sim.measure.processing_cost import Cost
from antecede.sim.mobile import Header, MobileParameters, MobileResult, Mobility, simulate_mobile
from antecede.sim.network import Network, Partition
from antecede.sim.parameters import Parameters
from antecede.sim.trace import Recorder
from antecede.sim.workload import Groups, Workload
from antecede.sim.world import World, simulate

__all__ = [
    "Cost",
    "Distribution",
    "Groups",
    "Header",
    "MobileParameters",
    "MobileResult",
    "Mobility",
    "Network",
    "Parameters",
    "Partition",
    "Recorder",
    "Result",
    "Workload",
    "World",
    "simulate",
    "simulate_mobile",
]
