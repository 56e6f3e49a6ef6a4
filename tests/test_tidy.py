"""The shape of the source: few modules in a folder, short files and functions, one meaning for each name. The tests
mirror the source.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

SOURCE = ROOT / "src" / "antecede"
TESTS = ROOT / "tests"
FILES = sorted(SOURCE.rglob("*.py"))
FOLDERS = sorted({path.parent for path in FILES})
ALL_FILES = sorted(
    path for name in ("src", "tests", "bench", "tools", "examples") for path in (ROOT / name).rglob("*.py")
)

MODULES_MAX = 15
MORE_MODULES: dict[str, str] = {
    "cli": "one for each command, and what several share",
    "core/ordering": "one for each algorithm",
    "lab/experiments": "one for each experiment, and what several share",
}
"""Folders that have more modules, and why. Take out what is no longer so."""
LINES_MAX = 400
FUNCTION_LINES_MAX = 60


SAME_NAME_ACROSS = {
    "Host": "the state machine; the same with sockets",
    "Limits": "of a check; of a node",
    "Network": "of the runtime; of the simulator",
    "Plan": "of a check; of clocks that are local to a graph",
    "Received": "by the fast path; by a transport",
}
"""Class names that more than one package has, and what each means there. Take out what is no longer so; add nothing."""
IMPERATIVES = """
Accept Acknowledge Add Admit Agree Answer Append Ask Begin Bring Call Cancel Carry Check Close Commit Compare
Complete Compute Connect Count Cut Delete Deliver Disconnect Do Draw Drop End Explain File Find Flush Forget
Fork Give Go Hand Insert Join Judge Keep Leave Let List Listen Load Log Look Make Measure Merge Move Note
Offer Open Pass Plan Print Publish Put Queue Raise Read Rebuild Receive Record Refuse Register Release
Remember Remove Rename Replace Return Run Say Schedule Send Set Simulate Split Stage Stamp Start Stop Store
Switch Take Tell Turn Use Wait Wake Walk Write Yield
"""
"""First words of the docstrings of functions. Add a verb if a new docstring begins with it; add nothing else."""


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_folder_has_few_modules(folder: Path) -> None:
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MODULES_MAX or name_of(folder) in MORE_MODULES


def test_no_exception_is_left_that_nobody_needs() -> None:
    for folder in MORE_MODULES:
        assert len(list((SOURCE / folder).glob("*.py"))) > MODULES_MAX + 1


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_package_opens_with_a_map_of_its_modules(folder: Path) -> None:
    """Each module and each package has a line of its own that begins with its name, and no line names what is gone."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    packages = {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}
    assert set(re.findall(r"^(\w+/?) +\S", text, re.MULTILINE)) >= modules | packages
    assert set(re.findall(r"^(\w+/?) {2,}\S", text, re.MULTILINE)) <= modules | packages


def mirrors_a_module(path: Path) -> bool:
    """Return whether a test file is named after a module of the source, or after a helper of the tests beside it."""
    folder, name = SOURCE / path.parent.relative_to(TESTS), path.stem.removeprefix("test_")
    modules = {each.stem for each in (*folder.glob("*.py"), *folder.glob("*/")) if not each.stem.startswith("_")}
    helpers = {each.stem for each in path.parent.glob("*.py")}
    return name in helpers or any(name == module or name.startswith(f"{module}_") for module in modules)


def listed_tests(heading: str) -> set[str]:
    """Return the names in the first column of the table below a heading of tests/README.md."""
    section = (TESTS / "README.md").read_text().partition(f"{heading}\n")[2].partition("\n#")[0]
    return {
        name for row in re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE) for name in re.findall(r"`(.+?)`", row)
    }


def test_tests_mirror_the_source_or_are_listed() -> None:
    files = {
        str(path.relative_to(TESTS))
        for path in TESTS.rglob("test_*.py")
        if (path.parent == TESTS or (SOURCE / path.relative_to(TESTS).parts[0]).is_dir()) and not mirrors_a_module(path)
    }
    assert listed_tests("### Files of no single module") == files


def test_folders_of_tests_that_the_source_does_not_have_are_listed() -> None:
    folders = {path.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")}
    assert listed_tests("## Where a test goes") == {name for name in folders if not (SOURCE / name).is_dir()}


def test_files_are_short() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in ALL_FILES}
    assert {name: length for name, length in lengths.items() if length > LINES_MAX} == {}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_functions_are_short(path: Path) -> None:
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= FUNCTION_LINES_MAX
    }
    assert not long


def classes() -> Iterator[tuple[str, str]]:
    """Yield (class name, module) for every class of the source that is not private."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, name_of(path)


def test_no_class_name_stands_twice_within_a_package() -> None:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, module in classes():
        places[module.split("/")[0], name].append(module)
    assert {key: modules for key, modules in places.items() if len(modules) > 1} == {}


def constants(package: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, module) for every constant and type that a module of the package defines, private ones included."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for name in (each for target in targets if target is not None for each in ast.walk(target)):
                if isinstance(name, ast.Name) and name.id.strip("_")[:1].isupper():
                    yield name.id, name_of(path)


def test_no_constant_of_the_pipeline_is_defined_twice() -> None:
    """A constant that two modules need is defined in one of them. If it means two things, it has two names."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, module in constants(SOURCE / "pipeline"):
        places[name].append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_class_names_that_several_packages_have_are_listed() -> None:
    packages: dict[str, set[str]] = defaultdict(set)
    for name, module in classes():
        packages[name].add(module.split("/")[0])
    assert {name for name, those in packages.items() if len(those) > 1} == set(SAME_NAME_ACROSS)


IGNORES = re.compile(r"#\s*type:\s*ignore|#\s*mypy:|\bno_" + "type_check")
IGNORES_WITH_REASON = re.compile(r"# type: ignore\[[a-z, -]+\]  # (?!noqa)\w+.* \w+")


def test_every_ignored_type_has_a_reason() -> None:
    """What is ignored is one error in one line, and words say why. Nothing switches a file or a function off."""
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in ALL_FILES
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if IGNORES.search(line) and not IGNORES_WITH_REASON.search(line) and "re.compile" not in line
    ]
    assert not bare


def first_words() -> Iterator[tuple[str, str]]:
    """Yield (first word, place) for the docstring of every function of the source, after the mark `Internal:`."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                word = re.match(r"[A-Za-z]*", text.removeprefix("Internal: "))
                yield word[0].capitalize() if word else "", f"{name_of(path)}:{node.lineno} {node.name}"


def test_docstrings_of_functions_begin_with_a_verb_in_the_imperative() -> None:
    """PEP 257: "Return ...", "Write ...", "Raise ... if ...". `Returns` and `The ...` are not in the list."""
    assert {place: word for word, place in first_words() if word not in IMPERATIVES.split()} == {}


def test_no_verb_is_listed_that_no_docstring_begins_with() -> None:
    assert set(IMPERATIVES.split()) - {word for word, _ in first_words()} == set()


def test_the_verbs_are_sorted() -> None:
    assert IMPERATIVES.split() == sorted(set(IMPERATIVES.split()))
