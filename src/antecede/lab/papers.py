"""The five papers, and the number by which this project names each: `000 §7.1` is section 7.1 of the first.

Pages for readers cite a paper by its authors and year, which `cite` makes of the number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: its number here, its authors, its year, its title, and where it appeared."""

    number: str
    authors: tuple[str, ...]
    year: int
    title: str
    published: str

    @property
    def author_names(self) -> str:
        """Return the names of the authors, separated by commas."""
        return ", ".join(self.authors)

    def __str__(self) -> str:
        return f"{self.author_names} {self.year}"


PAPERS: Mapping[str, Paper] = {
    paper.number: paper
    for paper in (
        Paper(
            "000",
            ("Prakash", "Raynal", "Singhal"),
            1997,
            "An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments",
            "Journal of Parallel and Distributed Computing 41(2)",
        ),
        Paper(
            "001",
            ("Alagar", "Venkatesan"),
            1994,
            "Causally Ordered Message Delivery in Mobile Systems",
            "Workshop on Mobile Computing Systems and Applications, Santa Cruz",
        ),
        Paper(
            "002",
            ("Kshemkalyani", "Singhal"),
            1998,
            "Necessary and sufficient conditions on information for causal message ordering and their optimal "
            "implementation",
            "Distributed Computing 11(2)",
        ),
        Paper(
            "003",
            ("Mostefaoui", "Raynal"),
            1993,
            "Causal multicasts in overlapping groups: towards a low cost approach",
            "INRIA Research Report 1871",
        ),
        Paper(
            "004",
            ("Meldal", "Sankar", "Vera"),
            1991,
            "Exploiting Locality in Maintaining Potential Causality",
            "Principles of Distributed Computing",
        ),
    )
}
"""The papers by their numbers."""


def cite(where: str) -> str:
    """Return `where` with the number of each paper replaced by its authors and year."""
    return re.sub(rf"(?<![\d.,])({'|'.join(PAPERS)})\b", lambda number: str(PAPERS[number[1]]), where)
