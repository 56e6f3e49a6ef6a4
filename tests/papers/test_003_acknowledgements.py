"""Mostefaoui, Raynal: "Causal multicasts in overlapping groups: towards a low cost approach" (003).

Resynchronisations that ride on acknowledgements, or are one operation of a bus (§3.1).

"Such a use of additional resynch messages is actually not very expensive as a lot of transport layers use some sort of
acknowledgment mechanism to ensure reliability." The paper does not say how a resynchronisation rides: that is ours, in
`antecede.sim.channels`.
"""

from dataclasses import replace

import pytest

from antecede import Transmit
from antecede.core.errors import Misuse
from antecede.judge.judge import judge
from antecede.sim import Distribution, Groups, Network, Parameters, Result, Workload, simulate
from antecede.sim.channels import Channels, Copy
from antecede.sim.measure.processing_cost import ProcessingCost
from tests.sim.runs import recorded
from tests.stage import Stage

RETRANSMITS = Network(Distribution("exponential", 1.0), retransmit_after_s=4.0)
BAD = replace(RETRANSMITS, loss=0.2, duplicate=0.2)
GROUPS = {
    "mr": Workload(groups=Groups(4, 2)),
    "mr-broadcast": Workload(),
    "mr-scalar": Workload(groups=Groups(4, 2)),
}


def run_with_and_without_riders(parameters: Parameters) -> tuple[Result, Result]:
    ride = replace(parameters, network=replace(parameters.network, answers_ride=True))
    return simulate(parameters), simulate(ride)


@pytest.mark.parametrize("algorithm", GROUPS)
def test_3_1_a_resynchronisation_rides_on_an_acknowledgement(algorithm: str) -> None:
    """It goes to all others, and one of them is the sender of the packet that it answers: that copy is no packet."""
    parameters = Parameters(
        algorithm=algorithm, processes=6, messages=300, network=RETRANSMITS, workload=GROUPS[algorithm]
    )
    without, with_riders = run_with_and_without_riders(parameters)
    assert (without.control_rides, with_riders.undelivered) == (0, 0)
    assert with_riders.control_rides > 100
    assert with_riders.control_rides <= with_riders.control_answers
    assert with_riders.control_packets < without.control_packets
    assert with_riders.acknowledgements < without.acknowledgements


@pytest.mark.parametrize("algorithm", GROUPS)
def test_3_1_a_driver_can_tell_what_may_ride(algorithm: str) -> None:
    """Of what `receive` returns, it is the packet without a message to the sender of the packet that came."""
    names = ["a", "b", "c"]
    stage = Stage(algorithm, names, None if algorithm == "mr-broadcast" else {"g": names})
    message = stage.send("a", names if algorithm == "mr-broadcast" else "g")
    effects = stage.call("b", "receive", packet := stage.packet(message, "b"))
    sent = [effect for effect in effects if isinstance(effect, Transmit)]
    assert [(one.to, one.packet.message) for one in sent] == [("a", None), ("c", None)]
    (answer,) = [one for one in sent if one.to == packet.sender and one.packet.message is None]
    assert answer.packet is sent[1].packet, "the others get the same packet, as one of their own"


@pytest.mark.parametrize("algorithm", GROUPS)
def test_3_1_in_groups_of_two_it_is_no_packet_of_its_own(algorithm: str) -> None:
    """Unless packets come out of order: what waits for an earlier one is acknowledged before it is answered."""
    network = replace(RETRANSMITS, latency=Distribution("constant", 1.0))
    workload = Workload() if algorithm == "mr-broadcast" else Workload(groups=Groups(2, 0))
    without, with_riders = run_with_and_without_riders(
        Parameters(algorithm=algorithm, processes=2, messages=300, network=network, workload=workload)
    )
    assert without.control_packets > 50
    assert (with_riders.control_packets, with_riders.control_operations) == (0, 0)
    assert with_riders.control_rides == with_riders.control_answers > 50


@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize("algorithm", GROUPS)
def test_3_1_random_executions_with_riders_keep_causal_order(algorithm: str, numbered: bool) -> None:
    """By the oracle and the judge, over channels that lose and duplicate packets and acknowledgements."""
    rides = 0
    for seed in range(25):
        parameters = Parameters(
            algorithm=algorithm,
            processes=5,
            messages=40,
            seed=seed,
            options={"numbered": numbered},
            network=replace(BAD, answers_ride=True),
            workload=GROUPS[algorithm],
            oracle=True,
        )
        result, events = recorded(parameters)
        verdict = judge(events)
        assert (result.violations, result.undelivered, result.messages) == (0, 0, 40)
        assert (verdict.verdict, verdict.lost) == ("holds", 0)
        rides += result.control_rides
    assert rides > 250


def test_3_1_a_rider_that_is_lost_with_its_acknowledgement_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check above can fail: if only the first acknowledgement carries the answer, messages wait for ever."""
    acknowledge = Channels._acknowledge

    def forget_riders(channels: Channels, copy: Copy) -> None:
        acknowledge(channels, copy)
        if not copy.acknowledged and channels.kernel.now > 5:
            copy.riders.clear()

    monkeypatch.setattr(Channels, "_acknowledge", forget_riders)
    network = replace(BAD, answers_ride=True)
    result = simulate(Parameters(algorithm="mr-broadcast", processes=5, messages=40, network=network))
    assert result.undelivered > 0


def test_answers_do_not_ride_if_headers_cost_time() -> None:
    """An answer leaves later then than the acknowledgement."""
    network = replace(BAD, answers_ride=True)
    with pytest.raises(Misuse, match="leave out one of the two"):
        Parameters(algorithm="mr", network=network, cost=ProcessingCost(packet_s=0.001))


@pytest.mark.parametrize("algorithm", GROUPS)
@pytest.mark.parametrize("processes", [4, 6, 12])
def test_3_1_a_resynchronisation_is_one_operation_of_a_bus(processes: int, algorithm: str) -> None:
    """On a bus it is one operation to all others of the group, and without riders one packet to each of them."""
    network = Network(Distribution("exponential", 1.0), fifo=True)
    workload = Workload() if algorithm == "mr-broadcast" else Workload(groups=Groups(processes, 0))
    result = simulate(
        Parameters(algorithm=algorithm, processes=processes, messages=300, network=network, workload=workload)
    )
    assert result.control_operations > 100
    assert result.control_packets == (processes - 1) * result.control_operations
    assert result.control_answers == result.control_operations
    assert result.control_rides == 0
