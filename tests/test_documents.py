"""What the documents say is run: the example of the package, and the blocks of the README and the guide."""

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest

import antecede
import antecede.fast
from antecede.core.holdback import HOLD_BACK_LIMIT
from antecede.core.roster import NAME_BYTES_MAX, PAYLOAD_BYTES_MAX
from antecede.core.wire.packets import PACKET_BYTES_MAX
from antecede.runtime.limits import Limits
from antecede.runtime.state.store import QUARANTINE_ROWS_MAX
from tests.paths import ROOT

PAGES = [ROOT / "README.md", *sorted(p for p in (ROOT / "docs" / "guide").glob("*.md") if "```python" in p.read_text())]


@pytest.mark.parametrize("package", [antecede, antecede.fast], ids=lambda package: package.__name__)
def test_the_example_of_the_package_is_true(package: ModuleType) -> None:
    failures, examples = doctest.testmod(package, optionflags=doctest.ELLIPSIS)
    assert examples > 5
    assert failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_a_page_runs(page: Path) -> None:
    """The blocks of one page are one program, from top to bottom."""
    program = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
    exec(compile(program, str(page), "exec"), {"__name__": "page"})


MIB = 2**20
LIMITS = {
    "03-driving.md": {
        "packets held back": f"{HOLD_BACK_LIMIT:,} (`hold_back_limit`)",
        "a payload": f"{PAYLOAD_BYTES_MAX // MIB} MiB",
        "a packet on the wire": f"{PACKET_BYTES_MAX // MIB} MiB",
        "a process or group name": f"{NAME_BYTES_MAX} bytes of UTF-8",
    },
    "06-enforcing.md": {
        "`Limits(outbox=)`: packets that some inbox does not have": f"{Limits().outbox:,}",
        "`Limits(inbox=)`: messages not acknowledged": f"{Limits().inbox:,}",
        "`hold_back_limit=`: packets held back": f"{HOLD_BACK_LIMIT:,}",
        "a payload": f"half of the broker's `max_payload`, and {PAYLOAD_BYTES_MAX // MIB} MiB",
        "the quarantine": f"the first {QUARANTINE_ROWS_MAX:,}",
    },
}


@pytest.mark.parametrize("name", LIMITS)
def test_the_limits_of_a_page_are_those_of_the_code(name: str) -> None:
    _, _, table = (ROOT / "docs" / "guide" / name).read_text().partition("| limit | default | at the limit |")
    rows = [line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines()[2:]]
    assert {limit: default for limit, default, _ in rows} == LIMITS[name]


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "tests" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
