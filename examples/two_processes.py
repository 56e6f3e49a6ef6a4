"""Two processes on one machine that exchange a message over an embedded NATS server, and survive being killed.

Run, in two terminals:  python examples/two_processes.py alice bob
                        python examples/two_processes.py bob alice

A third argument is the URL, embedded:///tmp/antecede-example if it is left out. Each process sends one message, prints
the one that it gets, and ends. Start one again, and it goes on from its store. Once both have run, neither needs the
other to run at the same time: what was sent waits in the other's inbox.
"""

import asyncio
import contextlib
import sys

import antecede


async def main(me: str, other: str, url: str = "embedded:///tmp/antecede-example") -> None:
    async with antecede.join(url, space="example", process=me) as node:
        await node.send({other}, f"hello from {me}, message {node.sent + 1}".encode())
        message = await anext(node)
        print(f"{message.sender}: {message.payload.decode()}")
        await message.ack()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C ends it
        asyncio.run(main(*sys.argv[1:]))
