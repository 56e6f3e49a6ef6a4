"""The fault suite is run as one: each of its modules is marked as slow, and is in the table of what is done to whom."""

from pathlib import Path

from tests import faults
from tests.paths import ROOT

FOLDER = ROOT / "tests" / "faults"


def is_of_a_helper(module: Path) -> bool:
    """Return whether a module tests a helper of the suite, which has its name, and does nothing to processes."""
    return (FOLDER / module.name.removeprefix("test_")).exists()


def test_every_module_is_slow_and_in_the_table() -> None:
    modules = [module for module in sorted(FOLDER.glob("test_*.py")) if not is_of_a_helper(module)]
    assert len(modules) > 10
    quick = [module.name for module in modules if "pytestmark = pytest.mark.slow" not in module.read_text()]
    untold = [module.name for module in modules if f"`{module.stem}`" not in str(faults.__doc__)]
    assert (quick, untold) == ([], [])
