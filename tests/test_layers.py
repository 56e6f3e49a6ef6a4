"""core <- fast; core <- judge <- {sim, runtime, pipeline} <- {lab, web, cli}; and what the core may not touch."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

SOURCE = ROOT / "src" / "antecede"
MAY_IMPORT = {
    "core": {"core"},
    "judge": {"core", "judge"},
    "fast": {"core", "fast"},
    "sim": {"core", "judge", "sim"},
    "runtime": {"core", "judge", "runtime"},
    "pipeline": {"core", "judge", "pipeline"},
    "lab": {"core", "judge", "sim", "runtime", "pipeline", "lab"},
    "web": {"core", "judge", "sim", "runtime", "pipeline", "web"},
    "cli": {"core", "judge", "sim", "runtime", "pipeline", "lab", "web", "cli"},
}
IMPURE = {
    "time",
    "random",
    "uuid",
    "secrets",
    "logging",
    "os",
    "io",
    "asyncio",
    "threading",
    "socket",
    "datetime",
    "pathlib",
}
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down_the_layers_only(path: Path) -> None:
    layer = path.relative_to(SOURCE).parts[0]
    above = {
        name
        for name in imports(path)
        if name.startswith("antecede.")
        and name.split(".")[1] in MAY_IMPORT
        and name.split(".")[1] not in MAY_IMPORT[layer]
    }
    assert not above


@pytest.mark.parametrize(
    "path", sorted((SOURCE / "core").rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_the_core_is_pure(path: Path) -> None:
    roots = {name.split(".")[0] for name in imports(path)} - {"antecede"}
    assert roots <= sys.stdlib_module_names
    assert not roots & IMPURE


def test_the_core_has_no_form_that_a_paper_prints_and_that_is_wrong() -> None:
    """Those are in `lab/printed`: an algorithm of the core has no option that makes it wrong."""
    assert [path for path in (SOURCE / "core").rglob("*.py") if re.search(r"\bprinted\b", path.read_text(), re.I)] == []


def test_the_judge_shares_no_clock_code_with_the_accused() -> None:
    for path in (SOURCE / "judge").rglob("*.py"):
        used = {name for name in imports(path) if name.startswith("antecede.core")}
        assert all(name.startswith(("antecede.core.errors", "antecede.core.types")) for name in used), path
