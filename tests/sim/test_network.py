"""The network: FIFO, loss, duplication, bandwidth, partitions, and retransmission."""

from dataclasses import replace
from itertools import pairwise

import pytest

import antecede
from antecede.core.errors import Misuse
from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.sim import AccessLink, Distribution, Network, Parameters, Partition, Workload, simulate
from tests.sim.runs import recorded, sends, times

BASE = Parameters(algorithm="none", processes=5, messages=200)
CAUSAL = sorted(name for name, info in antecede.algorithms().items() if info.causal)


def arrivals(events: list[Event]) -> dict[tuple[str, str], list[int]]:
    """The numbers of the messages of each channel, in the order of their arrival."""
    found: dict[tuple[str, str], list[int]] = {}
    for event in events:
        if event.kind == "receive" and event.message is not None:
            sender, number = event.message.split(":")
            found.setdefault((sender, event.process), []).append(int(number))
    return found


def overtaken(events: list[Event]) -> int:
    return sum(one > two for numbers in arrivals(events).values() for one, two in pairwise(numbers))


def test_latencies_are_those_of_the_distribution() -> None:
    result = simulate(replace(BASE, messages=2_000, network=Network(latency=Distribution("exponential", 0.25))))
    assert result.delay_mean_s == pytest.approx(0.25, rel=0.05)
    assert result.delay_median_s == pytest.approx(0.25 * 0.6931, rel=0.08)


def test_packets_overtake_each_other_unless_channels_are_fifo() -> None:
    _, free = recorded(BASE)
    _, fifo = recorded(replace(BASE, network=Network(fifo=True)))
    assert overtaken(free) > 0
    assert overtaken(fifo) == 0
    assert sends(free) == sends(fifo)


def test_fifo_channels_that_lose_and_retransmit_are_fifo_still_and_hand_over_once() -> None:
    _, events = recorded(replace(BASE, network=Network(fifo=True, loss=0.3, duplicate=0.2, retransmit_after_s=2.0)))
    assert overtaken(events) == 0
    received = [(event.message, event.process) for event in events if event.kind == "receive"]
    assert len(received) == len(set(received))
    assert judge(events).lost == 0


def test_an_algorithm_that_needs_fifo_channels_gets_them_unless_it_numbers_its_packets() -> None:
    grouped = Parameters(algorithm="mr", processes=6, messages=150)
    _, fifo = recorded(grouped)
    _, numbered = recorded(replace(grouped, options={"numbered": True}))
    assert overtaken(fifo) == 0
    assert overtaken(numbered) > 0
    assert judge(numbered).verdict == "holds"


def test_resynchronisations_without_a_count_are_refused_on_channels_that_duplicate() -> None:
    grouped = Parameters(algorithm="mr", processes=6, messages=150, options={"own_count": False, "bare_resynch": True})
    twice = Network(duplicate=0.2)
    with pytest.raises(Misuse, match="channels must not duplicate: give numbered=True, or retransmit packets"):
        replace(grouped, network=twice)
    numbered = replace(grouped, network=twice, options={**grouped.options, "numbered": True}, oracle=True)
    retransmitted = replace(grouped, network=replace(twice, retransmit_after_s=2.0), oracle=True)
    for parameters in (numbered, retransmitted):
        result = simulate(parameters)
        assert (result.violations, result.undelivered) == (0, 0)


def test_loss_loses_the_share_it_is_asked_to() -> None:
    result, events = recorded(replace(BASE, messages=1_000, network=Network(loss=0.2)))
    assert result.lost == result.undelivered == judge(events).lost
    assert result.lost / result.packets == pytest.approx(0.2, abs=0.03)


def test_which_packets_are_lost_does_not_depend_on_the_algorithm() -> None:
    lossy = replace(BASE, network=Network(loss=0.2))
    _, none = recorded(lossy)
    _, ks = recorded(replace(lossy, algorithm="ks"))
    assert times(none, "receive") == times(ks, "receive")


def test_without_retransmission_an_algorithm_that_assumes_reliable_channels_waits_for_ever_but_in_order() -> None:
    result, events = recorded(replace(BASE, algorithm="ks", network=Network(loss=0.2)))
    assert result.undelivered > result.lost > 0
    assert judge(events).verdict == "holds"


@pytest.mark.parametrize("algorithm", CAUSAL)
def test_retransmission_brings_everything_through_loss_and_duplication(algorithm: str) -> None:
    network = Network(loss=0.25, duplicate=0.1, retransmit_after_s=3.0)
    result, events = recorded(Parameters(algorithm=algorithm, processes=5, messages=100, network=network))
    verdict = judge(events)
    assert (verdict.verdict, verdict.lost, verdict.duplicates) == ("holds", 0, 0)
    assert result.undelivered == 0
    assert result.lost > 0
    assert result.retransmitted > 0


def test_history_bears_loss_by_itself() -> None:
    """What a lost packet held comes with the next message of its causal future; only the last ones can be missing."""
    network = Network(loss=0.2)
    none = simulate(replace(BASE, network=network))
    history, events = recorded(replace(BASE, algorithm="history", network=network))
    assert judge(events).verdict == "holds"
    assert history.undelivered < none.undelivered / 4


def test_duplicates_arrive_and_are_not_delivered_twice() -> None:
    result, events = recorded(replace(BASE, algorithm="ks", network=Network(duplicate=0.5)))
    assert result.duplicated / result.packets == pytest.approx(0.5, abs=0.06)
    assert sum(event.kind == "receive" for event in events) == result.packets + result.duplicated
    assert (judge(events).verdict, judge(events).duplicates) == ("holds", 0)


CUT = Partition(5.0, 10.0, frozenset({"p1", "p2"}))


def crossing(events: list[Event]) -> dict[tuple[str | None, str], float | None]:
    """Copies between p1, p2 and the others that were sent during the cut, and when they arrived."""
    sent = {message: (process, time) for process, time, message, _ in sends(events)}
    return {
        (message, to): arrived
        for (message, to), arrived in times(events, "receive").items()
        if (sent[message][0] in CUT.side) != (to in CUT.side) and 5.0 <= (sent[message][1] or 0.0) < 10.0
    }


def test_nothing_passes_a_partition_and_all_passes_when_it_has_healed() -> None:
    lost, events = recorded(replace(BASE, network=Network(partitions=(CUT,))))
    assert not crossing(events)
    assert lost.undelivered == lost.lost > 0
    healed = replace(BASE, algorithm="ks", network=Network(partitions=(CUT,), retransmit_after_s=2.0))
    result, events = recorded(healed)
    assert result.undelivered == 0
    assert judge(events).verdict == "holds"
    assert len(crossing(events)) == lost.lost
    assert all(arrived is not None and arrived >= 10.0 for arrived in crossing(events).values())


def test_a_partition_between_two_sets_leaves_the_rest_alone() -> None:
    cut = Partition(0.0, 1e6, frozenset({"p1"}), frozenset({"p2"}))
    _, events = recorded(replace(BASE, network=Network(partitions=(cut,))))
    pairs = set(arrivals(events))
    everyone = {(f"p{one}", f"p{two}") for one in range(1, 6) for two in range(1, 6) if one != two}
    assert pairs == everyone - {("p1", "p2"), ("p2", "p1")}


def test_a_channel_of_little_bandwidth_makes_packets_queue() -> None:
    """Two processes, one channel each way, a second for a packet: the k-th of several sent at once waits k seconds."""
    workload = Workload(interval=Distribution("constant", 0.001), payload_bytes=1_000)
    sizes = Network(latency=Distribution("constant", 0.0), bandwidth_bytes_per_s=1_000.0)
    parameters = Parameters(algorithm="none", processes=2, messages=10, workload=workload, network=sizes)
    result = simulate(parameters)
    header = 0.02  # of a thousand bytes
    assert result.delay_max_s == pytest.approx(5.0, rel=header)
    assert result.delay_mean_s == pytest.approx(3.0, rel=header)


def test_a_channel_is_as_fast_as_the_slower_link_at_its_ends() -> None:
    network = Network(bandwidth_bytes_per_s=100.0, links=(AccessLink("p1", 10.0), AccessLink("p2", 1_000.0)))
    pairs = [("p1", "p2"), ("p2", "p1"), ("p3", "p1"), ("p2", "p3"), ("p3", "p4")]
    assert [network.bandwidth_between(*pair) for pair in pairs] == [10.0, 10.0, 10.0, 100.0, 100.0]
    unlimited = Network(links=(AccessLink("p1", 10.0),))
    assert [unlimited.bandwidth_between(*pair) for pair in pairs] == [10.0, 10.0, 10.0, None, None]
    assert not unlimited.is_plain


def test_links_that_have_no_meaning_are_refused() -> None:
    with pytest.raises(Misuse, match="give from 0"):
        AccessLink("p1", 0.0)
    with pytest.raises(Misuse, match="name each process once"):
        Network(links=(AccessLink("p1", 1.0), AccessLink("p1", 2.0)))
    with pytest.raises(Misuse, match="no process 'p9'"):
        Parameters(processes=3, network=Network(links=(AccessLink("p9", 1.0),)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"loss": 1.5},
        {"duplicate": -0.1},
        {"bandwidth_bytes_per_s": 0.0},
        {"retransmit_after_s": 0.0},
        {"loss": 0.95, "retransmit_after_s": 1.0},
    ],
)
def test_networks_that_have_no_meaning_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(Misuse):
        Network(**wrong)  # type: ignore[arg-type]  # settings in a dict have no types of their own


@pytest.mark.parametrize("times_s", [(-1.0, 2.0), (2.0, 2.0), (0.0, float("inf"))])
def test_a_partition_starts_and_heals(times_s: tuple[float, float]) -> None:
    with pytest.raises(Misuse):
        Partition(*times_s, frozenset({"p1"}))
    with pytest.raises(Misuse):
        Partition(0.0, 1.0, frozenset({"p1"}), frozenset({"p1"}))
