"""Measure how often the printed forms fail, and that ours do not, on random executions in small worlds.

Each run has `EXECUTIONS` executions of the printed form, and of ours with the same seeds, within the model of the
paper. Executions that break causal order, that lose a message, that do not end, and that are wrong in another way are
counted apart; one may count twice. How often a form fails depends on the executions, so the claim is only that the form
fails in the way that we say, and that ours does not fail at all. These claims are ours, not those of the papers.
Besides the printed forms, every algorithm of the registry is checked against its guarantees, on the same kind of
executions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from antecede.lab.claims import at, ever, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments.errata_forms import ALGORITHMS, FORMS, KINDS, LOSSY, UNORDERED, RoamingForm

EXECUTIONS, QUICK_EXECUTIONS = 500, 60


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Return how many of 1,000 executions fail, in each way. A point returns the numbers of its own kind."""
    name, count = str(point["form"]), int(point["executions"])
    seeds = range(seed * 1_000_000, seed * 1_000_000 + count)
    numbers: dict[str, float | None] = dict.fromkeys(NUMBERS)
    if point["kind"] == "algorithm":
        return {**numbers, "ours fails of 1000": 1_000 * sum(map(ALGORITHMS[name], seeds)) / count}
    form = FORMS[name]
    printed, ours = ([form.fails(one, printed=is_printed) for one in seeds] for is_printed in (True, False))
    return {
        **{_number(kind): 1_000 * sum(kind in found for found in printed) / count for kind in KINDS},
        "ours fails of 1000": 1_000 * sum(map(bool, ours)) / count,
    }


def _number(kind: str) -> str:
    return f"printed {kind} of 1000"


NUMBERS = (*map(_number, KINDS), "ours fails of 1000")


def _grid(quick: bool) -> Sequence[Point]:
    kinds = [("printed", name) for name in FORMS] + [("algorithm", name) for name in sorted(ALGORITHMS)]
    return [{"kind": kind, "form": name, "executions": _executions(kind, name, quick)} for kind, name in kinds]


def _executions(kind: str, name: str, quick: bool) -> int:
    """Return the number of executions. A quick run has fewer with roaming hosts, which take longest and fail most
    often.
    """
    if not quick:
        return EXECUTIONS
    return (
        QUICK_EXECUTIONS // 6 if kind == "printed" and isinstance(FORMS[name].fails, RoamingForm) else QUICK_EXECUTIONS
    )


def _claims() -> Iterator[Claim]:
    for name, form in FORMS.items():
        slug = _slug(name)
        yield Claim(
            f"errata-{slug}",
            form.says,
            form.where,
            "fails",
            ever(at(_number(form.kind), form=name), words=f"executions of 1,000 in which {KINDS[form.kind]}"),
            ours=True,
        )
        yield Claim(
            f"errata-{slug}-ours",
            f"Ours does not fail ({name}).",
            form.where,
            "0",
            within(at("ours fails of 1000", form=name), 0.0, words="executions of 1,000 that fail in any way"),
            ours=True,
        )
    yield from (_guarantee_claim(name) for name in sorted(ALGORITHMS))


def _slug(name: str) -> str:
    return name.replace(", ", "-").replace(" ", "-").lower()


def _guarantee_claim(name: str) -> Claim:
    """Return the claim that an algorithm keeps its guarantees. All but two keep causal order and lose nothing."""
    values, words = at("ours fails of 1000", form=name), "executions of 1,000 that fail"
    if name in UNORDERED:
        return Claim(
            f"errata-order-{_slug(name)}", f"{name} does not keep causal order.", UNORDERED[name], "fails",
            ever(values, words=words), ours=True,
        )  # fmt: skip
    kept = "keeps causal order and delivers everything once"
    says = "history keeps causal order on channels that lose." if name == LOSSY else f"{name} {kept}."
    return Claim(f"errata-order-{_slug(name)}", says, "registry", "0", within(values, 0.0, words=words), ours=True)


ERRATA = Experiment(
    name="errata",
    paper="000 to 004",
    figure="printed forms",
    title="How often the printed forms fail",
    about="Few processes and messages, exponential latency of 0.5 to 3 times the time between sends; hosts that move "
    "about as often as they send; graphs with slow links. `docs/errata.md` has an execution of each form that fails. "
    "Hosts of Alagar and Venkatesan send to one other host, and register as §2 of their paper says. Three forms count "
    "against nobody. `prs own`, and `ks look-ahead` on channels that reorder, are outside an assumption of their "
    "paper; in `av1 inhibits` messages wait needlessly, which its paper does not deny.",
    grid=_grid(False),
    quick=_grid(True),
    measure=measure,
    charts=[
        Chart(
            title=words,
            x="form",
            y=_number(kind),
            x_label="form",
            y_label="executions of 1,000, as printed",
            where={"kind": "printed"},
            ticks={name: form.label or name for name, form in FORMS.items()},
            bars=True,
        )
        for kind, words in KINDS.items()
    ],
    claims=list(_claims()),
    quick_seeds=(1, 2, 3, 4, 5),
)
