"""What `import antecede` offers, and what it leaves alone until somebody asks for it."""

import subprocess
import sys

import antecede
import antecede.runtime

LAZY = {"Host", "Limits", "NatsOptions", "Node", "join", "join_sync"}
SHOW_FOREIGN = """
import sys
before = set(sys.modules)
import antecede, antecede.mobile, antecede.locality
dir(antecede)
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(loaded - sys.stdlib_module_names))
"""


def test_the_names_of_the_runtime_are_listed_and_are_those_of_the_runtime() -> None:
    assert set(dir(antecede)) >= {*antecede.__all__, *LAZY, "__version__"}
    for name in LAZY:
        assert getattr(antecede, name) is getattr(antecede.runtime, name)
        assert name in antecede.runtime.__all__


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    assert not hasattr(antecede, "unheard_of")


def test_importing_the_library_loads_nothing_but_the_standard_library() -> None:
    """Dependencies and our own runtime are left alone, even when the names are listed."""
    shown = subprocess.run([sys.executable, "-c", SHOW_FOREIGN], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["antecede"]


def test_the_runtime_is_not_loaded_with_the_library() -> None:
    code = "import sys, antecede; print(*sorted(name for name in sys.modules if name.startswith('antecede.runtime')))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == ""
