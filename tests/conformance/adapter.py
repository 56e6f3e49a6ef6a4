"""What a causal messaging system must offer to be put through the scenarios.

A `System` is a whole system with all its processes, seen by one person who decides what arrives when. Nothing about
clocks or stamps is asked: only what was sent, what is on its way, and what each process's application was given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol


class System(Protocol):
    """Processes and groups are names; a message is known by the id that `send` returned, unique in the system."""

    def start(self, processes: Collection[str], groups: Mapping[str, Collection[str]]) -> None:
        """Begin anew with these processes. A system that addresses groups is given one for each set that is sent to."""
        ...

    def send(self, process: str, dests: Collection[str], payload: bytes) -> str:
        """Send to exactly these processes, the sender among them or not. It may leave later than this call."""
        ...

    def arrivals(self) -> list[tuple[str, str]]:
        """What is on its way and can be made to arrive: (message, at whom). Traffic of the system's own, such as
        acknowledgements, is not listed; the system carries it by itself."""
        ...

    def arrive(self, message: str, to: str) -> None:
        """Let a copy arrive; if one has arrived there before, let it arrive again, as networks do."""
        ...

    def restart(self, process: str) -> None:
        """Stop the process and start it again from what it keeps durably."""
        ...

    def delivered(self, process: str) -> list[str]:
        """What the application at `process` has been given so far, in order."""
        ...

    def join(self, process: str) -> None:
        """A newcomer, of every group, may send and be sent to from now on."""
        ...
