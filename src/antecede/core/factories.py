"""How one process of an algorithm is made, for each algorithm of the registry. Keywords are the algorithm's options."""

from __future__ import annotations

from collections.abc import Callable, Collection

from antecede.core.acyclic import within_acyclic_groups
from antecede.core.algorithm import Algorithm, Ordering
from antecede.core.errors import Misuse
from antecede.core.fifo import Numbered
from antecede.core.holdback import HOLD_BACK_LIMIT, HoldBack
from antecede.core.known_links import along_links
from antecede.core.locality.graph import Link
from antecede.core.ordering.history import History, RepeatedHistory
from antecede.core.ordering.isis import Isis
from antecede.core.ordering.ks import DifferentialKs, Ks
from antecede.core.ordering.mf import OutputBuffer
from antecede.core.ordering.mr import Phases, ShortPhases
from antecede.core.ordering.mr_bare_resynch import BarePhases
from antecede.core.ordering.mr_broadcast import BroadcastPhases
from antecede.core.ordering.mr_scalar import ScalarPhases
from antecede.core.ordering.none import Unordered
from antecede.core.ordering.prs import BitStringPrs, Prs
from antecede.core.ordering.rendezvous import Rendezvous
from antecede.core.ordering.serial import Serial, Token
from antecede.core.ordering.sps import SenderPermission
from antecede.core.process import Process
from antecede.core.roster import Roster
from antecede.core.types import ProcessId

Factory = Callable[..., Algorithm]


def make_stamping(ordering: Callable[[ProcessId], Ordering]) -> Factory:
    """Return the factory of an algorithm that only stamps messages, and whose ordering has no option."""

    def make(roster: Roster, *, hold_back_limit: int = HOLD_BACK_LIMIT) -> Process:
        return Process(roster, ordering(roster.me), HoldBack(hold_back_limit))

    return make


def make_ks(
    roster: Roster,
    *,
    multicast: bool = False,
    differential: bool = False,
    links: Collection[Link] | None = None,
    hold_back_limit: int = HOLD_BACK_LIMIT,
) -> Algorithm:
    if multicast and differential:
        raise Misuse("with differential=True each destination has a packet of its own: give multicast=False with it")
    if links is not None and (multicast or differential):
        raise Misuse("with links each destination has a packet of its own: give multicast=False, and no differential")
    ordering = DifferentialKs(roster.me) if differential else Ks(roster.me, multicast)
    process = Process(roster, ordering, HoldBack(hold_back_limit))
    return process if links is None else along_links(process, links)


def make_prs(
    roster: Roster,
    *,
    bit_string: bool = False,
    links: Collection[Link] | None = None,
    hold_back_limit: int = HOLD_BACK_LIMIT,
) -> Algorithm:
    process = Process(roster, (BitStringPrs if bit_string else Prs)(roster.me), HoldBack(hold_back_limit))
    return process if links is None else along_links(process, links)


def make_isis(roster: Roster, *, acyclic: bool = False, hold_back_limit: int = HOLD_BACK_LIMIT) -> Algorithm:
    process = Process(roster, Isis(roster.me, frozenset(roster.my_groups)), HoldBack(hold_back_limit))
    return within_acyclic_groups(process) if acyclic else process


def make_none(roster: Roster, *, memory: int = 65_536) -> Unordered:
    return Unordered(roster, memory)


def make_history(
    roster: Roster,
    *,
    acknowledge_every: int = 16,
    repeat_after_s: float = 0.0,
    hold_back_limit: int = HOLD_BACK_LIMIT,
) -> History:
    if repeat_after_s:
        return RepeatedHistory(roster, acknowledge_every, hold_back_limit, repeat_after_s=repeat_after_s)
    return History(roster, acknowledge_every, hold_back_limit)


def make_mf(roster: Roster, *, hold_back_limit: int = HOLD_BACK_LIMIT) -> OutputBuffer:
    return OutputBuffer(roster, hold_back_limit)


def make_rendezvous(roster: Roster, *, hold_back_limit: int = HOLD_BACK_LIMIT) -> Rendezvous:
    return Rendezvous(roster, hold_back_limit)


def make_sps(roster: Roster, *, hold_back_limit: int = HOLD_BACK_LIMIT) -> Numbered:
    return Numbered(SenderPermission(roster, hold_back_limit), hold_back_limit)


def make_mr(
    roster: Roster,
    *,
    acyclic: bool = False,
    own_count: bool = True,
    bare_resynch: bool = False,
    numbered: bool = False,
    resynch_after_s: float = 0.0,
    hold_back_limit: int = HOLD_BACK_LIMIT,
) -> Algorithm:
    if bare_resynch and own_count:
        raise Misuse(
            "with bare_resynch=True no packet carries the count of its own group: give own_count=False with it"
        )
    form = BarePhases if bare_resynch else Phases if own_count else ShortPhases
    phases = form(roster, HoldBack(hold_back_limit), resynch_after_s)
    made = within_acyclic_groups(phases) if acyclic else phases
    return Numbered(made, hold_back_limit) if numbered else made


def make_one_phase(ordering: type[BroadcastPhases] | type[ScalarPhases]) -> Factory:
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


def make_serial(broadcast: bool) -> Factory:
    def make(roster: Roster, *, token_at: ProcessId | None = None, hold_back_limit: int = HOLD_BACK_LIMIT) -> Serial:
        holder = min(roster.processes) if token_at is None else token_at
        if holder not in list(roster.processes):
            raise Misuse(f"token_at must be one of the processes {sorted(roster.processes)}, not {token_at!r}")
        token = Token(0, 0, {}, {}) if roster.me == holder else None
        return Serial(roster, broadcast, HoldBack(hold_back_limit), hold_back_limit, token)

    return make
