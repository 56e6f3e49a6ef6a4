"""How a station is doing: its counts, what is wrong and since when, and the hand-offs in progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import inf
from operator import itemgetter

from antecede.core.mobile.handoff import AWAITED
from antecede.core.types import ProcessId
from antecede.runtime.limits import EVENT_LASTS_S
from antecede.runtime.outbox import Outbox
from antecede.runtime.roaming.station.announcer import Announcer
from antecede.runtime.roaming.station.connection import Connection
from antecede.runtime.roaming.station.durable_station import DurableStation
from antecede.runtime.roaming.station.told_problems import ToldByHosts
from antecede.runtime.state.recent_messages import ReusedNumber
from antecede.runtime.transport.contract import Transport
from antecede.runtime.watch import status
from antecede.runtime.watch.problem_log import ProblemLog, find_broker_lost
from antecede.runtime.watch.problems import (
    SOON_S,
    HoldBackLimitReached,
    LuggageAwaited,
    NoBeacons,
    NumberReused,
    OutboxFull,
    Problem,
)
from antecede.runtime.watch.recent_events import RecentEvents
from antecede.runtime.watch.stalls import Waiting, Watch
from antecede.runtime.watch.station_problems import SealsOff, StationFellBack

LOOK_S = 2.0
"""How often a station, which may have many thousands of hosts, looks what does not move."""
HAND_OFFS_SHOWN_MAX = 5
LUGGAGE_AFTER_S = 3.0
"""How long the luggage of a host, which usually takes a moment, is waited for before that is a problem."""


class StationView:
    """Looks at the state, the outbox and the connections of one station, and changes nothing.

    `unread` are the connections that are not read from until the outbox has room, each with the time since when. `told`
    is what hosts tell of their problems.
    """

    def __init__(
        self,
        durable: DurableStation,
        transport: Transport,
        outbox: Outbox,
        connections: Mapping[ProcessId, Connection],
        *,
        unread: Mapping[Connection, float],
        told: ToldByHosts,
        clock: Callable[[], float],
        stall_after_s: float,
        held_back_max: int,
    ) -> None:
        self._durable, self._transport, self._outbox = durable, transport, outbox
        self._connections, self._unread, self._told, self._clock = connections, unread, told, clock
        space = durable.store.facts.get("space", b"").decode()
        self._watch = Watch(stall_after_s, clock, space)
        self._held_back_max = held_back_max
        self._log = ProblemLog(durable.name, clock)
        self._reused = RecentEvents[ReusedNumber](clock, EVENT_LASTS_S)
        self._luggage_after_s = min(stall_after_s, LUGGAGE_AFTER_S)
        self._moving: dict[ProcessId, float] = {}
        self._looked = clock()
        self.announcer: Announcer | None = None
        """What sends the beacons, if the station has any."""

    def look(self) -> None:
        """Log what begins and ends to be a problem. Call this now and then.

        Since when something waits is known from the first look that saw it.
        """
        if self._clock() - self._looked >= LOOK_S:
            self._looked = self._clock()
            self._log.look(self.problems())

    def stop(self, failure: Exception) -> None:
        """Log that the station has stopped by itself, and why."""
        self._log.stop(failure)

    def problems(self) -> list[Problem]:
        """Return what is wrong now."""
        stalled = self._watch.find_stalled(self._waiting(), self._outbox.queues.values(), self._durable.unreadable)
        return [*stalled, *self._others()]

    def _others(self) -> list[Problem]:
        """Return what is wrong and is not a stall."""
        lost = find_broker_lost(self._log, self._transport.outage)
        limits = [
            *self._outbox_full(),
            *self._hold_back_limit_reached(),
            *self._luggage_awaited(),
            *self._not_announced(),
        ]
        return [*self._log.find_stopped(), *lost, *limits, *self._seals_off(), *self._fallen_back()]

    def _fallen_back(self) -> list[Problem]:
        """Return what shows that a store fell back."""
        age_s, evidence = self._log.age_s, self._durable.evidence
        reused = [NumberReused(since_s, *each) for each, since_s in self._reused.find_ages(evidence.reused).items()]
        fallen = evidence.fell_back.items()
        return [*reused, *(StationFellBack(age_s(("fell back", host)), host, reason) for host, reason in fallen)]

    def _seals_off(self) -> list[SealsOff]:
        reason = self._durable.seals_off
        since_s = self._log.age_s("seals off", bool(reason))
        return [SealsOff(since_s, reason)] if reason else []

    def _not_announced(self) -> list[NoBeacons]:
        """Return the problem that no beacons can be sent, if that is so for a while."""
        trouble = "" if self.announcer is None else self.announcer.trouble
        since_s = self._log.age_s("no beacons", bool(trouble))
        if self.announcer is None or since_s < SOON_S:
            return []
        return [NoBeacons(since_s, f"sent to {self.announcer.to}", trouble)]

    def _outbox_full(self) -> list[OutboxFull]:
        """Return the problem that hosts are not read from, if that is so for a while for one of them."""
        since_s = self._clock() - min(self._unread.values(), default=inf)
        if since_s < SOON_S:
            return []
        to = sorted(queue.to for queue in self._outbox.queues.values() if queue.blocked_since is not None)
        hosts = sorted({connection.host for connection in self._unread})
        return [OutboxFull(since_s, len(self._outbox.owed), tuple(to), tuple(hosts))]

    def _hold_back_limit_reached(self) -> list[HoldBackLimitReached]:
        """Return the problem that no more messages can be held back for some hosts, if that is so for a while."""
        counts = Counter(held.host for held in self._durable.station.held())
        full = {host: count for host, count in counts.items() if count >= self._held_back_max}
        since_s = self._log.age_s("hold-back limit", bool(full))
        if since_s < SOON_S:
            return []
        return [HoldBackLimitReached(since_s, sum(full.values()), self._held_back_max, hosts=tuple(sorted(full)))]

    def _luggage_awaited(self) -> list[LuggageAwaited]:
        """Return the stations whose hosts wait here for their luggage, the one that is waited for longest first."""
        self._look_at_moves()
        now, hosts = self._clock(), dict[ProcessId, list[ProcessId]]()
        for host, since in sorted(self._moving.items(), key=itemgetter(1)):
            if now - since >= self._luggage_after_s:
                hosts.setdefault(self._durable.station.luggage_source(host), []).append(host)
        return [LuggageAwaited(now - self._moving[each[0]], at, tuple(each)) for at, each in hosts.items()]

    def problem_counts(self) -> dict[str, int]:
        """Return the number of problems at the last look, by kind."""
        return self._log.counts()

    def counts(self) -> dict[str, int]:
        """Return what happened since the station was started, and what is here now."""
        counts, station = self._durable.counts, self._durable.station
        served = list(station.served())
        return {
            **{name: counts[name] for name in ("heard", "received", "refused", "dropped")},
            "offered_again": counts["offered again"],
            "handed_over": counts["handed over"],
            "closed": counts["closed"],
            "notices_ignored": self._told.ignored,
            "connections": len(self._connections),
            "hosts": len(served),
            "known": len(station.berths),
            "awaited": sum(berth.state == AWAITED for berth in station.berths.values()),
            "stored": sum(len(luggage.outbox) for _, luggage in served),
            "held_back": len(station.held()),
            "outbox": len(self._outbox.packets_owed),
        }

    def status(self) -> Mapping[str, object]:
        """Return what `antecede status` shows of this station."""
        waiting = self._watch.waiting(self._waiting(), self._outbox.queues.values(), self._durable.unreadable)
        problems = [*self._others(), *self._watch.pick_stalled(waiting)]
        now, station = self._clock(), self._durable.station
        moving = sorted(self._moving, key=self._moving.__getitem__)
        return {
            **self.counts(),
            **status.describe(problems, waiting),
            **self._told.describe(),
            "hand_offs": [
                {"host": host, "from": station.luggage_source(host), "since_s": round(now - self._moving[host], 1)}
                for host in moving[:HAND_OFFS_SHOWN_MAX]
            ],
        }

    def _waiting(self) -> Iterator[Waiting]:
        return (Waiting(held.message, held.needs, held.host) for held in self._durable.station.held())

    def _look_at_moves(self) -> None:
        """Note since when each host has waited here for luggage that is on its way."""
        now = self._clock()
        awaited = [host for host, berth in self._durable.station.berths.items() if berth.state == AWAITED]
        self._moving = {host: self._moving.get(host, now) for host in awaited}
