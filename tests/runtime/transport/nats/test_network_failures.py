"""A fault of our own in what a transport does by itself stops its process, which says why."""

import asyncio
from pathlib import Path

import pytest

from antecede.core.types import ProcessId
from antecede.runtime import NatsNetwork, Stopped, join
from antecede.runtime.transport.nats.network import NatsTransport
from antecede.runtime.transport.nats.tls_client import TlsClient
from tests.runtime.logged import said
from tests.runtime.nodes import WAIT_S, eventually, run
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


class OddClient(TlsClient):
    """A client that fails when it is closed for the first time."""

    is_closed_again = False

    async def close(self) -> None:
        await super().close()
        if not self.is_closed_again:
            self.is_closed_again = True
            raise ArithmeticError


class OddNetwork(NatsNetwork):
    """A network whose transports fail when a server that has let them in refuses them."""

    def transport(self, space: str, process: ProcessId, incarnation: str) -> NatsTransport:
        return NatsTransport(self.servers, space, process, incarnation, options=self.options, make_client=OddClient)


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


def test_an_unexpected_error_while_a_refused_client_is_closed_stops_the_process(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        with server(tmp_path, "n", "authorization { user: shop, password: before }") as address:
            network = OddNetwork([f"nats://shop:before@{address}"])
            async with join(network, space="s", process="a", store=None) as node:
                config = address.home / "nats.conf"
                config.write_text(config.read_text().replace("before", "after"))
                address.kill()
                address.start_again()
                with pytest.raises(ArithmeticError):
                    await asyncio.wait_for(anext(node), WAIT_S)
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
