"""`prs` with `bit_string=True`: the same knowledge and the same deliveries as without, from stamps of another form."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import antecede
from antecede import Codec, Effect, Packet
from antecede.core.ordering.none import NoStamp
from antecede.core.ordering.prs import BitStringPrs, BitStringStamp, Prs, PrsStamp
from tests.properties.lockstep import Ensemble, perform
from tests.stage import Stage, improvise

BOTH: Mapping[str, Mapping[str, bool]] = {"ks": {}, "prs": {}, "prs bit_string": {"bit_string": True}}


class SameKnowledge(Ensemble):
    """An ensemble of `BOTH`, in which the processes of `prs` also know the same after every step."""

    def _compare(self, at: str, done: Mapping[str, list[Effect]]) -> None:
        super()._compare(at, done)
        plain, other = (self.stages[name].ordering(at) for name in ("prs", "prs bit_string"))
        assert type(plain) is Prs
        assert type(other) is BitStringPrs
        assert (plain.barrier, plain.known, plain.delivered) == (other.barrier, other.known, other.delivered)


def test_000_7_1_after_each_step_the_barrier_is_that_of_plain_prs() -> None:
    for seed in range(40):
        perform(BOTH, seed, sends=30, kind=SameKnowledge)


def test_000_7_1_a_stamp_on_the_wire_is_n_a_string_of_n_by_n_bits_and_an_integer_for_each_bit() -> None:
    names = [f"p{number}" for number in range(10)]
    codec, packets = Codec(names), _packets(names)
    assert max(packet.stamp.entries for packet in packets) > 20
    for packet in packets:
        data = codec.encode(packet)
        assert codec.decode(data) == packet
        empty = codec.encode(Packet(packet.sender, packet.message, BitStringStamp({})))
        assert len(data) == len(empty) + packet.stamp.entries, "each count is below 128, and one byte"
        bare = codec.encode(Packet(packet.sender, packet.message, NoStamp()))
        assert len(empty) == len(bare) + 1 + 13, "N and 100 bits"


def _packets(names: list[str]) -> list[Packet]:
    stage = improvise(Stage("prs", names, bit_string=True), Random("bits"), sends=60)
    return [flight.packet for flight in stage.brought]


def test_processes_with_and_without_the_option_understand_each_other() -> None:
    stage, plain = (Stage("prs", "abc", bit_string=bits) for bits in (True, False))
    stage.nodes["b"] = plain.nodes["b"]
    first = stage.send("a", {"b", "c"})
    stage.arrive(first, "b")
    second = stage.send("b", {"a", "c"})
    stage.arrive(second, "a")
    third = stage.send("a", {"c"})
    stamps = [stage.packet(message, "c").stamp for message in (first, second, third)]
    assert [type(stamp) for stamp in stamps] == [BitStringStamp, PrsStamp, BitStringStamp]
    assert stage.arrive(third, "c") == stage.arrive(second, "c") == []
    assert stage.arrive(first, "c") == [first.id, second.id, third.id]


def test_a_barrier_has_no_empty_row_after_somebody_left() -> None:
    """A row that had a count of the departed only would be in the stamp, and not on the wire."""
    stage = Stage("prs", "abc", bit_string=True)
    stage.arrive(stage.send("c", {"a", "b"}), "a")
    assert stage.ordering("a").barrier == {"a": {"c": 1}, "b": {"c": 1}}
    stage.call("a", "leave", "c")
    assert stage.ordering("a").barrier == {}
    packet = stage.packet(stage.send("a", {"b"}), "b")
    assert antecede.decode(antecede.encode(packet)) == packet
