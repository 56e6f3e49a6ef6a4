"""The scenarios. Each begins a system, sends, and lets copies arrive in the least convenient order.

A scenario says what arrives before what, never what must be held back: a system may hold a message back on arrival,
refuse to let it leave, or bring its causes along. Whether the outcome is causal is for the judge to say.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.conformance.play import Play

Scenario = Callable[[Play], None]


def triangle(play: Play) -> None:
    """a tells c, then tells b; b tells c. What a said first comes to c last."""
    play.start("abc", "ac", "ab", "bc")
    slow = play.send("a", "c")
    play.bring(play.send("a", "b"), "b")
    play.bring(play.send("b", "c"), "c")
    play.bring(slow, "c")


def triangle_of_broadcasts(play: Play) -> None:
    """a tells everybody; b, who has heard it, answers everybody; c hears the answer first."""
    play.start("abc", "abc")
    question = play.send("a", "abc")
    play.bring(question, "b")
    answer = play.send("b", "abc")
    play.bring(answer, "c")
    play.bring(question, "c")


def relay_chain_of_three(play: Play) -> None:
    """a tells d and then x, x tells y, y tells d: the first message has the longest way."""
    play.start("adxy", "ad", "ax", "xy", "dy")
    slow = play.send("a", "d")
    play.bring(play.send("a", "x"), "x")
    play.bring(play.send("x", "y"), "y")
    play.bring(play.send("y", "d"), "d")
    play.bring(slow, "d")


def relay_chain_of_broadcasts(play: Play) -> None:
    """Each of three speaks to everybody after it has heard all before it; d hears them in the opposite order."""
    play.start("abcd", "abcd")
    said: list[str] = []
    for speaker in "abc":
        for message in said:
            play.bring(message, speaker)
        said.append(play.send(speaker, "abcd"))
    for message in reversed(said):
        play.bring(message, "d")


def self_send(play: Play) -> None:
    """a sends to itself and to b, twice, and b gets the second first; then b does the same. Own copies count."""
    play.start("ab", "ab")
    for sender, other in ("ab", "ba"):
        first, second = play.send(sender, "ab"), play.send(sender, "ab")
        play.bring(second, other)
        play.bring(first, other)


def self_send_alone(play: Play) -> None:
    """a sends to itself only, between two messages to b."""
    play.start("ab", "ab", "a")
    play.send("a", "b")
    play.send("a", "a")
    play.bring(play.send("a", "b"), "b")


def duplicate_and_reorder(play: Play) -> None:
    """Four messages of a to b arrive in the opposite order, each of them twice, and all of them once more."""
    play.start("ab", "ab")
    sent = [play.send("a", "b") for _ in range(4)]
    for message in reversed(sent):
        if (message, "b") in play.system.arrivals():
            play.again(message, "b")
            play.again(message, "b")
    play.bring_all_but(())
    for message in sent:
        play.again(message, "b")


def subset_multicast(play: Play) -> None:
    """Three messages to three different sets: e knows of the first through the second, and tells d before a does."""
    play.start("abcde", "abcd", "bce", "de")
    first = play.send("a", "bcd")
    play.bring(first, "b")
    second = play.send("b", "ce")
    play.bring(second, "c")
    play.bring(second, "e")
    third = play.send("e", "d")
    play.bring(third, "d")
    play.bring(first, "d")
    play.bring(first, "c")


def overlapping_groups(play: Play) -> None:
    """Groups in a ring: g1 = {a, b}, g2 = {b, c}, g3 = {a, c}. A cause in g1 goes to b behind the back of c."""
    play.start("abc", "ab", "bc", "ac")
    cause = play.send("a", "ab")
    play.bring(play.send("a", "ac"), "c")
    effect = play.send("c", "bc")
    play.bring(effect, "b")
    play.restart("b")
    play.bring(cause, "b")


def groups_that_share_two(play: Play) -> None:
    """g1 = {a, b, c}, g2 = {a, b, d}: d speaks in g2, a hears it and speaks in g1, c hears that and speaks in g1."""
    play.start("abcd", "abc", "abd")
    m0 = play.send("d", "abd")
    play.bring(m0, "a")
    m1 = play.send("a", "abc")
    play.bring(m1, "c")
    m2 = play.send("c", "abc")
    for message in (m2, m1, m0):
        play.bring(message, "b")


def restart_with_packets_held_back(play: Play) -> None:
    """c holds back what came too early, is restarted, and gets the rest; so does everybody else."""
    play.start("abc", "ac", "ab", "bc")
    slow = play.send("a", "c")
    slower = play.send("a", "c")
    play.bring(play.send("a", "b"), "b")
    early = play.send("b", "c")
    play.bring(early, "c")
    for process in "abc":
        play.restart(process)
    play.bring(slower, "c")
    play.restart("c")
    play.again(early, "c")
    play.bring(slow, "c")


def restart_in_a_broadcast(play: Play) -> None:
    """The same, where everybody hears everything."""
    play.start("abc", "abc")
    first, second = play.send("a", "abc"), play.send("a", "abc")
    play.bring(second, "c")
    play.restart("c")
    play.bring(first, "b")
    play.bring(second, "b")
    play.restart("b")
    third = play.send("b", "abc")
    play.bring(third, "c")
    play.restart("c")
    play.bring(first, "c")


def late_joiner(play: Play) -> None:
    """d joins while a message of before is on its way: it must not wait for that one, nor miss any order after."""
    play.start("abc", "abc")
    before = play.send("a", "abc")
    play.bring(before, "b")
    play.join("d")
    cause = play.send("b", "abcd")
    play.bring_all_but([(cause, "d"), (before, "c")])
    effect = play.send("a", "abcd")
    play.bring(effect, "d")
    play.bring(cause, "d")
    play.bring(effect, "c")
    answer = play.send("d", "abcd")
    play.bring(answer, "c")
    play.bring(before, "c")


def late_joiner_by_unicast(play: Play) -> None:
    """The same with one destination at a time."""
    play.start("abc", "ab")
    before = play.send("a", "b")
    play.join("d")
    cause = play.send("a", "d")
    play.bring(before, "b")
    play.bring(play.send("a", "b"), "b")
    play.bring(play.send("b", "d"), "d")
    play.bring(cause, "d")
    play.bring(play.send("d", "a"), "a")


SCENARIOS: dict[str, Scenario] = {
    scenario.__name__.replace("_", " "): scenario
    for scenario in (
        triangle,
        triangle_of_broadcasts,
        relay_chain_of_three,
        relay_chain_of_broadcasts,
        self_send,
        self_send_alone,
        duplicate_and_reorder,
        subset_multicast,
        overlapping_groups,
        groups_that_share_two,
        restart_with_packets_held_back,
        restart_in_a_broadcast,
        late_joiner,
        late_joiner_by_unicast,
    )
}
