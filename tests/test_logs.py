"""The real logs are those that tests/README.md lists."""

import hashlib
import re
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = pytest.mark.logs
LISTED = re.findall(
    r"^\| `(\S+)` \| .* \| `([0-9a-f]{64})` \|$", (ROOT / "tests" / "README.md").read_text(), re.MULTILINE
)


@pytest.mark.parametrize(("name", "checksum"), LISTED)
def test_a_log_has_the_checksum_that_is_listed(logs: Path, name: str, checksum: str) -> None:
    assert hashlib.sha256((logs / name).read_bytes()).hexdigest() == checksum


def test_every_log_is_listed(logs: Path) -> None:
    found = {str(path.relative_to(logs)) for path in logs.glob("*/*") if path.is_file()}
    assert found == {name for name, _ in LISTED}
