"""`python -m tools.test_wheel`: build the wheel and use it as a stranger would, in environments that have nothing else.

Installed bare, `import antecede` and the README's library example need the standard library alone. Installed with
`[app]`, the command line works and a small check gives its verdict.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEFORE = "import sys\nbefore = set(sys.modules)\n"
AFTER = """
loaded = {name.partition(".")[0] for name in sys.modules.keys() - before}
print(sorted(loaded - {"antecede"} - sys.stdlib_module_names))
"""
VIOLATED = [
    {"process": "a", "index": 0, "kind": "send", "message": "m1", "dests": ["b"]},
    {"process": "a", "index": 1, "kind": "send", "message": "m2", "dests": ["b"]},
    {"process": "b", "index": 0, "kind": "deliver", "message": "m2"},
    {"process": "b", "index": 1, "kind": "deliver", "message": "m1"},
]


class Environment:
    """A virtual environment in an empty folder; what runs in it sees nothing of this project's tree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        _run([sys.executable, "-m", "venv", str(folder)], folder.parent)

    def install(self, requirement: str) -> None:
        self.run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)

    def run(self, *arguments: str, status: int = 0) -> str:
        """Run Python with these arguments, expect its exit status, and return what it printed."""
        return _run([str(self.folder / "bin" / "python"), *arguments], self.folder, status)


def main() -> None:
    """Raise `SystemExit` with words at the first thing that does not work."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = _build(folder / "dist")
        bare = Environment(folder / "bare")
        bare.install(str(wheel))
        foreign = bare.run("-c", BEFORE + _readme_example() + AFTER).splitlines()[-1]
        if foreign != "[]":
            raise SystemExit(f"the library imports more than the standard library: {foreign}")
        for module in ("antecede", "antecede.runtime"):
            told = bare.run(
                "-c", f"try:\n    from {module} import join\nexcept ImportError as error:\n    print(error)"
            )
            if "pip install 'antecede[runtime]'" not in told:
                raise SystemExit(f"who imports join from {module} is not told what to install: {told!r}")
        print("bare: the README's example runs on the standard library alone, and join says what to install")
        app = Environment(folder / "app")
        app.install(f"antecede[app] @ {wheel.as_uri()}")
        if "check" not in app.run("-m", "antecede", "--help"):
            raise SystemExit("antecede --help does not name the command check")
        trace = app.folder / "trace.jsonl"
        trace.write_text("".join(json.dumps(row) + "\n" for row in VIOLATED))
        found = json.loads(app.run("-m", "antecede", "check", str(trace), "--json", status=1))
        if found["violations"] != 1:
            raise SystemExit(f"the small check counts {found['violations']} violations and not 1")
        print("app: antecede --help and a small check work")


def _build(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    _run([*command, "--wheel-dir", str(folder), str(ROOT)], ROOT)
    (wheel,) = folder.glob("antecede-*.whl")
    return wheel


def _readme_example() -> str:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return str(example)


def _run(command: list[str], folder: Path, status: int = 0) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise SystemExit(f"{' '.join(command[:4])} ... ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
