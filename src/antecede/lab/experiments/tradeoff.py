"""Compare small stamps with early delivery, over group overlap and synchrony: paper 003 (Mostefaoui, Raynal) §5.

`mr` carries one count for each group and waits for phases to end, with resynchronisation messages if a process is
silent. `isis` carries a vector for each group, and `ks` carries the dependencies that are still owed. Both deliver as
early as causal order allows. An oracle that knows all causal pasts measures how long a message waits needlessly. The
memory of a process is counted in integers, as §5.2 does: for `isis` the members of all groups, for `mr` those of its
own groups and one for each other group.

`mr, timer` is `mr` with the timers of §3.5: a process that falls behind waits half an interval before it says so.
`mr-scalar` is the third corner of §5.2: one integer for all groups, and resynchronisations in all of them.

Twelve processes form groups of four around a ring, whose neighbours share 0 to 3 members, or one group. Synchrony means
that all send at the same instants, within half an interval of them, or at random.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from antecede.core.ordering.isis import Isis
from antecede.core.ordering.mr import Phases
from antecede.core.ordering.mr_scalar import ScalarPhases
from antecede.lab.claims import at, at_most, difference, ratio, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.sim import Distribution, Groups, Network, Parameters, Workload, World

N, SIZE = 12, 4
TIMER, TIMER_S = "mr, timer", 0.5
SCALAR = "mr-scalar"
ALGORITHMS = ("mr", "isis", "ks", TIMER, SCALAR)
OVERLAPS, ONE_GROUP = (0, 1, 2, 3), N
INTERVALS = {
    "in step": Distribution("constant", 1.0),
    "loosely": Distribution("uniform", 1.0, 0.5),
    "at random": Distribution("exponential", 1.0),
}
LATENCY = Distribution("uniform", 0.4, 0.3)
"""Below the interval: those who send in step send before they hear of the others."""


def _grid(quick: bool) -> Sequence[Point]:
    overlaps = (1, ONE_GROUP) if quick else (*OVERLAPS, ONE_GROUP)
    return [
        {"algorithm": name, "overlap": overlap, "synchrony": synchrony, "messages": 150 if quick else 600}
        for name in ALGORITHMS
        for overlap in overlaps
        for synchrony in INTERVALS
    ]


def groups(overlap: int) -> Groups:
    """Return the groups with this overlap."""
    return Groups(N) if overlap == ONE_GROUP else Groups(SIZE, overlap)


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed and return its measurements."""
    made = groups(int(point["overlap"]))
    messages = int(point["messages"])
    has_timer = point["algorithm"] == TIMER
    world = World(
        Parameters(
            algorithm="mr" if has_timer else str(point["algorithm"]),
            processes=N,
            seed=seed,
            messages=messages,
            network=Network(latency=LATENCY, fifo=True),
            workload=Workload(interval=INTERVALS[str(point["synchrony"])], groups=made),
            options={"resynch_after_s": TIMER_S} if has_timer else {},
            oracle=True,
        )
    )
    found = world.run()
    names = [f"p{number}" for number in range(N)]
    group_count = len(made.members_by_group(names))
    return {
        "entries": found.entries_per_copy_mean,
        "entries_max": float(found.entries_max),
        "bytes": found.bytes_mean,
        "groups": float(group_count),
        "entries_max_per_group": found.entries_max / group_count,
        "needless_share": found.needless_share,
        "needless_s": found.needless_mean_s,
        "held_share": found.held_share,
        "delay_s": found.delay_mean_s,
        "extra_packets": found.control_packets_per_message,
        "violations": float(found.violations or 0),
        "memory": memory_of(world),
    }


def memory_of(world: World) -> float | None:
    """Return how many integers a process keeps on average, or None for an algorithm that is not of this paper."""
    counts = [_integers(node) for node in world.nodes.values()]
    return fmean(count for count in counts if count is not None) if None not in counts else None


def _integers(node: object) -> int | None:
    """Return how many integers a process keeps: phases of members of its groups and of other groups, or vectors."""
    if isinstance(node, Phases):
        own = sum(map(len, node.expected.values()))
        return own + sum(group not in node.expected for group in node.phase)
    if isinstance(node, ScalarPhases):
        return 1 + len(node.expected) + len(node.told)
    ordering = getattr(node, "ordering", None)
    return sum(map(len, ordering.vectors.values())) if isinstance(ordering, Isis) else None


SHARED: Mapping[str, object] = {"overlap": 1, "synchrony": "at random"}
"""The points at which algorithms are compared, unless a claim is about others."""
CLAIMS: tuple[Claim, ...] = (
    Claim(
        "mr-tradeoff-stamp",
        "A stamp of mr is one vector of integers, as long as there are groups.",
        "003 conclusion",
        "at most 1 per group",
        at_most(at("entries_max_per_group", algorithm="mr", **SHARED), 1.0, words="largest stamp / number of groups"),
    ),
    Claim(
        "mr-tradeoff-smaller",
        "That is less than the vector of vectors of ISIS.",
        "003 conclusion",
        "less than 1",
        trend(
            ratio(at("entries", algorithm="mr", **SHARED), at("entries", algorithm="isis", **SHARED)),
            below=1.0,
            words="entries of mr divided by those of isis",
        ),
    ),
    *(
        Claim(
            f"mr-tradeoff-early-{name}",
            f"{'' if where else 'Ours: '}{name} delivers a message as soon as causal order allows.",
            where or "ours",
            "no needless waiting",
            within(at("needless_s", algorithm=name, **SHARED), 0.0, words="seconds of needless waiting per delivery"),
            ours=not where,
        )
        for name, where in (("isis", "003 §5.1"), ("ks", ""))
    ),
    Claim(
        "mr-tradeoff-waits",
        "mr pays for its small stamps with waiting.",
        "003 §5",
        "more than 0",
        trend(
            difference(at("needless_s", algorithm="mr", **SHARED), at("needless_s", algorithm="isis", **SHARED)),
            above=0.0,
            words="seconds of needless waiting per delivery, mr less isis; a process sends once a second",
        ),
    ),
    Claim(
        "mr-tradeoff-synchronous",
        "Where all send in each phase before they receive anything of it, there is no resynchronisation message.",
        "003 §3.5",
        "0",
        within(at("extra_packets", algorithm="mr", overlap=ONE_GROUP, synchrony="in step"), 0.0),
    ),
    Claim(
        "mr-tradeoff-asynchronous",
        "The less synchronous, the more resynchronisation messages.",
        "003 §5",
        "more",
        trend(
            difference(
                at("extra_packets", algorithm="mr", overlap=ONE_GROUP, synchrony="at random"),
                at("extra_packets", algorithm="mr", overlap=ONE_GROUP, synchrony="in step"),
            ),
            above=0.0,
            words="packets per message, one group: at random less in step",
        ),
    ),
)
CLAIMS += (
    Claim(
        "mr-tradeoff-timers",
        "Timers decrease the number of resynchronisation messages.",
        "003 §3.5",
        "fewer",
        trend(
            difference(
                at("extra_packets", algorithm="mr", overlap=ONE_GROUP, synchrony="at random"),
                at("extra_packets", algorithm=TIMER, overlap=ONE_GROUP, synchrony="at random"),
            ),
            above=0.0,
            words="packets per message, one group, at random: without timers less with them",
        ),
    ),
    Claim(
        "mr-tradeoff-memory",
        "A process of mr needs less memory than one of ISIS.",
        "003 §5.2",
        "less",
        trend(
            ratio(at("memory", algorithm="mr", **SHARED), at("memory", algorithm="isis", **SHARED)),
            below=1.0,
            words="integers of mr divided by those of isis",
        ),
    ),
    Claim(
        "mr-tradeoff-one-integer",
        "One integer can timestamp messages independently from the group they are multicast to.",
        "003 §5.2",
        "at most 1",
        at_most(at("entries_max", algorithm=SCALAR, **SHARED), 1.0, words="integers in the largest stamp of mr-scalar"),
    ),
    Claim(
        "mr-tradeoff-all-groups",
        "A process would then have to resynchronise in all the groups it belongs to.",
        "003 §5.2",
        "more",
        trend(
            difference(at("extra_packets", algorithm=SCALAR, **SHARED), at("extra_packets", algorithm="mr", **SHARED)),
            above=0.0,
            words="packets per message, mr-scalar less mr",
        ),
    ),
)
OVERLAP_TICKS = {**{overlap: str(overlap) for overlap in OVERLAPS}, ONE_GROUP: "one group"}


def _chart(title: str, y: str, y_label: str, *, algorithms: Sequence[str], synchronies: Sequence[str]) -> Chart:
    """Return a panel over the overlap, with a line for each of these algorithms and synchronies."""
    return Chart(
        title=title,
        x="overlap",
        y=y,
        x_label="members that neighbouring groups of 4 share",
        ticks=OVERLAP_TICKS,
        y_label=y_label,
        series=["algorithm", "synchrony"],
        names={
            (name, synchrony): f"{name}, {synchrony}" if name in algorithms and synchrony in synchronies else ""
            for name in ALGORITHMS
            for synchrony in INTERVALS
        },
    )


CHARTS = (
    _chart(
        "the size of a stamp", "entries", "control entries per packet",
        algorithms=("mr", "isis", "ks", SCALAR), synchronies=("at random",),
    ),
    _chart(
        "waiting of mr and mr-scalar (isis and ks: none)", "needless_s", "needless waiting per delivery, s",
        algorithms=("mr", SCALAR), synchronies=tuple(INTERVALS),
    ),
    _chart(
        "resynchronisations of mr", "extra_packets", "control packets per message",
        algorithms=("mr", TIMER), synchronies=tuple(INTERVALS),
    ),
    _chart(
        "resynchronisations of mr-scalar", "extra_packets", "control packets per message",
        algorithms=(SCALAR,), synchronies=tuple(INTERVALS),
    ),
    _chart(
        "memory", "memory", "integers that a process keeps",
        algorithms=("mr", "isis", SCALAR), synchronies=("at random",),
    ),
    Chart(
        title="stamp against waiting, a point per overlap, at random",
        x="entries",
        y="needless_s",
        x_label="control entries per packet",
        y_label="needless waiting per delivery, s",
        series=["algorithm"],
        where={"synchrony": "at random"},
    ),
)  # fmt: skip

TRADEOFF = Experiment(
    name="mr-tradeoff",
    paper="003",
    figure="§5",
    title="Small stamps against early delivery, over group overlap and synchrony",
    about="12 processes, groups of 4 around a ring, each process sends once a second, latency uniform from 0.1 to "
    "0.7 s, FIFO channels.",
    grid=_grid(False),
    quick=_grid(True),
    measure=measure,
    charts=CHARTS,
    claims=CLAIMS,
    cost=lambda point: float(point["messages"]) * (3.0 if point["algorithm"] == "isis" else 1.0),
)
