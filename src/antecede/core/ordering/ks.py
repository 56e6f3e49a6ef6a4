"""Kshemkalyani-Singhal: the least control information that keeps causal order (002 §4).

Guarantees causal order for any multicast over any channels, and holds a message back only while a message
that causally precedes it is missing here. Its stamp is exactly what the Propagation Constraints PC1 and PC2
demand: "message t of i is still owed to d" travels up to the events that know it delivered, or guaranteed to be
delivered in order, and no further. With `differential=True`, each packet has only what is new since the packet before
to the same destination (§3.5, §6.1).

Beside §4.3 of the paper:

    clock_j            the sequence number of the message (`message.id.seq`)
    SR_j[i]            `delivered[i]`
    LOG_j              `log`: sender -> clock -> Dests, only where Dests is not empty, and
                       `context`: the highest clock known of each sender, which is what the null entries are for
    O_M                `stamp.owed` (what everyone is told), `stamp.due` (what only a destination is told) and
    `stamp.context`
    PURGE_NULL_ENTRIES nothing to do: an empty set is never stored, and `context` implies it

    SND(2), SND(3)  `stamps`: dots to the destinations leave the log and go to each destination alone
    RCV(1)          `unmet`
    RCV(2)          the process delivers and sets SR
    RCV(3), RCV(4)  `deliver`: a destination stays owed if both sides say so, or one says so and it is news to the other

A *dot* (i, t, d) says that message t of i is still owed to d, and the log is an observed-remove set of dots. With
`multicast=True` one packet serves all destinations (§4.5, first note): it carries everyone's `due`, and each receiver
reads its own, which is SND(2) done by the receiver.

Changed from the paper: the first test of RCV(4) reads l_{s,t}, as the comment beside it does (with the t' of our copy
it can never be true). The look-ahead of §4.5 breaks causal order unless all use hardware multicast, and is left out.
The sequence numbers that §7.1 offers for channels that are not FIFO are not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antecede.core.snapshot.values import storable
from antecede.core.types import Message, Need, ProcessId, Reached, Stamp
from antecede.core.vectors import greatest, without
from antecede.core.wire import shapes


def _count_dots(log: shapes.Log) -> int:
    return sum(len(dests) for entries in log.values() for dests in entries.values())


@shapes.stamp(2, "KsStamp")
@dataclass(frozen=True, slots=True)
class KsStamp:
    """O_M: `owed` without the destinations of M, `due` to the destinations of M, and the context."""

    owed: shapes.Log
    due: Mapping[ProcessId, Mapping[ProcessId, int]]
    context: Mapping[ProcessId, int]

    @property
    def entries(self) -> int:
        return _count_dots(self.owed) + sum(map(len, self.due.values()))

    def write(self, to: shapes.Writer) -> None:
        to.common((self.context, self.owed), self._write_common)
        for dest in to.rows(self.due):
            to.behind(self.due[dest], self.context)

    def _write_common(self, to: shapes.Writer) -> None:
        """Append what the stamps of one message to all its destinations share."""
        to.vector(self.context)
        to.log(self.owed, self.context)

    @classmethod
    def read(cls, source: shapes.Reader) -> KsStamp:
        context = source.vector()
        owed = source.log(context)
        due = {dest: source.behind(context) for dest in source.rows()}
        return cls(owed, due, context)


@storable("Ks", removed={2: ""})
@dataclass(slots=True)
class Ks:
    """LOG_j and its context, at process `me`. Inner mappings are replaced, never changed: stamps share them."""

    me: ProcessId
    multicast: bool = False
    delivered: dict[ProcessId, int] = field(default_factory=dict)
    log: dict[ProcessId, dict[int, frozenset[ProcessId]]] = field(default_factory=dict)
    context: dict[ProcessId, int] = field(default_factory=dict)
    departed: frozenset[ProcessId] = frozenset()

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        dests = frozenset(others)
        owed: dict[ProcessId, dict[int, frozenset[ProcessId]]] = {}
        due: dict[ProcessId, dict[ProcessId, int]] = {dest: {} for dest in others}
        for sender, entries in self.log.items():  # SND(2)
            remaining = {}
            for clock, owing in entries.items():
                for dest in owing & dests:
                    due[dest][sender] = clock
                if rest := owing - dests:
                    remaining[clock] = rest
            if remaining:
                owed[sender] = remaining
        context = dict(self.context)
        self.log = dict(owed)  # SND(3)
        self.log[self.me] = {**owed.get(self.me, {}), message.id.seq: dests}  # SND(4)
        self.context[self.me] = message.id.seq
        if self.multicast:
            return [KsStamp(owed, {dest: row for dest, row in due.items() if row}, context)] * len(others)
        return [KsStamp(owed, {dest: row} if (row := due[dest]) else {}, context) for dest in others]

    def accepts(self, message: Message, stamp: Stamp) -> bool:
        """Return whether the stamp knows of its sender's messages up to the one before, and of none after."""
        return isinstance(stamp, KsStamp) and stamp.context.get(message.id.sender, 0) < message.id.seq

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:  # noqa: ARG002
        """Yield the messages owed to this process that have not been delivered here yet: RCV(1)."""
        assert isinstance(stamp, KsStamp)
        for sender, clock in stamp.due.get(self.me, {}).items():
            if clock > self.delivered.get(sender, 0):
                yield Need(sender, clock, clock)

    def deliver(self, message: Message, stamp: Stamp) -> Iterable[Reached]:
        self.learn(message, stamp)
        return (self.count(message),)

    def count(self, message: Message) -> Reached:
        """Do the half of a delivery that later messages wait for; `delivered` is all there is to it."""
        return Reached(*message.id)

    def learn(self, message: Message, stamp: Stamp) -> None:
        """Do the half of a delivery that later stamps tell of."""
        assert isinstance(stamp, KsStamp)
        sender, clock = message.id
        owed, context = dict(stamp.owed), dict(stamp.context)
        owed[sender] = {**owed.get(sender, {}), clock: message.dests - {sender}}  # RCV(3)
        context[sender] = clock
        sent = self.context.get(self.me, 0)
        if context.get(self.me, 0) > sent:  # a lie, perhaps of a third: nobody knows better what was sent from here
            context[self.me] = sent
            owed[self.me] = {at: owing for at, owing in owed.get(self.me, {}).items() if at <= sent}
        self._merge(owed, context)

    def _merge(self, owed: shapes.Log, context: Mapping[ProcessId, int]) -> None:
        """Merge what a message says is owed into the log: RCV(4).

        Dots to this process have been delivered, or the message would have waited for them.
        """
        here = self.departed | {self.me}
        for sender in {**owed, **self.log}:
            theirs, mine = owed.get(sender, {}), self.log.get(sender, {})
            my_newest, their_newest = self._newest_known(sender), context.get(sender, 0)
            merged = {}
            for clock, owing in theirs.items():
                if clock in mine:
                    both = owing & mine[clock]
                elif clock > my_newest:
                    both = owing - here
                else:
                    continue
                if both:
                    merged[clock] = both
            merged |= {clock: owing for clock, owing in mine.items() if clock > their_newest}
            if merged and sender not in self.departed:
                self.log[sender] = merged
            else:
                self.log.pop(sender, None)
        for sender, clock in context.items():
            if clock > self.context.get(sender, 0) and sender not in self.departed:
                self.context[sender] = clock

    def _newest_known(self, sender: ProcessId) -> int:
        """Return the clock up to which a message of `sender` that is not in the log is owed to nobody."""
        return self.context.get(sender, 0)

    def forget(self, process: ProcessId) -> None:
        self.departed |= {process}
        for kept in (self.context, self.delivered):
            kept.pop(process, None)
        self.log = _leave_out(self.log, frozenset({process}))


def _leave_out(log: shapes.Log, processes: frozenset[ProcessId]) -> dict[ProcessId, dict[int, frozenset[ProcessId]]]:
    """Return `log` without what was sent by these processes or is owed to them."""
    owed = _leave_out_dests(log, processes)
    return {sender: entries for sender, entries in owed.items() if sender not in processes}


def _leave_out_dests(log: shapes.Log, dests: frozenset[ProcessId]) -> dict[ProcessId, dict[int, frozenset[ProcessId]]]:
    """Return `log` without what is owed to these processes."""
    return {
        sender: remaining
        for sender, entries in log.items()
        if (remaining := {clock: rest for clock, owing in entries.items() if (rest := owing - dests)})
    }


@shapes.stamp(24, "DifferentialKsStamp")
@dataclass(frozen=True, slots=True)
class DifferentialKsStamp:
    """O_M for one destination, as the difference from the log that its sender had after its last message to it.

    `after` is the number of that last message, and 0 if there is none. `due` is what is due to the destination, except
    for that message. `context` has what is new of the context. The dots of a sender that it names are those of `owed`,
    and if the sender is among `kept`, also the dots of before. The dots of all other senders are those of before. Of
    the dots of before, `lapsed` have been deleted since, and those to the destinations of M.
    """

    after: int
    owed: shapes.Log
    due: Mapping[ProcessId, int]
    context: Mapping[ProcessId, int]
    kept: frozenset[ProcessId]
    lapsed: shapes.Log

    @property
    def entries(self) -> int:
        return bool(self.after) + len(self.due) + len(self.kept) + _count_dots(self.owed) + _count_dots(self.lapsed)

    def write(self, to: shapes.Writer) -> None:
        to.uint(self.after)
        to.vector(self.context)
        to.log(self.owed, self.context)
        to.behind(self.due, self.context)
        to.names(self.kept)
        newest = {sender: max(entries) for sender, entries in self.lapsed.items()}
        to.vector(newest)
        if newest:
            to.log(self.lapsed, newest)

    @classmethod
    def read(cls, source: shapes.Reader) -> DifferentialKsStamp:
        after, context = source.uint(), source.vector()
        owed, due, kept = source.log(context), source.behind(context), source.names()
        newest = source.vector()
        return cls(after, owed, due, context, kept, source.log(newest) if newest else {})


@storable("ChannelView")
@dataclass(frozen=True, slots=True)
class ChannelView:
    """The log of the sender just after message `seq`, the last one on a channel, as the destination can know it."""

    seq: int = 0
    log: shapes.Log = field(default_factory=dict)
    context: Mapping[ProcessId, int] = field(default_factory=dict)


@storable("DifferentialKs")
@dataclass(slots=True)
class DifferentialKs(Ks):
    """`Ks` whose stamps are differences: each copy of a message has only what is new to its destination (§3.5).

    A dot that was told before is told again only if that is shorter than to say which dots beside it have lapsed.
    `told[d]` is the log after the last send to d, and `heard[s]` the log of s after its last message delivered here:
    one view for each channel and end, whatever was sent before.

    Why it is right. Let M' be the message to d after M, of the same sender s.

    1. M' names M as `after`, and d delivers M before M', as causal order demands anyway. So channels need not be FIFO,
       no delivery is later than with `Ks`, and when d delivers M', its `heard[s]` is what `told[d]` was when s sent M'.
    2. In what the context of a process covers, `_merge` and `stamps` only delete dots. So a dot of `owed` in `Ks` is in
       `told[d]`, or newer than its context. For each sender, M' has either all its dots, or the new ones and those of
       `told[d]` that have lapsed, whichever are fewer. So d restores exactly the `owed` and the context of `Ks`, and
       merges them by the same RCV(4): it misses no dot, and brings back none that was deleted.
    3. A dot that was due to d left the log when s sent M, so what is due with M' is new, or is M itself. If s does not
       say that M is due, it knows that M has come, or comes before something else that is due.

    After `forget`, both ends leave the departed out of their views, one perhaps later than the other. Until then, what
    the one still has is what it has merged before, and to merge it again changes nothing.
    """

    told: dict[ProcessId, ChannelView] = field(default_factory=dict)
    heard: dict[ProcessId, ChannelView] = field(default_factory=dict)

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        whole = Ks.stamps(self, message, others)
        dests = frozenset(others)
        stamps: list[Stamp] = [self._shorten(stamp, to, dests) for to, stamp in zip(others, whole, strict=True)]
        view = ChannelView(message.id.seq, dict(self.log), dict(self.context))
        self.told |= dict.fromkeys(others, view)
        return stamps

    def accepts(self, message: Message, stamp: Stamp) -> bool:
        """Return whether the stamp knows of its sender's messages up to the one before, and of none after."""
        if not isinstance(stamp, DifferentialKsStamp):
            return False
        return max(stamp.after, stamp.context.get(message.id.sender, 0)) < message.id.seq

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:
        """Yield the message before on this channel, and the messages owed to this process: RCV(1)."""
        assert isinstance(stamp, DifferentialKsStamp)
        for sender, clock in ((message.id.sender, stamp.after), *stamp.due.items()):
            if clock > self.delivered.get(sender, 0):
                yield Need(sender, clock, clock)

    def learn(self, message: Message, stamp: Stamp) -> None:
        assert isinstance(stamp, DifferentialKsStamp)
        sender, seq = message.id
        whole = self._restore(message, stamp)
        Ks.learn(self, message, whole)
        if sender not in self.departed:
            own = {**whole.owed.get(sender, {}), seq: message.dests - {sender}}
            self.heard[sender] = ChannelView(seq, {**whole.owed, sender: own}, {**whole.context, sender: seq})

    def forget(self, process: ProcessId) -> None:
        Ks.forget(self, process)
        for views in (self.told, self.heard):
            views.pop(process, None)
            for other, view in views.items():
                log, context = _leave_out(view.log, frozenset({process})), without(view.context, {process})
                views[other] = ChannelView(view.seq, log, context)

    def _shorten(self, stamp: Stamp, to: ProcessId, dests: frozenset[ProcessId]) -> DifferentialKsStamp:
        """Return the difference of a stamp from what `to` was told before."""
        assert isinstance(stamp, KsStamp)
        view = self.told.get(to, ChannelView())
        context = {sender: clock for sender, clock in stamp.context.items() if clock > view.context.get(sender, 0)}
        owed = {sender: dict(entries) for sender, entries in stamp.owed.items() if sender in context}
        kept, lapsed = set(), {}
        for sender, before in _leave_out_dests(view.log, dests).items():
            now = stamp.owed.get(sender, {})
            gone = {clock: rest for clock, owing in before.items() if (rest := owing - now.get(clock, frozenset()))}
            still = sum(len(now[clock]) for clock in before if clock in now)
            named, deleted = sender in context, sum(map(len, gone.values()))
            if still + (not named) < deleted + named and sender in stamp.context:  # it is shorter to tell all anew
                context[sender] = stamp.context[sender]
                owed |= {sender: dict(now)} if now else {}
                continue
            if named:
                kept.add(sender)
                owed[sender] = {clock: owing for clock, owing in now.items() if clock not in before}
            if gone:
                lapsed[sender] = gone
        due = {sender: clock for sender, clock in stamp.due.get(to, {}).items() if sender != self.me}
        news = {sender: entries for sender, entries in owed.items() if entries}
        return DifferentialKsStamp(view.seq, news, due, context, frozenset(kept), lapsed)

    def _restore(self, message: Message, stamp: DifferentialKsStamp) -> KsStamp:
        """Return the stamp that `stamp` is the difference of, without what is due and without the departed.

        If the message before on the channel was given up, because its sender left, the difference is taken from the log
        of this process: what is new is added, and no more is deleted than has lapsed.
        """
        view, dests, renewed = self.heard.get(message.id.sender, ChannelView()), message.dests, set(stamp.context)
        if view.seq != stamp.after:
            view, dests, renewed = ChannelView(stamp.after, self.log, self.context), frozenset(), set()
        owed: dict[ProcessId, dict[int, frozenset[ProcessId]]] = {}
        for sender, entries in view.log.items():
            if sender not in renewed or sender in stamp.kept:
                lapsed = stamp.lapsed.get(sender, {})
                owed[sender] = {at: owing - dests - lapsed.get(at, frozenset()) for at, owing in entries.items()}
        for sender, news in stamp.owed.items():
            owed[sender] = {**owed.get(sender, {}), **news}
        context = greatest(view.context, stamp.context)  # it never goes back, or a lie would leave dots ahead of it
        return KsStamp(_leave_out(owed, self.departed), {}, without(context, self.departed))
