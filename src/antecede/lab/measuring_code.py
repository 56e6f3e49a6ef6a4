"""Name the code that measures, so that results say which code they are of, and rows of other code are not used.

The name is a digest of the source of everything that decides what an experiment measures: the algorithms, the judge,
the simulator and the experiments. Comments, docstrings and spaces do not count.
"""

from __future__ import annotations

import hashlib
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

MEASURING = ("core", "fast", "judge", "sim", "lab/experiments", "lab/printed")
IGNORED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
LAYOUT = {tokenize.INDENT: "{", tokenize.DEDENT: "}"}


@cache
def measuring_code(root: Path = Path(__file__).parents[1]) -> str:
    """Return the digest of the code that measures. `root` is the folder of the package."""
    digest = hashlib.sha256()
    for folder in MEASURING:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(f"\n{path.relative_to(root).as_posix()}\n".encode())
            digest.update("".join(_statements(path)).encode())
    return digest.hexdigest()[:12]


def _statements(path: Path) -> Iterator[str]:
    """Yield the statements of a file without comments, spaces, and strings that stand alone.

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
                    yield "".join(each.string for each in statement).replace(" ", "") + "\n"
                statement = []
