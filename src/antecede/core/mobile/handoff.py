"""Hand-off as a table: what a station does for one host, by where the host's luggage is and what happens.

The **luggage** of a host is everything its station keeps for it. There is one of it, and it follows the host: a station
the host registers with asks for it, and asks the station that welcomed the host last; a station that no longer has
it knows where it sent it, and passes the question on. If the host has to repeat its registration, and left a cell
before it was welcomed there, that cell is asked as well. Registrations are numbered by the host (`move`) and the places
of the luggage by the stations (`epoch`), so that neither delay, repetition nor a return can confuse them.

    away       not here, and not asked for
    awaited    the host registered here and the luggage is on its way; what comes for the host is kept
    here       this station serves the host
    settling   Algorithm 2: as here, but only what the previous station passes on may be delivered yet
    draining   Algorithm 2: the host left; what still comes is passed on as old, until all stations said `last`

An event that has no entry cannot happen, whatever hosts, wires and the air do; if it does, the other side is at fault.
`SIMPLE` is the hand-off of Algorithm 1, `roam` and `prs-mobile`: two messages. `COMBINED` is that of `prs-mobile` with
acknowledgements combined. `DRAINED` is that of Algorithm 2.

    register     of a host, with a newer number than any heard here; "again" when it is the number of the present one
    begin        another station asks for the luggage: it is here; or the question is stale, as the host has registered
                 here since; or the luggage is elsewhere; or it is on its way here, and the question came first
    overtaken    the host has registered elsewhere since it registered here
    over         Algorithm 2: the previous station has passed everything on
"""

from __future__ import annotations

from collections.abc import Mapping

AWAY, AWAITED, HERE, SETTLING, DRAINING = "away", "awaited", "here", "settling", "draining"

REGISTER, AGAIN = "register", "register again"
BEGIN, STALE_BEGIN = "begin", "stale begin"
PASSING, AHEAD = "begin, luggage elsewhere", "begin, ahead of the luggage"
HANDOVER, OVERTAKEN = "handover", "overtaken"
OVER, DRAINED_ALL = "over", "last from all"

Table = Mapping[tuple[str, str], tuple[str, tuple[str, ...]]]

COMMON: Table = {
    (AWAY, REGISTER): (AWAITED, ("ask",)),
    (AWAY, PASSING): (AWAY, ("forward",)),
    (AWAITED, REGISTER): (AWAITED, ("ask",)),
    (AWAITED, AGAIN): (AWAITED, ("ask_left",)),
    (AWAITED, PASSING): (AWAITED, ("forward",)),
    (AWAITED, OVERTAKEN): (AWAY, ("release",)),
    (HERE, REGISTER): (HERE, ("renew", "welcome")),
    (HERE, AGAIN): (HERE, ("welcome",)),
    (HERE, STALE_BEGIN): (HERE, ("tell",)),
}
SIMPLE: Table = {
    **COMMON,
    (AWAITED, AHEAD): (AWAITED, ("queue",)),
    (AWAITED, HANDOVER): (HERE, ("admit", "welcome", "unpack", "serve")),
    (HERE, BEGIN): (AWAY, ("hand_over",)),
}
COMBINED: Table = {**SIMPLE, (HERE, BEGIN): (AWAY, ("hand_over", "send_collected"))}
DRAINED: Table = {  # nothing is ahead of luggage here: both go through the causal layer
    **COMMON,
    (AWAITED, HANDOVER): (SETTLING, ("admit", "welcome")),
    (SETTLING, REGISTER): (SETTLING, ("renew", "welcome")),
    (SETTLING, AGAIN): (SETTLING, ("welcome",)),
    (SETTLING, BEGIN): (SETTLING, ("queue",)),
    (SETTLING, STALE_BEGIN): (SETTLING, ("tell",)),
    (SETTLING, OVER): (HERE, ("unpack", "serve")),
    (HERE, BEGIN): (DRAINING, ("hand_over", "notify")),
    (DRAINING, PASSING): (DRAINING, ("forward",)),
    (DRAINING, REGISTER): (DRAINING, ("remember",)),
    (DRAINING, DRAINED_ALL): (AWAY, ("finish", "recall")),
}
