"""`python -m tools.check_quotations FOLDER`: is every quotation of the errata page in the paper, to the letter?

It also asks whether the title of each paper is the one that this project gives it.

FOLDER has the papers as text, one file each, whose names begin with the numbers that the page gives them (`000`,
`001`). The papers are not part of the project, so this is not one of its tests.

Two texts are compared without what an edition of a text changes: white space, hyphens at the end of a line, the marks
of Markdown, HTML and TeX, bars over letters, and the kind of quotation marks. A quotation must also be in the section
that it names: the last numbered heading before it. A name that is not of the form `§4.3` is not looked for.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.errata.erratum import Quotation
from tests.errata.page import CHAPTERS

LEFT_OUT = "[...]"
HEADING = re.compile(r"^#*[ \t]*(\d+(?:\.\d+)*)[ \t]+[A-Z].*$", re.MULTILINE)
SYMBOLS = {
    "in": "∈", "notin": "∉", "wedge": "∧", "emptyset": "∅", "cup": "∪", "leq": "≤", "geq": "≥", "max": "max",
    "Phi": "Φ", "alpha": "α", "beta": "β", "rightarrow": "→", "ldots": "...", "dots": "...",
}  # fmt: skip
"""The TeX commands that stand for a sign. Any other is a mark, and is dropped."""


def normalised(text: str) -> str:
    """Return `text` without white space and marks."""
    text = re.sub(r"<[/a-z]+[0-9]*>", "", text)
    text = re.sub(r"-\n\s*", "", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda command: SYMBOLS.get(command[1], ""), text)
    text = text.translate(str.maketrans("“”‘’–", "\"\"''-"))
    return re.sub(r"[\s$*_`{}\\\u0304]", "", text)


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the number of each section of a paper, and the normalised text up to the next heading.

    What comes before the first heading, such as the abstract, has no number.
    """
    headings = list(HEADING.finditer(text))
    yield "", normalised(text[: headings[0].start()] if headings else text)
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=True):
        yield heading[1], normalised(text[heading.end() : end])


def is_quoted(quotation: Quotation, paper: str) -> bool:
    """Return whether the words of the quotation are in the section of `paper` that it names, in that order."""
    number = re.match(r"§(\d+(?:\.\d+)*)", quotation.section)
    places = [text for section, text in sections(paper) if number is None or section == number[1]]
    return any(_has_in_order(text, quotation.words.split(LEFT_OUT)) for text in places)


def _has_in_order(text: str, parts: Sequence[str]) -> bool:
    at = 0
    for part in map(normalised, parts):
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def missing(folder: Path) -> Iterator[str]:
    """Yield a sentence for each paper that is not in `folder`, and for each title or quotation that is not in it."""
    for chapter in CHAPTERS:
        number, title = chapter.paper.number, chapter.paper.title
        files = sorted(folder.glob(f"{number}*"))
        if not files:
            yield f"{folder} has no file for paper {number}"
            continue
        text = files[0].read_text(encoding="utf-8")
        if normalised(title) not in normalised(text):
            yield f"{number} is not called {title!r}"
        for quotation in chapter.quotations():
            if not is_quoted(quotation, text):
                yield f"{number} {quotation} is not there"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.check_quotations", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a folder with the papers as text")
    wrong = list(missing(parser.parse_args(arguments).folder))
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    print(f"{sum(len(chapter.quotations()) for chapter in CHAPTERS)} quotations, {len(wrong)} not found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
