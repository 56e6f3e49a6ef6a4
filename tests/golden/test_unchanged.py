"""The golden files are those that were written once: nobody changed, added or deleted one since."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.files import FOLDERS, SUMS, digests


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_files_are_those_that_were_written(folder: Path) -> None:
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    kept = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    assert digests(folder) == kept
