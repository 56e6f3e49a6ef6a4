"""The browser that `--browser` names; `make test-browser` finds or fetches one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.chromium import Chromium


@pytest.fixture
def chromium(pytestconfig: pytest.Config, tmp_path: Path) -> Chromium:
    return Chromium(str(pytestconfig.getoption("browser")), tmp_path)
