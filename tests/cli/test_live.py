"""The conversations of `antecede demo --live`, judged here instead of on Spark."""

import asyncio
from pathlib import Path

from antecede.cli.live import KINDS, Town
from antecede.judge.judge import Verdict, judge
from tests.runtime.crowd import read_trace


def test_the_same_conversation_without_and_with_order(tmp_path: Path) -> None:
    found: dict[str, Verdict] = {}
    for kind in KINDS:
        asyncio.run(Town(tmp_path / kind, tmp_path / "traces" / kind, kind, 1, lambda _: None).live())
        found[kind] = judge(read_trace(tmp_path / "traces" / kind))
    plain, roam = found["plain"], found["roam"]
    assert (roam.verdict, roam.lost, roam.duplicates, roam.spurious) == ("holds", 0, 0, 0)
    assert (plain.lost, plain.duplicates, plain.spurious) == (0, 0, 0)
    assert (plain.messages, plain.deliveries) == (roam.messages, roam.deliveries)
    assert plain.violations > 0
