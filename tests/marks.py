"""Marks of single parameters of a test."""

from __future__ import annotations

from functools import partial

import pytest

slow = partial(pytest.param, marks=pytest.mark.slow)
"""A parameter that `make test-slow` runs, of a test whose other parameters `make test` runs."""
