"""A process of an algorithm whose every step is durable before anybody sees it.

It puts inputs into the algorithm, logs each in the store with the effects that somebody has to act on, and hands those
out only when the store has committed the group they belong to. It does no input and output but the store's: time,
packets and calls come from outside (`node`), one at a time. A crash at any instant leaves a store from which a new
`DurableProcess` goes on as if it had been that instant that the last group ended:

* what was put in and not committed was never acknowledged to whoever put it in: a packet is received again, a `send`
  never returned;
* what was committed is replayed into the algorithm, and its effects are in the outbox and the inbox of the store.

Frames that cannot be right are refused without a trace in the state, counted, and kept in quarantine with the reason.

Nothing is kept of a process that has left but its name, which cannot be used again: packets that are still on their
way may speak of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import assert_never, get_args

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.errors import HoldBackFull, Misuse, RemoteViolation, TooNew, WireError
from antecede.core.registry import restore
from antecede.core.roster import checked_names
from antecede.core.types import GroupId, MessageId, Packet, Pending, ProcessId
from antecede.runtime import frames
from antecede.runtime.node.departure import ANSWERED, Departure
from antecede.runtime.node.given_up_names import GivenUpNames
from antecede.runtime.node.last_numbers import LastNumbers
from antecede.runtime.node.late_frames import LateFrames
from antecede.runtime.node.traced_events import TracedEvents
from antecede.runtime.state.journal import Journal
from antecede.runtime.state.log_entries import (
    JoinEntry,
    LeaveEntry,
    NodeEntry,
    ReceiveEntry,
    SendEntry,
    SendToGroupEntry,
    TickEntry,
    make_send,
)
from antecede.runtime.state.outgoing import Outgoing
from antecede.runtime.state.recent_messages import RecentMessages
from antecede.runtime.state.rosters import Rosters, UnknownRoster
from antecede.runtime.state.store import Delivered, Store
from antecede.runtime.state.trace_recorder import Recorder
from antecede.runtime.watch.sent_stamps import SentStamps
from antecede.runtime.watch.unreadable import UnreadableFrames


@dataclass(slots=True)
class ReleasedByNode:
    """What may be shown, now that it is durable: to the inboxes of others, to the application, and who has left."""

    outgoing: list[Outgoing] = field(default_factory=list)
    delivered: list[Delivered] = field(default_factory=list)
    departed: list[ProcessId] = field(default_factory=list)


class DurableProcess:
    """An algorithm and its store.

    `open_space`: whoever is sent to for the first time has joined. `sends_to_names`: the destinations of a message are
    the sender's choice, and not all processes or a group. `is_relayed`: messages go through other processes.
    `newest_form` is the newest form of the wire that is read.
    """

    def __init__(
        self,
        store: Store,
        begin: Callable[[], Algorithm],
        processes: Iterable[ProcessId] = (),
        *,
        open_space: bool = True,
        sends_to_names: bool = True,
        is_relayed: bool = False,
        recorder: Recorder | None = None,
        newest_form: int = frames.NEWEST_FORM,
    ) -> None:
        self.store, self.open_space, self._newest_form = store, open_space, newest_form
        self._sends_to_names = sends_to_names
        self._algorithm_name = store.facts.get("algorithm", b"").decode()
        self.departed = {key.removeprefix("departed ") for key in store.facts if key.startswith("departed ")}
        self.members = {key.removeprefix("member ") for key in store.facts if key.startswith("member ")}
        newcomers = sorted(set(processes) - self.departed - self.members)
        if store.snapshot() is None:
            self._admit(newcomers)
        self.timers: list[float] = json.loads(store.facts.get("timers", b"[]"))
        self.sent = int(store.facts.get("sent", b"0"))
        self.rosters = Rosters(store, self.members)
        self.counts: Counter[str] = Counter()
        self.unreadable = UnreadableFrames()
        self.given_up = GivenUpNames(store)
        self.sent_stamps = SentStamps(self._algorithm_name)
        self.last = LastNumbers(store, is_relayed=is_relayed)
        self.recent = RecentMessages(store)
        self._staged = ReleasedByNode()
        self.late = LateFrames()
        self._journal: Journal[Algorithm, NodeEntry, Effect] = Journal(
            store, begin=begin, restore=restore, entries=get_args(NodeEntry), apply=self._apply, recorder=recorder
        )
        self._trace = TracedEvents(recorder, store, self.process)
        self.departure = Departure(self)
        for name in set(newcomers) - self.members:
            self.join(name)  # a list that has grown since the last time

    @property
    def algorithm(self) -> Algorithm:
        """Return the algorithm, in its present state."""
        return self._journal.machine

    @property
    def process(self) -> ProcessId:
        """Return the name of this process."""
        return self.algorithm.process

    def pending(self) -> tuple[Pending, ...]:
        """Return the messages that are held back, each with everything it still waits for."""
        return self.algorithm.pending()

    # What comes in.

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> MessageId:
        """Send `payload` to `dests`, and return the message's identity. If this raises `Misuse`, nothing is sent."""
        to = dests if isinstance(dests, str) else sorted(set(checked_names("the destinations", dests)))
        if self._sends_to_names:
            self.departure.check_stay([to] if isinstance(to, str) else to)
        if self.open_space:
            for dest in [to] if isinstance(to, str) else to:
                self.join(dest)
        effects = self._journal.put(make_send(to, payload, self._algorithm_name))
        sent = effects[0]
        assert isinstance(sent, Sent)
        self._carry_out(effects)
        return sent.message.id

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> None:
        """Admit a newcomer, which may be sent to from now on; or join further groups, if `process` is this process."""
        joining = sorted(groups)
        is_self = process == self.algorithm.process
        if (process in self.members or is_self) and not joining:
            return
        if is_self:
            self._refuse_to_join_alone()
        self._carry_out(self._journal.put(JoinEntry(process, tuple(joining))))
        if process not in self.members and not is_self:
            self._admit([process])
            self.rosters.grow(self.members)

    def _refuse_to_join_alone(self) -> None:
        """Raise `Misuse` if all members of a group have to hear at once of a running process that joins it."""
        if self._algorithm_name == "mr-scalar":
            raise Misuse(
                "with mr-scalar the members of a group have to hear at the same time of a process that joins it, so it "
                "cannot be running: use isis or mr, or join with another name and these groups"
            )

    def _admit(self, newcomers: Iterable[ProcessId]) -> None:
        for name in newcomers:
            self.members.add(name)
            self.store.put(f"member {name}", b"")

    def leave(self, process: ProcessId) -> None:
        """Let another process go: it sends nothing more, and this process forgets all but its name."""
        if process == self.process:
            raise Misuse(f"{process!r} is this process: call leave() instead of give_up()")
        if process in self.departed:
            return
        if process not in self.members:
            self.join(process)
        self.hand_over(process)
        self.forget(process)

    def give_up(self, process: ProcessId) -> None:
        """Let another process go that did not leave and never comes back, and count what comes from it from now on."""
        if process not in self.departed:
            self.leave(process)
            self.given_up.add(process)

    def hand_over(self, process: ProcessId) -> None:
        """Tell the algorithm that `process` is gone. If that is this one, the algorithm hands over what others need."""
        self._carry_out(self._journal.put(LeaveEntry(process)))

    def tell(self, others: Iterable[ProcessId], word: bytes) -> None:
        """Stage a frame about leaving for the inboxes of `others`."""
        to = sorted(others)
        if to:
            self._staged.outgoing.append(self.store.enqueue_frame(to, word))

    def owes(self, process: ProcessId) -> bool:
        """Return whether a message of `process` is here, or was offered, and is not delivered yet."""
        late = self.late.has_any_of(process) or self.unreadable.has_from(process)
        return late or any(held.message.sender == process for held in self.pending())

    def has_queued_for(self, process: ProcessId) -> bool:
        """Return whether a message from this process to `process` waits in the algorithm, for a token for instance."""
        return any(
            waiting.message.sender == self.process and process in waiting.message.dests for waiting in self.pending()
        )

    @property
    def staged(self) -> int:
        """Return the number of entries of the outbox that are not committed yet."""
        return len(self._staged.outgoing)

    def forget(self, process: ProcessId) -> None:
        """Forget all but the name of a process, and want a snapshot, because replaying the log may need the rest."""
        self.departed.add(process)
        self.members.discard(process)
        self.store.put(f"departed {process}", b"")
        self.store.drop(f"member {process}")
        self.store.drop(ANSWERED + process)
        self.rosters.forget(process)
        self.unreadable.forget_sender(process)
        self.last.forget(process)
        self._staged.departed.append(process)
        self._journal.want_snapshot()

    def tick(self, now: float) -> None:
        """Tell the algorithm that the time is `now`."""
        self.timers = [at for at in self.timers if at > now]
        self.store.put("timers", json.dumps(self.timers).encode())
        self._carry_out(self._journal.put(TickEntry(now)))

    def receive(self, sender: ProcessId | None, data: bytes) -> bool:
        """Take a frame from the inbox. Return False if it cannot be taken now, and is to be offered again later.

        A frame of a later release is not taken: it is in `unreadable` until this process is upgraded, or the sender is
        gone.
        """
        try:
            frame = frames.parse(frames.open_envelope(data, self._newest_form).frame)
            if isinstance(frame, frames.Packets):
                if sender in self.departed:
                    self.late.forget(sender, data)
                    self.counts["refused"] += len(frame.packets) - 1  # the frame itself is counted as one
                    self.given_up.count_refused(sender, len(frame.packets))
                    raise WireError(f"{sender!r} has left: this is a repetition, or another process uses its name")
                return self._receive_packets(sender, frame, data)
            if sender is None:
                raise WireError("a frame about its sender, whose name the transport does not know")
            if isinstance(frame, frames.LeavingWord):
                return self.departure.hear(sender, frame)
            if not isinstance(frame, frames.RosterFrame):
                raise WireError("a frame for stations")
            self.rosters.learn(sender, frame.number, frame.names)
        except TooNew as error:
            if sender not in self.departed:
                self.unreadable.note(sender, data, str(error))
                return False
            self.given_up.count_refused(sender, 1)
            self._refuse(sender, str(error), data)
        except (RemoteViolation, Misuse) as error:
            self._refuse(sender, str(error), data)
        return True

    def _receive_packets(self, sender: ProcessId | None, frame: frames.Packets, data: bytes) -> bool:
        self.unreadable.forget(sender, data)
        refused = self.counts["offered again"]
        taken = [self._receive_packet(sender, frame.roster, packet, data) for packet in frame.packets]  # try each
        if all(taken):
            self.late.forget(sender, data)
        elif not self.unreadable.has(sender, data):
            self.late.note(sender, data, is_beyond_limit=self.counts["offered again"] > refused)
        return all(taken)

    def _receive_packet(self, sender: ProcessId | None, roster: int, data: bytes, frame: bytes) -> bool:
        """Take a packet of a frame. Return False if it cannot be taken now."""
        try:
            packet = self.rosters.codec_of(sender or "", roster).decode(data)
            if sender is not None and packet.sender != sender:
                raise WireError(f"a packet of {packet.sender!r} that was published by {sender!r}")
            if packet.message is not None:
                self.recent.check(packet.message)
            effects = self.algorithm.receive(packet)
        except UnknownRoster:
            return False
        except HoldBackFull:
            self.counts["offered again"] += 1
            return False
        except TooNew as error:
            self.unreadable.note(sender, frame, str(error))
            return False
        except RemoteViolation as error:
            self._refuse(sender, str(error), data)
            return True
        self._note_content(packet)
        self._journal.log(ReceiveEntry(packet.sender, roster, data))
        self.counts["received"] += 1
        if self.open_space and packet.sender not in self.departed:
            self.join(packet.sender)
        self._trace.record("receive", packet.message)
        self._carry_out(effects)
        return True

    def _note_content(self, packet: Packet) -> None:
        if packet.message is not None:
            self.recent.note(packet.message)

    def acknowledge(self, n: int) -> None:
        """Delete message `n` of the inbox, because the application has acknowledged it."""
        self.store.acknowledge(n)

    def done(self, n: int) -> None:
        """Delete entry `n` of the outbox, because the inbox of every destination has it."""
        self.store.done(n)

    # What goes out.

    def commit(self) -> ReleasedByNode:
        """Make everything up to now durable, and return what may be shown to others now."""
        if self._journal.is_snapshot_due:
            self.recent.save()
        self._staged.outgoing += self._journal.commit()
        released, self._staged = self._staged, ReleasedByNode()
        return released

    def _apply(self, algorithm: Algorithm, entry: NodeEntry) -> list[Effect]:
        """Give an algorithm an entry of the log, and return the effects."""
        match entry:
            case SendEntry(dests, payload):
                return algorithm.send(dests, payload)
            case SendToGroupEntry(group, payload):
                return algorithm.send(group, payload)
            case JoinEntry(process, groups):
                return algorithm.join(process, groups)
            case LeaveEntry(process):
                return algorithm.leave(process)
            case TickEntry(now):
                return algorithm.tick(now)
            case ReceiveEntry(sender, roster, data):
                packet = self.rosters.codec_of(sender, roster).decode(data)
                self._note_content(packet)
                return algorithm.receive(packet)
            case _:
                assert_never(entry)

    def _refuse(self, sender: ProcessId | None, reason: str, data: bytes) -> None:
        self.counts["refused"] += 1
        self.store.quarantine(sender, reason, data)

    def _carry_out(self, effects: list[Effect]) -> None:
        control: tuple[int, int] | None = None
        packet: Packet | None = None
        dests: list[ProcessId] = []
        sent: Sent | None = None
        for effect in effects:
            if isinstance(effect, Transmit):
                if packet is not effect.packet and packet is not None:
                    control = self._transmit(dests, packet, control)
                    dests = []
                packet = effect.packet
                dests.append(effect.to)
            elif isinstance(effect, Sent):
                sent = effect
        if packet is not None:
            control = self._transmit(dests, packet, control)
        if sent is not None:
            self._note_sent(sent, control)
        for effect in effects:
            if isinstance(effect, Deliver):
                self._deliver(effect)
            elif isinstance(effect, Transmit) and self._trace.has_late_sends:
                self._trace.record_leaving(effect, self.rosters.codec)
            elif isinstance(effect, SetTimer):
                self.timers.append(effect.at)
                self.store.put("timers", json.dumps(self.timers).encode())

    def _transmit(self, dests: list[ProcessId], packet: Packet, first: tuple[int, int] | None) -> tuple[int, int]:
        """Stage a packet, after the roster if a destination needs it. Return `first`, or the packet's control size."""
        untold = self.rosters.untold(dests)
        if untold:
            names = frames.roster(self.rosters.number, self.rosters.names)
            self._staged.outgoing.append(self.store.enqueue_frame(untold, names))
        data = self.rosters.codec.encode(packet)
        self._staged.outgoing.append(self.store.enqueue_packet(dests, self.rosters.number, data))
        payload = packet.message.payload if packet.message is not None else b""
        return first or (len(data) - len(payload), packet.control_entries)

    def _note_sent(self, sent: Sent, control: tuple[int, int] | None) -> None:
        self.counts["sent"] += 1
        self.sent = sent.message.id.seq
        self.store.put("sent", b"%d" % self.sent)
        self.last.note_sent(sent.message)
        if control is not None:
            self.sent_stamps.note(control[0], sent.message.dests - {self.process})
        self._trace.record_send(sent.message, control)

    def _deliver(self, effect: Deliver) -> None:
        self.counts["delivered"] += 1
        self._trace.record("deliver", effect.message)
        self.last.note_delivered(effect.message)
        self._staged.delivered.append(self.store.deliver(effect.message))
