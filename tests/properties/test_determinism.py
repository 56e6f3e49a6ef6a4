"""Effects, their order, and the bytes of packets depend on the inputs alone, not on how a run of Python hashes."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.paths import ROOT


def performance(hash_seed: int) -> list[str]:
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.properties.determinism"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_the_same_effects_whatever_the_hash_seed() -> None:
    first, *others = [performance(hash_seed) for hash_seed in (1, 2, 3)]
    assert len(first) > 5_000
    for other in others:
        differences = [(a, b) for a, b in zip(first, other, strict=True) if a != b]
        assert not differences, f"{len(differences)} of {len(first)} differ; the first: {differences[0]}"
