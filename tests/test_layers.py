"""Which package, and which part of the pipeline and the runtime, may import which; and what the core may not touch.

core <- fast; core <- judge <- {sim, runtime, pipeline} <- {lab, web, cli}.
"""

import ast
import re
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
PURE = {
    *(
        "__future__",
        "bisect",
        "collections",
        "csv",
        "dataclasses",
        "enum",
        "functools",
        "heapq",
        "datetime",
        "inspect",
        "itertools",
    ),
    *("json", "math", "re", "struct", "types", "typing", "zlib"),
}
"""The modules that the core and the judge may use: of the standard library, and without time, chance or I/O."""
LOADS_BY_NAME = {"cli/__init__.py", "lab/experiments/__init__.py"}
"""The files that import a module whose name is a value: a command, and an experiment."""
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def called(path: Path) -> set[str]:
    """Return the names of the functions that a file calls."""
    calls = (node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    return {call.id if isinstance(call, ast.Name) else getattr(call, "attr", "") for call in calls}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down_the_layers_only(path: Path) -> None:
    """The package itself gives its version, and nothing else: whoever needs a name imports it from where it is."""
    layer = path.relative_to(SOURCE).parts[0]
    ours = {name for name in imports(path) if name.split(".")[0] == "antecede"}
    ours -= {"antecede", "antecede.__version__"} if "antecede.__version__" in ours else set()
    assert {name for name in ours if [*name.split("."), ""][1] not in MAY_IMPORT[layer]} == set()


def test_modules_are_loaded_by_name_only_where_the_name_is_a_value() -> None:
    dynamic = {str(path.relative_to(SOURCE)) for path in FILES if called(path) & {"__import__", "import_module"}}
    assert dynamic == LOADS_BY_NAME


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.relative_to(SOURCE).parts[0] in ("core", "judge")],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_the_core_and_the_judge_are_pure(path: Path) -> None:
    assert {name.split(".")[0] for name in imports(path)} - {"antecede"} <= PURE
    assert not called(path) & {"open", "exec", "eval", "input", "print", "now", "utcnow", "today"}


def test_the_core_has_no_form_that_a_paper_prints_and_that_is_wrong() -> None:
    """Those are in `lab/printed`: an algorithm of the core has no option that makes it wrong."""
    assert [path for path in (SOURCE / "core").rglob("*.py") if re.search(r"\bprinted\b", path.read_text(), re.I)] == []


def test_the_judge_shares_no_clock_code_with_the_accused() -> None:
    for path in (SOURCE / "judge").rglob("*.py"):
        used = {name for name in imports(path) if name.startswith("antecede.core")}
        assert {".".join(name.split(".")[:3]) for name in used} <= {"antecede.core.errors", "antecede.core.types"}, path


# Inside a package: what each part may import beside itself. Parts that are not named may be imported by all.

INSIDE = {
    "pipeline": {
        "schema": set(),
        "arrow": set(),
        "runner": set(),
        "read": set(),
        "kernel": set(),
        "windows": {"read", "kernel"},
        "tables": {"read", "kernel"},
        "verify": {"read", "kernel", "windows", "tables"},
        "report": {"read", "kernel", "windows", "tables", "verify"},
        "spark": set(),
        "open_trace": {"read", "verify"},
        "arguments": {"read", "tables"},
        "check": {"arguments", "open_trace", "read", "kernel", "windows", "tables", "verify", "report"},
    },
    "runtime": {
        "transport": set(),
        "state": {"transport"},
        "watch": {"state", "transport"},
        "node": {"state", "transport", "watch"},
        "roaming": {"state", "transport", "watch"},
    },
}
FREE = {
    "report.model",  # plain values, which the parts below `report` fill
    *("schema", "arrow", "errors", "limits", "runner", "dealing", "results", "progress"),
    *("delivery", "frames", "outbox", "group_commit", "background"),
    *("varint", "number_ranges", "envelopes", "driver", "block"),
}


def parts_imported(package: str) -> Iterator[tuple[str, str]]:
    """Yield (importing part, imported part) for every import between two parts of a package."""
    folder = SOURCE / package
    for path in folder.rglob("*.py"):
        part = path.relative_to(folder).parts[0].removesuffix(".py")
        for name in imports(path):
            target = name.split(".")
            if part != "__init__" and target[:2] == ["antecede", package] and len(target) > 2 and target[2] != part:
                yield part, "report.model" if target[2:4] == ["report", "model"] else target[2]


@pytest.mark.parametrize("package", INSIDE)
def test_imports_go_down_inside_a_package(package: str) -> None:
    allowed = INSIDE[package]
    wrong = {
        (part, target)
        for part, target in parts_imported(package)
        if part in allowed and target not in allowed[part] | FREE
    }
    assert wrong == set()


def test_only_one_folder_of_the_pipeline_uses_spark() -> None:
    """The others are functions between Arrow tables, and whoever starts a check hands them a runner."""
    folder = SOURCE / "pipeline"
    direct = {
        path.relative_to(folder).parts[0]
        for path in folder.rglob("*.py")
        if any(name.split(".")[0] in ("pyspark", "py4j") for name in imports(path))
    }
    assert direct == {"spark"}
    assert {part for part, target in parts_imported("pipeline") if target == "spark"} == set()


def test_nodes_and_stations_know_nothing_of_each_other() -> None:
    both = set(parts_imported("runtime"))
    assert ("node", "roaming") not in both
    assert ("roaming", "node") not in both


def test_no_test_imports_another() -> None:
    """What two tests share is in a support module, so that each test file can be read and run alone."""
    for path in (ROOT / "tests").rglob("*.py"):
        assert not [name for name in imports(path) if name.startswith("tests.") and ".test_" in name], path
