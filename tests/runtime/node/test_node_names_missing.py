"""A broker that lost an inbox may have lost the list of names that later frames use: the receiver says so, and a start
of the sender mends it.
"""

from pathlib import Path

from antecede.runtime import Limits, MemoryNetwork, NamesMissing, Node, frames, join
from antecede.runtime.block import AsyncBlock
from tests.runtime.nodes import eventually, run, take


def test_a_list_of_names_that_the_broker_lost_is_named_and_comes_again(tmp_path: Path) -> None:
    network = MemoryNetwork()

    def start(process: str) -> AsyncBlock[Node]:
        limits = Limits(stall_after_s=0.2)
        return join(network, space="s", process=process, store=tmp_path, algorithm="none", limits=limits)

    async def test() -> None:
        async with start("a") as a:
            async with start("b"):
                pass
            await a.send({"b"}, b"lost by the broker")
            assert await a.flush()
            network.inboxes["s", "b"].waiting.clear()
            async with start("b") as b:
                await a.send({"b"}, b"one")
                await eventually(lambda: bool(b.problems()))
                (problem,) = b.problems()
                assert isinstance(problem, NamesMissing)
                assert (problem.sender, problem.kind) == ("a", "names missing")
                assert "Start a again" in str(problem)
        async with start("b") as b, start("a") as a:
            await a.send({"b"}, b"two")
            assert sorted(await take(b, 2)) == [b"one", b"two"]
            assert b.problems() == []

    run(test)


def test_a_list_of_names_that_cannot_come_is_not_waited_for() -> None:
    """Lists are numbered up to 64: a frame that uses another one is refused."""
    network = MemoryNetwork()

    async def test() -> None:
        async with join(network, space="s", process="b") as b:
            network.inboxes["s", "b"].put(0, "a", frames.packets(65, [b"packet"]))
            await eventually(lambda: b.counts()["refused"] == 1)
            assert b.problems() == []

    run(test)
