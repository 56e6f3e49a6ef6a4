"""Real packets of every algorithm, and bytes that are almost packets."""

from __future__ import annotations

from functools import cache
from random import Random

import antecede
from antecede import Packet
from antecede.core.fifo import Number
from tests.golden.plays import resign
from tests.stage import improvise, stage_for

ALGORITHMS = [*sorted(antecede.algorithms()), "ks differential", "prs bit_string", "ks links", "prs links"]
"""What `stage_for` makes a stage of: every algorithm, and the options that have a stamp of their own."""


@cache
def packets_of(algorithm: str) -> tuple[Packet, ...]:
    """Every packet of some random plays: messages, control packets, and the word to a newcomer where there is one."""
    random = Random(f"packets {algorithm}")
    packets: list[Packet] = []
    for _ in range(4):
        stage = improvise(stage_for(algorithm, random, random.randint(3, 7)), random, sends=20)
        packets += [flight.packet for flight in stage.brought]
        stage.call(stage.names[0], "join", "a newcomer")
        packets += [flight.packet for flight in stage.flying]
    if algorithm == "hierarchy":
        packets += [flight.packet for flight in resign(0).brought if flight.packet.message is None]
    return tuple(packets)


def kinds(packets: tuple[Packet, ...]) -> set[str]:
    """The names of their stamps, and of the stamps inside channel numbers."""
    stamps = [packet.stamp for packet in packets]
    inside = [stamp.inner for stamp in stamps if isinstance(stamp, Number)]
    return {type(stamp).__name__ for stamp in [*stamps, *inside]}


def spoiled(data: bytes, other: bytes, random: Random) -> bytes:
    """Flip bits, cut, insert, repeat, splice, or make a number long, once or a few times."""
    out = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 3, 8])):
        at = random.randrange(len(out) + 1)
        match random.randrange(7):
            case 0 if out:
                out[at % len(out)] ^= 1 << random.randrange(8)
            case 1 if out:
                out[at % len(out)] = random.choice([0, 1, 2, 3, 127, 128, 254, 255])
            case 2:
                del out[at:]
            case 3:
                out[at:at] = random.randbytes(random.randint(1, 4))
            case 4:
                del out[at : at + random.randint(1, 4)]
            case 5:
                out[at:] = other[random.randrange(len(other)) :]
            case _:
                out[at:at] = b"\xff" * random.randint(1, 9) + b"\x7f"
    return bytes(out)
