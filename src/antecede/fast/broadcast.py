"""A process of `prs-broadcast` that takes packets as bytes, many at a time, through the compiled short cut.

The state is in one of two forms: in the `Process` of the core, or, between calls of `receive_all`, in the arrays of
`kernel`. Whatever the kernel does not do itself (a packet of another form, a newcomer, a snapshot, `pending`) is done
by the core, after the state has been moved there. Moving costs as much as there are packets held back; so that nobody
can make a process do nothing else, at least as many packets go through the core before it moves back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Deliver, Effect
from antecede.core.errors import AntecedeError, LimitReached, Misuse, RemoteViolation
from antecede.core.ordering.prs_broadcast import BarrierStamp, PrsBroadcast
from antecede.core.process import Process
from antecede.core.types import GroupId, Message, MessageId, Packet, Pending, ProcessId
from antecede.core.wire import PACKET_BYTES_MAX, Codec
from antecede.fast import kernel

PROCESSES_MAX = 256
"""A held packet takes 8 bytes for each process."""
SLOTS_MIN = 64
HEAD = 6
"""Bytes of a packet before its sender: version and flags, the identity of the roster in four, no names of its own.

After it, in the packets that `_forms` looks at: the sender, "not forwarded", the number 1, what is
wanted, an empty set."""


class Received(NamedTuple):
    """What some packets led to: the effects in order, and of the packets that were refused, which and why."""

    effects: list[Effect]
    refused: list[tuple[int, AntecedeError]]


class FastBroadcast:
    """See `antecede.core.algorithm.Algorithm` for the contract, and `receive_all` for what is fast."""

    def __init__(self, process: Process, ordering: PrsBroadcast, codec: Codec) -> None:
        self._process, self._ordering, self._codec = process, ordering, codec
        self._names = codec.roster
        self._number = {name: number for number, name in enumerate(codec.roster)}
        self._dests, self._forms = _forms(codec)
        self._packets: dict[int, bytes] = {}  # held back, by serial
        self._serial = 0
        self._out = np.empty((0, kernel.OUT), np.int64)
        self._in_arrays = False
        self._detained = 0  # packets that go through the core before the state moves to the arrays again

    @property
    def process(self) -> ProcessId:
        return self._process.process

    def receive_all(self, packets: Sequence[bytes]) -> Received:
        """Take packets as they came from the network, encoded with the roster; as `receive(decode(packet))` of each.

        A packet that is refused does not stand in the way of those behind it: it is named in the result.
        """
        if not set(map(type, packets)) <= {bytes}:
            raise Misuse("receive_all takes packets as bytes, a list of them")
        batch, received, at = _batch(packets), Received([], []), 0
        while at < len(packets):
            if self._in_arrays or self._to_arrays():
                at = self._through_arrays(packets, batch, at, received)
            if at < len(packets):
                self._through_core(packets[at], at, received)
                at += 1
        return received

    def send(self, dests: ProcessId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        if not self._in_arrays:
            return self._process.send(dests, payload)
        barrier = self._state.levels[kernel.BARRIER]
        self._ordering.barrier = self._named(barrier.tolist())
        effects = self._process.send(dests, payload)
        barrier[:] = self._numbered(self._ordering.barrier)
        return effects

    def receive(self, packet: Packet) -> list[Effect]:
        return self._core().receive(packet)

    def tick(self, now: float) -> list[Effect]:
        return self._process.tick(now)

    def pending(self) -> tuple[Pending, ...]:
        return self._core().pending()

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        return self._core().join(process, groups)

    def leave(self, process: ProcessId) -> list[Effect]:
        return self._core().leave(process)

    def snapshot(self) -> bytes:
        """As the core gives it: to be restored there, and made fast again."""
        return self._core().snapshot()

    def resume(self) -> None:
        self._core().resume()

    def _through_arrays(self, packets: Sequence[bytes], batch: kernel.Batch, at: int, received: Received) -> int:
        """Take packets until one is not for the kernel; its place among them."""
        self._make_room(len(packets) - at)
        base = self._serial + 1 - at
        data, ends = batch
        levels, slots, buckets, counts, forms = self._state
        taken, written = kernel.receive(data, ends, at, base, levels, slots, buckets, counts, forms, self._out)
        self._serial += taken - at
        names, dests, held, effects = self._names, self._dests, self._packets, received.effects
        for serial, sender, seq, payload, to in self._out[:written].tolist():
            if sender == kernel.HELD_BACK:
                held[serial] = packets[serial - base]
            else:
                packet = held.pop(serial, None) or packets[serial - base]
                effects.append(Deliver(Message(MessageId(names[sender], seq), dests[to], packet[payload:])))
        return taken

    def _through_core(self, data: bytes, at: int, received: Received) -> None:
        try:
            packet = self._codec.decode(data)
            if packet.message is not None:
                self._process.roster.accept(packet)  # what is refused for itself is so before anything is moved
            received.effects.extend(self._core().receive(packet))
        except (RemoteViolation, LimitReached) as error:
            received.refused.append((at, error))
        self._detained -= 1

    def _core(self) -> Process:
        """The process of the core, with the state."""
        if self._in_arrays:
            self._in_arrays = False
            self._ordering.delivered = self._named(self._state.levels[kernel.DELIVERED].tolist())
            self._ordering.barrier = self._named(self._state.levels[kernel.BARRIER].tolist())
            held, codec = self._process.held, self._codec
            held.packets = {serial: codec.decode(data) for serial, data in sorted(self._packets.items())}
            held.serial = self._serial
            self._process.resume()
            self._detained = len(held.packets)
            self._packets = {}
        return self._process

    def _to_arrays(self) -> bool:
        """Move the state to the arrays, if it can be: nobody has come or gone, and all that is held can be there."""
        roster, held = self._process.roster, self._process.held
        if self._detained > 0 or roster.departed or roster.processes != self._number.keys():
            return False
        levels = np.array([self._numbered(self._ordering.delivered), self._numbered(self._ordering.barrier)])
        counts = np.zeros(kernel.COUNTS, np.int64)
        counts[kernel.ME] = self._number[self.process]
        counts[kernel.HELD_MAX] = max(held.limit, len(held))
        counts[kernel.PACKET_BYTES_MAX] = PACKET_BYTES_MAX
        no_slots = np.empty((0, kernel.COLUMNS + len(self._names)), np.int64)
        self._state = kernel.State(levels, no_slots, np.empty((3, 0), np.int64), counts, self._forms)
        self._serial, self._packets = 0, {}
        packets = [self._codec.encode(packet) for packet in held.packets.values()]
        taken = self._through_arrays(packets, _batch(packets), 0, Received([], []))
        self._in_arrays = taken == len(packets) == len(self._packets)
        counts[kernel.HELD_MAX] = held.limit
        if not self._in_arrays:
            self._detained = len(packets)
        return self._in_arrays

    def _make_room(self, packets: int) -> None:
        """For one packet in each of the free slots, and one more to read into."""
        held, slots = len(self._packets), self._state.slots
        if len(self._out) < held + 2 * packets:
            self._out = np.empty((2 * (held + 2 * packets), kernel.OUT), np.int64)
        if len(slots) <= held + packets:
            size = max(SLOTS_MIN, 2 * (held + packets))
            more = np.full((size, slots.shape[1]), kernel.NONE, np.int64)
            more[: len(slots)] = slots
            buckets = np.full((3, 1 << size.bit_length()), kernel.NONE, np.int64)
            self._state = self._state._replace(slots=more, buckets=buckets)
            kernel.refile(self._state)

    def _named(self, counts: list[int]) -> dict[ProcessId, int]:
        return {self._names[number]: count for number, count in enumerate(counts) if count}

    def _numbered(self, counts: dict[ProcessId, int]) -> list[int]:
        return [counts.get(name, 0) for name in self._names]


def accelerate(algorithm: Algorithm, codec: Codec) -> FastBroadcast:
    """`algorithm`, a process of `prs-broadcast` from `create` or `restore`, with `receive_all`; use it from now on.

    The roster of `codec` names all processes, and is the one that the senders encode with. Once somebody has come or
    gone it is no faster than the core, until everybody encodes with a new roster: then accelerate what `restore` makes
    of its `snapshot()`, with that.
    """
    ordering = algorithm.ordering if isinstance(algorithm, Process) else None
    if not isinstance(algorithm, Process) or not isinstance(ordering, PrsBroadcast):
        raise Misuse("accelerate takes a process of prs-broadcast, from create or restore")
    if not 1 < len(codec.roster) <= PROCESSES_MAX:
        raise Misuse(f"accelerate takes a Codec with a roster of all processes, 2 to {PROCESSES_MAX} of them")
    if algorithm.process not in codec.roster:
        raise Misuse(f"{algorithm.process!r} is not in the roster of the codec")
    return FastBroadcast(algorithm, ordering, codec)


def _batch(packets: Sequence[bytes]) -> kernel.Batch:
    ends = np.array(list(accumulate(map(len, packets))), np.int64)
    return kernel.Batch(np.frombuffer(b"".join(packets), np.uint8), ends)


def _forms(codec: Codec) -> tuple[list[frozenset[ProcessId]], kernel.Octets]:
    """The sets a broadcast goes to, and for the kernel what packets to them look like."""
    names = codec.roster
    everybody = frozenset(names)
    dests = [*(everybody - {name} for name in names), everybody]
    senders = [*names, names[0]]
    packets = [
        codec.encode(Packet(name, Message(MessageId(name, 1), to, b""), BarrierStamp({})))
        for name, to in zip(senders, dests, strict=True)
    ]
    texts = [data[HEAD + (4 if number >= 128 else 3) : -1] for number, data in enumerate(packets[:-1])]
    texts += [packets[-1][HEAD + 3 : -1], packets[0][:HEAD]]
    forms = np.zeros((len(texts), 1 + max(map(len, texts))), np.uint8)
    for row, text in enumerate(texts):
        forms[row, : 1 + len(text)] = [len(text), *text]
    return dests, forms
