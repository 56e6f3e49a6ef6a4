"""Record the trace of a run and write it as JSON Lines or as Parquet, with the columns of ARCHITECTURE.md.

A `RunRecorder` numbers the events of each process and passes rows on in batches, in the order of simulated time. If an
algorithm delays a message (for a token, for an acknowledgement), the send happens before its stamp exists. The row of
such a send, and all rows after it, wait in the recorder until the first packet leaves. With a synchronous algorithm
the send itself happens when the packet leaves.

A file gets its name when it is complete. Until then the name ends in `.part`. The same run gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.judge.events import Event

BATCH_ROWS = 20_000
COLUMNS = ("process", "index", "kind", "time", "message", "dests", "group", "payload_bytes", "control_bytes",
           "control_entries")  # fmt: skip
CONTROL_BYTES, CONTROL_ENTRIES = 8, 9

TraceRow: TypeAlias = list[Any]
"""The columns of one event and its attributes, but for the run, which is the same for all."""
Sink: TypeAlias = Callable[[Sequence[TraceRow]], None]


class RunRecorder:
    """A recorder that turns the events of a run into rows and passes them on to `sinks`.

    `close` passes on the rows that are left.
    """

    def __init__(self, *sinks: Sink) -> None:
        self.events = 0
        self._sinks = sinks
        self._index: dict[ProcessId, int] = {}
        self._rows: list[TraceRow] = []
        self._try_at = BATCH_ROWS
        self._unstamped = 0

    def record_send(
        self,
        time_s: float,
        process: ProcessId,
        message: str,
        *,
        dests: list[ProcessId],
        group: str | None = None,
        payload_bytes: int = 0,
    ) -> TraceRow:
        """Record a send and return its row, which `stamp` completes."""
        row = [process, self._next_index(process), "send", time_s, message, dests, group, payload_bytes, None, -1, None]
        self._unstamped += 1
        self._add(row)
        return row

    def stamp(self, row: TraceRow, size_bytes: int | None, entries: int | None) -> None:
        """Set the size of the stamp in the row of a send."""
        row[CONTROL_BYTES], row[CONTROL_ENTRIES] = size_bytes, entries
        self._unstamped -= 1

    def record_event(
        self, time_s: float, process: ProcessId, kind: str, message: str, attributes: dict[str, str] | None = None
    ) -> None:
        """Record an event of another kind that has a message, such as a receive or a deliver."""
        self._add([process, self._next_index(process), kind, time_s, message, *[None] * 5, attributes])

    def record_move(self, time_s: float, process: ProcessId, kind: str, station: ProcessId) -> None:
        """Record that a host moved or connected to `station`, or disconnected from it."""
        self._add([process, self._next_index(process), kind, time_s, *[None] * 6, {"station": station}])

    def close(self) -> None:
        """Pass on all rows that are left. A send whose packet never left has no stamp."""
        for row in self._rows:
            if row[CONTROL_ENTRIES] == -1:
                self.stamp(row, None, None)
        self._pass_on(len(self._rows))

    def _next_index(self, process: ProcessId) -> int:
        """Return the next index of a process."""
        index = self._index.get(process, 0)
        self._index[process] = index + 1
        return index

    def _add(self, row: TraceRow) -> None:
        self.events += 1
        self._rows.append(row)
        if len(self._rows) >= self._try_at:
            self._pass_on(self._complete_row_count())
            self._try_at = len(self._rows) + BATCH_ROWS

    def _complete_row_count(self) -> int:
        """Return how many rows, counted from the first, have all their columns."""
        rows = self._rows
        if not self._unstamped:
            return len(rows)
        return next((at for at, row in enumerate(rows) if row[CONTROL_ENTRIES] == -1), len(rows))

    def _pass_on(self, count: int) -> None:
        batch, self._rows = self._rows[:count], self._rows[count:]
        if batch:
            for sink in self._sinks:
                sink(batch)


def as_event(run: str, row: TraceRow) -> Event:
    """Return the row as an event for the judge."""
    process, index, kind, time, message, dests, *rest = row
    return Event(run, process, index, kind, time, message, None if dests is None else tuple(dests), *rest)


@contextmanager
def open_trace(path: str | Path, run: str) -> Iterator[Sink]:
    """Yield a sink that writes the trace to `path`, in the format of its suffix: .jsonl, .jsonl.gz or .parquet."""
    path = Path(path)
    opener = next((FORMATS[suffix] for suffix in SUFFIXES if path.name.endswith(suffix)), None)
    if opener is None:
        raise Misuse(
            f"the name of a trace must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, not like {path.name!r}"
        )
    if not run.isprintable():
        raise Misuse(f"the name of the run, {run!r}, has characters that cannot be written")
    with name_when_complete(path, "the trace") as part, opener(part, run) as sink:
        yield sink


@contextmanager
def name_when_complete(path: Path, what: str) -> Iterator[Path]:
    """Yield the path of a new file, and rename the file to `path` after the block.

    Remove the file if the block raises an error. Raise `Misuse` if the file cannot be written; the message calls it
    `what`.
    """
    part = path.with_name(path.name + ".part")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise Misuse(f"{what} cannot be written to {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # a file that could not be created cannot be removed either
            part.unlink(missing_ok=True)


@contextmanager
def _open_jsonl(path: Path, run: str) -> Iterator[Sink]:
    with path.open("wb") as file:
        yield _line_sink(file, run)


@contextmanager
def _open_jsonl_gz(path: Path, run: str) -> Iterator[Sink]:
    """Yield a sink for gzip. The header has no name and no time, so that the same run gives the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as file:
        yield _line_sink(cast("IO[bytes]", file), run)


@contextmanager
def _open_parquet(path: Path, run: str) -> Iterator[Sink]:
    import pyarrow as pa  # noqa: PLC0415 - only a trace in Parquet needs Arrow
    from pyarrow import parquet  # noqa: PLC0415

    text, long = pa.string(), pa.int64()
    kinds = (text, long, text, pa.float64(), text, pa.list_(text), text, long, long, long)
    attributes = pa.map_(text, text)
    schema = pa.schema([("run", text), *zip(COLUMNS, kinds, strict=True), ("attributes", attributes)])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:

        def sink(rows: Sequence[TraceRow]) -> None:
            data = zip(zip(*rows, strict=True), (*kinds, attributes), strict=True)
            columns = [pa.array(map(_pairs, column) if kind is attributes else column, kind) for column, kind in data]
            runs = pa.repeat(pa.scalar(run), len(rows))
            writer.write_table(pa.Table.from_arrays([runs, *columns], schema=schema))

        yield sink


def _pairs(attributes: dict[str, str] | None) -> list[tuple[str, str]] | None:
    return None if attributes is None else list(attributes.items())


def _line_sink(file: IO[bytes], run: str) -> Sink:
    start = f'{{"run":{json.dumps(run)},"process":"'

    def sink(rows: Sequence[TraceRow]) -> None:
        file.write("".join([_line(start, row) for row in rows]).encode())

    return sink


def _line(start: str, row: TraceRow) -> str:
    """Return the same line as `judge.events.to_json`, in a twentieth of its time. Names in a simulation need no
    escapes.
    """
    process, index, kind, time, message, dests, group, payload, size_bytes, entries, attributes = row
    line = f'{start}{process}","index":{index},"kind":"{kind}","time":{time!r}'
    if message is not None:
        line += f',"message":"{message}"'
    if attributes is not None:
        return f'{line},"attributes":{json.dumps(attributes, separators=(",", ":"))}}}\n'
    if kind != "send":
        return line + "}\n"
    line += ',"dests":["' + '","'.join(dests) + '"]'
    if group is not None:
        line += f',"group":"{group}"'
    line += f',"payload_bytes":{payload}'
    if size_bytes is not None:
        line += f',"control_bytes":{size_bytes}'
    if entries is not None:
        line += f',"control_entries":{entries}'
    return line + "}\n"


FORMATS: Mapping[str, Callable[[Path, str], AbstractContextManager[Sink]]] = {
    ".jsonl": _open_jsonl,
    ".jsonl.gz": _open_jsonl_gz,
    ".parquet": _open_parquet,
}
"""The function that opens a trace for writing, for each suffix of its name."""
SUFFIXES = tuple(FORMATS)
