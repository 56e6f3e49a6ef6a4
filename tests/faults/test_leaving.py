"""Processes that leave, and processes that are given up, while the others are killed.

Nothing is lost of what was sent between those who stay, and nobody waits for those who are gone.
"""

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


def test_a_process_is_given_up_by_others_that_are_killed(tmp_path: Path, seed: int) -> None:
    """`c` is killed for good, when some have its messages and others do not. The others are killed before, while and
    after they give it up.
    """
    with arena(tmp_path, "a b d", messages=60, seed=seed, gives_up="c") as run:
        run.launch("c", "tests.runtime.worker", run.urls["a"], str(tmp_path), "c", "a,b,d", "60", str(seed))
        run.wait(lambda: any(event.process == "c" and event.kind == "send" for event in run.events()))
        run.wait_a_little()
        run.kill("c")
        del run.running["c"]
        for at, victim in enumerate(run.chance.choices(run.names, k=8)):
            if at == 2:
                (tmp_path / "gone").touch()
            run.wait_a_little()
            run.kill(victim)
            run.start(victim)
        verdict = run.finish_without("c")
    assert verdict.deliveries > 60
