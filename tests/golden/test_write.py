"""Golden files can be written with the code as it is, into a new folder only."""

from pathlib import Path

import pytest

from tests.golden.files import NEWEST
from tests.golden.write import main


def test_a_new_folder_gets_the_files_that_the_newest_has(tmp_path: Path) -> None:
    assert main([str(tmp_path / "v9")]) == 0
    assert _files(tmp_path / "v9") == _files(NEWEST)


def test_a_folder_that_exists_is_not_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "never changed" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def _files(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
