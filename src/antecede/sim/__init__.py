"""A deterministic simulator for the algorithms: equal parameters give the same run, byte for byte, on any machine.

`simulate(Parameters(...))` drives the algorithms of `core` and returns a `Result`. A `RunRecorder` takes the trace.

Read in this order:

kernel        simulated time
chance        streams of random numbers by purpose, the same on every machine
bounds        checks of the numbers that a simulation can work with
parameters    the declaration of a run
network       the properties of the channels between processes
channels      the transport of packets through a network
workload      who sends what to whom, and when
local_clocks  the clocks of paper 004 beside a run, for its trace
world         one run: algorithms, a network and traffic
trace         the trace of a run, as JSON Lines or Parquet
measure/      the measurements of a run
mobile/       runs with stations and roaming hosts
"""

from antecede.sim.chance import Distribution
from antecede.sim.measure.metrics import Result
from antecede.sim.measure.processing_cost import ProcessingCost
from antecede.sim.mobile import Header, MobileParameters, MobileResult, Mobility, simulate_mobile
from antecede.sim.network import AccessLink, Network, Partition
from antecede.sim.parameters import Parameters
from antecede.sim.trace import RunRecorder
from antecede.sim.workload import Groups, Workload
from antecede.sim.world import World, simulate

__all__ = [
    "AccessLink",
    "Distribution",
    "Groups",
    "Header",
    "MobileParameters",
    "MobileResult",
    "Mobility",
    "Network",
    "Parameters",
    "Partition",
    "ProcessingCost",
    "Result",
    "RunRecorder",
    "Workload",
    "World",
    "simulate",
    "simulate_mobile",
]
