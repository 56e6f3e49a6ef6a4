"""The algorithms as a library: four processes, a network that reorders, and nothing but the standard library.

Run: python examples/library_only.py

A program that uses an algorithm is its driver. It calls `send` and `receive`, and carries out the effects that they
return, in order: a `Transmit` goes to the network, a `Deliver` to the application. Here the network is a list that is
shuffled, so packets overtake each other all the time. No message is ever delivered before one that caused it.
"""

import random

import antecede

NAMES = ["alice", "bob", "carol", "dave"]


def main() -> None:
    chance = random.Random(7)
    processes = {name: antecede.create("ks", process=name, processes=NAMES) for name in NAMES}
    network: list[tuple[str, bytes]] = []  # for whom, and the packet as bytes

    def carry_out(me: str, effects: list[antecede.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, antecede.Transmit):
                network.append((effect.to, antecede.encode(effect.packet)))
            elif isinstance(effect, antecede.Deliver):
                text = effect.message.payload.decode()
                print(f"{me} delivers {text!r} of {effect.message.sender}")
                if text.endswith("?"):  # everybody answers a question, to everybody else
                    others = set(NAMES) - {me}
                    carry_out(me, processes[me].send(others, f"answer of {me}".encode()))

    carry_out("alice", processes["alice"].send(set(NAMES) - {"alice"}, b"lunch?"))
    while network:
        chance.shuffle(network)
        to, data = network.pop()
        carry_out(to, processes[to].receive(antecede.decode(data)))
        for waiting in processes[to].pending():
            print(f"{to} holds back: {waiting}")
    assert not any(process.pending() for process in processes.values())


if __name__ == "__main__":
    main()
