"""Who uses a part of antecede whose packages are not installed is told what to install."""

import os
import re
import subprocess
import sys

from tests.paths import ROOT

WITHOUT_PACKAGES = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("nats", "websockets", "prometheus_client", "jwt", "pyarrow"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import antecede
for statement in sys.argv[1:]:
    for name in [name for name in sys.modules if name.startswith("antecede.runtime")]:
        del sys.modules[name]
    try:
        exec(statement)
    except ImportError as error:
        print(error)
"""


def test_whoever_uses_a_part_that_is_not_installed_is_told_what_to_install() -> None:
    words = {
        "antecede.join": ("antecede.join", "runtime"),
        "antecede.join_sync": ("antecede.join_sync", "runtime"),
        "from antecede import Host": ("antecede.Host", "runtime"),
        "from antecede import Limits": ("antecede.Limits", "runtime"),
        "from antecede.runtime import join": ("antecede.runtime", "runtime"),
        "import antecede.runtime.node.node": ("antecede.runtime", "runtime"),
        "antecede.check": ("antecede.check", "app"),
    }
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", WITHOUT_PACKAGES, *words]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.splitlines()
    for line, (what, part) in zip(shown, words.values(), strict=True):
        pattern = rf"{re.escape(what)} needs \w+, which is not installed: pip install 'antecede\[{part}\]'"
        assert re.fullmatch(pattern, line), line
