"""How it is going, everywhere: who asks on the subject `antecede-status` is answered by every node and station.

A process tells what is wrong (`problems`, at most `PROBLEMS_SHOWN_MAX`, and how many more there are) and what has
waited longest (`stalls`, at most `STALLS_SHOWN_MAX`), whether that is a problem already or not.

An inbox that nobody answers for belongs to a process that is not running; what waits in it is known from the broker.
Answers are gathered for a while, as nobody knows how many there are.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError

from antecede.runtime.transport.contract import Transport
from antecede.runtime.transport.nats.network import STATUS_SUBJECT
from antecede.runtime.transport.nats.options import NatsOptions, describe_servers
from antecede.runtime.transport.nats.refusals import START_S, check_started
from antecede.runtime.transport.nats.short_connection import CONNECT_S, visit
from antecede.runtime.watch.problems import Problem

GATHER_S = 0.5
PROBLEMS_SHOWN_MAX = 20
STALLS_SHOWN_MAX = 5
PROBLEM_CHARS_MAX = 1_000
"""As much as is shown of one problem in words."""
OPTIONS = NatsOptions()

Answer: TypeAlias = dict[str, Any]


def describe(problems: Sequence[Problem], waiting: Sequence[Problem]) -> dict[str, object]:
    """Return what a process tells of its `problems()` and of what is `waiting`."""
    return {
        "problems": [_shorten(problem) for problem in problems[:PROBLEMS_SHOWN_MAX]],
        "problems_more": max(0, len(problems) - PROBLEMS_SHOWN_MAX),
        "stalls": [_shorten(stall) for stall in waiting[:STALLS_SHOWN_MAX]],
    }


def _shorten(problem: Problem) -> dict[str, object]:
    return {**problem.as_dict(), "text": str(problem)[:PROBLEM_CHARS_MAX]}


async def answer(
    transport: Transport, space: str, process: str, kind: str, status: Callable[[], Mapping[str, object]]
) -> None:
    """Answer everybody who asks for the status of this process, from now on. Do nothing if nobody can ask."""
    identity = {"space": space, "process": process, "kind": kind, "running": True}
    await transport.answer_status(lambda: {**identity, **status()})


async def gather(servers: Sequence[str], options: NatsOptions = OPTIONS, *, wait_s: float = GATHER_S) -> list[Answer]:
    """Return the status of every process that has an inbox or answers, sorted by space and name.

    Raise `Misuse` if nobody answers and the server has no JetStream, so that nobody can have an inbox.

    Two processes may answer under one name: one that has stopped, and the copy of it that took the name.
    """
    async with visit(servers, options) as client:
        answers = await _answers(client, wait_s)
        inboxes = await _inboxes(client, options.domain, "" if answers else describe_servers(servers))
    found: dict[tuple[str, str], list[Answer]] = {}
    for said in answers:
        key = (str(said.get("space")), str(said.get("process")))
        found.setdefault(key, []).append({**inboxes.get(key, {}), **said})
    return [one for key in sorted({*found, *inboxes}) for one in found.get(key) or [inboxes[key]]]


async def _inboxes(client: Client, domain: str | None, silent_at: str) -> dict[tuple[str, str], Answer]:
    """Return the owners of the inboxes that can be seen. `silent_at` are the servers if nobody there has answered."""
    found: dict[tuple[str, str], Answer] = {}
    jetstream = client.jetstream(timeout=CONNECT_S, domain=domain)
    offset = 0
    while True:
        try:
            streams = await jetstream.streams_info(offset)
        except (JetStreamError, NatsError, TimeoutError) as error:
            if silent_at:
                check_started(error, START_S, silent_at)
            return found  # the inboxes of others are not ours to see; those who answer are
        for info in streams:
            owner = info.config.metadata or {}
            if "antecede-space" in owner:
                key = (owner["antecede-space"], owner["antecede-process"])
                found[key] = {"space": key[0], "process": key[1], "running": False, "queued": info.state.messages}
        offset += len(streams)
        if not streams:
            return found


async def _answers(client: Client, wait_s: float) -> list[Answer]:
    said: list[Answer] = []

    async def keep(msg: Msg) -> None:
        try:
            one = json.loads(msg.data)
        except ValueError:
            return  # somebody else's, or nobody is there to answer
        if isinstance(one, dict):
            said.append(one)

    inbox = client.new_inbox()
    await client.subscribe(inbox, cb=keep)
    await client.publish(STATUS_SUBJECT, b"", inbox)
    await client.flush()
    await asyncio.sleep(wait_s)
    return said
