"""`docs/errata.md`: every erratum, in words, made by running it.

A chapter is a paper and a module with `counterexamples()`; another paper is one line in `CHAPTERS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module

from tests.errata.erratum import Erratum

INTRO = """\
# Errata

Causal ordering algorithms are short, and their mistakes are small: an index, a note that saves some space, an
assumption about who may receive what. The papers this project is built on have some. This page lists the ones we
found, each with an execution small enough to follow by eye.

Nothing here is written by hand but the sentences. The numbered steps are scripts that were run three times: on the
form that is printed in the paper; on an oracle that knows every causal past and delivers as early as causal order
allows, which gives the truth; and on the algorithm as this library has it. The answers and diagrams are what came out.
`tests/errata` holds the scripts and the printed forms, and tests that the printed form misses the truth and that ours
does not.

In the diagrams time goes to the right, a line for each process: `M1>` M1 is sent, `M1*` it is delivered, `M1.` it
arrives and is held back, `~` a control packet arrives. "P3 hears P2" means that all that is in flight from P2 to P3
arrives, in the order it was sent. The random executions lose and duplicate nothing; their seeds are 0, 1, 2 and so on.
"""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A paper by its number here, its authors and its title, and the module with its errata."""

    number: str
    authors: str
    title: str
    module: str

    def errata(self) -> Sequence[Erratum]:
        found: Sequence[Erratum] = import_module(self.module).counterexamples()
        return found


CHAPTERS = (
    Chapter(
        "000",
        "Prakash, Raynal, Singhal",
        "An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments",
        "tests.errata.prs",
    ),
    Chapter("001", "Alagar, Venkatesan", "Causally Ordered Message Delivery in Mobile Systems", "tests.errata.av"),
    Chapter(
        "002",
        "Kshemkalyani, Singhal",
        "Necessary and sufficient conditions on information for causal message ordering "
        "and their optimal implementation",
        "tests.errata.ks",
    ),
    Chapter(
        "003",
        "Mostefaoui, Raynal",
        "Causal multicasts in overlapping groups: towards a low cost approach",
        "tests.errata.mr",
    ),
    Chapter(
        "004", "Meldal, Sankar, Vera", "Exploiting Locality in Maintaining Potential Causality", "tests.errata.msv"
    ),
)


def page() -> str:
    return "\n".join([INTRO, _contents(), *(_chapter(chapter) for chapter in CHAPTERS)])


def _contents() -> str:
    rows = [
        f"| {chapter.number} {erratum.section} | {erratum.title} | {_often(erratum)} |"
        for chapter in CHAPTERS
        for erratum in chapter.errata()
    ]
    return "\n".join(["| where | what | random executions: as printed, ours |", "|---|---|---|", *rows, ""])


def _often(erratum: Erratum) -> str:
    if erratum.often is None:
        return ""
    found = erratum.often()
    return f"{found.printed}, {found.ours} of {found.total}"


def _chapter(chapter: Chapter) -> str:
    head = f"## {chapter.number}: {chapter.authors}\n\n*{chapter.title}*\n"
    return "\n".join([head, *map(_erratum, chapter.errata())])


def _erratum(erratum: Erratum) -> str:
    parts = [
        f"### {erratum.section}: {erratum.title}",
        f"**The paper says.** {erratum.says}",
        _execution(erratum.execution),
        f"```\n{erratum.diagram}\n```" if erratum.diagram else "",
        _answers(erratum),
        erratum.why,
        f"**Repair.** {erratum.repair}" if erratum.repair else "",
        _search(erratum),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _execution(execution: tuple[str, ...] | str) -> str:
    if isinstance(execution, str):
        return execution
    return "\n".join(f"{number}. {step}" for number, step in enumerate(execution, start=1))


def _answers(erratum: Erratum) -> str:
    rows: Iterable[tuple[str, str]] = (
        ("as printed", erratum.printed),
        ("truth", erratum.truth),
        ("ours", erratum.ours),
    )
    return "\n".join(
        [f"| {erratum.asked or 'Answer'} | |", "|---|---|", *(f"| {who} | {answer} |" for who, answer in rows)]
    )


def _search(erratum: Erratum) -> str:
    if erratum.often is None:
        return ""
    return f"**Random search.** {erratum.often().told}"
