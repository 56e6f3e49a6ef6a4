"""The digest of the code that measures: other statements have another one, other words have not."""

from pathlib import Path

import pytest

from antecede.lab.measuring_code import MEASURING, measuring_code
from tests.lab.tiny import tiny

SOURCE = '"""What it is for."""\n\n\ndef f(n):\n    """Return the next number."""\n    return n + 1  # one more\n'


def digest_of(root: Path, source: str, folder: str = "core") -> str:
    for each in MEASURING:
        (root / each).mkdir(parents=True, exist_ok=True)
    (root / folder / "m.py").write_text(source)
    measuring_code.cache_clear()
    return measuring_code(root)


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
    ],
)
def test_statements_count(tmp_path: Path, changed: str) -> None:
    assert digest_of(tmp_path, changed) != digest_of(tmp_path, SOURCE)


@pytest.mark.parametrize("folder", MEASURING)
def test_every_folder_that_measures_counts(tmp_path: Path, folder: str) -> None:
    assert digest_of(tmp_path / "a", SOURCE, folder) != digest_of(tmp_path / "b", SOURCE.replace("1", "2"), folder)


def test_rows_of_other_code_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tiny().digest(quick=True)
    monkeypatch.setattr("antecede.lab.experiment.measuring_code", lambda: "another")
    assert tiny().digest(quick=True) != before
