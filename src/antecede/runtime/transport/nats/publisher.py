"""Publications on one NATS connection, many under way at once, each told apart by a number in its answer's subject."""

from __future__ import annotations

import asyncio
import json

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from antecede.runtime.transport.contract import NoInbox, Unreachable

STATUS, NOBODY = "Status", "503"


class Publisher:
    """A connection, and the publications on it that wait up to `answer_s` for their answer."""

    def __init__(self, client: Client, answer_s: float) -> None:
        self.client, self._answer_s = client, answer_s
        self._answers: dict[str, tuple[float, asyncio.Future[None]]] = {}  # in order of time
        self._prefix = client.new_inbox()
        self._number = 0

    async def open(self) -> None:
        """Begin to listen for the answers."""
        await self.client.subscribe(f"{self._prefix}.*", cb=self._take_answer)

    async def publish(self, subject: str, data: bytes, key: str) -> None:
        """Publish data, and wait for the answer. Raise `Unreachable` if there is none.

        Nothing is put into the buffer of a lost connection: it would be published later, whoever has the name then.
        """
        if not self.client.is_connected:
            raise Unreachable("the connection to NATS is lost")
        self._number += 1
        number = str(self._number)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[None] = loop.create_future()
        self._answers[number] = (loop.time() + self._answer_s, answer)
        try:
            await self.client.publish(subject, data, f"{self._prefix}.{number}", headers={"Nats-Msg-Id": key})
            await answer
        except (NatsError, OSError) as error:
            raise Unreachable(f"{subject} was not published: {error!r}") from error
        finally:
            self._answers.pop(number, None)

    def give_up(self, now: float) -> None:
        """Raise `Unreachable` in every `publish` that had no answer in time. Call this now and then."""
        for until, answer in self._answers.values():
            if until > now:
                return
            if not answer.done():
                answer.set_exception(Unreachable(f"no answer for {self._answer_s:g} s"))

    async def _take_answer(self, msg: Msg) -> None:
        _, answer = self._answers.get(msg.subject.rpartition(".")[2], (0.0, None))
        if answer is None or answer.done():
            return
        if msg.headers and msg.headers.get(STATUS) == NOBODY:
            answer.set_exception(NoInbox("there is no such inbox"))
        elif b'"error"' in msg.data:
            answer.set_exception(Unreachable(f"the inbox refused: {json.loads(msg.data)['error']}"))
        else:
            answer.set_result(None)
