"""What `encode` and `decode` refuse of their caller, and the limits that they hold a packet to."""

from __future__ import annotations

from typing import Any

import pytest

from antecede import Codec, Message, MessageId, Misuse, Packet, Transmit, WireError, create, decode, encode
from antecede.core.ordering.hops import Across
from antecede.core.ordering.none import NoStamp
from antecede.core.roster import NAME_BYTES_MAX
from antecede.core.wire.shapes import STAMP_DEPTH_MAX


def packet(sender: str = "a", payload: bytes = b"", stamp: Any = None) -> Packet:
    return Packet(sender, Message(MessageId(sender, 1), frozenset("b"), payload), stamp or NoStamp())


def test_a_roster_names_each_process_once() -> None:
    with pytest.raises(Misuse, match="a roster must name each process once"):
        Codec(["a", "b", "a"])


def test_encode_takes_a_packet_and_nothing_else() -> None:
    with pytest.raises(Misuse, match="encode takes a Packet, not a Message"):
        encode(packet().message)  # type: ignore[arg-type]  # the wrong type is the test


def test_a_packet_whose_stamp_has_no_number_on_the_wire_cannot_be_encoded() -> None:
    with pytest.raises(Misuse, match="a str cannot be encoded: it is not a stamp"):
        encode(packet(stamp="stamp"))


@pytest.mark.parametrize("wrong", ["text", 7, None, [1, 2, 3]])
def test_decode_takes_bytes_and_nothing_else(wrong: Any) -> None:
    with pytest.raises(Misuse, match=f"decode takes bytes, not a {type(wrong).__name__}"):
        decode(wrong)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_kind_of_bytes_can_be_decoded(kind: Any) -> None:
    assert decode(kind(encode(packet(payload=b"x")))) == packet(payload=b"x")


def test_a_packet_may_be_as_long_as_the_limit_and_no_longer() -> None:
    data = encode(packet(payload=b"four"))
    exact, short = (Codec(packet_bytes_max=len(data) - less) for less in (0, 1))
    assert exact.decode(exact.encode(packet(payload=b"four"))) == packet(payload=b"four")
    with pytest.raises(
        Misuse, match=f"the packet has {len(data)} bytes, and the limit is {len(data) - 1}: send a smal"
    ):
        short.encode(packet(payload=b"four"))
    with pytest.raises(WireError, match=f"must have 3 to {len(data) - 1} bytes, not {len(data)}"):
        short.decode(data)


@pytest.mark.parametrize("roster", ["abcd", "ab", "dcba"])
def test_packets_encoded_one_after_the_other_have_the_bytes_that_each_has_alone(roster: str) -> None:
    """A codec remembers a part of the last stamp, which the packets of one message have in common."""
    a, b = (create("ks", process=name, processes=list("abcd")) for name in "ab")
    found = [transmit.packet for transmit in a.send(set("bcd"), b"1") if isinstance(transmit, Transmit)]
    b.receive(found[0])
    for process in (a, b, a, b):
        found += [transmit.packet for transmit in process.send(set("cd"), b"2") if isinstance(transmit, Transmit)]
    alone = [Codec(list(roster)).encode(each) for each in found]
    one_codec = Codec(list(roster))
    assert [one_codec.encode(each) for each in found] == alone
    assert [one_codec.encode(each) for each in reversed(found)] == alone[::-1]
    assert [one_codec.decode(data) for data in alone] == found


def test_a_name_may_be_as_long_as_the_limit_and_no_longer() -> None:
    longest = "n" * NAME_BYTES_MAX
    assert decode(encode(packet(longest))) == packet(longest)
    with pytest.raises(Misuse, match=f"a name of {NAME_BYTES_MAX + 1} bytes; 1 to {NAME_BYTES_MAX} are allowed: 'nnn"):
        encode(packet(longest + "n"))
    with pytest.raises(Misuse, match=f"a name of 0 bytes; 1 to {NAME_BYTES_MAX} are allowed: ''"):
        encode(packet(""))


def test_stamps_nest_up_to_a_limit() -> None:
    stamp: Any = NoStamp()
    for _ in range(STAMP_DEPTH_MAX - 1):
        stamp = Across(MessageId("a", 1), frozenset("b"), stamp)
    assert decode(encode(packet(stamp=stamp))) == packet(stamp=stamp)
    deeper = Across(MessageId("a", 1), frozenset("b"), stamp)
    with pytest.raises(WireError, match="stamps nested too deep"):
        decode(encode(packet(stamp=deeper)))
