"""Every ordering algorithm by name: what it is, what it needs, and how one process of it is made.

An option of an algorithm is a keyword of `create`; `create` refuses a keyword that the algorithm does not have.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from antecede.core.algorithm import Algorithm
from antecede.core.errors import Misuse, SnapshotError, UnknownAlgorithm
from antecede.core.factories import (
    Factory,
    make_history,
    make_isis,
    make_ks,
    make_mf,
    make_mr,
    make_none,
    make_one_phase,
    make_prs,
    make_rendezvous,
    make_serial,
    make_sps,
    make_stamping,
)
from antecede.core.fifo import Numbered
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.options import check_options
from antecede.core.ordering.chain2 import Chain2
from antecede.core.ordering.hierarchy import build_hierarchy
from antecede.core.ordering.mr_broadcast import BroadcastPhases
from antecede.core.ordering.mr_scalar import ScalarPhases
from antecede.core.ordering.none import Unordered
from antecede.core.ordering.prs_broadcast import PrsBroadcast
from antecede.core.ordering.psync import Psync
from antecede.core.ordering.representatives import INNER, Clusters, checked_successors, levels_of
from antecede.core.ordering.rst import Rst
from antecede.core.ordering.ses import Ses
from antecede.core.ordering.vector import Vector
from antecede.core.roster import Roster
from antecede.core.snapshot import values
from antecede.core.types import GroupId, ProcessId


@dataclass(frozen=True, slots=True)
class AlgorithmInfo:
    """The traits of an algorithm.

    `purpose` says in a sentence what it is for. `paper` is the paper and section, such as "002 §4". `addressing` is
    "multicast", "group", "broadcast" or "unicast". `unit` says in words what one control entry is. `causal` is
    false for the algorithms that only serve as a comparison. `needs_fifo` is true if channels must not reorder.
    `delay_optimal` is true if no message is ever held back without need. `synchronous` is true if a run could have
    happened with messages that take no time (002 Figure 1); the send event of a message is then that it leaves, see
    `Sent`.
    """

    name: str
    title: str
    paper: str
    addressing: str
    unit: str
    causal: bool = True
    needs_fifo: bool = False
    delay_optimal: bool = True
    synchronous: bool = False
    purpose: str = ""
    factory: Factory = Unordered

    @property
    def options(self) -> tuple[str, ...]:
        """Return the keywords of `create` that are this algorithm's own."""
        return tuple(inspect.signature(self.factory).parameters)[1:]


def _hierarchy(
    roster: Roster,
    *,
    inner: str = "ks",
    representatives: Clusters | Sequence[Clusters | None] | None = None,
    successors: Mapping[ProcessId, ProcessId] | None = None,
    hold_back_limit: int = HOLD_BACK_LIMIT,
) -> Numbered:
    if inner not in list(INNER):
        raise Misuse(f"the inner algorithm of a hierarchy must be one of {', '.join(INNER)}, not {inner!r}")
    players = checked_successors(roster.processes, successors)
    levels, innermost = levels_of(roster.processes, representatives, players), None
    if roster.me in (top := set(levels[-1].values())):
        innermost = create(inner, process=roster.me, processes=top, hold_back_limit=hold_back_limit)
    return Numbered(build_hierarchy(roster, levels, innermost, players), hold_back_limit)


_ALL = (
    AlgorithmInfo(
        "rst",
        "Raynal-Schiper-Toueg",
        "001 §3",
        "multicast",
        "a count of messages between two processes",
        purpose="The textbook algorithm for any multicast, to compare with: a matrix on every message.",
        factory=make_stamping(Rst),
    ),
    AlgorithmInfo(
        "ses",
        "Schiper-Eggli-Sandoz",
        "000 §3",
        "multicast",
        "a count in a vector of a destination",
        purpose="One vector per destination for any multicast, to compare with `ks`.",
        factory=make_stamping(Ses),
    ),
    AlgorithmInfo(
        "history",
        "Birman-Joseph, first ISIS",
        "002 §1",
        "multicast",
        "a preceding message",
        delay_optimal=False,
        purpose="Channels that lose packets and do not retransmit them: a message brings the messages before it along.",
        factory=make_history,
    ),
    AlgorithmInfo(
        "psync",
        "Peterson-Buchholz-Schlichting, Psync",
        "002 §1",
        "multicast",
        "the identifier of a preceding message",
        purpose="The idea of Psync, to compare with: a message names the messages before it, each once to a process.",
        factory=make_stamping(Psync),
    ),
    AlgorithmInfo(
        "vector",
        "vector clock, one group",
        "002 §7.1",
        "broadcast",
        "a count of a process",
        purpose="Every process receives every message, by the textbook vector clock.",
        factory=make_stamping(Vector),
    ),
    AlgorithmInfo(
        "isis",
        "Birman-Schiper-Stephenson",
        "003 §2.3",
        "group",
        "a count of a member in a group",
        purpose="Groups that overlap, without needless waiting: a vector per group.",
        factory=make_isis,
    ),
    AlgorithmInfo(
        "prs",
        "Prakash-Raynal-Singhal",
        "000 §5",
        "multicast",
        "a tuple (process, count) for a destination",
        purpose="The causal barriers of Prakash, Raynal and Singhal for any multicast, to compare with `ks`.",
        factory=make_prs,
    ),
    AlgorithmInfo(
        "prs-broadcast",
        "Prakash-Raynal-Singhal, broadcast",
        "000 §8.2",
        "broadcast",
        "a maximal predecessor",
        purpose="Every process receives every message, with the smallest stamps: the latest predecessors only.",
        factory=make_stamping(PrsBroadcast),
    ),
    AlgorithmInfo(
        "ks",
        "Kshemkalyani-Singhal, optimal",
        "002 §4",
        "multicast",
        "a destination a message is owed to",
        purpose="Messages to any set of processes, with the smallest stamps that it takes: the default choice.",
        factory=make_ks,
    ),
    AlgorithmInfo(
        "mr",
        "Mostefaoui-Raynal",
        "003 §4",
        "group",
        "a phase of a group",
        needs_fifo=True,
        delay_optimal=False,
        purpose="Groups that overlap, with one count per group on a message; it waits for resynchronisations.",
        factory=make_mr,
    ),
    AlgorithmInfo(
        "mr-broadcast",
        "Mostefaoui-Raynal, one group",
        "003 §3.3",
        "broadcast",
        "a phase, on resynchronisations only",
        needs_fifo=True,
        delay_optimal=False,
        purpose="One group that sends often, with no stamp on a message at all; it waits for resynchronisations.",
        factory=make_one_phase(BroadcastPhases),
    ),
    AlgorithmInfo(
        "mr-scalar",
        "Mostefaoui-Raynal, one count for all groups",
        "003 §5.2",
        "group",
        "a phase",
        needs_fifo=True,
        delay_optimal=False,
        purpose="Many groups that all send often, with one count for all of them on a message; it waits longest.",
        factory=make_one_phase(ScalarPhases),
    ),
    AlgorithmInfo(
        "mf",
        "Mattern-Fuenfrocken",
        "002 §7.1",
        "unicast",
        "an acknowledgement",
        delay_optimal=False,
        purpose="Messages to one process each, with no stamp, where acknowledgements are cheap.",
        factory=make_mf,
    ),
    AlgorithmInfo(
        "rendezvous",
        "synchronous unicasts",
        "002 §7.1",
        "unicast",
        "an acknowledgement, a request or a permission",
        delay_optimal=False,
        synchronous=True,
        purpose="Messages to one process each, in a run that looks as if messages took no time; the slowest.",
        factory=make_rendezvous,
    ),
    AlgorithmInfo(
        "serial-broadcast",
        "broadcasts serialised by a token",
        "002 §7.1",
        "broadcast",
        "the number of the broadcast before",
        delay_optimal=False,
        purpose="All broadcasts in one order for everybody, one at a time, by a token.",
        factory=make_serial(broadcast=True),
    ),
    AlgorithmInfo(
        "serial-multicast",
        "multicasts serialised by a token",
        "002 §7.1",
        "multicast",
        "the number of the message before, for a destination",
        delay_optimal=False,
        purpose="All multicasts in one order for everybody, one at a time, by a token.",
        factory=make_serial(broadcast=False),
    ),
    AlgorithmInfo(
        "hierarchy",
        "representatives forward",
        "002 §7.1",
        "multicast",
        "that of the inner algorithm, or a channel number",
        delay_optimal=False,
        purpose="Many processes that are connected through a few: only representatives carry stamps for all.",
        factory=_hierarchy,
    ),
    AlgorithmInfo(
        "sps",
        "sender permission to send",
        "ours, after Almeida 2026",
        "multicast",
        "a number, or an acknowledgement",
        delay_optimal=False,
        purpose="Many processes that send seldom: two integers on a message, which waits for those before it.",
        factory=make_sps,
    ),
    AlgorithmInfo(
        "chain2",
        "chains of length two only",
        "002 Lemma 8",
        "multicast",
        "a message id",
        causal=False,
        purpose="To show which order is lost if a stamp carries less than that of `ks`.",
        factory=make_stamping(Chain2),
    ),
    AlgorithmInfo(
        "none",
        "no ordering",
        "-",
        "multicast",
        "nothing",
        causal=False,
        purpose="To show how often order is broken without an algorithm.",
        factory=make_none,
    ),
)
_BY_NAME = {info.name: info for info in _ALL}


def algorithms() -> Mapping[str, AlgorithmInfo]:
    """Return all algorithms, by name."""
    return MappingProxyType(_BY_NAME)


def create(
    algorithm: str,
    *,
    process: ProcessId,
    processes: Iterable[ProcessId] = (),
    groups: Mapping[GroupId, Iterable[ProcessId]] | None = None,
    **options: Any,
) -> Algorithm:
    """Return one process of an algorithm, in its first state.

    `process` is its name, and `processes` are the names of all. `groups` are the members of each group, for an
    algorithm that addresses groups. `options` are the algorithm's own; `AlgorithmInfo.options` names them. Raise
    `UnknownAlgorithm` or `Misuse` if an argument is wrong.
    """
    info = _BY_NAME.get(str(algorithm))
    if info is None:
        raise UnknownAlgorithm(f"there is no algorithm {algorithm!r}; there are {', '.join(sorted(_BY_NAME))}")
    unknown = sorted(options.keys() - set(info.options))
    if unknown:
        raise Misuse(f"{algorithm} has no option {unknown[0]!r}; it has {', '.join(info.options) or 'none'}")
    check_options(options)
    return info.factory(Roster.of(process, info.addressing, processes, groups), **options)


def restore(snapshot: bytes) -> Algorithm:
    """Return the process whose `snapshot()` this is, as it was then. Raise `SnapshotError` if the bytes are not a
    snapshot.
    """
    if not isinstance(snapshot, bytes | bytearray | memoryview):
        raise Misuse(f"restore takes the bytes of a snapshot, not a {type(snapshot).__name__}")
    algorithm = values.loads(bytes(snapshot))
    if not isinstance(algorithm, Algorithm):
        raise SnapshotError(f"this is the snapshot of a {type(algorithm).__name__}, not of an algorithm")
    values.resume(algorithm)
    return algorithm
