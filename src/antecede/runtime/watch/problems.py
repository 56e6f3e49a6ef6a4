"""What is wrong, in one shape: the same values are returned by `problems()`, logged, counted and shown.

    2026-11-17 WARNING antecede: billing: there is no process 'stok' in space 'orders': it was never started there, or
    has left. 1 packet waits for it. Did you mean 'stock'?

`Node`, `Host` and stations have `problems()`, which returns what is wrong now. Whatever begins to be a problem is
logged once to `logging.getLogger("antecede")`, as a warning, and once more when it is over (`problem_log`). The metric
`antecede_problems` counts the problems of each kind, and `antecede status` shows their text.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from antecede.core.types import MessageId, ProcessId
from antecede.runtime.watch.words import did_you_mean, list_names, plural

SOON_S = 2.0
"""How long something waits that usually takes a moment, before it is a problem."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong, or that waits, for `since_s` seconds until now. `str()` says it in words."""

    since_s: float

    @property
    def kind(self) -> str:
        """Return a word for what is wrong, the same for all problems of one kind."""
        raise NotImplementedError

    @property
    def key(self) -> Hashable:
        """Return what the problem is about: two problems of one kind with the same key are the same problem."""
        return ""

    def as_dict(self) -> dict[str, object]:
        """Return what `antecede status` shows: the kind, since when, and all of it in words."""
        return {"kind": self.kind, "since_s": round(self.since_s, 1), "text": str(self)}


@dataclass(frozen=True, slots=True)
class Stopped(Problem):
    """The node, host or station has stopped by itself: it sends and acknowledges nothing more."""

    reason: str

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "stopped"

    def __str__(self) -> str:
        return f"stopped {self.since_s:.1f} s ago, and sends and acknowledges nothing more: {self.reason}"


@dataclass(frozen=True, slots=True)
class InboxFull(Problem):
    """The application has so many messages that it has not acknowledged that no more are taken from the broker."""

    count: int

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "inbox full"

    def __str__(self) -> str:
        return f"{plural(self.count, 'message')} not acknowledged; nothing more is taken. Call ack() on each message"


@dataclass(frozen=True, slots=True)
class NeverAcknowledged(Problem):
    """The application takes messages, and has not acknowledged any."""

    count: int

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "never acknowledged"

    def __str__(self) -> str:
        return (
            f"{plural(self.count, 'message')} taken and none acknowledged: they are offered again after a restart. "
            "Call `await message.ack()`, or `message.ack()` with join_sync, when you are done with a message"
        )


@dataclass(frozen=True, slots=True)
class AcknowledgementMissing(Problem):
    """The application has not acknowledged `count` messages, although it has acknowledged later ones."""

    count: int
    oldest: MessageId

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "acknowledgement missing"

    def __str__(self) -> str:
        return (
            f"{plural(self.count, 'message')} not acknowledged, although later ones are: the oldest is {self.oldest}, "
            f"taken {self.since_s:.1f} s ago. What is not acknowledged is offered again after a restart. Call "
            "`await message.ack()` on each message, or raise forgotten_after_s if the work takes longer"
        )


@dataclass(frozen=True, slots=True)
class OutboxFull(Problem):
    """So much is owed to inboxes that cannot be reached that `send` waits; at a station, that it reads nothing from
    `hosts`.
    """

    count: int
    to: tuple[ProcessId, ...]
    hosts: tuple[ProcessId, ...] = ()

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "outbox full"

    def __str__(self) -> str:
        whom = f" for {list_names(self.to)}" if self.to else ""
        waits = "1 packet waits" if self.count == 1 else f"{self.count} packets wait"
        what = f"nothing is read from {list_names(self.hosts)}" if self.hosts else "send() waits"
        return f"{waits}{whom}, which is the limit: {what} until there is room"


@dataclass(frozen=True, slots=True)
class HoldBackLimitReached(Problem):
    """So many messages are held back that `frames`, which would have to be held back too, are left with the broker.

    At a station these messages are for its `hosts`, each of which has reached the limit, and frames are not counted.
    """

    held_back: int
    limit: int
    frames: int = 0
    hosts: tuple[ProcessId, ...] = ()

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "hold-back limit"

    def __str__(self) -> str:
        if self.hosts:
            hosts = list_names(self.hosts)
            return (
                f"{plural(self.held_back, 'message')} held back for {hosts}, and the limit for a host is {self.limit} "
                f"(AirLimits.held_back): what comes for {hosts} and would have to wait is left with the broker, or "
                "with its sender. The stalls say what is waited for"
            )
        return (
            f"{plural(self.frames, 'frame')} left with the broker, because hold_back_limit={self.limit} is reached: "
            f"{plural(self.held_back, 'message')} held back. pending() says what they wait for, and from whom: start "
            "or repair that process, or call give_up() if it is gone for good"
        )


@dataclass(frozen=True, slots=True)
class LeavingWaits(Problem):
    """`leave()` waits for these processes: until they have everything that was sent to them, or have answered."""

    whom: tuple[ProcessId, ...]

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "leaving"

    def __str__(self) -> str:
        return (
            f"leave() has waited {self.since_s:.1f} s for {list_names(self.whom)}: start what is not running, or call "
            "give_up() for what is gone for good, or join(..., give_up=[...]) if join() goes on with leave()"
        )


@dataclass(frozen=True, slots=True)
class NumberReused(Problem):
    """Two different messages have the same identity; the second was refused. At a station it came from `station`, or
    from the host itself.
    """

    message: MessageId
    station: ProcessId | None = None

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "number used twice"

    @property
    def key(self) -> Hashable:
        """Return the message."""
        return self.message

    def __str__(self) -> str:
        of = f"{self.message.sender} or of {self.station}" if self.station else self.message.sender
        return (
            f"{self.message.sender} has sent two different messages with number {self.message.seq}, and the second was "
            f"refused: the store of {of} fell back, or two copies of it run"
        )


@dataclass(frozen=True, slots=True)
class RefusedAfterGiveUp(Problem):
    """Packets of `sender` came after `give_up(sender)` and were refused."""

    sender: ProcessId
    count: int

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "given up"

    @property
    def key(self) -> Hashable:
        """Return the sender."""
        return self.sender

    def __str__(self) -> str:
        return (
            f"{plural(self.count, 'packet')} refused that came from {self.sender} after give_up({self.sender!r}). "
            f"Their bytes are in the quarantine of the store. If {self.sender} runs, it has to use another name"
        )


@dataclass(frozen=True, slots=True)
class NamesMissing(Problem):
    """Frames of `sender` wait for a list of names that `sender` has sent, and that the broker has lost."""

    sender: ProcessId

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "names missing"

    @property
    def key(self) -> Hashable:
        """Return the sender."""
        return self.sender

    def __str__(self) -> str:
        return (
            f"frames of {self.sender} have waited {self.since_s:.1f} s for the list of names that {self.sender} sent "
            f"before them: the broker has lost it. Start {self.sender} again: it sends the list with its next message"
        )


@dataclass(frozen=True, slots=True)
class StampsTooLarge(Problem):
    """Another algorithm would need a third of the control bytes, or less, for what this node sends."""

    algorithm: str
    ours_bytes: int
    theirs_bytes: int

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "larger than needed"

    def __str__(self) -> str:
        return (
            f"a message costs {self.ours_bytes:,} control bytes for each destination, and would cost about "
            f"{self.theirs_bytes:,} with algorithm={self.algorithm!r}: use it in a new space, if its traits suit you"
        )


@dataclass(frozen=True, slots=True)
class BrokerLost(Problem):
    """There is no connection to the broker, so nothing is sent and nothing comes."""

    reason: str

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "no broker"

    def __str__(self) -> str:
        return f"nothing is sent and nothing has come for {self.since_s:.1f} s: {self.reason}"


@dataclass(frozen=True, slots=True)
class LuggageAwaited(Problem):
    """The state of `hosts` was asked for at `station`, and has not come, so that no station serves them."""

    station: ProcessId
    hosts: tuple[ProcessId, ...]

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "luggage awaited"

    @property
    def key(self) -> Hashable:
        """Return the station that was asked. A station that is down keeps the luggage of all hosts it has served."""
        return self.station

    def __str__(self) -> str:
        return (
            f"the state (luggage) of {list_names(self.hosts)} has not come from {self.station} for {self.since_s:.1f} "
            f"s. No station serves the host{'s' * (len(self.hosts) > 1)} until it comes: see whether {self.station} "
            "runs, and whether it waits for another station itself"
        )


@dataclass(frozen=True, slots=True)
class NotConnected(Problem):
    """No station serves the host."""

    reason: str

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "not connected"

    def __str__(self) -> str:
        return f"no station has served this host for {self.since_s:.1f} s: {self.reason}"


@dataclass(frozen=True, slots=True)
class NoBeacons(Problem):
    """A host cannot listen to beacons, or a station cannot send its own: `what` says which, and at what address."""

    what: str
    reason: str

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "no beacons"

    def __str__(self) -> str:
        return f"no beacons are {self.what}: {self.reason}. Hosts use the list of stations that they were given"


@dataclass(frozen=True, slots=True)
class MoveFailed(Problem):
    """The host could not move to the station at `url`."""

    url: str
    reason: str

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "move failed"

    @property
    def key(self) -> Hashable:
        """Return the address of the station."""
        return self.url

    def __str__(self) -> str:
        return f"move({self.url!r}) failed: {self.reason}"


@dataclass(frozen=True, slots=True)
class MessageRefused(Problem):
    """A station could not take a message of the host, because nobody knows the destination `unknown`. The hosts
    `similar` have names that are like it.
    """

    message: str
    unknown: ProcessId
    similar: tuple[ProcessId, ...] = ()

    @property
    def kind(self) -> str:
        """Return a word for what is wrong."""
        return "message refused"

    @property
    def key(self) -> Hashable:
        """Return the message."""
        return self.message

    def __str__(self) -> str:
        return (
            f"message {self.message} went to nobody: no host {self.unknown!r} was ever connected, or it was removed."
            f"{did_you_mean(self.similar)} refusals() returns such messages"
        )
