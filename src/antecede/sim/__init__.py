"""A deterministic world to try any algorithm in: same parameters, same run, byte for byte, on any machine.

`simulate(Parameters(...))` drives the very algorithms of `core` and returns a `Result`; a `Recorder` takes the trace.
The kernel is simulated time, `network` and `channels` what is between processes, `workload` what they send, `metrics`
what is measured, and `world` brings them together. `mobile` is the same with stations and roaming hosts.
"""

from antecede.sim.chance import Distribution
from antecede.sim.cost import Cost
from antecede.sim.metrics import Result
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
