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

DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
DOCUMENTS += [ROOT / "examples" / "README.md", ROOT / "tests" / "README.md"]
DOCUMENTS += sorted((ROOT / "docs").rglob("*.md"))
PROGRAMS = [page for page in DOCUMENTS if "```python" in page.read_text() and "reference" not in page.parts]
DESCRIPTIONS = [ROOT / name for name in ("CONTRIBUTING.md", "docs/ARCHITECTURE.md")]
DESCRIPTIONS += sorted((ROOT / "docs" / "design").glob("*.md"))
SOURCES = (ROOT, ROOT / "src" / "antecede")
README_LINES_MAX = 110


@pytest.mark.parametrize("package", [antecede, antecede.fast], ids=lambda package: package.__name__)
def test_the_example_of_the_package_is_true(package: ModuleType) -> None:
    failures, examples = doctest.testmod(package, optionflags=doctest.ELLIPSIS)
    assert examples > 5
    assert failures == 0


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: str(page.relative_to(ROOT)))
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


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", DESCRIPTIONS, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_and_folders_that_a_page_names_exist(page: Path) -> None:
    """Paths in backquotes, such as `core/wire/packets.py` or `pipeline/windows`, are those of the tree."""
    for path in re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)+(?:\.py)?)`", page.read_text()):
        assert any((source / path).exists() for source in SOURCES), f"{page.name} names {path}"


def test_the_architecture_names_every_package() -> None:
    named = set(re.findall(r"`([a-z_/]+)`", (ROOT / "docs" / "ARCHITECTURE.md").read_text()))
    packages = {path.parent.relative_to(SOURCES[1]) for path in SOURCES[1].rglob("__init__.py")}
    for package in sorted(packages - {Path()}):
        is_named = str(package) in named or (str(package.parent) in named and package.name in named)
        assert is_named, f"docs/ARCHITECTURE.md says nothing about {package}"


def test_the_readme_is_one_page() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES_MAX
