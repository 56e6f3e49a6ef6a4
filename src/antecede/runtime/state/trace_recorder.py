"""The trace of ARCHITECTURE.md, written by a process about itself: one JSON line an event, in files or in a stream.

**Files.** The file takes part in the transaction of the store by its length. Lines are appended first, then the store
commits how long the file is now; a process that dies in between finds a file that is longer than the store says, and
cuts it, or removes it if it was just begun. So an event is in the trace exactly if the step it belongs to happened,
and once. A file that is shorter than the store says is another, or in another folder: the process does not start.

Files are `<process>.jsonl`, then `<process>.1.jsonl` and so on, each begun when the one before has reached
`file_bytes_max`. None is ever deleted: a trace with a gap would be judged wrongly.

**A stream** of JetStream, `jetstream:NAME`. Lines go into the outbox of the store in the transaction of their step, and
from there to the stream like packets to an inbox: until it has them, over restarts. After a crash some may come twice;
they are numbered, and whoever reads the stream (`transport.nats.trace_stream`) leaves out what it has had.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from io import FileIO
from pathlib import Path
from typing import Protocol

from antecede.core.errors import Misuse
from antecede.core.types import Message, ProcessId
from antecede.judge.events import Event, to_json
from antecede.runtime.state.outgoing import Outgoing
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import StoreError
from antecede.runtime.transport.contract import TRACE
from antecede.runtime.transport.names import label, token

FILE_BYTES_MAX = 64 * 2**20
ENTRY_BYTES_MAX = 32 * 2**10
"""Lines for a stream share an entry of the outbox up to this length: brokers do not take data of any length."""
FACT = "trace"
SCHEME = "jetstream:"


class TraceFiles:
    """The files of one process in `folder`; `append` before the store commits."""

    def __init__(self, folder: Path, process: ProcessId, store: Store, file_bytes_max: int = FILE_BYTES_MAX) -> None:
        self._folder, self._stem, self._store = folder, label(process), store
        self._file_bytes_max = file_bytes_max
        if FACT not in store.facts and self._path(0).exists() and self._path(0).stat().st_size:
            raise Misuse(f"{self._path(0)} is of another run: move it away, or give another folder for the trace")
        self._number, self._length = map(int, store.facts.get(FACT, b"0 0").split())
        self._check_place()
        store.put(FACT, b"%d %d" % (self._number, self._length))  # committed before there is a first line
        self._file = self._open()
        self._remove_later()

    def _path(self, number: int) -> Path:
        return self._folder / (f"{self._stem}.{number}.jsonl" if number else f"{self._stem}.jsonl")

    def _check_place(self) -> None:
        path = self._path(self._number)
        if self._length and not (path.exists() and path.stat().st_size >= self._length):
            raise Misuse(
                f"the trace is not in {self._folder}: the store has {self._length} bytes in {path.name}. Give the "
                f"folder it was in; if it is lost, go on without a trace: one with a gap would be judged wrongly"
            )

    def _remove_later(self) -> None:
        """Remove files that were never committed. Keep them if no line ever was committed: they are of another run."""
        later = self._number + 1
        while self._length and self._path(later).exists():
            try:
                self._path(later).unlink()
            except OSError as error:
                raise StoreError(f"{self._path(later)}, which was not finished, cannot be removed: {error}") from error
            later += 1

    def _open(self) -> FileIO:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = open(self._path(self._number), "ab", buffering=0, opener=_open_private)  # noqa: SIM115 - it lives as long as this object
            file.truncate(self._length)
        except OSError as error:
            raise StoreError(f"the trace cannot be written to {self._folder}: {error}") from error
        return file

    def append(self, lines: Sequence[str]) -> list[Outgoing]:
        """Write lines to the file, and stage its new length. Return an empty list: nothing is owed to a stream."""
        data = "".join(f"{line}\n" for line in lines).encode()
        try:
            if self._length and self._length + len(data) > self._file_bytes_max:
                self._file.close()
                self._number, self._length = self._number + 1, 0
                self._file = self._open()
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]  # a disk that fills up takes a part
            if self._store.flushes:
                os.fsync(self._file.fileno())
        except OSError as error:
            path = self._path(self._number)
            raise StoreError(f"the trace {path} cannot be written: {error}. Make room, then start again") from error
        self._length += len(data)
        self._store.put(FACT, b"%d %d" % (self._number, self._length))
        return []

    def close(self) -> None:
        self._file.close()


def _open_private(path: str, flags: int) -> int:
    """Open a file that only its owner may read: a trace says who talks to whom, and when."""
    descriptor = os.open(path, flags, 0o600)
    if os.fstat(descriptor).st_uid == os.geteuid():
        os.fchmod(descriptor, 0o600)  # an earlier release made files that others could read
    return descriptor


class TraceOutbox:
    """The way of one process into a stream; `append` before the store commits."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def append(self, lines: Sequence[str]) -> list[Outgoing]:
        """Stage lines for the stream, and return their entries of the outbox."""
        return [self._store.enqueue_lines(TRACE, entry) for entry in _entries(lines)]

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _entries(lines: Sequence[str]) -> Iterator[bytes]:
    """Yield the lines in pieces of at most `ENTRY_BYTES_MAX`. A line that is longer is a piece by itself."""
    entry = b""
    for line in lines:
        data = f"{line}\n".encode()
        if entry and len(entry) + len(data) > ENTRY_BYTES_MAX:
            yield entry
            entry = b""
        entry += data
    if entry:
        yield entry


class Sink(Protocol):
    """A place for the lines of a trace: files, or a stream."""

    def append(self, lines: Sequence[str]) -> list[Outgoing]: ...

    def close(self) -> None: ...


def stream_of(trace: str | Path | None) -> str | None:
    """Return the name in `jetstream:NAME`, or None if the trace goes to a folder, or nowhere.

    Raise `Misuse` if a stream cannot have this name.
    """
    if not isinstance(trace, str) or not trace.startswith(SCHEME):
        return None
    name = trace.removeprefix(SCHEME)
    if not name or token(name) != name:
        raise Misuse(f"{name!r} cannot be the name of a stream: use letters, digits and -")
    return name


def sink(trace: str | Path, process: ProcessId, store: Store, file_bytes_max: int = FILE_BYTES_MAX) -> Sink:
    """Return the sink that `trace` names: files in a folder, or the stream of `jetstream:NAME`."""
    if stream_of(trace) is not None:
        return TraceOutbox(store)
    return TraceFiles(Path(trace), process, store, file_bytes_max)


class Recorder:
    """Numbers the events of a process and gathers them for the next commit. `wall` is the clock people read."""

    def __init__(self, run: str, process: ProcessId, sink: Sink, store: Store, wall: Callable[[], float]) -> None:
        self._run, self._process, self._sink, self._store, self._wall = run, process, sink, store, wall
        self._index = int(store.facts.get("trace index", b"0"))
        self._events: list[Event] = []

    def send(self, message: Message, control_bytes: int | None, control_entries: int | None) -> None:
        event = Event(
            self._run,
            self._process,
            self._next(),
            "send",
            self._wall(),
            str(message.id),
            tuple(sorted(message.dests)),
            message.group,
            len(message.payload),
            control_bytes,
            control_entries,
        )
        self._events.append(event)

    def other(self, kind: str, message: Message) -> None:
        """Record that a message was received or delivered. `kind` is "receive" or "deliver"."""
        self._events.append(Event(self._run, self._process, self._next(), kind, self._wall(), str(message.id)))

    def note(self, kind: str, attributes: Mapping[str, str]) -> None:
        """Record an event without a message, such as a host that moves, connects or disconnects."""
        event = Event(self._run, self._process, self._next(), kind, self._wall(), attributes=attributes)
        self._events.append(event)

    def flush(self) -> list[Outgoing]:
        """Write the events since the last call to the sink. Return the entries of the outbox that this leads to.

        Call this before the store commits. The entries may go out after the commit.
        """
        if not self._events:
            return []
        outgoing = self._sink.append([to_json(event) for event in self._events])
        self._store.put("trace index", b"%d" % self._index)
        self._events.clear()
        return outgoing

    def _next(self) -> int:
        self._index += 1
        return self._index


@contextmanager
def open_recorder(
    trace: str | Path | None,
    run: str,
    process: ProcessId,
    *,
    store: Store,
    wall: Callable[[], float],
    file_bytes_max: int = FILE_BYTES_MAX,
) -> Iterator[Recorder | None]:
    """Yield the recorder of a process that writes to `trace`, or None if there is no trace to write."""
    if trace is None:
        yield None
        return
    with closing(sink(trace, process, store, file_bytes_max)) as lines:
        yield Recorder(run, process, lines, store, wall)
