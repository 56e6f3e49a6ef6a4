"""Choose: simulate the same traffic without any ordering and with `ks`, and check both traces.

Run: python examples/simulate_and_check.py

Both runs have the same seed, so they have the same sends and the same delays. Without ordering some deliveries come
before their causes; with `ks` none does, and the simulator says what that costs on each message.
"""

import io
import json
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

from antecede.cli import main as antecede

TRAFFIC = ["--processes", "6", "--dests", "1-3", "--messages", "200", "--seed", "1"]


def main(folder: Path) -> None:
    traces = [folder / f"{algorithm}.jsonl" for algorithm in ("none", "ks")]
    for trace in traces:
        run_antecede("simulate", "--algorithm", trace.stem, *TRAFFIC, "--out", str(trace))
    for trace in traces:
        answer = json.loads(run_antecede("check", str(trace), "--json"))
        counts = f"{answer['violations']} violations in {answer['deliveries']} deliveries"
        print(f"{trace.stem}: {answer['verdict']}, {counts}")


def run_antecede(*arguments: str) -> str:
    """Run the command `antecede`, and return what it prints. Its status is 1 if a trace is violated."""
    with redirect_stdout(io.StringIO()) as printed:
        status = antecede(arguments)
    if status not in (0, 1):
        raise SystemExit(status)
    return printed.getvalue()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))
