"""No ordering: what it remembers of each sender, to drop what comes twice."""

import antecede
from antecede import Deliver, Transmit

MEMORY = 5


def test_the_last_messages_of_a_sender_are_remembered_and_the_memory_has_a_limit() -> None:
    a = antecede.create("none", process="a", processes=["a", "b"])
    b = antecede.create("none", process="b", processes=["a", "b"], memory=MEMORY)
    packets = []
    for _ in range(10 * MEMORY):
        effect = a.send({"b"}, b"")[1]
        assert isinstance(effect, Transmit)
        packets.append(effect.packet)
        assert len(b.receive(effect.packet)) == 1
        assert [b.receive(packet) for packet in packets[-MEMORY:]] == [[]] * len(packets[-MEMORY:])
    forgotten = [packet for packet in packets if b.receive(packet) == [Deliver(packet.message)]]  # type: ignore[arg-type]  # packets of messages have one
    assert len(packets) - len(forgotten) <= 2 * MEMORY
