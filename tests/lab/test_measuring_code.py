"""The digest of the code that measures: other statements have another one, other words have not."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import antecede
from antecede.lab.measuring_code import EXPERIMENTS, MEASURING, measuring_code
from tests.lab.tiny import tiny

SOURCE = '"""What it is for."""\n\n\ndef f(n):\n    """Return the next number."""\n    return n + 1  # one more\n'


DECLARED = {
    "shared.py": "from antecede.sim import simulate\nSIZE = 3\n\n\ndef run(point):\n    return simulate(SIZE, point)\n",
    "one.py": '''"""One experiment."""

from antecede.lab.claims import at
from antecede.lab.experiments.shared import run

LABEL = "size"
SIZES = (1, 2)


def measure(point, seed):
    return {LABEL: run(point)}


def _claims():
    return [at(LABEL, n) for n in SIZES]


ONE = Experiment(name="one", about="What it is.", grid=SIZES, measure=measure, claims=_claims(), seeds=(1, 2))
''',
}
"""Modules of an experiment."""


def digest_of(root: Path, source: str, folder: str = "core") -> str:
    for each in MEASURING:
        if each.endswith(".py"):
            (root / each).parent.mkdir(parents=True, exist_ok=True)
            (root / each).write_text(SOURCE)
        else:
            (root / each).mkdir(parents=True, exist_ok=True)
    (root / folder if folder.endswith(".py") else root / folder / "m.py").write_text(source)
    measuring_code.cache_clear()
    return measuring_code(root)


def digest_of_experiments(root: Path, old: str, new: str) -> str:
    """Return the digest of the modules of `DECLARED` with `new` in place of `old`, which is in one of them."""
    (root / EXPERIMENTS).mkdir(parents=True)
    assert [old in source for source in DECLARED.values()].count(True) == 1
    for name, source in DECLARED.items():
        (root / EXPERIMENTS / name).write_text(source.replace(old, new))
    return digest_of(root, SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('about="What it is."', 'about="Something else."'),
        ("at(LABEL, n)", "at(LABEL, n + 1)"),
        ("import at\n", "import at, within\n"),
        ("One experiment.", "Another."),
        ("def _claims():", "X = 7\n\n\ndef _claims():"),
        ("claims=_claims()", "claims=[]"),
    ],
)
def test_what_is_said_of_results_does_not_count(tmp_path: Path, old: str, new: str) -> None:
    before = digest_of_experiments(tmp_path / "before", "One experiment.", "One experiment.")
    assert digest_of_experiments(tmp_path / "after", old, new) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run(point)}", "run(point) + 1}"),
        ('"size"', '"bytes"'),
        ("(1, 2)\n\n", "(1, 3)\n\n"),
        ("seeds=(1, 2)", "seeds=(1, 2, 3)"),
        ("SIZE = 3", "SIZE = 4"),
        ("(SIZE, point)", "(point, SIZE)"),
        ("antecede.sim", "antecede.simulator"),
        ("measure=measure", "measure=lambda point, seed: {}"),
        ("LABEL = ", "print()\nLABEL = "),
    ],
)
def test_what_an_experiment_measures_with_counts_in_whichever_module_it_is(tmp_path: Path, old: str, new: str) -> None:
    before = digest_of_experiments(tmp_path / "before", "One experiment.", "One experiment.")
    assert digest_of_experiments(tmp_path / "after", old, new) != before


@pytest.mark.parametrize(
    "words",
    [
        SOURCE.replace("one more", "the next"),
        SOURCE.replace("Return the next number.", "Return one\n    more."),
        SOURCE.replace('"""What it is for."""\n', ""),
        SOURCE.replace("n + 1", "n+1"),
    ],
)
def test_words_do_not_count(tmp_path: Path, words: str) -> None:
    assert words != SOURCE
    assert digest_of(tmp_path, words) == digest_of(tmp_path, SOURCE)


@pytest.mark.parametrize(
    "changed",
    [
        SOURCE.replace("n + 1", "n + 2"),
        SOURCE.replace("    return", "    if n:\n        return"),
        SOURCE + "x = 'a text that is a value'\n",
        SOURCE + "x = 'atextthatisavalue'\n",
    ],
)
def test_statements_count(tmp_path: Path, changed: str) -> None:
    assert digest_of(tmp_path, changed) != digest_of(tmp_path, SOURCE)


@pytest.mark.parametrize("folder", MEASURING)
def test_every_folder_that_measures_counts(tmp_path: Path, folder: str) -> None:
    assert digest_of(tmp_path / "a", SOURCE, folder) != digest_of(tmp_path / "b", SOURCE.replace("1", "2"), folder)


def test_the_digest_is_the_same_for_all_versions_of_python(tmp_path: Path) -> None:
    """Since 3.12, a formatted string is several tokens, and doubled braces are single ones in them."""
    source = SOURCE + "def g(n, m):\n    return f'{{ {n + 1!r:>{m}} }} a b' f\"{n['x y']}\" + 'c d'\n"
    assert digest_of(tmp_path, source) == "9891c95c63c8"


def test_whatever_an_experiment_imports_to_measure_counts() -> None:
    """Only modules that declare experiments, judge their results or draw them are left out."""
    package = Path(antecede.__file__).parent
    counted = {path for part in (*MEASURING, EXPERIMENTS) for path in [package / part, *(package / part).rglob("*.py")]}
    left_out = {
        path.relative_to(package).as_posix()
        for name in ("experiments", "printed")
        for source in (package / "lab" / name).rglob("*.py")
        for path in modules_imported_by(source, package)
        if path not in counted
    }
    assert left_out == {"lab/claims.py", "lab/experiment.py", "lab/results.py"}


def modules_imported_by(source: Path, package: Path) -> Iterator[Path]:
    """Yield the modules of the package from which a file imports names."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("antecede."):
            path = package.joinpath(*node.module.split(".")[1:])
            yield path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"


def test_rows_of_other_code_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tiny().digest(quick=True)
    monkeypatch.setattr("antecede.lab.experiment.measuring_code", lambda: "another")
    assert tiny().digest(quick=True) != before
