"""A cluster of three NATS servers over TLS, which keep every inbox together: servers are killed and stop answering."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.paths import CERTIFICATE
from tests.runtime.arena import Arena, arena
from tests.runtime.conditions import OUTLAST_S, Conditions
from tests.runtime.servers import Server, cluster, tls

pytestmark = pytest.mark.slow

REPLICATED = Conditions(brisk=True, replicas=3, authority=CERTIFICATE)


@contextmanager
def arena_on_a_cluster(folder: Path, seed: int, messages: int) -> Iterator[tuple[Arena, list[Server]]]:
    with cluster(folder / "nats", config=tls()) as servers:
        url = ",".join(f"tls://{server}" for server in servers)
        urls = dict.fromkeys("abc", url)
        with arena(folder, "a b c", messages=messages, seed=seed, urls=urls, conditions=REPLICATED) as run:
            yield run, servers


def test_servers_are_killed_one_after_the_other(tmp_path: Path, seed: int) -> None:
    """Two of three go on. A process is killed meanwhile."""
    with arena_on_a_cluster(tmp_path, seed, messages=60) as (run, servers):
        for count in (30, 100, 170):
            run.wait(lambda count=count: len(run.events()) > count)  # type: ignore[misc]  # mypy cannot infer a default of a lambda
            victim, process = run.chance.choice(servers), run.chance.choice(run.names)
            victim.kill()
            run.wait_a_little()
            run.kill(process)
            run.start(process)
            run.wait_a_little()
            victim.start_again()
        run.finish()


def test_a_server_is_cut_off_from_the_others_for_longer_than_every_timeout(tmp_path: Path, seed: int) -> None:
    """It does not answer, to servers or processes, and comes back with what it knew before."""
    with arena_on_a_cluster(tmp_path, seed, messages=60) as (run, servers):
        for count in (30, 130):
            run.wait(lambda count=count: len(run.events()) > count)  # type: ignore[misc]  # mypy cannot infer a default of a lambda
            victim = run.chance.choice(servers)
            victim.process.send_signal(signal.SIGSTOP)
            time.sleep(OUTLAST_S)
            victim.process.send_signal(signal.SIGCONT)
        run.finish()


def test_all_servers_are_killed_at_once(tmp_path: Path, seed: int) -> None:
    with arena_on_a_cluster(tmp_path, seed, messages=40) as (run, servers):
        run.wait(lambda: len(run.events()) > 60)
        for server in servers:
            server.kill()
        run.wait_a_little()
        for server in servers:
            server.start_again()
        run.finish()
