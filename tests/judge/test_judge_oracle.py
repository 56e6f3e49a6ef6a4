"""The judge against the definition, on random traces; and its explanations against every shorter one."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st

from antecede.judge.cycle import shortest_cycle
from antecede.judge.events import Event
from antecede.judge.explain import Explanation, explain
from antecede.judge.judge import judge
from antecede.judge.trace import arrange, sift, walk
from tests.judge.oracle import Oracle, runs_of, verdict_of
from tests.judge.traces import executions, scattered, spoiled, traces


@pytest.mark.parametrize("kind", [scattered, executions, spoiled], ids=["scattered", "executions", "spoiled"])
def test_counts_and_verdict_are_those_of_the_definition(kind: st.SearchStrategy[list[Event]]) -> None:
    @settings(max_examples=300, deadline=None)
    @given(kind)
    def compare(events: list[Event]) -> None:
        assert judge(events).as_dict() == verdict_of(events)

    compare()


@settings(max_examples=200, deadline=None)
@given(traces)
def test_what_is_found_is_what_was_overtaken(events: list[Event]) -> None:
    found = [
        (violation.run, violation.process, violation.index, violation.message, m1)
        for violation in judge(events).found
        for m1 in violation.overtaken
    ]
    expected = [
        (run, at.process, at.index, at.message, m1.message)
        for run, oracle in runs_of(events).items()
        for m1, _, at in oracle.triples
    ]
    assert Counter(found) == Counter(expected)


@settings(max_examples=300, deadline=None)
@given(executions)
def test_an_explanation_is_a_chain_of_the_fewest_messages(events: list[Event]) -> None:
    runs = runs_of(events)
    for violation in judge(events).found:
        oracle = runs[violation.run]
        chain = explain(events, violation).chain
        late = {m1 for m1, m2, at in oracle.triples if (at.process, at.index) == (violation.process, violation.index)}
        assert chain[0] in late
        assert chain[-1] == oracle.send_of(violation.message)
        assert all(is_one_step(oracle, e, f) for e, f in pairwise(chain))
        messages = sum(e.kind == "send" for e in chain)
        note(f"chain of {messages}")
        assert messages == min(oracle.chain_length(m1, chain[-1]) for m1 in late)


def is_one_step(oracle: Oracle, e: Event, f: Event) -> bool:
    """Is it in one process, one before the other, or a send and its deliver?"""
    within = e.process == f.process and e.index < f.index and f.kind == "send"
    across = e.kind == "send" and f in oracle.delivers and e.message == f.message
    return (within or across) and oracle.leads(e, f)


@settings(max_examples=300, deadline=None)
@given(spoiled)
def test_a_cycle_that_is_named_is_one_and_is_the_shortest(events: list[Event]) -> None:
    for run in arrange(sift(events)[0]):
        oracle = Oracle(list(run.events))
        if not oracle.cyclic:
            continue
        first, shortest = shortest_cycle(run, steps_max=0), shortest_cycle(run)
        note(f"cycle of {len(shortest)}")
        assert len(shortest) == oracle.cycle_length()
        for cycle in (first, shortest):
            assert len(set(cycle)) == len(cycle)
            assert all(is_stuck(oracle, *pair) for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True))


def is_stuck(oracle: Oracle, cause: str, effect: str) -> bool:
    """Was `cause` delivered where `effect` was sent, and before that?"""
    send = oracle.send_of(effect)
    return send is not None and any(
        deliver.message == cause and deliver.process == send.process and deliver.index < send.index
        for deliver in oracle.delivers
    )


@settings(max_examples=200, deadline=None)
@given(traces)
def test_a_walk_goes_along_happened_before_and_reaches_all_but_cycles_and_what_follows(events: list[Event]) -> None:
    for run in arrange(sift(events)[0]):
        oracle = Oracle(list(run.events))
        walked = list(walk(run))
        after = {e for e in run.events if any((c, c) in oracle.before and (c, e) in oracle.before for c in run.events)}
        assert Counter(walked) == Counter(e for e in run.events if e not in after)
        assert not any((f, e) in oracle.before for i, e in enumerate(walked) for f in walked[i:])


@settings(max_examples=100, deadline=None)
@given(executions)
def test_the_order_of_the_rows_of_different_processes_says_nothing(events: list[Event]) -> None:
    by_process = sorted(events, key=lambda e: (e.process, e.index))
    plain, shuffled = judge(events), judge(by_process)
    assert plain.as_dict() == shuffled.as_dict()
    places = [(v.process, v.index, v.message, frozenset(v.overtaken)) for v in plain.found]
    assert places == [(v.process, v.index, v.message, frozenset(v.overtaken)) for v in shuffled.found]


def test_the_random_traces_show_all_that_can_be_counted() -> None:
    """A comparison proves nothing about what never came up."""
    seen: Counter[str] = Counter()

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(traces)
    def collect(events: list[Event]) -> None:
        verdict = judge(events)
        seen.update(name for name, value in verdict.as_dict().items() if value)
        seen.update([verdict.verdict])
        seen.update("cycle" for reason in verdict.reasons if "cycle" in reason)
        seen.update("several overtaken" for violation in verdict.found if violation.overtaken_count > 1)
        seen.update(f"chain of {_messages(explain(events, violation))}" for violation in verdict.found)

    collect()
    wanted = ["holds", "violated", "undecidable", "cycle", "lost", "duplicates", "spurious", "quarantined"]
    wanted += ["several overtaken", "chain of 2", "chain of 3"]
    missing = [name for name in wanted if seen[name] < 10]
    assert not missing, f"too few among the random traces: {dict(seen)}"


def _messages(explanation: Explanation) -> int:
    return sum(event.kind == "send" for event in explanation.chain)
