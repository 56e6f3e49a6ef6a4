"""The page for whoever writes the device: its code runs. Its diagram, and that of the design page, is the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.handoff import diagram

from tests.paths import ROOT

PAGE = ROOT / "docs" / "guide" / "04-roaming.md"
DESIGN = ROOT / "docs" / "design" / "hand-off.md"


def test_the_code_of_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """One program with stations, and one without."""
    driver, stationless = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(driver, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == ""
    exec(compile(stationless, str(PAGE), "exec"), {})
    assert re.fullmatch(r"\d+ moves, \d+ packets that came too late and were sent again\n", capsys.readouterr().out)


@pytest.mark.parametrize("page", [PAGE, DESIGN], ids=lambda page: page.name)
def test_the_diagram_of_a_page_is_the_table(page: Path) -> None:
    drawn = re.findall(r"```mermaid\n(stateDiagram.*?)```", page.read_text(), re.DOTALL)
    assert drawn == [diagram()]
