"""Print everything every algorithm does with the same inputs, what it holds back and a checksum of its state, in a form
that has no order of its own to lose.

`python -m tests.properties.determinism` is run under different hash seeds by `test_determinism`.
"""

from __future__ import annotations

import zlib
from functools import partial
from random import Random

import antecede
from antecede import Deliver, Effect, Sent, SetTimer, Transmit
from tests.stage import Stage, improvise, stage_for


def written(effect: Effect, roster: list[str]) -> str:
    match effect:
        case Sent(message) | Deliver(message):
            return f"{type(effect).__name__} {message.id} to {sorted(message.dests)}"
        case SetTimer(at):
            return f"SetTimer {at}"
        case Transmit(to, packet):
            return f"Transmit to {to}: {antecede.encode(packet).hex()} {antecede.encode(packet, roster).hex()}"


def main() -> None:
    for algorithm in sorted(antecede.algorithms()):
        for seed in range(6):
            random = Random(f"determinism {algorithm} {seed}")
            stage = stage_for(algorithm, random)
            stage.witnesses.append(partial(show, stage))
            improvise(stage, random, sends=15)


def show(stage: Stage, process: str, effect: Effect) -> None:
    state = zlib.crc32(stage.nodes[process].snapshot())
    print(process, written(effect, stage.names), stage.held(process), state)


if __name__ == "__main__":
    main()
