"""Two processes of tests never get the same port, although neither has a server there yet."""

import subprocess
import sys

from tests.paths import ROOT
from tests.runtime.ports import free_ports

MANY = 3_000


def test_processes_of_tests_get_different_ports() -> None:
    mine = free_ports(MANY)
    assert len(set(mine)) == MANY
    program = f"from tests.runtime.ports import free_ports; print(*free_ports({MANY}))"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not set(mine) & set(map(int, other.stdout.split()))
