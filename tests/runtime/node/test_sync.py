"""The node for programs without an event loop: threads that wait when the block ends come back."""

import asyncio
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antecede.runtime import MemoryNetwork, NameLost, NodeClosed, join_sync
from antecede.runtime.node.sync import SyncNode
from tests.runtime.nodes import WAIT_S

ROUNDS, THREADS = 5, 4


def ended_with(call: Callable[[SyncNode], object], **settings: Any) -> list[str]:
    """How the calls of several threads ended, which go on until one fails; the block ends in the middle of them."""
    how: list[str] = []

    def calls(node: SyncNode, under_way: threading.Event) -> None:
        try:
            while True:
                under_way.set()
                call(node)
        except Exception as error:
            how.append(type(error).__name__)

    network = MemoryNetwork()
    for number in range(ROUNDS):
        with join_sync(network, space="s", process=f"p{number}", **settings) as node:
            events = [threading.Event() for _ in range(THREADS)]
            threads = [threading.Thread(target=calls, args=(node, event), daemon=True) for event in events]
            for thread, event in zip(threads, events, strict=True):
                thread.start()
                assert event.wait(WAIT_S)
        for thread in threads:
            thread.join(WAIT_S)
            assert not thread.is_alive(), "a thread waits for ever"
    return how


@pytest.mark.parametrize(
    "call",
    [SyncNode.counts, SyncNode.receive, lambda node: node.receive(0.1), lambda node: node.send({"nobody"}, b"x")],
    ids=["counts", "receive", "receive within a time", "send"],
)
def test_threads_come_back_when_the_block_ends(call: Callable[[SyncNode], object]) -> None:
    assert ended_with(call) == [NodeClosed.__name__] * ROUNDS * THREADS


def test_a_call_that_the_end_of_the_node_does_not_wake_comes_back_too() -> None:
    how = ended_with(lambda node: node.wait(asyncio.Event().wait()), settle_s=0.01)
    assert how == [NodeClosed.__name__] * ROUNDS * THREADS


def test_who_waits_for_a_message_hears_that_there_will_be_none() -> None:
    """So that a loop over the messages ends, as it does with an event loop."""
    under_way = threading.Event()
    got: list[object] = []

    def read(node: SyncNode) -> None:
        under_way.set()
        got.append([*node])

    with join_sync(MemoryNetwork(), space="s", process="a") as node:
        thread = threading.Thread(target=read, args=(node,), daemon=True)
        thread.start()
        assert under_way.wait(WAIT_S)
    thread.join(WAIT_S)
    assert got == [[]]


@pytest.mark.parametrize("expected", [NameLost, ZeroDivisionError])
def test_the_end_of_the_block_raises_why_the_node_has_stopped(tmp_path: Path, expected: type[Exception]) -> None:
    """Unless the application has an exception of its own."""
    with pytest.raises(expected):
        run_a_copy(tmp_path, raises=expected is ZeroDivisionError)


def run_a_copy(folder: Path, *, raises: bool) -> None:
    """Run a node until a copy of it was started. Call nothing that says so, and raise an exception if `raises`."""
    network, store, clone = MemoryNetwork(), folder / "store", folder / "clone"
    with join_sync(network, space="s", process="a", store=store) as node:
        shutil.copytree(store, clone)
        with join_sync(network, space="s", process="a", store=clone):
            until = time.monotonic() + WAIT_S
            while not node.problems():
                assert time.monotonic() < until
        if raises:
            raise ZeroDivisionError


@pytest.mark.parametrize("raises", [False, True])
def test_a_failure_while_the_block_ends_does_not_hide_the_exception_of_the_application(raises: bool) -> None:
    """The node fails while it flushes. Without an exception of the application, the failure is raised."""
    with pytest.raises(ZeroDivisionError if raises else OSError):
        run_into_a_failure(raises=raises)


def run_into_a_failure(*, raises: bool) -> None:
    """Run a node whose disk fails while the block ends. Raise an exception before that if `raises`."""
    with join_sync(MemoryNetwork(), space="s", process="a") as node:
        flush = node._node.flush

        async def fail_and_flush(timeout_s: float = 5.0) -> bool:
            node._node._commits.fail(OSError("the disk is gone"))
            return await flush(timeout_s)

        node._node.flush = fail_and_flush  # type: ignore[method-assign]  # a disk that fails at the end of a block
        if raises:
            raise ZeroDivisionError
