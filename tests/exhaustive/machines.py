"""Pure state machines as numbers.

A state of a machine is the number of its snapshot, and an input the number of its packet or of its words. What a
machine does depends on its state alone, so it is worked out once for each state and input, however many worlds it is
part of, and with it the numbers of the packets that it sends. Every step begins with a restore: a machine is restarted
before each of its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from antecede import Deliver, Packet, Sent, Transmit, encode
from antecede.core.effects import SetTimer
from antecede.core.errors import AntecedeError
from antecede.core.mobile.effects import Dropped, Radio

Events = tuple[Sent | Deliver, ...]


class Numbers:
    """Values by number, and numbers by value."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self.values: list[Any] = []

    def of(self, key: Hashable, value: Any = None) -> int:
        """Return the number of a value that `key` stands for; `key` itself if no value is given."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.values)
            self.values.append(key if value is None else value)
        return number


class Network:
    """Packets by number: a packet under way is a number, and equal packets have the same."""

    def __init__(self) -> None:
        self._packets = Numbers()

    def add(self, sender: str, to: str, packet: Packet) -> int:
        """Return the number of a packet on its way."""
        return self._packets.of((sender, to, encode(packet)), (sender, to, packet))

    def __getitem__(self, number: int) -> tuple[str, str, Packet]:
        """Return who sent a packet, to whom, and the packet."""
        found: tuple[str, str, Packet] = self._packets.values[number]
        return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a machine did with an input: the state `after` it, and the effects.

    `events` are its sends and deliveries. `wires` and `air` are the numbers of the packets that it transmitted to
    processes and stations, and that it sent by radio. `error` is what it raised, and is empty if it raised nothing.
    """

    after: int
    events: Events
    wires: tuple[int, ...]
    air: tuple[int, ...]
    sets_timer: bool
    drops: bool
    error: str


class Machines:
    """All states that machines of one kind were ever in. `restore` makes a machine of a snapshot."""

    def __init__(self, restore: Callable[[bytes], Any], network: Network) -> None:
        self._restore, self._network = restore, network
        self._snapshots = Numbers()
        self._done: dict[tuple[int, Hashable], Outcome] = {}
        self._looked: dict[tuple[int, str], Any] = {}

    def add(self, machine: Any) -> int:
        """Return the number of the state of a machine."""
        return self._snapshots.of(machine.snapshot())

    def step(self, state: int, name: str, key: Hashable, call: Callable[[Any], list[Any]]) -> Outcome:
        """Return what the machine of process `name` does with an input. `key` stands for the input, which `call` gives
        to a machine.
        """
        found = self._done.get((state, key))
        if found is None:
            machine, error = self._restore(self._snapshots.values[state]), ""
            effects: list[Any] = []
            try:
                effects = call(machine)
            except AntecedeError as refusal:
                error = f"{type(refusal).__name__}: {refusal}"
            found = self._done[state, key] = self._outcome(self.add(machine), name, effects, error)
        return found

    def _outcome(self, after: int, name: str, effects: list[Any], error: str) -> Outcome:
        def number(one: Transmit | Radio) -> int:
            return self._network.add(name, one.to, one.packet)

        return Outcome(
            after,
            tuple(one for one in effects if isinstance(one, Sent | Deliver)),
            tuple(number(one) for one in effects if isinstance(one, Transmit)),
            tuple(number(one) for one in effects if isinstance(one, Radio)),
            any(isinstance(one, SetTimer) for one in effects),
            any(isinstance(one, Dropped) for one in effects),
            error,
        )

    def look(self, state: int, what: str, call: Callable[[Any], Any]) -> Any:
        """Return what `call` returns for a machine in this state, which it does not change."""
        key = (state, what)
        if key not in self._looked:
            self._looked[key] = call(self._restore(self._snapshots.values[state]))
        return self._looked[key]


def without(packets: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Return packets under way without one of this number."""
    at = packets.index(number)
    return packets[:at] + packets[at + 1 :]
