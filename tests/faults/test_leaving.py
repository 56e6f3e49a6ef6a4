"""Processes that leave while they, and those whom they wait for, are killed: nothing is lost, and they do leave."""

from pathlib import Path

import pytest

from tests.runtime.arena import arena

pytestmark = pytest.mark.slow

SENT = 40


def test_leave_is_interrupted_again_and_again(tmp_path: Path, seed: int) -> None:
    with arena(tmp_path, "a b", messages=40, seed=seed) as run:
        arguments = (run.urls["a"], str(tmp_path), "c", "a,b", str(SENT), str(seed))
        run.launch("c", "tests.runtime.leaver", *arguments)
        for victim in run.chance.choices(["c", "c", "c", "a", "b"], k=6):
            run.wait_a_little()
            run.kill(victim)
            run.wait_a_little()
            if victim == "c":
                run.launch("c", "tests.runtime.leaver", *arguments)
            else:
                run.start(victim)
        assert run.ended("c") == 0, run.log("c")
        del run.running["c"]
        verdict = run.finish(sent_by_others=SENT)
    assert verdict.messages == 2 * 40 + SENT
    assert not (tmp_path / "nats" / "jetstream" / "$G" / "streams" / "antecede_faults_c").exists(), "its inbox is gone"
