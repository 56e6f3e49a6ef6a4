"""The register of a space: the last value of each key, with an entry for each process that was ever started.

It is a stream of JetStream, `antecede-names_<space>` or `antecede-names_<space>_<domain>`, that keeps one message for
each subject, as a key-value bucket does. It is not a bucket in name, because subjects of buckets do not pass between
the domains of leaf nodes. `antecede-names.<space>.<domain>.<process>` is the registration of a process: its
incarnation, epoch, nonce and the newest form of the wire that it reads. It is written when the process starts, and by
compare-and-set only: the broker refuses a write that was made after another one that its writer has not seen. The same
with `.progress` is how far the process has come, written now and then. Everybody hears of new registrations as they are
written.

The domain is `-` if JetStream has none.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, replace

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, Header, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from antecede.core.types import ProcessId
from antecede.runtime.transport.contract import Registration
from antecede.runtime.transport.names import label, token, untoken
from antecede.runtime.transport.nats.options import NatsOptions

WRONG_SEQUENCE = (10071, 10164)
PROGRESS = ".progress"


class Outdated(Exception):
    """Somebody else has written the entry since it was read."""


class NameRegister:
    """The registrations of one space."""

    def __init__(self, space: str, options: NatsOptions) -> None:
        self._subjects = f"antecede-names.{token(space)}.{token(options.domain or '-')}"
        domain = f"_{label(options.domain)}" if options.domain else ""
        self.stream, self._options = f"antecede-names_{label(space)}{domain}", options

    async def make(self, jetstream: JetStreamContext) -> None:
        """Make the stream, if there is none."""
        with suppress(NotFoundError):
            await jetstream.stream_info(self.stream)
            return
        await jetstream.add_stream(
            StreamConfig(
                name=self.stream,
                subjects=[f"{self._subjects}.>"],
                storage=StorageType.FILE,
                discard=DiscardPolicy.NEW,
                max_msgs_per_subject=1,
                num_replicas=self._options.replicas,
                allow_rollup_hdrs=True,
                deny_delete=True,
            )
        )

    async def read(self, jetstream: JetStreamContext, process: ProcessId) -> tuple[Registration | None, int, int]:
        """Return a registration, with the revision of its entry and that of its progress. A missing entry has 0."""
        value, revision = await self._get(jetstream, token(process))
        if value is None:
            return None, revision, 0
        progress, progress_revision = await self._get(jetstream, f"{token(process)}{PROGRESS}")
        found = _registration(value)
        if found is not None and progress is not None and progress.isdigit():
            found = replace(found, progress=max(found.progress, int(progress)))
        return found, revision, progress_revision

    async def write(
        self, jetstream: JetStreamContext, process: ProcessId, registration: Registration, revision: int
    ) -> None:
        """Replace a registration. Raise `Outdated` if the entry is of another revision."""
        await self._put(jetstream, token(process), json.dumps(asdict(registration)).encode(), revision)

    async def write_progress(
        self, jetstream: JetStreamContext, process: ProcessId, progress: int, revision: int
    ) -> int:
        """Replace the progress of a process, and return the new revision. Raise `Outdated` as `write` does."""
        return await self._put(jetstream, f"{token(process)}{PROGRESS}", b"%d" % progress, revision)

    async def listen(self, client: Client, heard: Callable[[ProcessId, Registration], Awaitable[None]]) -> None:
        """Call `heard` with each registration that somebody writes from now on."""

        async def hear(msg: Msg) -> None:
            process, found = untoken(msg.subject.rpartition(".")[2]), _registration(msg.data)
            if process is not None and found is not None:
                await heard(process, found)

        await client.subscribe(f"{self._subjects}.*", cb=hear)

    async def _get(self, jetstream: JetStreamContext, key: str) -> tuple[bytes | None, int]:
        try:
            found = await jetstream.get_msg(self.stream, subject=f"{self._subjects}.{key}")
        except NotFoundError:
            return None, 0
        return found.data or b"", found.seq or 0

    async def _put(self, jetstream: JetStreamContext, key: str, value: bytes, revision: int) -> int:
        headers = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value: str(revision)}
        try:
            answer = await jetstream.publish(f"{self._subjects}.{key}", value, headers=headers)
        except APIError as error:
            if error.err_code in WRONG_SEQUENCE:
                raise Outdated from None
            raise
        return answer.seq


def _registration(value: bytes) -> Registration | None:
    """Return what is written in an entry, or None if it is not a registration. Fields of later releases are ignored."""
    try:
        found = json.loads(value)
        return Registration(
            incarnation=str(found["incarnation"]),
            epoch=int(found["epoch"]),
            nonce=str(found["nonce"]),
            progress=int(found.get("progress", 0)),
            form=int(found.get("form", 1)),
            has_left=found.get("has_left") is True,
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
