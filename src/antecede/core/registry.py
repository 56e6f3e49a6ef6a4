"""Every ordering algorithm by name: what it is, what it needs, and how one process of it is made.

An option of an algorithm is a keyword of `create`; `create` refuses a keyword that the algorithm does not have.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from antecede.core.acyclic import within_acyclic_groups
from antecede.core.algorithm import Algorithm, Ordering
from antecede.core.errors import Misuse, SnapshotError, UnknownAlgorithm
from antecede.core.fifo import Numbered
from antecede.core.holdback import HOLD_BACK_LIMIT, HoldBack
from antecede.core.options import check_options
from antecede.core.ordering.chain2 import Chain2
from antecede.core.ordering.hierarchy import build_hierarchy
from antecede.core.ordering.history import History, RepeatedHistory
from antecede.core.ordering.isis import Isis
from antecede.core.ordering.ks import DifferentialKs, Ks
from antecede.core.ordering.mf import OutputBuffer
from antecede.core.ordering.mr import Phases, ShortPhases
from antecede.core.ordering.mr_broadcast import BroadcastPhases
from antecede.core.ordering.mr_scalar import ScalarPhases
from antecede.core.ordering.none import Unordered
from antecede.core.ordering.prs import BitStringPrs, Prs
from antecede.core.ordering.prs_broadcast import PrsBroadcast
from antecede.core.ordering.psync import Psync
from antecede.core.ordering.rendezvous import Rendezvous
from antecede.core.ordering.representatives import INNER, Clusters, checked_successors, levels_of
from antecede.core.ordering.rst import Rst
from antecede.core.ordering.serial import Serial, Token
from antecede.core.ordering.ses import Ses
from antecede.core.ordering.sps import SenderPermission
from antecede.core.ordering.vector import Vector
from antecede.core.process import Process
from antecede.core.roster import Roster
from antecede.core.snapshot import values
from antecede.core.types import GroupId, ProcessId

Factory = Callable[..., Algorithm]


@dataclass(frozen=True, slots=True)
class AlgorithmInfo:
    """The traits of an algorithm.

    `paper` is the paper and section, such as "002 §4". `addressing` is "multicast", "group", "broadcast" or "unicast".
    `unit` says in words what one control entry is. `causal` is false for the algorithms that only serve as a
    comparison. `needs_fifo` is true if channels must not reorder. `delay_optimal` is true if no message is ever held
    back without need.
    """

    name: str
    title: str
    paper: str
    addressing: str
    unit: str
    causal: bool = True
    needs_fifo: bool = False
    delay_optimal: bool = True
    factory: Factory = Unordered

    @property
    def options(self) -> tuple[str, ...]:
        """The keywords of `create` that are this algorithm's own."""
        return tuple(inspect.signature(self.factory).parameters)[1:]


def _stamping(ordering: Callable[[ProcessId], Ordering]) -> Factory:
    """Return the factory of an algorithm that only stamps messages, and whose ordering has no option."""

    def make(roster: Roster, *, hold_back_limit: int = HOLD_BACK_LIMIT) -> Process:
        return Process(roster, ordering(roster.me), HoldBack(hold_back_limit))

    return make


def _ks(
    roster: Roster, *, multicast: bool = False, differential: bool = False, hold_back_limit: int = HOLD_BACK_LIMIT
) -> Process:
    if multicast and differential:
        raise Misuse("with differential=True each destination has a packet of its own: give multicast=False with it")
    ordering = DifferentialKs(roster.me) if differential else Ks(roster.me, multicast)
    return Process(roster, ordering, HoldBack(hold_back_limit))


def _prs(roster: Roster, *, bit_string: bool = False, hold_back_limit: int = HOLD_BACK_LIMIT) -> Algorithm:
    return _stamping(BitStringPrs if bit_string else Prs)(roster, hold_back_limit=hold_back_limit)


def _isis(roster: Roster, *, acyclic: bool = False, hold_back_limit: int = HOLD_BACK_LIMIT) -> Algorithm:
    process = Process(roster, Isis(roster.me, frozenset(roster.my_groups)), HoldBack(hold_back_limit))
    return within_acyclic_groups(process) if acyclic else process


def _none(roster: Roster, *, memory: int = 65_536) -> Unordered:
    return Unordered(roster, memory)


def _history(
    roster: Roster,
    *,
    acknowledge_every: int = 16,
    repeat_after_s: float = 0.0,
    hold_back_limit: int = HOLD_BACK_LIMIT,
) -> History:
    if repeat_after_s:
        return RepeatedHistory(roster, acknowledge_every, hold_back_limit, repeat_after_s=repeat_after_s)
    return History(roster, acknowledge_every, hold_back_limit)


def _mf(roster: Roster, *, hold_back_limit: int = HOLD_BACK_LIMIT) -> OutputBuffer:
    return OutputBuffer(roster, hold_back_limit)


def _rendezvous(roster: Roster, *, hold_back_limit: int = HOLD_BACK_LIMIT) -> Rendezvous:
    return Rendezvous(roster, hold_back_limit)


def _sps(roster: Roster, *, hold_back_limit: int = HOLD_BACK_LIMIT) -> Numbered:
    return Numbered(SenderPermission(roster, hold_back_limit), hold_back_limit)


def _mr(
    roster: Roster,
    *,
    acyclic: bool = False,
    own_count: bool = True,
    numbered: bool = False,
    resynch_after_s: float = 0.0,
    hold_back_limit: int = HOLD_BACK_LIMIT,
) -> Algorithm:
    form = Phases if own_count else ShortPhases
    phases = form(roster, HoldBack(hold_back_limit), resynch_after_s)
    made = within_acyclic_groups(phases) if acyclic else phases
    return Numbered(made, hold_back_limit) if numbered else made


def _one_phase(ordering: type[BroadcastPhases] | type[ScalarPhases]) -> Factory:
    """Return the factory of a form of 003 in which a process has one phase."""

    def make(
        roster: Roster,
        *,
        numbered: bool = False,
        resynch_after_s: float = 0.0,
        hold_back_limit: int = HOLD_BACK_LIMIT,
    ) -> Algorithm:
        phases = ordering(roster, HoldBack(hold_back_limit), resynch_after_s)
        return Numbered(phases, hold_back_limit) if numbered else phases

    return make


def _serial(broadcast: bool) -> Factory:
    def make(roster: Roster, *, token_at: ProcessId | None = None, hold_back_limit: int = HOLD_BACK_LIMIT) -> Serial:
        holder = min(roster.processes) if token_at is None else token_at
        if holder not in list(roster.processes):
            raise Misuse(f"token_at must be one of the processes {sorted(roster.processes)}, not {token_at!r}")
        token = Token(0, 0, {}, {}) if roster.me == holder else None
        return Serial(roster, broadcast, HoldBack(hold_back_limit), hold_back_limit, token)

    return make


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
        factory=_stamping(Rst),
    ),
    AlgorithmInfo(
        "ses",
        "Schiper-Eggli-Sandoz",
        "000 §3",
        "multicast",
        "a count in a vector of a destination",
        factory=_stamping(Ses),
    ),
    AlgorithmInfo(
        "history",
        "Birman-Joseph, first ISIS",
        "002 §1",
        "multicast",
        "a preceding message",
        delay_optimal=False,
        factory=_history,
    ),
    AlgorithmInfo(
        "psync",
        "Peterson-Buchholz-Schlichting, Psync",
        "002 §1",
        "multicast",
        "the identifier of a preceding message",
        factory=_stamping(Psync),
    ),
    AlgorithmInfo(
        "vector", "vector clock, one group", "002 §7.1", "broadcast", "a count of a process", factory=_stamping(Vector)
    ),
    AlgorithmInfo(
        "isis", "Birman-Schiper-Stephenson", "003 §2.3", "group", "a count of a member in a group", factory=_isis
    ),
    AlgorithmInfo(
        "prs",
        "Prakash-Raynal-Singhal",
        "000 §5",
        "multicast",
        "a tuple (process, count) for a destination",
        factory=_prs,
    ),
    AlgorithmInfo(
        "prs-broadcast",
        "Prakash-Raynal-Singhal, broadcast",
        "000 §8.2",
        "broadcast",
        "a maximal predecessor",
        factory=_stamping(PrsBroadcast),
    ),
    AlgorithmInfo(
        "ks", "Kshemkalyani-Singhal, optimal", "002 §4", "multicast", "a destination a message is owed to", factory=_ks
    ),
    AlgorithmInfo(
        "mr",
        "Mostefaoui-Raynal",
        "003 §4",
        "group",
        "a phase of a group",
        needs_fifo=True,
        delay_optimal=False,
        factory=_mr,
    ),
    AlgorithmInfo(
        "mr-broadcast",
        "Mostefaoui-Raynal, one group",
        "003 §3.3",
        "broadcast",
        "a phase, on resynchronisations only",
        needs_fifo=True,
        delay_optimal=False,
        factory=_one_phase(BroadcastPhases),
    ),
    AlgorithmInfo(
        "mr-scalar",
        "Mostefaoui-Raynal, one count for all groups",
        "003 §5.2",
        "group",
        "a phase",
        needs_fifo=True,
        delay_optimal=False,
        factory=_one_phase(ScalarPhases),
    ),
    AlgorithmInfo(
        "mf", "Mattern-Fuenfrocken", "002 §7.1", "unicast", "an acknowledgement", delay_optimal=False, factory=_mf
    ),
    AlgorithmInfo(
        "rendezvous",
        "synchronous unicasts",
        "002 §7.1",
        "unicast",
        "an acknowledgement, a request or a permission",
        delay_optimal=False,
        factory=_rendezvous,
    ),
    AlgorithmInfo(
        "serial-broadcast",
        "broadcasts serialised by a token",
        "002 §7.1",
        "broadcast",
        "the number of the broadcast before",
        delay_optimal=False,
        factory=_serial(broadcast=True),
    ),
    AlgorithmInfo(
        "serial-multicast",
        "multicasts serialised by a token",
        "002 §7.1",
        "multicast",
        "the number of the message before, for a destination",
        delay_optimal=False,
        factory=_serial(broadcast=False),
    ),
    AlgorithmInfo(
        "hierarchy",
        "representatives forward",
        "002 §7.1",
        "multicast",
        "that of the inner algorithm, or a channel number",
        delay_optimal=False,
        factory=_hierarchy,
    ),
    AlgorithmInfo(
        "sps",
        "sender permission to send",
        "ours, after Almeida 2026",
        "multicast",
        "a number, or an acknowledgement",
        delay_optimal=False,
        factory=_sps,
    ),
    AlgorithmInfo(
        "chain2",
        "chains of length two only",
        "002 Lemma 8",
        "multicast",
        "a message id",
        causal=False,
        factory=_stamping(Chain2),
    ),
    AlgorithmInfo("none", "no ordering", "-", "multicast", "nothing", causal=False, factory=_none),
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
