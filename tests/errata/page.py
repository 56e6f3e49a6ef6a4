"""`docs/errata.md`: every erratum, in words, made by running it; and the assumptions that are not errata.

A chapter is a paper and a module with `counterexamples()` and `assumptions()`; another paper is one more pair in
`CHAPTERS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from textwrap import fill

from antecede.lab.papers import PAPERS, Paper
from tests.errata.erratum import Assumption, Erratum, Failures, Frequency, Further, Quotation
from tests.errata.executions import STEPS_MAX
from tests.errata.refutation import VERDICTS, WITHDRAWN, Withdrawal
from tests.errata.roaming_search import WITHIN_THE_MODEL
from tests.mobile_worlds import STEPS_MAX as ROAMING_STEPS_MAX

WORLDS = fill(
    "A random world has stations and hosts that roam, which begin in cells chosen at random. In each step a host "
    f"sends a message (probability 22%), or a host enters a cell chosen at random ({WITHIN_THE_MODEL.roaming:.0%}), "
    f"or time passes (8%), or {WITHIN_THE_MODEL.pace} packets arrive. Of the packets between stations "
    f"{WITHIN_THE_MODEL.drag:.0%} are slow, so that most others overtake them. In the end everything arrives.",
    width=120,
)
INTRO = f"""\
# Errata

Causal ordering algorithms are short, and their mistakes are small: an index, or a note that saves some space. The
papers this project is built on have some. This page lists the ones we found, each with an execution small enough to
follow by eye.

An entry accuses named authors of a mistake. It is here only if the paper fails under its own assumptions, read
charitably and quoted to the letter. If a paper contradicts itself, or can be read in two ways, the entry says which
sentences are meant and what each reading gives. If our copy of the paper may be at fault, the entry says so. Each entry
says under which assumptions of the paper its execution is, and has the strongest defence of the paper that we found.
What a paper assumes, leaves open, or offers as a sufficient way, is not an error: it is in a section of its own,
[Assumptions, and what happens outside them](#assumptions-and-what-happens-outside-them). In quotations `[...]` marks
words that are left out, and formulas are written as plain text. Three readers who had not written them tried to refute
all entries from the text of the papers: [what came of it](#an-attempt-to-refute-each-entry) is at the end.

The sentences, and the descriptions of executions, are written by hand. The executions were run three times: on the form
that is printed in the paper; on an oracle that knows every causal past and delivers as early as causal order allows,
which gives the truth; and on the algorithm as this library has it. The answers, the diagrams and the numbers are what
came out. An answer that is what a sentence of a paper says, and not what came out, is marked as such: "§1.1 says", "by
the bound of §6.2", "by the proof", "by Lemma 8", "by §5". `tests/errata` has what is run, and tests that the printed
form misses the truth and that ours does not; most of the printed forms are in `src/antecede/lab/printed`.

000 was read as a manuscript of its authors, without the journal's name, pages or date, and 001 as a copy without a
venue. The published texts may differ.

"Ours" is the algorithm of this library that is meant for the same case, with the repair that the entry describes:

| name | what it is |
|---|---|
| `prs`, `prs-mobile` | causal barriers: the algorithm of 000 §5, and the same for hosts that move (§9) |
| `prs-broadcast` | the same for broadcasts alone (000 §8.2), with one set in the place of the rows |
| `av1`, `av2` | Algorithms 1 and 2 of 001 |
| `ks` | the algorithm of 002 §4.3, without the look-ahead |
| `mr`, `mr-broadcast` | the protocol of 003 §4.1, and that of §3 for one group |
| `plan` | for 004: the cheapest right allocation. Allocations 1 to 3 are as printed, 4 and 5 repaired, and 6 is ours |
| `roam` | not of a paper: for each host its station keeps a log as in 002, and moves it as in 001 §4 |

In the diagrams time goes to the right, a line for each process: `M1>` M1 is sent, `M1*` it is delivered, `M1.` it
arrives and is held back, `~` a control packet arrives. "P3 hears P2" means that all that is in flight from P2 to P3
arrives, in the order it was sent. Where hosts roam, `a:1` is the first message that host a sends, `a:2` the second; s1,
s2 and so on are stations, each with one cell, and "a, at s1" is in the cell of s1.

The random executions are within the model of the paper: they lose and duplicate nothing, and where hosts roam, they
register as the paper has it. 000 does not say whether channels are FIFO, so each of its entries says what was taken.
The seeds are 0, 1, 2 and so on. An execution of fixed processes with more than {STEPS_MAX:,} steps counts as one that
does not end, and so does one with roaming hosts that takes more than {ROAMING_STEPS_MAX:,} steps to come to rest; none
did.

{WORLDS}

In the table, the first number is of the form as printed, and the second of ours. There is no second number if ours does
the same and the claim is what is repaired. What was not looked for is left blank. Four entries have no search: one is a
misprint that breaks every hand-off, one is two sentences that contradict each other, one is a step of a proof, and one
compares two sets.
"""
KINDS = tuple(kind.name for kind in fields(Failures))
ASSUMPTIONS = """\
## Assumptions, and what happens outside them

None of these is an error. A paper says what its algorithm needs, leaves something open, or offers one way that is
enough; here is what happens elsewhere, because a user of this library may well be there. The executions are not
counterexamples: each is outside what its paper assumes or says.
"""
REFUTATION = """\
## An attempt to refute each entry

A reader who had not written the entries tried to refute each under the assumptions of its paper, with the text of the
paper as the only authority: by the context of what is quoted, by what the paper assumes elsewhere, and by the most
charitable reading. Then a second reader did so, who had nothing but this page and the papers, and a third, in the same
way. This is what came of all three, with the words of the paper that decided. Neither the second nor the third found an
execution to be wrong in the reading that it takes, nor a quotation. The third found that one entry does not stand, that
the sentences quoted in another do not fail though a sentence that was not quoted does, and that seven leave out a
reading, a condition or an assumption. In all, five entries did not stand, and are now among the assumptions; three more
suspicions were refuted before they were published. Of others the execution, the title, the readings or the numbers were
corrected.

| where | entry | what came of it | decided by |
|---|---|---|---|"""
WITHDRAWN_HEAD = """
These do not stand. The first five are now among the assumptions; those marked as never published are not on this page:

| paper | entry | what came of it | decided by |
|---|---|---|---|"""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A paper, and the module with its errata."""

    paper: Paper
    module: str

    def errata(self) -> Sequence[Erratum]:
        found: Sequence[Erratum] = import_module(self.module).counterexamples()
        return found

    def assumptions(self) -> Sequence[Assumption]:
        found: Sequence[Assumption] = import_module(self.module).assumptions()
        return found

    def quotations(self) -> Sequence[Quotation]:
        """Every quotation of the paper on the page."""
        entries: list[Erratum | Assumption] = [*self.errata(), *self.assumptions()]
        decided = [VERDICTS[one.title].decided_by for one in self.errata()]
        withdrawn = [one.verdict.decided_by for one in WITHDRAWN if one.paper == self.paper.number]
        return [*(one for entry in entries for one in entry.says), *decided, *withdrawn]


CHAPTERS = tuple(
    Chapter(PAPERS[number], f"tests.errata.{module}")
    for number, module in (("000", "prs"), ("001", "av"), ("002", "ks"), ("003", "mr"), ("004", "msv"))
)


def page() -> str:
    chapters = [_chapter(chapter) for chapter in CHAPTERS]
    return "\n".join([INTRO, _contents(), *chapters, _assumptions(), _refutation()])


def _contents() -> str:
    head = "| where | what | random executions | order broken | messages lost | do not end | wrong otherwise |"
    rows = [
        f"| {chapter.paper.number} {erratum.section} | {erratum.title} | {' | '.join(_often(erratum))} |"
        for chapter in CHAPTERS
        for erratum in chapter.errata()
    ]
    return "\n".join([head, "|---" * 7 + "|", *rows, ""])


def _often(erratum: Erratum) -> Sequence[str]:
    """Return the cells about the random search."""
    if erratum.often is None:
        return ("", "", "", "", "")
    found = erratum.often()
    return (str(found.total), *(_count(found, kind) if kind in found.sought else "" for kind in KINDS))


def _count(found: Frequency, kind: str) -> str:
    """Return how many executions fail in this way, as printed and with ours."""
    printed = str(getattr(found.printed, kind))
    return printed if found.ours is None else f"{printed}, {getattr(found.ours, kind)}"


def _chapter(chapter: Chapter) -> str:
    paper = chapter.paper
    head = f"## {paper.number}: {paper.author_names}\n\n*{paper.title}*, {paper.published}, {paper.year}\n"
    return "\n".join([head, *map(_erratum, chapter.errata())])


def _erratum(erratum: Erratum) -> str:
    return _joined(
        f"### {erratum.section}: {erratum.title}",
        _says("The paper says.", erratum.says),
        erratum.remark,
        f"**Assumed.** {erratum.assumes}",
        _execution(erratum.execution),
        _diagram(erratum.diagram),
        _answers(erratum.asked, erratum.answers),
        erratum.why,
        f"**In defence of the paper.** {erratum.defence}",
        _further(erratum.further),
        f"**Repair.** {erratum.repair}" if erratum.repair else "",
        _search(erratum),
    )


def _further(further: Further | None) -> str:
    if further is None:
        return ""
    parts = f"**{further.lead}**", _execution(further.execution), _answers(further.asked, further.answers)
    return "\n\n".join(parts)


def _assumptions() -> str:
    return "\n".join(
        [ASSUMPTIONS, *(_assumption(chapter, one) for chapter in CHAPTERS for one in chapter.assumptions())]
    )


def _assumption(chapter: Chapter, assumption: Assumption) -> str:
    return _joined(
        f"### {chapter.paper.number} {assumption.section}: {assumption.title}",
        _says("The paper says.", assumption.says),
        f"**Outside.** {assumption.outside}",
        _execution(assumption.execution),
        _diagram(assumption.diagram),
        _answers(assumption.asked, assumption.answers) if assumption.answers else "",
    )


def _refutation() -> str:
    rows = [
        f"| {chapter.paper.number} {one.section} | {one.title} | {VERDICTS[one.title].outcome} | "
        f"{VERDICTS[one.title].decided_by} |"
        for chapter in CHAPTERS
        for one in chapter.errata()
    ]
    return "\n".join([REFUTATION, *rows, WITHDRAWN_HEAD, *map(_withdrawal, WITHDRAWN), ""])


def _withdrawal(one: Withdrawal) -> str:
    return f"| {one.paper} | {one.said} | {one.verdict.outcome} | {one.verdict.decided_by} |"


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"


def _says(lead: str, quotations: Iterable[Quotation]) -> str:
    return "\n".join([f"**{lead}**\n", *(f"> {quotation}\n>" for quotation in quotations)]).removesuffix("\n>")


def _diagram(diagram: str) -> str:
    return f"```\n{diagram}\n```" if diagram else ""


def _execution(execution: tuple[str, ...] | str) -> str:
    if isinstance(execution, str):
        return execution
    return "\n".join(f"{number}. {step}" for number, step in enumerate(execution, start=1))


def _answers(asked: str, answers: Iterable[tuple[str, str]]) -> str:
    return "\n".join([f"| {asked or 'Answer'} | |", "|---|---|", *(f"| {who} | {answer} |" for who, answer in answers)])


def _search(erratum: Erratum) -> str:
    if erratum.often is None:
        return ""
    return f"**Random search.** {erratum.often().told}"
