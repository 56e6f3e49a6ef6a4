"""How a node is doing: its counts, what is wrong, and what `antecede status` shows of it."""

from __future__ import annotations

import difflib
import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field

from antecede.core.errors import AntecedeError
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.types import ProcessId
from antecede.runtime.limits import Limits
from antecede.runtime.node.departure import STAYS
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.outbox import Outbox
from antecede.runtime.state.recent_messages import ReusedNumber
from antecede.runtime.transport.contract import TRACE, Transport
from antecede.runtime.watch import status
from antecede.runtime.watch.acknowledgements import Acknowledgements
from antecede.runtime.watch.problem_log import LOGGER, ProblemLog, find_broker_lost
from antecede.runtime.watch.problems import (
    SOON_S,
    HoldBackLimitReached,
    InboxFull,
    LeavingWaits,
    NamesMissing,
    NumberReused,
    OutboxFull,
    Problem,
    RefusedAfterGiveUp,
    StampsTooLarge,
)
from antecede.runtime.watch.recent_events import RecentEvents
from antecede.runtime.watch.stalls import NO_INBOX_AFTER_S, NoSuchProcess, Stall, Waiting, Watch
from antecede.runtime.watch.words import list_names, plural

SIMILAR_AFTER_S = NO_INBOX_AFTER_S / 4
"""How often names that are like that of a missing destination are looked for, and `SEARCHES_MAX` times."""
SEARCHES_MAX = 10
SENT_LATER = "sent after the next join with the same store"


@dataclass(slots=True)
class ApplicationProgress:
    """What the application of a node has done so far."""

    acknowledgements: Acknowledgements = field(default_factory=Acknowledgements)
    unacknowledged: set[int] = field(default_factory=set)
    sends_waiting: int = 0
    is_full: bool = False
    """The application has so many messages that no more are taken."""


class NodeView:
    """Looks at one node, and changes nothing."""

    def __init__(
        self,
        durable: DurableProcess,
        transport: Transport,
        outbox: Outbox,
        progress: ApplicationProgress,
        *,
        limits: Limits,
        clock: Callable[[], float],
    ) -> None:
        self._durable, self._transport, self._outbox, self._progress = durable, transport, outbox, progress
        self._space = durable.store.facts.get("space", b"").decode()
        options = json.loads(durable.store.facts.get("options", b"{}"))
        self._hold_back_limit = int(options.get("hold_back_limit", HOLD_BACK_LIMIT))
        self._stall_after_s = limits.stall_after_s
        self._watch = Watch(limits.stall_after_s, clock, self._space, gives_up=True)
        self._log = ProblemLog(durable.process, clock)
        self._reused = RecentEvents[ReusedNumber](clock, limits.event_lasts_s)
        self._given_up = RecentEvents[ProcessId](clock, limits.event_lasts_s)
        self._searches: Counter[ProcessId] = Counter()
        self.stalls: deque[Stall] = deque(maxlen=1_000)

    def look(self) -> bool:
        """Log what begins and ends to be a problem. Return whether there are new stalls."""
        stalled = self._find_stalled()
        fresh = self._watch.look(stalled)
        self.stalls.extend(fresh)
        self._log.look([*stalled, *self._others()])
        self._progress.acknowledgements.remind(self._durable.process)
        return bool(fresh)

    def stop(self, failure: Exception) -> None:
        """Log that the node has stopped by itself, and why."""
        self._log.stop(failure)

    async def look_at_the_end(self) -> None:
        """Log what an application that ends leaves behind, however short it waited: packets that are not in the inbox
        of their destination, and messages that it took and has not acknowledged.
        """
        await self.find_similar_names()
        self.tell_what_is_left()

    def tell_what_is_left(self) -> None:
        """Log the same at once, without asking the broker for names that are like an unknown one."""
        waiting = self._watch.waiting(self._waiting(), self._outbox.queues.values(), self._durable.unreadable)
        unsent = [stall for stall in waiting if isinstance(stall, NoSuchProcess)]
        self._log.look([*self.problems(), *unsent, *self._progress.acknowledgements.find_left()])
        self._warn_of_unsent({stall.to for stall in unsent})

    def _warn_of_unsent(self, told: Set[ProcessId | None]) -> None:
        """Log that packets are not in the inbox of their destination, unless that was told of the destination."""
        queues = [one for one in self._outbox.queues.values() if one.packets and one.to not in {TRACE, *told}]
        if not queues:
            return
        LOGGER.warning(
            "%s: %s not in the inbox of %s, and this process closes: what is left is %s",
            self._durable.process,
            plural(sum(queue.packets for queue in queues), "packet"),
            list_names(queue.to for queue in queues),
            "lost with the store in memory" if self._durable.store.path is None else SENT_LATER,
        )

    def problems(self) -> list[Problem]:
        """Return what is wrong now."""
        return [*self._find_stalled(), *self._others()]

    def problem_counts(self) -> dict[str, int]:
        """Return the number of problems at the last look, by kind."""
        return self._log.counts()

    def counts(self) -> dict[str, int]:
        """Return what happened since the node was opened, and what waits now."""
        counts = self._durable.counts
        return {
            **{name: counts[name] for name in ("sent", "received", "delivered", "refused")},
            "offered_again": counts["offered again"],
            "reused": self._durable.recent.refused,
            "given_up": self._durable.given_up.refused.total(),
            "outbox": len(self._outbox.packets_owed),
            "inbox": len(self._progress.unacknowledged),
            "held_back": len(self._durable.pending()),
            "processes": len(self._durable.members - self._durable.departed),
        }

    def status(self) -> Mapping[str, object]:
        """Return what `antecede status` shows of this node."""
        waiting = self._watch.waiting(self._waiting(), self._outbox.queues.values(), self._durable.unreadable)
        departure = self._durable.departure
        leaving = {} if departure.step == STAYS else {"unsettled": sorted(departure.unsettled)}
        return {
            **self.counts(),
            **leaving,
            **status.describe([*self._others(), *self._watch.pick_stalled(waiting)], waiting),
        }

    async def find_similar_names(self) -> None:
        """Look for names that are like those of destinations without an inbox, which may be misspelt."""
        missing = [to for to, queue in self._outbox.queues.items() if queue.has_no_inbox and self._is_unexplained(to)]
        if missing:
            peers: list[ProcessId] = []
            with suppress(AntecedeError):  # not everybody may see the inboxes of the others
                peers = await self._transport.peers()
            for to in missing:
                self._searches[to] += 1
                self._watch.similar[to] = tuple(difflib.get_close_matches(to, sorted({*peers} - {to}), n=2))

    def _is_unexplained(self, to: ProcessId) -> bool:
        return not self._watch.similar.get(to) and self._searches[to] < SEARCHES_MAX

    def _find_stalled(self) -> list[Stall]:
        return self._watch.find_stalled(self._waiting(), self._outbox.queues.values(), self._durable.unreadable)

    def _waiting(self) -> Iterator[Waiting]:
        return (Waiting(one.message.id, one.needs) for one in self._durable.pending())

    def _others(self) -> list[Problem]:
        """Return what is wrong and is not a stall."""
        progress, departure, age_s = self._progress, self._durable.departure, self._log.age_s
        found = [*self._log.find_stopped(), *find_broker_lost(self._log, self._transport.outage)]
        count = len(progress.unacknowledged)
        full_s = age_s("inbox full", progress.is_full)
        if progress.is_full:
            found.append(InboxFull(full_s, count))
        else:
            found += progress.acknowledgements.find_forgotten(self._log)
        found += progress.acknowledgements.find_missing()
        waits_s = age_s("outbox full", progress.sends_waiting > 0)
        if waits_s >= SOON_S:
            blocked = [queue.to for queue in self._outbox.queues.values() if queue.blocked_since is not None]
            to = sorted("the stream of the trace" if one == TRACE else one for one in blocked)
            found.append(OutboxFull(waits_s, self._outbox.limited, tuple(to)))
        leaving_s = age_s("leaving", departure.step != STAYS)
        whom = departure.awaited | self._blocked_queues() if departure.step != STAYS else set()
        if leaving_s >= SOON_S and whom:
            found.append(LeavingWaits(leaving_s, tuple(sorted(whom))))
        smaller = self._durable.sent_stamps.find_smaller(len(self._durable.members), self._durable.sent)
        smaller_s = age_s("stamps", smaller is not None)
        if smaller is not None:
            found.append(StampsTooLarge(smaller_s, *smaller))
        reused = self._reused.find_ages(self._durable.recent.reused)
        found += [NumberReused(since_s, *one) for one, since_s in reused.items()]
        refused = self._durable.given_up.refused
        found += [
            RefusedAfterGiveUp(since_s, sender, refused[sender])
            for sender, since_s in sorted(self._given_up.find_ages(refused).items())
        ]
        return [*found, *self._hold_back_limit_reached(), *self._names_missing()]

    def _hold_back_limit_reached(self) -> list[Problem]:
        """Return the problem that frames are left with the broker because too much is held back, if that lasts."""
        frames = self._durable.late.beyond_limit
        since_s = self._log.age_s("hold-back limit", frames > 0)
        if since_s < SOON_S:
            return []
        held_back = len(self._durable.pending())
        return [HoldBackLimitReached(since_s, held_back, self._hold_back_limit, frames)]

    def _names_missing(self) -> list[Problem]:
        """Return whose frames wait for a list of names. A frame that overtook its list waits for a moment only."""
        awaited = {owner: self._log.age_s(("roster", owner, n)) for owner, n in self._durable.rosters.awaited}
        return [NamesMissing(since_s, owner) for owner, since_s in awaited.items() if since_s >= self._stall_after_s]

    def _blocked_queues(self) -> set[ProcessId]:
        return {queue.to for queue in self._outbox.queues.values() if queue.blocked_since is not None}
