"""Without ANTECEDE_BROWSER (which `tools/browser` prints, and `make test-browser` sets) there is nothing to collect."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium

collect_ignore_glob = [] if os.environ.get("ANTECEDE_BROWSER") else ["test_*.py"]


@pytest.fixture
def chromium(tmp_path: Path) -> Chromium:
    return Chromium(os.environ["ANTECEDE_BROWSER"], tmp_path)
