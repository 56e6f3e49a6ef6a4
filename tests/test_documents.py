"""What the documents say is run: the example of the package, and the blocks of the README and the guide."""

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest

import antecede
import antecede.fast

ROOT = Path(__file__).parent.parent
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


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.name
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
