"""What was logged, for tests of warnings."""

import re

import pytest


def said(caplog: pytest.LogCaptureFixture, pattern: str) -> int:
    """Return how often something like `pattern` was logged."""
    return sum(re.search(pattern, record.getMessage()) is not None for record in caplog.records)
