"""Judge the receives of a log that has vector clocks and no message ids: find the messages that came late.

    a   1 send m1 to b            {a:1}
    a   2 send m2 to c            {a:2}
    c   1 receive (m2)            {a:2, c:1}
    c   2 send m3 to b            {a:2, c:2}
    b   1 receive (m3)            {a:2, c:2, b:1}      raises a and c: in time
    b   2 receive (m1)            {a:2, c:2, b:2}      raises nothing: late, b knew event 2 of a since its receive 1

The assumptions are:

1. A host ticks at each of its events, sends included, and logs them all: its own entry runs 1, 2, 3, ...
2. A message carries the clock of its send.
3. The clock logged at a receive is the merged one: the entrywise maximum of the host's clock before, P, and that of
   the message, S. Each receive is that of one message. All receives are marked. No host sends to itself.

A message m is *late* at host h if h had received a message m' before whose send is the send of m, or comes after it. If
the send is the same, m was received twice. If not, m' overtook m, which is a violation of causal order. Under the
assumptions, a receive of m at host h raises no foreign entry exactly if m is late.

*No entry is raised, so m is late.* Let s be the sender and S[s] the number of the send. Nothing is raised, so
S[s] <= P[s]: h knew of event S[s] of s, which is the send of m and nothing else, because sends tick. Something brought
that knowledge to h before: the receive of a message whose send is that of m, or has it in its past.

*An entry is raised, so m is not late.* If the send of m' is that of m or comes after it, then S <= S' entrywise. After
the receive of m' the clock of h is at least S', so P >= S, and m raises nothing. (This does not need sends to tick.)

So each late receive is a violation or a repetition, and there is no other violation. The clocks alone cannot tell the
two apart, and do not name the sender of a late message. It is one of the hosts whose entries in P are not 0.

The clocks can contradict the assumptions. Then the run is undecidable. The checks are that own entries
run 1, 2, 3, ...; that no entry goes back, or is beyond what its host logged; that only receives raise entries; that no
receive lacks foreign entries; and that each receive that raises entries has exactly the clock max(P, C), where C is the
clock of one event of another host, the send. That event must not be a receive, and must be a send if sends are marked.
These checks make every clock the true vector clock of the execution. They do not notice sends without a tick that only
ever follow internal events, nor messages from a host to itself. Both would be called late.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antecede.judge.rule import HOLDS, UNDECIDABLE, VIOLATED
from antecede.pipeline import schema
from antecede.pipeline.arrow import Flags, Longs, codes, fill_table, kind_codes

ASSUMPTIONS = (
    "hosts tick at every event, sends included; the clock logged at a receive is the merged one; every receive is "
    "marked and is that of one message; no host sends to itself"
)
NO_RECEIVES = "no event is marked as a receive"
NO_SEND = -1


@dataclass(frozen=True, slots=True)
class ClockVerdict:
    """The verdict of the clocks on one run. `reason` says why the run is undecidable, and is None if it is not.

    `witness` is the first late receive by process and index, in words.
    """

    run: str
    verdict: str
    receives: int
    late: int
    reason: str | None = None
    witness: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedReceives:
    """The verdict on each run, by name, and the late receives as `schema.LATE_RECEIVES`."""

    runs: tuple[ClockVerdict, ...]
    late: pa.Table


def judge_receives(events: pa.Table) -> JudgedReceives:
    """Return the verdict of the clocks on whole runs. `events` is a table as `schema.CLOCK_EVENTS`, in any order."""
    run, names = codes(events["run"])
    by_run = events.take(pa.array(np.argsort(run, kind="stable")))
    count = np.bincount(run, minlength=len(names))
    parts = zip(names.to_pylist(), (np.cumsum(count) - count).tolist(), count.tolist(), strict=True)
    judged = [_judge_run(name, by_run.slice(start, length)) for name, start, length in sorted(parts)]
    tables = [late for _, late in judged]
    return JudgedReceives(
        tuple(verdict for verdict, _ in judged), pa.concat_tables([schema.LATE_RECEIVES.empty_table(), *tables])
    )


def describe_late(late: Mapping[str, Any]) -> str:
    """Return one row of `schema.LATE_RECEIVES` in words."""
    words = (
        f"the receive at {late['index']} of {late['process']} raises no entry of its clock: {late['process']} knew "
        f"event {late['known_index']} of {late['sender']} already, from its receive at {late['known_by']}"
    )
    if late["senders"] > 1:
        words += f" (the message is from {late['sender']} or from another of the {late['senders']} hosts in the clock)"
    return f"{words}; so the message was overtaken, or it was received before"


class _Contradiction(Exception):
    """The clocks of a run contradict the assumptions. The text says how."""


@dataclass(frozen=True, slots=True)
class _Clocks:
    """The events of a run by host and index, and the entries of their clocks by event and host.

    An event is a number: its place in this order. `event`, `about` and `value` describe each entry that is not 0: the
    event that it belongs to, the host that it is about, and its value.
    """

    hosts: list[str]
    first: Longs  # by host: its first event
    count: Longs  # by host: how many events it has
    host: Longs  # by event: where it happened
    is_receive: Flags
    is_send: Flags
    event: Longs
    about: Longs
    value: Longs

    def at(self, event: Longs, about: Longs) -> Longs:
        """Return the entries about hosts `about` in the clocks of events `event`. An entry that is not there is 0."""
        keys = self.event * len(self.hosts) + self.about
        wanted = event * len(self.hosts) + about
        place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        return np.where(keys[place] == wanted, self.value[place], 0) if len(keys) else np.zeros(len(wanted), np.int64)

    def before(self) -> Longs:
        """Return for each entry its value at the event before. The value is 0 at the first event of a host."""
        return np.where(self.is_first(self.event), 0, self.at(self.event - 1, self.about))

    def is_first(self, event: Longs) -> Flags:
        return event == self.first[self.host[event]]

    def index(self, event: int) -> int:
        return int(event - self.first[self.host[event]]) + 1

    def name(self, event: int) -> str:
        return f"event {self.index(event)} of {self.hosts[self.host[event]]}"


def _judge_run(run: str, events: pa.Table) -> tuple[ClockVerdict, pa.Table]:
    receives = int(np.count_nonzero(kind_codes(events["kind"], ("receive",)) == 0))
    none = schema.LATE_RECEIVES.empty_table()
    if not receives:
        return ClockVerdict(run, UNDECIDABLE, 0, 0, NO_RECEIVES), none
    try:
        clocks = _arrange(events)
        sends = _find_sends(clocks)
    except _Contradiction as contradiction:
        return ClockVerdict(run, UNDECIDABLE, receives, 0, str(contradiction)), none
    late = _find_witnesses(run, clocks, sends, np.flatnonzero(clocks.is_receive & (sends == NO_SEND)))
    if not late.num_rows:
        return ClockVerdict(run, HOLDS, receives, 0), late
    first = late.sort_by([("process", "ascending"), ("index", "ascending")]).slice(0, 1).to_pylist()[0]
    return ClockVerdict(run, VIOLATED, receives, late.num_rows, witness=describe_late(first)), late


def _arrange(events: pa.Table) -> _Clocks:
    """Return the clocks of a run. Raise `_Contradiction` if own entries do not run 1, 2, 3, ..."""
    code, names = codes(events["process"])
    hosts = names.to_pylist()
    index = events["index"].to_numpy()
    order = np.lexsort((index, code))
    count = np.bincount(code, minlength=len(hosts))
    first = np.cumsum(count) - count
    host = code[order]
    expected = np.arange(len(order)) - first[host] + 1
    for odd in np.flatnonzero(index[order] != expected)[:1].tolist():
        last = int(expected[odd]) - 1
        raise _Contradiction(f"the clock of {hosts[host[odd]]} steps from {last} to {index[order][odd]}")
    kind = kind_codes(events["kind"], ("receive", "send"))[order]
    event, about, value = _entries(events["clock"].take(pa.array(order)), hosts, host, expected)
    return _Clocks(hosts, first, count, host, kind == 0, kind == 1, event, about, value)


def _entries(clock: pa.ChunkedArray, hosts: list[str], host: Longs, index: Longs) -> tuple[Longs, Longs, Longs]:
    """Return the event, the host and the value of each entry that is not 0, sorted by event and host.

    Raise `_Contradiction` if an entry is greater than the number of events that its host logged.
    """
    maps = clock.combine_chunks()
    event = np.repeat(np.arange(len(maps)), pc.list_value_length(maps.cast(_PAIRS)).to_numpy(zero_copy_only=False))
    pairs = maps.cast(_PAIRS).flatten()
    value = pairs.field("value").to_numpy(zero_copy_only=False)
    code, names = codes(pa.chunked_array([pairs.field("key")]))
    place = {name: at for at, name in enumerate(hosts)}
    about = np.array([place.get(name, -1) for name in names.to_pylist()], np.int64)[code]
    kept = np.flatnonzero(value)
    kept = kept[np.lexsort((about[kept], event[kept]))]
    logged = np.bincount(host, minlength=len(hosts))
    beyond = value[kept] > np.where(about[kept] < 0, 0, logged[about[kept]])
    for odd in kept[beyond][:1].tolist():
        name = names[code[odd]].as_py()
        raise _Contradiction(
            f"the clock of event {index[event[odd]]} of {hosts[host[event[odd]]]} has {value[odd]} for {name}, which "
            f"logged {logged[about[odd]] if about[odd] >= 0 else 0} events"
        )
    return event[kept], about[kept], value[kept]


_PAIRS = pa.list_(pa.struct([pa.field("key", pa.string(), nullable=False), pa.field("value", pa.int64())]))


def _find_sends(clocks: _Clocks) -> Longs:
    """Return for each event that raises foreign entries the send of the message that it received; `NO_SEND` for others.

    Raise `_Contradiction` if the clocks contradict the assumptions.
    """
    _check_steps(clocks)
    raised = np.flatnonzero((clocks.about != clocks.host[clocks.event]) & (clocks.value > clocks.before()))
    receive = clocks.event[raised]
    for odd in receive[~clocks.is_receive[receive]][:1].tolist():
        raise _Contradiction(
            f"{clocks.name(odd)} raises an entry of another host and is not marked as a receive; mark it too, or the "
            "clock at a receive is not the merged one"
        )
    source = clocks.first[clocks.about[raised]] + clocks.value[raised] - 1
    # The send has the other events that became known in its past, so its clock has the largest sum.
    sums = np.bincount(clocks.event, clocks.value, len(clocks.host))
    by_sum = np.lexsort((sums[source], receive))
    last = np.append(receive[by_sum][1:] != receive[by_sum][:-1], True) if len(by_sum) else np.zeros(0, np.bool_)
    sends = np.full(len(clocks.host), NO_SEND, np.int64)
    sends[receive[by_sum][last]] = source[by_sum][last]
    _check_merge(clocks, sends, raised)
    return sends


def _check_steps(clocks: _Clocks) -> None:
    """Raise `_Contradiction` if an own entry is wrong, an entry goes back, or a receive has no foreign entry."""
    event = np.arange(len(clocks.host))
    own = clocks.at(event, clocks.host)
    for odd in np.flatnonzero(own != event - clocks.first[clocks.host] + 1)[:1].tolist():
        raise _Contradiction(f"the clock of {clocks.name(odd)} has {own[odd]} for its own host")
    has_next = clocks.event + 1 < (clocks.first + clocks.count)[clocks.host[clocks.event]]
    entry = np.flatnonzero(has_next)
    after = clocks.at(clocks.event[entry] + 1, clocks.about[entry])
    for odd in entry[after < clocks.value[entry]][:1].tolist():
        raise _Contradiction(
            f"the entry of {clocks.hosts[clocks.about[odd]]} goes back after {clocks.name(clocks.event[odd])}"
        )
    foreign = np.bincount(clocks.event[clocks.about != clocks.host[clocks.event]], minlength=len(event))
    for odd in np.flatnonzero(clocks.is_receive & (foreign == 0))[:1].tolist():
        raise _Contradiction(
            f"the clock of {clocks.name(odd)}, a receive, has no entry of another host; the clock logged at a receive "
            "must be the merged one"
        )


def _check_merge(clocks: _Clocks, sends: Longs, raised: Longs) -> None:
    """Raise `_Contradiction` if the clock of a receive is not the merge of the clock before it and that of one send."""
    receive = clocks.event[raised]
    for odd in receive[clocks.at(sends[receive], clocks.about[raised]) != clocks.value[raised]][:1].tolist():
        raise _Contradiction(f"{clocks.name(odd)} merges the clocks of several messages, of which one may be late")
    receives = np.flatnonzero(sends != NO_SEND)
    size = np.bincount(clocks.event, minlength=len(sends))
    begin = (np.cumsum(size) - size)[sends[receives]]
    many = size[sends[receives]]
    entry = np.repeat(begin - (np.cumsum(many) - many), many) + np.arange(int(many.sum()))
    into = np.repeat(receives, many)
    limit = clocks.at(into, clocks.about[entry]) - (clocks.about[entry] == clocks.host[into])
    for odd in np.flatnonzero(clocks.value[entry] > limit)[:1].tolist():
        raise _Contradiction(
            f"the clock of {clocks.name(into[odd])} lacks what {clocks.name(sends[into[odd]])} knew of "
            f"{clocks.hosts[clocks.about[entry][odd]]}"
        )
    no_send = clocks.is_receive | (~clocks.is_send & clocks.is_send.any())
    for odd in receives[no_send[sends[receives]]][:1].tolist():
        raise _Contradiction(
            f"the message of {clocks.name(odd)} carries the clock of {clocks.name(sends[odd])}, which is not a send; "
            "so sends do not tick"
        )


def _find_witnesses(run: str, clocks: _Clocks, sends: Longs, late: Longs) -> pa.Table:
    """Return the late receives, as `schema.LATE_RECEIVES`.

    The witness of each is the last receive before it that raised an entry, with the send of the message received there.
    """
    raising = np.flatnonzero(sends != NO_SEND)
    known_by = raising[np.searchsorted(raising, late) - 1] if len(late) else late
    witness = sends[known_by]
    foreign = np.bincount(clocks.event[clocks.about != clocks.host[clocks.event]], minlength=len(clocks.host))
    names = np.array(clocks.hosts, object)
    index = np.arange(len(clocks.host)) - clocks.first[clocks.host] + 1
    return fill_table(
        schema.LATE_RECEIVES,
        len(late),
        run=[run] * len(late),
        process=names[clocks.host[late]],
        index=index[late],
        sender=names[clocks.host[witness]],
        known_index=index[witness],
        known_by=index[known_by],
        senders=foreign[late].astype(np.int32),
    )
