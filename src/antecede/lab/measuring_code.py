"""Name the code that measures, so that results say which code they are of, and rows of other code are not used.

The name is a digest of the source of everything that decides what an experiment measures: the algorithms, the judge,
the simulator, the experiments, and what they are run by. Comments, docstrings and spaces outside of strings do not
count.
"""

from __future__ import annotations

import hashlib
import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

MEASURING = ("core", "fast", "judge", "sim", "lab/experiments", "lab/printed", "lab/topologies.py", "lab/executor.py")
IGNORED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
LAYOUT = {tokenize.INDENT: "{", tokenize.DEDENT: "}"}
START, LITERAL, END = (getattr(tokenize, f"FSTRING_{part}", None) for part in ("START", "MIDDLE", "END"))
"""From Python 3.12 on, the tokens of a formatted string. The literal between its values lacks doubled braces."""
PLAIN_STRING = re.compile(r"[bBrRuU]*['\"]")


@cache
def measuring_code(root: Path = Path(__file__).parents[1]) -> str:
    """Return the digest of the code that measures. `root` is the folder of the package."""
    digest = hashlib.sha256()
    for part in MEASURING:
        for path in [root / part] if part.endswith(".py") else sorted((root / part).rglob("*.py")):
            digest.update(f"\n{path.relative_to(root).as_posix()}\n".encode())
            digest.update("".join(_statements(path)).encode())
    return digest.hexdigest()[:12]


def _statements(path: Path) -> Iterator[str]:
    """Yield the statements of a file without comments, strings that stand alone, and spaces outside of plain strings.

    Without spaces a formatted string is the same whether Python takes it for one token, as 3.11 does, or for several.
    """
    with path.open("rb") as source:
        statement: list[tokenize.TokenInfo] = []
        for token in tokenize.tokenize(source.readline):
            if token.type in LAYOUT:
                yield LAYOUT[token.type]
            elif token.type != tokenize.NEWLINE:
                statement += [token] if token.type not in IGNORED else []
            else:
                if not all(each.type == tokenize.STRING for each in statement):
                    yield "".join(_texts(statement)) + "\n"
                statement = []


def _texts(statement: Iterable[tokenize.TokenInfo]) -> Iterator[str]:
    """Yield what counts of the tokens of a statement."""
    depth = 0  # of formatted strings
    for token in statement:
        depth += (token.type == START) - (token.type == END)
        if token.type == tokenize.STRING and not depth and PLAIN_STRING.match(token.string):
            yield token.string
        elif token.type == LITERAL:
            yield token.string.replace(" ", "").replace("{", "{{").replace("}", "}}")
        else:
            yield token.string.replace(" ", "")
