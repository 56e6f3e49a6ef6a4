"""What the tests may patch: never a constant of a module, because a limit is an argument or a field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.paths import ROOT

CONSTANT = re.compile(r"(.*\.)?[A-Z][A-Z0-9_]+")
PATCHING = {"setattr", "patch", "object"}


def patched_constants(source: str) -> Iterator[str]:
    """Yield each name in upper case that is given to `setattr` or `patch`, or assigned to as an attribute."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = [each.value for each in node.args[:2] if isinstance(each, ast.Constant)]
            names = [str(name) for name in given] if called in PATCHING else []
        else:
            targets = node.targets if isinstance(node, ast.Assign) else []
            names = [target.attr for target in targets if isinstance(target, ast.Attribute)]
        yield from filter(CONSTANT.fullmatch, names)


def test_no_test_patches_a_module_constant() -> None:
    """A limit is an argument or a field of a class of limits."""
    sample = "monkeypatch.setattr(m, 'A_MAX', 8); patch('m.B_S', 0); m.C_S = 1; monkeypatch.setattr('sys.stdin', x)"
    assert sorted(patched_constants(sample)) == ["A_MAX", "C_S", "m.B_S"]
    files = sorted((ROOT / "tests").rglob("*.py"))
    found = {str(path.relative_to(ROOT)): list(patched_constants(path.read_text())) for path in files}
    assert {path: names for path, names in found.items() if names} == {}
