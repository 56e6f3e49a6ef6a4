"""Two stations and two hosts: one host moves between the stations while a conversation goes on.

Run: python examples/roaming_hosts.py

A station is a server for the hosts near it; a host is a client that may move to another station at any time. Here all
of them are in one program, and the stations reach each other through an embedded NATS server in a temporary folder.
Real stations are started with `antecede station`, each on its own machine. What a message answers is always delivered
before it, wherever the host is by then.
"""

import asyncio
import secrets
import tempfile

from antecede.runtime import Host, issue_token, serve_station

STATIONS = ["north", "south"]
ROUNDS = 3


async def main(url: str) -> None:
    key = secrets.token_bytes(32)
    async with (
        serve_station(url, name="north", stations=STATIONS, key=key) as north,
        serve_station(url, name="south", stations=STATIONS, key=key) as south,
    ):
        urls = [f"ws://127.0.0.1:{station.port}" for station in (north, south)]
        async with (
            Host(urls[:1], "ann", issue_token(key, "ann")) as ann,
            Host(urls[1:], "bob", issue_token(key, "bob")) as bob,
        ):
            await ann.connected()
            await bob.connected()
            for number in range(ROUNDS):
                await ann.send({"bob"}, f"question {number}".encode())
                print(f"ann, at {ann.station}, asks question {number}")
                await bob.move(urls[number % 2])
                question = await anext(bob)
                print(f"bob, at {bob.station}, gets {question.payload.decode()!r}")
                await question.ack()
                await bob.send({"ann"}, f"answer {number}".encode())
                answer = await anext(ann)
                print(f"ann, at {ann.station}, gets {answer.payload.decode()!r}")
                await answer.ack()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(f"embedded://{folder}/nats"))
