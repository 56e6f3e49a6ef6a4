"""Where stores are kept: what each URL decides by itself, and what the caller has to say."""

from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import MemoryNetwork, NatsNetwork, join, join_sync, serve_station
from antecede.runtime.transport.contract import Network
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from antecede.runtime.transport.urls import NOT_GIVEN, folder_of_stores, network_of
from tests.runtime.nodes import run

NATS = ["nats://127.0.0.1:9", "tls://shop:secret@127.0.0.1:9", "nats://127.0.0.1:9,nats://127.0.0.1:10"]
ASKED = "give store=FOLDER, or store=None if this name is for one run only"


@pytest.mark.parametrize("url", [*NATS, NatsNetwork(["nats://127.0.0.1:9"])])
def test_a_server_that_remembers_names_needs_a_store(url: str | Network) -> None:
    """Nobody is asked at the address: a process that could not be started again is refused before it connects."""

    async def test() -> None:
        with pytest.raises(Misuse, match=ASKED):
            async with join(url, space="s", process="a"):
                pass
        with pytest.raises(Misuse, match=ASKED):
            async with serve_station(url, name="s1", stations=["s1"], key=b"k" * 32):
                pass

    run(test)
    with pytest.raises(Misuse, match=ASKED), join_sync(url, space="s", process="a"):
        pass


def test_the_refusal_shows_no_password() -> None:
    with pytest.raises(Misuse) as refused:
        folder_of_stores(NOT_GIVEN, network_of(NATS[1]))
    assert "secret" not in str(refused.value)
    assert "tls://127.0.0.1:9" in str(refused.value)


def test_a_store_that_is_given_is_taken_everywhere() -> None:
    for url in (*NATS, "embedded://", "embedded:///folder"):
        assert folder_of_stores("stores", network_of(url)) == Path("stores")
        assert folder_of_stores(None, network_of(url)) is None


def test_an_empty_text_is_not_a_folder_for_stores() -> None:
    with pytest.raises(Misuse, match="store='' is not a folder: give a folder, or store=None"):
        folder_of_stores("", network_of("embedded://"))


def test_where_stores_are_if_none_was_given() -> None:
    named = EmbeddedNetwork(Path("/folder"))
    assert folder_of_stores(NOT_GIVEN, network_of("embedded:///folder")) == Path("/folder/stores")
    assert folder_of_stores(NOT_GIVEN, network_of(named)) == Path("/folder/stores")
    assert folder_of_stores(NOT_GIVEN, network_of("embedded://")) is None
    assert folder_of_stores(NOT_GIVEN, network_of(MemoryNetwork())) is None


@pytest.mark.parametrize("url", ["nats:/127.0.0.1:4222", "nats://", "nast://127.0.0.1:4222", "embedded://folder"])
def test_a_url_that_is_misspelt_is_refused_before_anybody_is_asked(url: str) -> None:
    with pytest.raises(Misuse, match="give nats://host:port, embedded:// or embedded:///folder, with three slashes"):
        network_of(url)
