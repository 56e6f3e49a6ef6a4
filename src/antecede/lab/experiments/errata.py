"""How often the printed forms fail: random executions in small worlds, judged by `antecede.check`.

Each run is `EXECUTIONS` executions of 3 to 5 processes and a few messages, of the form that is printed and of ours with
the same seeds. An execution fails if the judge finds a violation, or if something is never delivered. Counts that
others found with other executions are given beside ours and are not expected to be met, for how often a form fails
depends on the executions: what is claimed is that the printed form fails and ours does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from antecede.check.events import Event
from antecede.check.judge import judge
from antecede.lab.claims import at, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments.printed_prs import sending_to_itself
from antecede.sim import Distribution, Groups, Network, Parameters, Recorder, Workload, World
from antecede.sim.chance import stream
from antecede.sim.trace import Row, as_event

EXECUTIONS, QUICK_EXECUTIONS = 500, 60
SEEDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Form:
    """A printed form: where it is printed, what it is, how it is run, and what was counted elsewhere, if anything was.

    `own`: senders are among their destinations, and the network brings them their copy.
    """

    title: str
    where: str
    algorithm: str
    options: Mapping[str, object]
    fifo: bool = False
    groups: Groups | None = None
    broadcast: bool = False
    own: bool = False
    elsewhere: str = ""


FORMS = {
    "ks look-ahead": Form(
        "the look-ahead of the second note breaks causal order, FIFO channels or not",
        "002 §4.5", "ks", {"printed": "look-ahead"},
    ),
    "ks look-ahead, FIFO": Form(
        "the look-ahead of the second note breaks causal order even on FIFO channels",
        "002 §4.5", "ks", {"printed": "look-ahead"}, fifo=True,
    ),
    "mr own groups": Form(
        "entries of the sender's own groups suffice in an acyclic graph of groups: not where two share two processes",
        "003 §4.3", "mr", {"printed": "4.3"}, fifo=True, groups=Groups(3, 2),
    ),
    "mr inferred": Form(
        "timestamps can be inferred: they can not, and messages are never delivered",
        "003 §3.3", "mr-broadcast", {"printed": "3.3"}, fifo=True, broadcast=True,
    ),
    "prs own": Form(
        "with the sender among the destinations causal order breaks",
        "000 §5.2", "prs", {}, own=True, elsewhere="369 of 6,000",
    ),
}  # fmt: skip


def measure(given: Point, seed: int) -> dict[str, float | None]:
    form, count = FORMS[str(given["form"])], int(given["executions"])
    failed = {"printed": 0, "ours": 0}
    violated = {"printed": 0, "ours": 0}
    for number in range(count):
        parameters = _parameters(form, seed * 1_000_000 + number)
        for which, world in (("printed", _printed(form, parameters)), ("ours", _ours(form, parameters))):
            verdict = _judged(world)
            violated[which] += bool(verdict["violations"])
            failed[which] += bool(verdict["violations"] or verdict["lost"])
    return {
        **{f"{which} fails of 1000": 1_000 * value / count for which, value in failed.items()},
        **{f"{which} violates of 1000": 1_000 * value / count for which, value in violated.items()},
    }


def _parameters(form: Form, seed: int) -> Parameters:
    chance = stream(seed, "errata")
    n = chance.randint(4, 5) if form.groups else chance.randint(3, 5)
    return Parameters(
        algorithm=form.algorithm,
        processes=n,
        seed=seed,
        messages=chance.randint(6, 30),
        network=Network(latency=Distribution("exponential", chance.choice((0.5, 1.0, 3.0))), fifo=form.fifo),
        workload=Workload(groups=form.groups, dests=(n - 1, n - 1) if form.broadcast else None),
        options=form.options,
        weigh_bytes=False,
    )


def _printed(form: Form, parameters: Parameters) -> tuple[World, list[Row]]:
    return _world(parameters, own=form.own, bare=form.own)


def _ours(form: Form, parameters: Parameters) -> tuple[World, list[Row]]:
    return _world(replace(parameters, options={}), own=form.own, bare=False)


def _world(parameters: Parameters, *, own: bool, bare: bool) -> tuple[World, list[Row]]:
    rows: list[Row] = []
    world = World(parameters, Recorder(rows.extend))
    if own:
        sending_to_itself(world, bare=bare)
    return world, rows


def _judged(made: tuple[World, list[Row]]) -> Mapping[str, object]:
    world, rows = made
    world.run()
    events: list[Event] = [as_event("run", row) for row in rows]
    return judge(events).as_dict()


def _grid(quick: bool) -> Sequence[Point]:
    return [{"form": name, "executions": QUICK_EXECUTIONS if quick else EXECUTIONS} for name in FORMS]


def _claims() -> Iterator[Claim]:
    for name, form in FORMS.items():
        said = f" (elsewhere {form.elsewhere})" if form.elsewhere else ""
        slug = name.replace(", ", "-").replace(" ", "-").lower()
        yield Claim(
            f"errata-{slug}",
            f"As printed: {form.title}.",
            form.where,
            f"fails{said}",
            trend(at("printed fails of 1000", form=name), above=0.0, words="executions of 1,000 that fail"),
        )
        yield Claim(
            f"errata-{slug}-ours",
            f"Repaired, it holds ({name}).",
            form.where,
            "0",
            within(at("ours fails of 1000", form=name), 0.0, words="executions of 1,000 that fail"),
        )


ERRATA = Experiment(
    name="errata",
    paper="000, 002, 003",
    figure="printed forms",
    title="How often the printed forms fail",
    about="3 to 5 processes, 6 to 30 messages, exponential latency of 0.5 to 3 times the time between sends. The judge "
    "is `antecede check`. Forms for roaming hosts and for 004 are not here; `docs/errata.md` has all of them with a "
    "counterexample each.",
    grid=_grid(False),
    quick=_grid(True),
    measure=measure,
    charts=[
        Chart(
            title="",
            x="form",
            y=y,
            x_label="printed form",
            y_label="executions that fail, of 1,000",
            bars=True,
        )
        for y in ("printed fails of 1000",)
    ],
    claims=list(_claims()),
    seeds=SEEDS,
    quick_seeds=(1, 2, 3, 4, 5),
)

EXPERIMENTS = (ERRATA,)
