"""Real processes over a real server, killed, stopped and cut off; each run is judged by the trace that it wrote."""

from pathlib import Path

import pytest

from tests.runtime.arena import arena


def url(folder: Path) -> str:
    return f"embedded://{folder / 'nats'}"


def test_processes_that_nothing_happens_to(tmp_path: Path) -> None:
    with arena(tmp_path, url(tmp_path), "a b c", messages=40, seed=1) as run:
        verdict = run.finish()
    assert verdict.deliveries > 100


@pytest.mark.parametrize("seed", [1, 2])
def test_kill_at_random_instants(tmp_path: Path, seed: int) -> None:
    """Whatever dies whenever: nothing lost, nothing twice, order kept, and what was not acknowledged is offered again."""
    with arena(tmp_path, url(tmp_path), "a b c", messages=150, seed=seed) as run:
        for _ in range(6):
            victim = run.chance.choice(run.names)
            run.wait_a_little()
            run.kill(victim)
            run.wait_a_little()
            run.start(victim)
        run.finish()
