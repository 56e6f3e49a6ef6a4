"""Name the code that measures, so that results say which code they are of, and rows of other code are not used.

The name is a digest of the source of everything that decides what an experiment measures: the algorithms, the judge,
the simulator, the experiments, and what they are run by. Comments, docstrings and spaces outside of strings do not
count. Of the modules of experiments, only what the grid and the measurement use counts: claims, charts and what is said
of the results can be corrected without measuring again.
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

MEASURING = ("core", "fast", "judge", "sim", "lab/printed", "lab/topologies.py", "lab/executor.py")
EXPERIMENTS, PACKAGE = "lab/experiments", "antecede.lab.experiments"
DECISIVE = {"grid", "quick", "measure", "seeds", "quick_seeds", "timed", "cost"}
"""The fields of `Experiment` that decide what is measured."""
IGNORED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
LAYOUT = {tokenize.INDENT: "{", tokenize.DEDENT: "}"}
START, LITERAL, END = (getattr(tokenize, f"FSTRING_{part}", None) for part in ("START", "MIDDLE", "END"))
"""From Python 3.12 on, the tokens of a formatted string. The literal between its values lacks doubled braces."""
PLAIN_STRING = re.compile(r"[bBrRuU]*['\"]")


@cache
def measuring_code(root: Path = Path(__file__).parents[1]) -> str:
    """Return the digest of the code that measures. `root` is the folder of the package."""
    digest = hashlib.sha256()
    sources = [
        (path, path.read_text(encoding="utf-8"))
        for part in MEASURING
        for path in ([root / part] if part.endswith(".py") else sorted((root / part).rglob("*.py")))
    ]
    for path, source in [*sources, *_measuring_parts(sorted((root / EXPERIMENTS).rglob("*.py")))]:
        digest.update(f"\n{path.relative_to(root).as_posix()}\n".encode())
        digest.update("".join(_statements(source)).encode())
    return digest.hexdigest()[:12]


Name: TypeAlias = tuple[str, str]
"""A name of a module of experiments: the module, without its package, and the name in it."""


@dataclass(frozen=True, slots=True, order=True)
class _Part:
    """A part of a module of experiments: a statement, one name of an import, or a field of a declaration."""

    path: Path
    line: int
    column: int
    source: str
    uses: frozenset[Name] = frozenset()


def _measuring_parts(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    """Return the parts of modules of experiments that decide what is measured, with the paths of their modules.

    These are the decisive fields of declarations, whatever defines a name that such a part uses, and statements that
    define no name.
    """
    defining: dict[Name, list[_Part]] = defaultdict(list)
    found: list[_Part] = []
    for path in paths:
        for name, part in _parts_of(path):
            (found if name is None else defining[path.stem, name]).append(part)
    for part in found:  # it grows
        for used in sorted(part.uses):
            found += defining.pop(used, [])
    return [(part.path, part.source) for part in sorted(set(found))]


def _parts_of(path: Path) -> Iterator[tuple[str | None, _Part]]:
    """Yield the parts of a module, each with a name that it defines, or with None if it counts in any case."""
    source = path.read_text(encoding="utf-8")
    statements = ast.parse(source).body
    modules = {
        alias.asname or alias.name: alias.name
        for statement in statements
        if isinstance(statement, ast.ImportFrom) and statement.module == PACKAGE
        for alias in statement.names
    }
    for statement in statements:
        at = (path, statement.lineno, statement.col_offset)
        match statement:
            case ast.Expr(ast.Constant(str())):
                continue
            case ast.ImportFrom(module, aliases):
                for alias in aliases:
                    text = f"from {module} import {alias.name}\n"
                    own = frozenset({(str(module).removeprefix(f"{PACKAGE}."), alias.name)})
                    yield alias.asname or alias.name, _Part(*at, text, own)
            case ast.Assign(value=ast.Call(keywords=fields)) if any(field.arg in DECISIVE for field in fields):
                for field in fields:
                    if field.arg in DECISIVE:
                        text = f"{field.arg} = ({ast.get_source_segment(source, field.value)})\n"
                        at = (path, field.value.lineno, field.value.col_offset)
                        yield None, _Part(*at, text, _names_used(field.value, path.stem, modules))
            case _:
                first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", []))])
                lines = source.splitlines()[first - 1 : statement.end_lineno]
                part = _Part(*at, "\n".join([*lines, ""]), _names_used(statement, path.stem, modules))
                for name in _names_defined(statement) or [None]:
                    yield name, part


def _names_defined(statement: ast.stmt) -> list[str | None]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _names_used(part: ast.AST, module: str, modules: Mapping[str, str]) -> frozenset[Name]:
    """Return the names that a part of `module` uses. `modules` are the modules of experiments that it has imported."""
    found: set[Name] = set()
    for node in ast.walk(part):
        match node:
            case ast.Attribute(ast.Name(base), name) if base in modules:
                found.add((modules[base], name))
            case ast.Name(name):
                found.add((module, name))
    return frozenset(found)


def _statements(source: str) -> Iterator[str]:
    """Yield the statements of a source without comments, strings that stand alone, and spaces outside of plain strings.

    Without spaces a formatted string is the same whether Python takes it for one token, as 3.11 does, or for several.
    """
    statement: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
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
