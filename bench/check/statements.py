"""Count the statements of the pipeline that read, verify and write, without docstrings and comments."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDERS = ("read", "verify", "windows", "tables")
"""With the modules beside these folders, and without the formats: each format that is added makes the count larger."""


def count_statements(tree: Path) -> dict[str, int]:
    """Return the number of statements by folder, for a source tree that has `src/antecede`."""
    pipeline = tree / "src" / "antecede" / "pipeline"
    found = {"": sum(map(_count, pipeline.glob("*.py")))}
    for name in FOLDERS:
        paths = (path for path in (pipeline / name).rglob("*.py") if "formats" not in path.parts)
        found[name] = sum(map(_count, paths))
    return found


def _count(path: Path) -> int:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    texts = sum(
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for node in nodes
    )
    return sum(isinstance(node, ast.stmt) for node in nodes) - texts
