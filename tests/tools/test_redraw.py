"""Kept results are judged and drawn again without being measured, and come out the same if nothing has changed."""

import shutil
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools import redraw

KEPT = ROOT / "docs" / "reproduction" / "prs-fig6"


def test_results_are_redrawn_as_they_were(tmp_path: Path) -> None:
    folder = tmp_path / KEPT.name
    shutil.copytree(KEPT, folder)
    redraw.main([str(folder)])
    figures = {path.name: path.read_bytes() for path in folder.glob("figure.*")}
    assert figures.keys() == {"figure.png", "figure.svg"}
    redraw.main([str(folder)])
    assert {path.name: path.read_bytes() for path in folder.glob("figure.*")} == figures
    assert (folder / "claims.json").read_text() == (KEPT / "claims.json").read_text()


def test_a_folder_without_results_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="there are no results in"):
        redraw.main([str(tmp_path)])
