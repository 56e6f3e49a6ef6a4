"""Where things are: the top of the project, its documents, and data of the tests."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CERTIFICATE = ROOT / "tests" / "runtime" / "data" / "loopback.pem"
