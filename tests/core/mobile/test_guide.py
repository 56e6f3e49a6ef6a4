"""The page for whoever writes the device: its code runs, and its diagram is the table."""

from __future__ import annotations

import re

from tools.handoff import diagram

from tests.paths import ROOT

PAGE = ROOT / "docs" / "guide" / "04-roaming.md"


def test_the_code_of_the_guide_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})


def test_the_diagram_of_the_guide_is_the_table() -> None:
    (drawn,) = re.findall(r"```mermaid\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert drawn == diagram()
