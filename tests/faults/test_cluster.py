"""A cluster of three NATS servers over TLS, which keep every inbox together: servers are killed, stop answering, and
are cut off from each other."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.paths import CERTIFICATE
from tests.runtime.arena import Arena, arena
from tests.runtime.conditions import OUTLAST_S, Conditions
from tests.runtime.proxy import Proxy
from tests.runtime.servers import RouteLinks, Server, cluster, linked_cluster, tls

pytestmark = pytest.mark.slow

REPLICATED = Conditions(brisk=True, replicas=3, authority=CERTIFICATE)
UNHURRIED = replace(REPLICATED, pause_s=0.5)
"""Processes that still have messages to send after several faults: 80 messages take about 20 seconds."""


@contextmanager
def arena_at(
    folder: Path, seed: int, messages: int, servers: list[Server], conditions: Conditions = REPLICATED
) -> Iterator[Arena]:
    url = ",".join(f"tls://{server}" for server in servers)
    urls = dict.fromkeys("abc", url)
    with arena(folder, "a b c", messages=messages, seed=seed, urls=urls, conditions=conditions) as run:
        yield run


@contextmanager
def arena_on_a_cluster(folder: Path, seed: int, messages: int) -> Iterator[tuple[Arena, list[Server]]]:
    with cluster(folder / "nats", config=tls()) as servers, arena_at(folder, seed, messages, servers) as run:
        yield run, servers


@contextmanager
def arena_on_a_linked_cluster(folder: Path, seed: int, messages: int) -> Iterator[tuple[Arena, RouteLinks]]:
    with (
        linked_cluster(folder / "nats", config=tls()) as (servers, links),
        arena_at(folder, seed, messages, servers, UNHURRIED) as run,
    ):
        yield run, links


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


@pytest.mark.parametrize("kind", ["cut", "swallow"])
def test_the_network_between_servers_is_cut(tmp_path: Path, seed: int, kind: str) -> None:
    """One server, then another, cannot reach the other two, and is reached by its clients all the time; then no server
    can reach any. Connections end, or nothing passes on them any more.
    """
    with arena_on_a_linked_cluster(tmp_path, seed, messages=80) as (run, routes):
        run.wait(
            lambda: {event.process for event in run.events() if event.kind == "send"} == {*run.names}
        )  # all joined
        for victim in run.chance.sample(range(3), 2):
            before = len(run.events())
            _break(routes.of(victim), kind)
            time.sleep(OUTLAST_S)
            _heal(routes.of(victim))
            run.wait(lambda before=before: len(run.events()) > before or run.finished())  # type: ignore[misc]  # mypy cannot infer a default of a lambda
        everything = [*routes.links.values()]
        _break(everything, kind)
        time.sleep(OUTLAST_S)
        _heal(everything)
        run.finish()


def _break(links: list[Proxy], kind: str) -> None:
    for link in links:
        (link.cut if kind == "cut" else link.swallow)()


def _heal(links: list[Proxy]) -> None:
    for link in links:
        link.heal()
