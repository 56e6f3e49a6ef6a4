"""Warnings of the runtime are heard in all tests of this folder."""

import logging

import pytest


@pytest.fixture(autouse=True)
def _hear_warnings(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "antecede")
