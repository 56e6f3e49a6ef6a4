"""Witnesses of broken orders: each is true of the run, and there is one exactly if the judge finds one too."""

from __future__ import annotations

import pytest

from antecede.judge.orders import judge_orders
from antecede.judge.trace import arrange, sift
from antecede.pipeline.kernel.encode import encode
from antecede.pipeline.kernel.layout import lay_out
from antecede.pipeline.kernel.loops import interpret_up_to
from antecede.pipeline.kernel.pair import paired_runs
from antecede.pipeline.verify.orders import Witness, describe_witness, find_witnesses, lanes_of_runs
from tests.fuzz_check import make_events
from tests.pipeline.order_witnesses import check_witness
from tests.pipeline.traces import coded, trace


def witnesses(seed: int) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the names of the processes and messages of each witness in a random trace of one run, by order."""
    paired = paired_runs(encode(coded(trace(seed))))
    layout = lay_out(paired.rows)
    assert paired.message is not None
    found: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for one in find_witnesses(lanes_of_runs(paired.rows, layout)):
        processes = tuple(paired.names.processes[lane].as_py() for lane in one.lanes)
        messages = tuple(paired.message[int(layout.event_row[event])].as_py() for event in one.messages)
        assert found.setdefault(one.order, (processes, messages)) == (processes, messages)
    return found


@pytest.mark.parametrize("steps", [0, 10**9], ids=["compiled", "interpreted"])
def test_witnesses_are_true_and_are_found_where_the_judge_finds_one(steps: int) -> None:
    broken = dict.fromkeys(("fifo", "agreed", "synchronous"), 0)
    with interpret_up_to(steps):
        for seed in range(300):
            events = make_events(seed)
            if not any(event.kind == "send" for event in events):
                continue
            (run,) = arrange(sift(events)[0])
            found, judged = witnesses(seed), judge_orders(run)
            for order in broken:
                if order == "synchronous" and judged[order].verdict == "undecidable":
                    continue
                assert (order in found) == (judged[order].verdict == "violated"), f"{order} order, seed {seed}"
                if order in found:
                    check_witness(run, order, *found[order])
                    broken[order] += 1
    assert min(broken.values()) > 20


def test_a_crown_of_many_messages_is_told_with_a_few_of_them() -> None:
    words = describe_witness(Witness(0, "synchronous", (), tuple(range(12))), str, "m{}".format)
    assert words.startswith("m0, m1, m2, m3, m4, m5, m6, m7 and 4 more cannot all be instantaneous: ")
    words = describe_witness(Witness(0, "synchronous", (), (3, 4)), str, "m{}".format)
    assert words == "m3 and m4 cannot both be instantaneous: each has an event before an event of the other"


def test_messages_are_named_in_all_other_words() -> None:
    fifo, agreed = Witness(0, "fifo", (1,), (3, 2)), Witness(0, "agreed", (1, 2), (3, 2))
    assert describe_witness(fifo, "p{}".format, "m{}".format) == (
        "p1 delivered m3 before m2, which the same sender had sent earlier"
    )
    assert describe_witness(agreed, "p{}".format, "m{}".format) == (
        "p1 delivered m3 before m2, and p2 delivered m2 before m3"
    )
