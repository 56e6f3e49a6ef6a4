"""A fault of our own in what a transport does by itself stops its process, which says why."""

from pathlib import Path

import pytest

from antecede.core.types import ProcessId
from antecede.runtime import NatsNetwork, Stopped, join
from antecede.runtime.transport.nats.network import NatsTransport
from tests.runtime.logged import said
from tests.runtime.nodes import eventually, run
from tests.runtime.servers import server


class OddAddress(str):
    """An address that cannot be compared with another one."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise ArithmeticError


class AstrayNetwork(NatsNetwork):
    """A network whose transports fail when they look for a server that is gone."""

    def transport(self, space: str, process: ProcessId, incarnation: str) -> NatsTransport:
        async def locate() -> str:
            return OddAddress("nats://127.0.0.1:9")

        return NatsTransport(self.servers, space, process, incarnation, options=self.options, locate=locate)


def test_a_task_that_ends_with_an_unexpected_error_stops_the_process(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        with server(tmp_path, "n") as address:
            async with join(AstrayNetwork([f"nats://{address}"]), space="s", process="a", store=None) as node:
                address.kill()
                await eventually(lambda: any(isinstance(problem, Stopped) for problem in node.problems()))
                with pytest.raises(ArithmeticError):
                    await anext(node)
        assert said(caplog, "a stops: ArithmeticError") == 1

    run(test)


def test_the_transport_raises_the_error_whatever_is_asked_of_it(tmp_path: Path) -> None:
    async def test() -> None:
        with server(tmp_path, "n") as address:
            transport = AstrayNetwork([f"nats://{address}"]).transport("s", "a", "1")
            await transport.open()
            address.kill()
            try:
                with pytest.raises(ArithmeticError):
                    await transport.receive()
                with pytest.raises(ArithmeticError):
                    await transport.publish("b", b"x", "k")
            finally:
                await transport.close()

    run(test)
