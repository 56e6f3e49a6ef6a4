"""Who takes part: the names a process knows, its groups, and what it may address.

A roster validates the border between the application and an algorithm: everything behind it assumes that
destinations exist and that names are short. Names are not reused: a process that left stays in `departed`,
which is what makes a stale dependency on it harmless.

A `Participant` is the part of an algorithm that needs to know nothing but the roster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite

from antecede.core.effects import Effect
from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.snapshot.values import dumps, storable
from antecede.core.types import GroupId, Message, MessageId, Packet, Pending, ProcessId

NAME_BYTES_MAX = 255
"""A process or group name in UTF-8. The wire format refuses longer ones."""

PAYLOAD_BYTES_MAX = 8 * 2**20
"""Half of what the wire format takes in one packet; the rest is for the stamp."""


@storable("Roster")
@dataclass(slots=True)
class Roster:
    """The membership as `me` knows it, and the number of the last message it sent."""

    me: ProcessId
    addressing: str
    processes: set[ProcessId] = field(default_factory=set)
    groups: dict[GroupId, frozenset[ProcessId]] = field(default_factory=dict)
    departed: set[ProcessId] = field(default_factory=set)
    sent: int = 0

    @classmethod
    def of(
        cls,
        me: ProcessId,
        addressing: str,
        processes: Iterable[ProcessId],
        groups: Mapping[GroupId, Iterable[ProcessId]] | None,
    ) -> Roster:
        members = checked_members({} if groups is None else groups)
        everyone = {_name(me), *checked_names("processes", processes)}.union(*members.values())
        if addressing == "group" and not members:
            raise Misuse('this algorithm sends to groups: create(..., groups={"g1": ["a", "b"]})')
        return cls(me, addressing, everyone, members)

    @property
    def others(self) -> list[ProcessId]:
        return sorted(self.processes - {self.me})

    @property
    def my_groups(self) -> list[GroupId]:
        return sorted(name for name, members in self.groups.items() if self.me in members)

    def message(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> Message:
        """Return the next message of `me`, numbered. Raise `Misuse`, and change nothing, if an argument is wrong."""
        checked_payload(payload)
        group, to = self._resolve(dests)
        self.sent += 1
        return Message(MessageId(self.me, self.sent), to, payload, group)

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[GroupId]:
        """Take `process` in, and return the groups that it was not in before, sorted."""
        to_join = sorted(set(checked_names("groups", groups)))
        if _name(process) in self.departed:
            raise Misuse(f"{process!r} has left, and its name cannot be used again: give the newcomer another name")
        missing = [name for name in to_join if name not in self.groups]
        if missing:
            raise Misuse(f"there is no group {missing[0]!r} here; there are {sorted(self.groups)}")
        self.processes.add(process)
        joined = [name for name in to_join if process not in self.groups[name]]
        for name in joined:
            self.groups[name] |= {process}
        return joined

    def check_present(self, process: ProcessId) -> None:
        """Raise `Misuse` if `process` is not a process that is here."""
        if _name(process) not in self.processes:
            raise Misuse(f"{process!r} is not among the processes {sorted(self.processes)}")

    def leave(self, process: ProcessId) -> None:
        """Remove a process. `me` stays in its groups, because what it still delivers is ordered in them."""
        self.check_present(process)
        self.processes.discard(process)
        self.departed.add(process)
        if process != self.me:
            self.groups = {name: members - {process} for name, members in self.groups.items()}

    def accept(self, packet: Packet) -> Message:
        """Return the message of a packet. Raise `RemoteViolation` if it is not from its author, or not for `me`."""
        message = packet.message
        if message is None:
            raise RemoteViolation(f"a control packet of {packet.sender} where a message was expected")
        sender, seq = message.id
        me = self.me
        if packet.sender != sender:
            raise RemoteViolation(f"{packet.sender} sent a packet with message {message.id}, which is not its own")
        if me not in message.dests or sender == me:
            raise RemoteViolation(f"message {message.id} is for {sorted(message.dests)}, and came to {me}")
        if seq < 1:
            raise RemoteViolation(f"message {message.id}: messages are numbered from 1")
        return message

    def _resolve(self, dests: ProcessId | GroupId | Iterable[ProcessId]) -> tuple[GroupId | None, frozenset[ProcessId]]:
        if self.addressing == "group":
            if not isinstance(dests, str) or dests not in self.groups:
                raise Misuse(f"send to one of the groups {sorted(self.groups)}, not to {_quote(dests)}")
            if self.me not in self.groups[dests] or self.me in self.departed:
                raise Misuse(f"{self.me!r} is not in group {dests!r}: only members send to a group")
            return dests, self.groups[dests]
        try:
            to = frozenset([dests] if isinstance(dests, str) else dests)
        except TypeError:
            raise Misuse(f"the destinations must be a collection of names, not {dests!r}") from None
        if not to:
            raise Misuse("a message needs at least one destination")
        unknown = to - self.processes
        if unknown:
            checked_names("the destinations", unknown)
            gone = unknown & self.departed
            raise Misuse(
                f"{min(gone)!r} has left: remove it from the destinations"
                if gone
                else f"unknown process {min(unknown)!r}: call join first, or correct the name"
            )
        if self.addressing == "broadcast" and to | {self.me} != self.processes:
            raise Misuse(f"this algorithm broadcasts: send to all of {sorted(self.processes)}, not to {_quote(dests)}")
        if self.addressing == "unicast" and len(to) != 1:
            raise Misuse(f"this algorithm sends to one process at a time, not to {_quote(dests)}")
        return None, to


@dataclass(slots=True)
class Participant:
    """What an algorithm answers that sets no timer, holds nothing back, and tells a newcomer nothing.

    See `algorithm.Algorithm` for the contract. An algorithm overrides the methods for which this is not so.
    """

    roster: Roster

    @property
    def process(self) -> ProcessId:
        return self.roster.me

    def tick(self, now: float) -> list[Effect]:  # noqa: ARG002
        return []

    def pending(self) -> tuple[Pending, ...]:
        return ()

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        self.roster.join(process, groups)
        return []

    def snapshot(self) -> bytes:
        return dumps(self)

    def resume(self) -> None:
        """Do nothing: the snapshot holds the whole state."""


def checked_packet(packet: object) -> None:
    """Raise `Misuse` if `receive` was given anything but what `decode` returns."""
    if type(packet) is not Packet:
        raise Misuse(
            f"receive takes a Packet, not {type(packet).__name__}: decode bytes first; an effect has a .packet"
        )


def checked_payload(payload: object) -> None:
    if type(payload) is not bytes:
        raise Misuse(f"a payload must be bytes, not {type(payload).__name__}: encode it first")
    if len(payload) > PAYLOAD_BYTES_MAX:
        raise Misuse(f"the payload has {len(payload)} bytes, and the limit is {PAYLOAD_BYTES_MAX}: split it")


def checked_time(now: object) -> float:
    """Return the time, if it is a finite number of seconds. Raise `Misuse` if it is not."""
    if not isinstance(now, int | float) or not is_finite_number(now):
        raise Misuse(f"the time must be a finite number of seconds, not {now!r}")
    return now


def is_finite_number(value: object) -> bool:
    """Return whether this is a number that a float can hold. True and False are not."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:
        return False


def checked_members(groups: object) -> dict[GroupId, frozenset[ProcessId]]:
    """Return the members of each group, or raise `Misuse` if `groups` is not a mapping of names to names."""
    if not isinstance(groups, Mapping):
        raise Misuse(
            f'groups must be a mapping of each group to its members, such as {{"g1": ["a", "b"]}}, not {groups!r}'
        )
    return {_name(name): frozenset(checked_names(f"group {name!r}", who)) for name, who in groups.items()}


def checked_names(what: str, names: object) -> list[str]:
    """Return `names` as a list, or raise `Misuse`, which calls them `what`, if they are not names."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise Misuse(f"{what} must be a collection of names, not {names!r}")
    return [_name(name) for name in names]


def _name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise Misuse(f"a name must be a string that is not empty, not {name!r}")
    try:
        size = len(name.encode())
    except UnicodeEncodeError as error:
        raise Misuse(f"the name {name!r} cannot be written in UTF-8: {error.reason}") from None
    if size > NAME_BYTES_MAX:
        raise Misuse(f"a name has at most {NAME_BYTES_MAX} bytes in UTF-8; {name[:40]!r}... has {size}")
    return name


def _quote(dests: object) -> str:
    return repr(sorted(dests, key=str)) if isinstance(dests, set | frozenset) else repr(dests)
