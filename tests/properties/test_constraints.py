"""What `ks` carries and keeps is what the Propagation Constraints demand: nothing is missing, nothing is too much.

002 §3.4, Theorems 3 and 6: every packet and, after every event, every log is compared with the oracle of `execution`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

import pytest

from antecede import Algorithm, Effect, Transmit, create
from antecede.core.ordering.ks import Ks, KsStamp
from antecede.lab.printed.ks import rcv4_ks
from tests.properties.execution import Dot, Execution
from tests.stage import Stage, improvise

EXECUTIONS = 1200


Make = Callable[[str, list[str]], Algorithm]
"""Makes a process from its name and the names of all."""


def make_ks(process: str, processes: list[str], *, multicast: bool = False) -> Algorithm:
    return create("ks", process=process, processes=processes, multicast=multicast)


def dots(log: Mapping[str, Mapping[int, frozenset[str]]]) -> list[Dot]:
    return [(i, t, d) for i, entries in log.items() for t, dests in entries.items() for d in dests]


def due(stamp: KsStamp, to: str) -> list[Dot]:
    return [(i, t, to) for i, t in stamp.due.get(to, {}).items()]


class Constraints:
    """A witness that holds each packet and each log against the execution so far."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.execution = stage, Execution()
        self.compared = self.seen = 0

    def __call__(self, process: str, effect: Effect) -> None:
        self.execution.observe(process, effect)
        if isinstance(effect, Transmit):
            self._compare_packet(effect)

    def compare_logs(self) -> None:
        for process in self.stage.names:
            ordering = self.stage.ordering(process)
            assert isinstance(ordering, Ks)
            self._equal(dots(ordering.log), self.execution.log(process), f"the log of {process}")

    def _compare_packet(self, effect: Transmit) -> None:
        message, stamp = effect.packet.message, effect.packet.stamp
        assert message is not None
        assert isinstance(stamp, KsStamp)
        demanded = self.execution.carried(message.id, effect.to)
        self._equal(dots(stamp.owed) + due(stamp, effect.to), demanded, f"{message.id} to {effect.to}")

    def _equal(self, got: list[Dot], demanded: set[Dot], what: str) -> None:
        assert len(set(got)) == len(got), f"{what} has a dot twice"
        assert set(got) == demanded, f"{what}: missing {demanded - set(got)}, too much {set(got) - demanded}"
        self.compared += 1
        self.seen += len(got)


def perform(seed: int, make: Make = make_ks) -> Constraints:
    """Perform one random execution of two to six processes that `make` makes, and compare after each step."""
    random = Random(f"constraints {seed}")
    stage = Stage("ks", [f"p{n}" for n in range(random.randint(2, 6))])
    stage.nodes = {name: make(name, stage.names) for name in stage.names}
    constraints = Constraints(stage)
    stage.witnesses.append(constraints)
    for _ in range(random.randint(4, 18)):
        if not stage.flying or random.random() < 0.5:
            improvise_one_send(stage, random)
        else:
            stage.bring(random.choice(stage.flying))
        constraints.compare_logs()
    while stage.flying:
        stage.bring(random.choice(stage.flying))
        constraints.compare_logs()
    return constraints


def perform_all(seeds: range, make: Make) -> tuple[int, int]:
    """Return how many packets and logs were compared, and how many dots were in them."""
    performed = [perform(seed, make) for seed in seeds]
    return sum(constraints.compared for constraints in performed), sum(constraints.seen for constraints in performed)


def improvise_one_send(stage: Stage, random: Random) -> None:
    stage.send(random.choice(stage.names), random.sample(stage.names, random.randint(1, len(stage.names))))


@pytest.mark.parametrize("multicast", [False, True], ids=["a packet each", "one packet for all"])
def test_002_3_4_packets_and_logs_hold_exactly_what_PC1_and_PC2_demand(multicast: bool) -> None:
    compared, seen = perform_all(range(EXECUTIONS), partial(make_ks, multicast=multicast))
    assert compared > 50 * EXECUTIONS
    assert seen > 50 * EXECUTIONS, "next to nothing was owed to anybody: the executions are too tame"


def test_longer_executions() -> None:
    for seed in range(12):
        random = Random(f"long {seed}")
        stage = Stage("ks", [f"p{n}" for n in range(8)])
        constraints = Constraints(stage)
        stage.witnesses.append(constraints)
        improvise(stage, random, sends=120)
        constraints.compare_logs()


def test_RCV4_as_printed_keeps_more_than_PC1_and_PC2_demand() -> None:
    """The comparison can fail: `t'` for `t` in the first test of RCV(4) is safe, but it keeps what is redundant."""
    with pytest.raises(AssertionError, match="missing set\\(\\), too much"):
        perform_all(range(200), rcv4_ks)
