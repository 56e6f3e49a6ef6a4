"""The trace of a run: the columns of ARCHITECTURE.md, as JSON Lines or as Parquet.

A `Recorder` numbers the events of each process and passes rows on in batches, in the order of simulated time. Where an
algorithm keeps a message back (for a token, for an acknowledgement), its send happens before its stamp exists: that
row, and what follows it, waits in the recorder until the first packet leaves.

A file gets its name when it is complete: until then it has `.part` behind it. The same run gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from antecede.core.errors import Misuse
from antecede.core.types import ProcessId
from antecede.judge.events import Event

BATCH_ROWS = 20_000
COLUMNS = ("process", "index", "kind", "time", "message", "dests", "group", "payload_bytes", "control_bytes",
           "control_entries")  # fmt: skip
CONTROL_BYTES, CONTROL_ENTRIES = 8, 9
SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")

Row: TypeAlias = list[Any]
"""The columns of one event and its attributes, but for the run, which is the same for all."""
Sink: TypeAlias = Callable[[Sequence[Row]], None]


class Recorder:
    """Makes rows of what happens, for `sinks`. `close` passes on what is left."""

    def __init__(self, *sinks: Sink) -> None:
        self.events = 0
        self._sinks = sinks
        self._index: dict[ProcessId, int] = {}
        self._rows: list[Row] = []
        self._try_at = BATCH_ROWS
        self._unstamped = 0

    def send(
        self,
        time_s: float,
        process: ProcessId,
        message: str,
        *,
        dests: list[ProcessId],
        group: str | None = None,
        payload_bytes: int = 0,
    ) -> Row:
        """The row, for `stamp` to complete."""
        row = [process, self._next(process), "send", time_s, message, dests, group, payload_bytes, None, -1, None]
        self._unstamped += 1
        self._add(row)
        return row

    def stamp(self, row: Row, size_bytes: int | None, entries: int | None) -> None:
        row[CONTROL_BYTES], row[CONTROL_ENTRIES] = size_bytes, entries
        self._unstamped -= 1

    def other(self, time_s: float, process: ProcessId, kind: str, message: str) -> None:
        self._add([process, self._next(process), kind, time_s, message, None, None, None, None, None, None])

    def roamed(self, time_s: float, process: ProcessId, kind: str, station: ProcessId) -> None:
        """A host moved, connected or disconnected: to which station, or from which."""
        row = [process, self._next(process), kind, time_s, None, None, None, None, None, None, {"station": station}]
        self._add(row)

    def close(self) -> None:
        """What never left has no stamp."""
        for row in self._rows:
            if row[CONTROL_ENTRIES] == -1:
                self.stamp(row, None, None)
        self._pass_on(len(self._rows))

    def _next(self, process: ProcessId) -> int:
        index = self._index.get(process, 0)
        self._index[process] = index + 1
        return index

    def _add(self, row: Row) -> None:
        self.events += 1
        self._rows.append(row)
        if len(self._rows) >= self._try_at:
            self._pass_on(self._complete())
            self._try_at = len(self._rows) + BATCH_ROWS

    def _complete(self) -> int:
        """How many rows from the first have all their columns."""
        rows = self._rows
        if not self._unstamped:
            return len(rows)
        return next((at for at, row in enumerate(rows) if row[CONTROL_ENTRIES] == -1), len(rows))

    def _pass_on(self, count: int) -> None:
        batch, self._rows = self._rows[:count], self._rows[count:]
        if batch:
            for sink in self._sinks:
                sink(batch)


def as_event(run: str, row: Row) -> Event:
    """The row as the judge reads it."""
    process, index, kind, time, message, dests, *rest = row
    return Event(run, process, index, kind, time, message, None if dests is None else tuple(dests), *rest)


@contextmanager
def written(path: str | Path, run: str) -> Iterator[Sink]:
    """A sink that writes the file named, in the format of its suffix: .jsonl, .jsonl.gz or .parquet."""
    path = Path(path)
    write = _format(path)
    if not run.isprintable():
        raise Misuse(f"the name of the run, {run!r}, has characters that cannot be written")
    part = path.with_name(path.name + ".part")
    try:
        with write(part, run) as sink:
            yield sink
        os.replace(part, path)
    except OSError as error:
        raise Misuse(f"the trace cannot be written to {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # a name that can not be written can not be removed either
            part.unlink(missing_ok=True)


def _format(path: Path) -> Callable[[Path, str], Any]:
    if path.name.endswith(".jsonl"):
        return _jsonl
    if path.name.endswith(".jsonl.gz"):
        return _jsonl_gz
    if path.name.endswith(".parquet"):
        return _parquet
    raise Misuse(
        f"the name of a trace must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, not like {path.name!r}"
    )


@contextmanager
def _jsonl(path: Path, run: str) -> Iterator[Sink]:
    with path.open("wb") as file:
        yield _lines_to(file, run)


@contextmanager
def _jsonl_gz(path: Path, run: str) -> Iterator[Sink]:
    """With no name and no time in its header: the same run gives the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as file:
        yield _lines_to(cast("IO[bytes]", file), run)


@contextmanager
def _parquet(path: Path, run: str) -> Iterator[Sink]:
    import pyarrow as pa  # noqa: PLC0415 - only a trace in Parquet needs Arrow
    from pyarrow import parquet  # noqa: PLC0415

    text, long = pa.string(), pa.int64()
    kinds = (text, long, text, pa.float64(), text, pa.list_(text), text, long, long, long)
    attributes = pa.map_(text, text)
    schema = pa.schema([("run", text), *zip(COLUMNS, kinds, strict=True), ("attributes", attributes)])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:

        def sink(rows: Sequence[Row]) -> None:
            data = zip(zip(*rows, strict=True), (*kinds, attributes), strict=True)
            columns = [pa.array(map(_pairs, column) if kind is attributes else column, kind) for column, kind in data]
            runs = pa.repeat(pa.scalar(run), len(rows))
            writer.write_table(pa.Table.from_arrays([runs, *columns], schema=schema))

        yield sink


def _pairs(attributes: dict[str, str] | None) -> list[tuple[str, str]] | None:
    return None if attributes is None else list(attributes.items())


def _lines_to(file: IO[bytes], run: str) -> Sink:
    start = f'{{"run":{json.dumps(run)},"process":"'

    def sink(rows: Sequence[Row]) -> None:
        file.write("".join([_line(start, row) for row in rows]).encode())

    return sink


def _line(start: str, row: Row) -> str:
    """What `check.events.to_json` writes, in a twentieth of its time: names in a simulation need no escapes."""
    process, index, kind, time, message, dests, group, payload, size_bytes, entries, attributes = row
    line = f'{start}{process}","index":{index},"kind":"{kind}","time":{time!r}'
    if message is None:
        return f'{line},"attributes":{json.dumps(attributes, separators=(",", ":"))}}}\n'
    line += f',"message":"{message}"'
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
