"""The shapes of an entry of the errata page, whatever the paper: an erratum, and an assumption that is not one.

An erratum accuses named authors of a mistake, so it stands only if the paper fails under the paper's own assumptions,
read charitably and quoted to the letter. What a paper assumes, or offers as a sufficient way, is an `Assumption`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words of a paper, to the letter, and the section that has them.

    `[...]` stands for words that are left out. Formulas are written as plain text: `CB_M[i]`, `l_{s,t}`.
    `python -m tools.check_quotations FOLDER` looks all of them up in the papers.
    """

    section: str
    words: str

    def __str__(self) -> str:
        return f'{self.section}: "{self.words}"'


@dataclass(frozen=True, slots=True)
class Failures:
    """How many executions went wrong, by what went wrong. An execution may count in more than one way.

    `order` counts those that break causal order, `lost` those in which a message is never delivered, `endless` those
    that do not come to an end, and `other` those that are wrong in another way, which the erratum names.
    """

    order: int = 0
    lost: int = 0
    endless: int = 0
    other: int = 0

    @property
    def none(self) -> bool:
        return self == Failures()


@dataclass(frozen=True, slots=True)
class Frequency:
    """Of `total` random executions, how many fail as printed and how many with ours; `told` says it in a sentence.

    `sought` are the ways to fail that were looked for, by the names of the fields of `Failures`. `ours` is None if ours
    is as printed.
    """

    total: int
    printed: Failures
    ours: Failures | None
    told: str
    sought: tuple[str, ...] = ("order", "lost", "endless")


@dataclass(frozen=True, slots=True)
class Further:
    """One more execution of an erratum, which its defence speaks of; `lead` says what it is."""

    lead: str
    execution: tuple[str, ...]
    asked: str
    answers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Erratum:
    """What a paper says, a small execution against it, and three answers: as printed, in truth, and ours.

    The answers are made by running. An erratum holds if the printed form misses the truth and ours does not.
    `execution` is a script, one sentence a step, or a description in words; `asked` is what the answers are to; `why`
    says what goes wrong; `often` runs a random search for more of the same.

    `assumes` says under which assumptions of the paper the execution is. `defence` is the strongest defence of the
    paper that we found, and what comes of it. `remark` says how the quotations are read: which of them contradict each
    other, or that our copy of the paper may be at fault. If a paper can be read in two ways, `printed_as` names the
    reading that fails, and `other_readings` has the name and the answer of each other one. `truth_as` names what the
    printed answer is held against, if that is not the truth but another sentence of the paper, and `ours_as` what ours
    is, if that needs saying. `further` is one more execution.
    """

    title: str
    section: str
    says: tuple[Quotation, ...]
    execution: tuple[str, ...] | str
    printed: str
    truth: str
    ours: str
    assumes: str = field(kw_only=True)
    defence: str = field(kw_only=True)
    asked: str = ""
    why: str = ""
    repair: str = ""
    diagram: str = ""
    often: Callable[[], Frequency] | None = None
    remark: str = ""
    printed_as: str = "as printed"
    truth_as: str = "truth"
    ours_as: str = "ours"
    other_readings: tuple[tuple[str, str], ...] = ()
    further: Further | None = None

    @property
    def holds(self) -> bool:
        return self.printed != self.truth and self.ours == self.truth

    @property
    def answers(self) -> tuple[tuple[str, str], ...]:
        """Who answers, and what."""
        given = ((self.printed_as, self.printed), *self.other_readings)
        return *given, (self.truth_as, self.truth), (self.ours_as, self.ours)


@dataclass(frozen=True, slots=True)
class Assumption:
    """What a paper assumes, or offers as a sufficient way, and what happens where it is not so. It is not an error.

    `outside` says what happens there. `execution`, `asked` and `answers` show it by running, as in an `Erratum`.
    """

    title: str
    section: str
    says: tuple[Quotation, ...]
    outside: str
    execution: tuple[str, ...] | str = ()
    asked: str = ""
    answers: tuple[tuple[str, str], ...] = ()
    diagram: str = ""
