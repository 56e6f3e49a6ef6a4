"""Hostile packets, rare turns of events and wrong calls, each of which once broke the core: the smallest form of each."""

from __future__ import annotations

from typing import Any

import pytest

import antecede
from antecede import Deliver, Effect, Packet, Transmit
from tests.stage import Stage


def packets(effects: list[Effect]) -> dict[str, Packet]:
    """What is transmitted, by destination; the last packet to each."""
    return {effect.to: effect.packet for effect in effects if isinstance(effect, Transmit)}


def delivered(effects: list[Effect]) -> list[str]:
    return [str(effect.message.id) for effect in effects if isinstance(effect, Deliver)]


class TestLeaving:
    @pytest.mark.parametrize("algorithm", ["mr", "mr-broadcast"])
    def test_a_packet_held_for_one_process_does_not_wait_for_another_that_left(self, algorithm: str) -> None:
        """b's message waits at c for the phases of a and of d, in this order. d leaves first."""
        grouped = algorithm == "mr"
        stage = Stage(algorithm, "abcd", {"g": [*"abcd"]} if grouped else None)
        to: Any = "g" if grouped else {*"abcd"}
        first = stage.send("a", to)
        stage.arrive(first, "b")
        second = stage.send("b", to)
        stage.arrive_control("b", "c")
        assert stage.arrive(second, "c") == []
        stage.call("c", "leave", "d")
        assert stage.arrive(first, "c") == [first.id, second.id]
        assert not stage.held("c")
