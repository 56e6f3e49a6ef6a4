"""Compiled short cuts for processes that take in very many packets; they come with `antecede[fast]`.

    >>> import antecede
    >>> from antecede.fast import accelerate
    >>> codec = antecede.Codec(["a", "b", "c"])
    >>> a, b = (antecede.create("prs-broadcast", process=name, processes=codec.roster) for name in "ab")
    >>> fast = accelerate(b, codec)
    >>> packets = [codec.encode(a.send({"b", "c"}, text)[1].packet) for text in (b"one", b"two")]
    >>> effects, refused = fast.receive_all(packets[::-1])
    >>> [effect.message.payload for effect in effects], refused
    ([b'one', b'two'], [])

What they deliver, hold back and refuse is exactly what the algorithm of the core does with the same packets.

broadcast  a process of `prs-broadcast` that takes packets as bytes, many at a time
kernel     its compiled loop: bytes in; which messages can be delivered out
"""

from antecede.fast.broadcast import FastBroadcast, Received, accelerate

__all__ = ["FastBroadcast", "Received", "accelerate"]
