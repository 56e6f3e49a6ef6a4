"""Declare what 000 §7 says about the inside of causal barriers: how they are encoded, and what persists in them.

§7.1 sends x N x N tuples as a string of bits and an integer for each bit that is set: (x + 1 / W) N x N integers.
§7.2 explains why 95 % selectivity gains little: what a process hears of the other half persists there, and spreads. So
a barrier has about as many tuples of the other half as with uniform destinations. Here a tuple is of the other half if
its sender, or the process whose row it is in, is not of the parity of the message's sender.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from antecede.core.ordering.prs import BitStringStamp, Prs, PrsStamp
from antecede.core.process import Process
from antecede.core.types import Message, ProcessId, Stamp
from antecede.core.wire.bit_string import split_table
from antecede.core.wire.shapes import Writer
from antecede.lab.claims import Values, at, in_all, ratio, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments.prs import SELECTED, cost, make_point, parameters
from antecede.sim import World

INTEGER_BYTES = 4
SELECTIVITIES, INTERVALS = (0, 50, 80, 95, 100), (0.5, 2.0, 10.0)
SIZES = (10, 20, 30)


@dataclass(slots=True)
class BarrierCounts:
    """What the barriers of all messages have in sum, from when `is_open` says that the warm-up is over."""

    names: Sequence[ProcessId]
    is_open: Callable[[], bool]
    messages: int = 0
    tuples: int = 0
    of_the_other_half: int = 0
    integers: float = 0.0
    paper_bytes: int = 0

    def count(self, sender: ProcessId, stamp: PrsStamp) -> None:
        """Add the barrier of one message."""
        parity = {name: place % 2 for place, name in enumerate(self.names)}
        own = parity[sender]
        self.messages += 1
        for dest, row in stamp.barrier.items():
            self.tuples += len(row)
            self.of_the_other_half += sum(parity[dest] != own or parity[one] != own for one in row)
        numbers = {name: place for place, name in enumerate(self.names)}
        bits, counts = split_table(stamp.barrier, numbers)
        self.integers += len(bits) / INTEGER_BYTES + len(counts)
        writer = Writer(numbers)
        writer.stamp(BitStringStamp(stamp.barrier))
        self.paper_bytes += len(writer.out)


@dataclass(slots=True, kw_only=True)
class CountedPrs(Prs):
    """The ordering of `prs`, which has its barriers counted."""

    counts: BarrierCounts

    def stamps(self, message: Message, others: Sequence[ProcessId]) -> list[Stamp]:
        stamps = Prs.stamps(self, message, others)
        if self.counts.is_open() and stamps:
            assert isinstance(stamps[0], PrsStamp)
            self.counts.count(self.me, stamps[0])
        return stamps


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed and return its measurements."""
    world = World(replace(parameters(point, seed), weigh_bytes=True))
    counts = BarrierCounts(world.names, lambda: world.ledger.deliveries >= world.parameters.warmup)
    for node in world.nodes.values():
        assert isinstance(node, Process)
        assert isinstance(node.ordering, Prs)
        state = {one.name: getattr(node.ordering, one.name) for one in fields(Prs)}
        node.ordering = CountedPrs(**state, counts=counts)
    found = world.run()
    n = int(point["n"])
    share = counts.tuples / counts.messages / n**2
    return {
        "of_n_squared": share,
        "other_half_of_n_squared": counts.of_the_other_half / counts.messages / n**2,
        "integers_of_n_squared": counts.integers / counts.messages / n**2,
        "integers_foretold": share + 1 / (8 * INTEGER_BYTES),
        "paper_bytes": counts.paper_bytes / counts.messages,
        "wire_bytes": found.bytes_mean,
    }


def _points(quick: bool) -> Sequence[Point]:
    intervals = (0.5, 10.0) if quick else INTERVALS
    sizes = [make_point(n=n, propagation=1.0, dests=(1, n - 1), quick=quick) for n in SIZES]
    selective = [make_point(interval=i, selectivity=s, quick=quick) for s in SELECTIVITIES for i in intervals]
    return [{**point, "over": "n"} for point in sizes] + [{**point, "over": "selectivity"} for point in selective]


def _claims() -> Iterator[Claim]:
    yield Claim(
        "prs-barriers-integers",
        "x N² tuples can be sent as a string of bits and integers, in (x + 1/W) N² integers.",
        "000 §7.1",
        "(x + 1/W) N²",
        in_all({f"N = {n}": within(_encoding_ratio(n), 1.0, tolerance=0.01) for n in SIZES}),
    )
    for interval in (0.5, 10.0):
        uniform, nearly, full = (
            at("other_half_of_n_squared", over="selectivity", selectivity=s, interval=interval) for s in (0, 95, 100)
        )
        yield Claim(
            f"prs-barriers-persists-{interval:g}",
            f"What is heard of the other half persists: with 95 % selectivity a barrier has nearly as many tuples of "
            f"the other half as with uniform destinations (at {interval:g}).",
            "000 §7.2",
            "nearly as many",
            trend(
                ratio(nearly, uniform),
                above=0.5,
                words="tuples of the other half, 95 % divided by uniform; nearly: more than half",
            ),
        )
        yield Claim(
            f"prs-barriers-none-{interval:g}",
            f"With full selectivity a barrier has nothing of the other half (at {interval:g}).",
            "000 §7.2",
            "0",
            within(full, 0.0, words="tuples of the other half / N²"),
        )


def _encoding_ratio(n: int) -> Values:
    return ratio(at("integers_of_n_squared", over="n", n=n), at("integers_foretold", over="n", n=n))


BARRIERS = Experiment(
    name="prs-barriers",
    paper="000",
    figure="§7.1, §7.2",
    title="What is in a causal barrier, and how it is encoded",
    about="N = 10, 20, 30 with 1 to N - 1 destinations, and N = 20 with 1 to 9 by selectivity; propagation and "
    "inter-message means of 1 unless swept; W = 32. Bytes are those of the stamps of `prs`, the paper's form with "
    "`bit_string=True`: integers have as many bytes as they need, and the paper's form also has N. A tuple is of the "
    "other half if its sender, or the process that it is a constraint for, is not of the parity of the message's "
    "sender.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[
        Chart(
            title="tuples of the other half",
            x="interval",
            y="other_half_of_n_squared",
            x_label="mean inter-message time / mean propagation time",
            y_label="tuples of the other half / N²",
            series=["selectivity"],
            where={"over": "selectivity"},
            names={s: f"{SELECTED[s]}, measured" for s in SELECTIVITIES},
        ),
        Chart(
            title="the paper's form (bit_string=True)",
            x="n",
            y="paper_bytes",
            x_label="processes",
            y_label="bytes of a barrier",
            where={"over": "n"},
        ),
        Chart(
            title="our wire form",
            x="n",
            y="wire_bytes",
            x_label="processes",
            y_label="bytes of a barrier",
            where={"over": "n"},
        ),
    ],
    claims=list(_claims()),
    cost=cost,
)
