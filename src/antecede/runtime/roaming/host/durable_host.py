"""The core's `Host` with every step durable, as `durable_station` for stations. The store is a small file, or memory.

What the host sent and was not answered, what it got and the application did not acknowledge, and its counters survive
in the store; with a recorder, the events of the host are in the trace exactly if they happened.

**A copy of the store** is noticed by the numbers. A host numbers its registrations and its messages, and counts what it
gets; a station knows all three. If the station knows of a message that this host never put on a link, somebody else has
sent it with a copy of the store. If it knows of a later registration, or of more messages that were got, it refuses the
host (`station.connection`).

**A station whose store fell back** is noticed in the same way: the host says what it has when it comes (`memory`), and
a station that knows of less refuses it (`station.evidence`). What the host has not got rid of stays in its store.

**A host without a file** keeps no numbers over a restart. It begins with the numbers that the station knows, and its
registrations are numbered by the time of day, so that they are later than those of before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never, get_args

from antecede.core.effects import Deliver, Sent
from antecede.core.errors import Misuse
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host import OUT, Host
from antecede.core.mobile.host_and_station_frames import Taken, Uplink, Welcome
from antecede.core.mobile.protocols import restore
from antecede.core.types import MessageId, Packet, ProcessId
from antecede.runtime.roaming.host.link import HostRefused
from antecede.runtime.roaming.websocket import HostMemory, decode_packet
from antecede.runtime.state.format_2 import SPOKEN
from antecede.runtime.state.journal import Journal
from antecede.runtime.state.log_entries import (
    AdoptEntry,
    EnterEntry,
    HearEntry,
    HostEntry,
    SendEntry,
    SwitchOffEntry,
    TickEntry,
)
from antecede.runtime.state.recent_messages import message_checksum
from antecede.runtime.state.store import Delivered, Store
from antecede.runtime.state.trace_recorder import Recorder

NOWHERE = "-"
"""Where a host was before it was anywhere: no station of this name is asked for its luggage."""
LAST_GOT = "last got"
"""The name of a fact: the number of the last message that the host got, and the checksum of the message."""


@dataclass(slots=True)
class ReleasedByHost:
    """What may be shown, now that it is durable: to the station, and to the application."""

    radios: list[Radio] = field(default_factory=list)
    delivered: list[Delivered] = field(default_factory=list)


class DurableHost:
    """A host and its store."""

    def __init__(
        self, store: Store, name: ProcessId, recorder: Recorder | None, *, retry_s: float, unsent_max: int
    ) -> None:
        self.store, self._recorder = store, recorder
        self._journal: Journal[Host, HostEntry, Effect] = Journal(
            store,
            begin=lambda: Host(name, NOWHERE, NOWHERE, state=OUT, retry_s=retry_s, unsent_max=unsent_max),
            restore=_restore,
            entries=get_args(HostEntry),
            apply=_apply,
            recorder=recorder,
        )
        self._spoken = int(store.facts.get(SPOKEN, b"0"))
        got, last = store.facts.get(LAST_GOT, b"0 0").split()
        self._last_got = int(got), int(last)
        self._staged = ReleasedByHost()

    @property
    def host(self) -> Host:
        """Return the host of the core, in its present state."""
        return self._journal.machine

    @property
    def memory(self) -> HostMemory:
        """Return what the host has, which it tells every station that it comes to."""
        host, (got, last) = self.host, self._last_got
        return HostMemory(host.sent - len(host.unsent), host.got, last if got == host.got else None)

    def send(self, dests: Iterable[ProcessId], payload: bytes) -> MessageId:
        """Send; `Misuse` and `LimitReached` change nothing."""
        effects = self._journal.put(SendEntry(tuple(sorted(set(dests))), payload))
        self._carry_out(effects)
        return MessageId(self.host.me, self.host.sent)

    def enter(self, station: ProcessId, move_min: int = 0) -> None:
        """Register at a station, with a number that is at least `move_min`."""
        self._carry_out(self._journal.put(EnterEntry(station, max(0, move_min - self.host.move - 1))))

    def leave(self) -> None:
        """Note that the host has no station from now on."""
        if self.host.state != OUT:
            self._carry_out(self._journal.put(SwitchOffEntry()))

    def adopt(self, sent: int, got: int) -> None:
        """Go on with the numbers that a station knows, if there are none here yet."""
        if not self.host.sent and not self.host.got:
            self._journal.put(AdoptEntry(sent, got))
            self._note_spoken(sent)

    def hear(self, packet: Packet, data: bytes) -> None:
        """Take what the station says. `RemoteViolation` changes nothing.

        Raise `HostRefused` if the station has taken a message that this host never said.
        """
        stamp = packet.stamp
        if isinstance(stamp, Taken | Welcome) and stamp.sent > self._spoken:
            raise HostRefused(
                f"the stations have {stamp.sent} messages of {self.host.me}, and this store said {self._spoken}: it is "
                "an older copy, or another copy runs. Use the store that was used last, or another name"
            )
        before = self.host.got
        self._carry_out(self._journal.put(HearEntry(data)))
        if packet.message is not None and self.host.got > before:
            self._last_got = self.host.got, message_checksum(packet.message)
            self.store.put(LAST_GOT, b"%d %d" % self._last_got)

    def tick(self, now: float) -> None:
        """Tell the host that the time is `now`."""
        self._carry_out(self._journal.put(TickEntry(now)))

    def note(self, kind: str, station: ProcessId) -> None:
        """Write a move, connect or disconnect to the trace."""
        if self._recorder is not None:
            self._recorder.note(kind, {"station": station})

    def acknowledge(self, n: int) -> None:
        """Delete message `n` of the inbox, because the application is done with it."""
        self.store.acknowledge(n)

    def commit(self) -> ReleasedByHost:
        """Make everything up to now durable, and return what may be shown to others now."""
        self._journal.commit()
        released, self._staged = self._staged, ReleasedByHost()
        return released

    def _carry_out(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Radio):
                message = effect.packet.message
                if isinstance(effect.packet.stamp, Uplink) and message is not None:
                    self._note_spoken(message.id.seq)
                self._staged.radios.append(effect)
            elif isinstance(effect, Sent):
                if self._recorder is not None:
                    self._recorder.send(effect.message, None, None)
            elif isinstance(effect, Deliver):
                if self._recorder is not None:
                    self._recorder.other("deliver", effect.message)
                self._staged.delivered.append(self.store.deliver(effect.message))

    def _note_spoken(self, seq: int) -> None:
        """Remember the number of a message that is about to be put on a link, if it is the highest so far."""
        if seq > self._spoken:
            self._spoken = seq
            self.store.put(SPOKEN, b"%d" % seq)


def checked_path(path: str | Path | None) -> Path | None:
    """Return the file for the store of a host, or None for a store in memory. Raise `Misuse` for an empty text."""
    if path == "":
        raise Misuse("path='' is not a file: give a file, or path=None for a state in memory")
    return None if path is None else Path(path)


def _restore(state: bytes) -> Host:
    host = restore(state)
    assert isinstance(host, Host), "the store of a host has the snapshot of one"
    return host


def _apply(host: Host, entry: HostEntry) -> list[Effect]:
    """Give a host an entry of the log, and return the effects."""
    match entry:
        case SendEntry(dests, payload):
            return host.send(dests, payload)
        case HearEntry(data):
            return host.hear(decode_packet(data))
        case EnterEntry(station, skip):
            host.move += skip
            return host.enter(station)
        case SwitchOffEntry():
            return host.leave()
        case TickEntry(now):
            return host.tick(now)
        case AdoptEntry(sent, got):
            host.sent, host.got = sent, got
            return []
        case _:
            assert_never(entry)
