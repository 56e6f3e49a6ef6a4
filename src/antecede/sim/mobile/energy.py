"""Define what the air costs a host in energy.

000 §1: "Wireless communication, especially message send, drains their batteries. The longer the message, the greater
the energy consumption." The paper names no numbers. So the model is the simplest that says this: a host spends so many
units for each byte that it sends, and fewer for each byte that it receives. A unit has no other meaning: it serves to
compare protocols under one model. The energy of stations is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.sim.bounds import check_range

ENERGY_MAX = 1e9


@dataclass(frozen=True, slots=True)
class AirEnergy:
    """The units of energy that a host spends for each byte that it sends or receives over the air (000 §1)."""

    send_per_byte: float = 2.0
    receive_per_byte: float = 1.0

    def __post_init__(self) -> None:
        for what, units in (("sending", self.send_per_byte), ("receiving", self.receive_per_byte)):
            check_range(f"energy for {what} a byte", units, 0.0, ENERGY_MAX)
        if self.send_per_byte < self.receive_per_byte:
            raise Misuse(f"{self}: sending a byte must cost at least as much as receiving one")


class EnergyMeter:
    """A meter of the bytes that each host sends and receives over the air in a whole run.

    A packet that gets lost costs its sender all the same. A host pays for everything that it hears in its cell: packets
    for itself, repetitions, and beacons.
    """

    def __init__(self, energy: AirEnergy, hosts: Sequence[ProcessId]) -> None:
        self.energy = energy
        self.sent_bytes = dict.fromkeys(hosts, 0)
        self.received_bytes = dict.fromkeys(hosts, 0)

    def spent(self, host: ProcessId) -> float:
        """Return the units of energy that a host has spent."""
        sent, received = self.sent_bytes[host], self.received_bytes[host]
        return sent * self.energy.send_per_byte + received * self.energy.receive_per_byte

    def means(self) -> dict[str, float]:
        """Return the fields of `MobileResult` that come from this meter."""
        spent, count = [self.spent(host) for host in self.sent_bytes], len(self.sent_bytes)
        return {
            "host_sent_bytes_mean": sum(self.sent_bytes.values()) / count,
            "host_received_bytes_mean": sum(self.received_bytes.values()) / count,
            "host_energy_mean": fsum(spent) / count,
            "host_energy_max": max(spent),
        }
