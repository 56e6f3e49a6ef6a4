"""Names that are like an unknown one are looked for now and then, among a few hosts: nobody can keep a station busy."""

import asyncio
import time

from antecede.runtime.roaming.station.similar_hosts import HOSTS_MAX, NAME_CHARS_MAX, PAUSE_S, SimilarHosts
from antecede.runtime.roaming.websocket import AirLimits
from tests.runtime.cells import cells, host, until


def test_the_sender_and_names_that_are_not_like_it_are_not_proposed() -> None:
    similar = SimilarHosts(lambda: 0.0)
    assert similar.find("bobb", ["bob", "ann", "bobbi", "bobb2"], sender="bobb2") == ("bobbi", "bob")
    assert SimilarHosts(lambda: 0.0).find("zed", ["ann"], sender="bob") == ()


def test_a_search_is_made_only_when_the_last_was_a_while_ago() -> None:
    now = [0.0]
    similar = SimilarHosts(lambda: now[0])
    found = []
    for now[0] in (0.0, 0.0, PAUSE_S / 2, PAUSE_S, PAUSE_S):
        found.append(similar.find("bobb", ["bob"], sender="ann"))
    assert found == [("bob",), (), (), ("bob",), ()]


def test_many_hosts_and_long_names_are_not_searched() -> None:
    many = [f"bob{number}" for number in range(HOSTS_MAX)]
    for hosts, unknown, count in (
        (many, "bobb", 2),
        ([*many, "bob"], "bobb", 0),
        (["b" * NAME_CHARS_MAX], "b" * (NAME_CHARS_MAX - 1), 1),
        (["b" * (NAME_CHARS_MAX + 1)], "b" * NAME_CHARS_MAX, 0),
        (["b" * NAME_CHARS_MAX], "b" * (NAME_CHARS_MAX + 1), 0),
    ):
        assert len(SimilarHosts(lambda: 0.0).find(unknown, hosts, sender="ann")) == count


def test_a_message_to_many_unknown_names_and_another_connection_lead_to_one_search() -> None:
    """Whoever connects again has no searches of its own."""
    proposed: list[tuple[str, ...]] = []

    async def scenario() -> None:
        async with cells(names=["s1"], limits=AirLimits(stranger_s=0.01)) as at:
            at["s1"]._similar = SimilarHosts(time.monotonic, pause_s=1_000.0)
            for _ in range(2):
                async with host(at["s1"], "ann") as ann, host(at["s1"], "sensor-1") as sensor:
                    await sensor.connected()
                    await ann.send({f"sensor-{number}" for number in range(2, 12)}, b"x")
                    await until(lambda ann=ann: len(ann._refusals) == 10)
                    proposed.extend(refusal.similar for refusal in ann._refusals)

    asyncio.run(scenario())
    assert sorted(proposed) == [()] * 19 + [("sensor-1",)]
