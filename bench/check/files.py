"""The events of a workload as files: Parquet, JSON Lines, and OpenTelemetry's OTLP/JSON.

Text is put together by Arrow, a column at a time, because a line of Python for each event would take minutes. No text
of a workload needs an escape in JSON.

    {"run":"run-00","process":"node-03","index":7,"kind":"send",...}          one event in a line
    {"resourceSpans":[{"resource":...,"scopeSpans":[{"spans":[...]}]}]}       up to `REQUEST_SPANS` spans in a line

In OTLP a send is a producer's span, and a deliver a consumer's span with a link to it. OTLP has no runs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.check.workload import Workload, make_tables

ROW_GROUP_ROWS = 500_000
REQUEST_SPANS = 64
ENDINGS = {"otlp": "jsonl"}  # one export request in each line
EPOCH_NS = 1_700_000_000_000_000_000
Text = Any
"""A column of texts, or one text for all rows."""


def prepare_files(folder: Path, form: str, workload: Workload) -> Path:
    """Return the folder with the events of a workload in a form, and write it unless it is there already."""
    name = f"{form}-{workload.events}-{workload.processes}p-{workload.runs}r-{workload.late_share:g}-{workload.seed}"
    place = folder / name
    if not place.exists():
        unfinished = folder / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for number, table in enumerate(make_tables(workload)):
            WRITERS[form](unfinished / f"part-{number:05d}.{ENDINGS.get(form, form)}", table)
        unfinished.rename(place)
    return place


def write_parquet(path: Path, events: pa.Table) -> None:
    pq.write_table(events, path, row_group_size=ROW_GROUP_ROWS)


def write_jsonl(path: Path, events: pa.Table) -> None:
    columns = {name: events[name].combine_chunks() for name in events.column_names}
    lines = _join(
        '{"run":"',
        columns["run"],
        '","process":"',
        columns["process"],
        '","index":',
        columns["index"].cast(pa.string()),
        ',"kind":"',
        columns["kind"],
        '","time":',
        columns["time"].cast(pa.string()),
        _join_all(',"message":"', columns["message"], '"'),
        _join_all(',"dests":["', pc.binary_join(columns["dests"], '","'), '"]'),
        _join_all(',"payload_bytes":', columns["payload_bytes"].cast(pa.string())),
        ',"attributes":{',
        *_attribute_pairs(columns["attributes"]),
        "}}\n",
    )
    with path.open("wb") as file:
        _write_texts(file, lines)


def write_otlp(path: Path, events: pa.Table) -> None:
    """Write export requests, each with up to `REQUEST_SPANS` spans of one process, in the order of their last span."""
    spans = _spans(events)
    process = events["process"].combine_chunks().dictionary_encode()
    code = process.indices.to_numpy()
    order = np.argsort(code, kind="stable")
    begins = np.flatnonzero(np.diff(code[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    offsets = np.append(np.flatnonzero(rank % REQUEST_SPANS == 0), len(order)).astype(np.int32)
    requests = pa.ListArray.from_arrays(pa.array(offsets), spans.take(pa.array(order)))
    lines = _join(
        '{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},'
        '{"key":"service.instance.id","value":{"stringValue":"',
        process.dictionary.take(pa.array(code[order][offsets[:-1]])),
        '"}}]},"scopeSpans":[{"scope":{"name":"shop.messaging"},"spans":[',
        pc.binary_join(requests, ","),
        "]}]}]}\n",
    )
    with path.open("wb") as file:
        _write_texts(file, lines.take(pa.array(np.argsort(order[offsets[1:] - 1], kind="stable"))))


def _spans(events: pa.Table) -> pa.Array:
    """Return the JSON of each event as a span."""
    kind = events["kind"].combine_chunks()
    number = pc.fill_null(pc.replace_substring(events["message"].combine_chunks(), "m", "").cast(pa.int64()), -1)
    message = number.to_numpy()
    sent = pc.equal(kind, "send").to_numpy(zero_copy_only=False)
    delivered = pc.equal(kind, "deliver")
    # What is not a send gets a number of its own, by its process and index.
    process = events["process"].combine_chunks().dictionary_encode()
    code = pc.replace_substring_regex(process.dictionary, r"\D", "").cast(pa.int64()).to_numpy()
    own = (code[process.indices.to_numpy()] << 40) + events["index"].to_numpy() + (1 << 39)
    producer_span = _hex([_mix(message, 1)])
    span = _hex([_mix(np.where(sent, message, own), 1)])
    trace = _hex([_mix(np.where(message < 0, own, message), 2), _mix(np.where(message < 0, own, message), 3)])
    start = EPOCH_NS + np.round(events["time"].to_numpy() * 1e9).astype(np.int64)
    pairs = _attribute_values(events["attributes"].combine_chunks())
    link = _join_all(',"links":[{"traceId":"', trace, '","spanId":"', producer_span, '"}]')
    operation = pc.if_else(delivered, "process", pc.if_else(pa.array(sent), "send", pa.scalar(None, pa.string())))
    return _join(
        '{"traceId":"',
        trace,
        '","spanId":"',
        span,
        '","name":"',
        kind,
        " ",
        pairs[1],
        '","kind":',
        pc.if_else(delivered, "5", pc.if_else(pa.array(sent), "4", "1")),
        ',"startTimeUnixNano":"',
        pa.array(start).cast(pa.string()),
        '","endTimeUnixNano":"',
        pa.array(start + 150_000).cast(pa.string()),
        '","attributes":[{"key":"server.address","value":{"stringValue":"',
        pairs[0],
        '"}}',
        _join_all(
            ',{"key":"messaging.system","value":{"stringValue":"shopmq"}},{"key":"messaging.operation.type",'
            '"value":{"stringValue":"',
            operation,
            '"}},{"key":"messaging.destination.name","value":{"stringValue":"',
            pairs[1],
            '"}}',
        ),
        "]",
        pc.if_else(delivered, link, pa.scalar(None, pa.string())),
        "}",
    )


def _attribute_values(attributes: pa.MapArray) -> tuple[pa.Array, pa.Array]:
    """Return the first and the second text of each event."""
    places = np.arange(0, 2 * len(attributes), 2)
    return attributes.items.take(pa.array(places)), attributes.items.take(pa.array(places + 1))


def _attribute_pairs(attributes: pa.MapArray) -> list[Text]:
    first, second = _attribute_values(attributes)
    second_name = attributes.keys.take(pa.array(np.arange(1, 2 * len(attributes), 2)))
    return ['"host":"', first, '","', second_name, '":"', second, '"']


def _join(*texts: Text) -> pa.Array:
    """Return the texts of each row, one after the other. A null counts as empty."""
    return pc.binary_join_element_wise(*texts, "", null_handling="replace", null_replacement="")


def _join_all(*texts: Text) -> pa.Array:
    """Return the texts of each row, one after the other, or null if one of them is null."""
    return pc.binary_join_element_wise(*texts, "")


def _mix(numbers: npt.NDArray[np.int64], salt: int) -> npt.NDArray[np.uint64]:
    """Return numbers that look random, different for different numbers (splitmix64)."""
    mixed = numbers.astype(np.uint64) + np.uint64(salt * 0x9E3779B97F4A7C15 % 2**64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _hex(columns: Iterable[npt.NDArray[np.uint64]]) -> pa.Array:
    """Return the hexadecimal digits of one or more numbers in each row."""
    numbers = np.stack([*columns], axis=1).astype(">u8")
    digits = 16 * numbers.shape[1]
    offsets = np.arange(0, digits * (len(numbers) + 1), digits, dtype=np.int32)
    data = pa.py_buffer(numbers.tobytes().hex().encode())
    return pa.Array.from_buffers(pa.string(), len(numbers), [None, pa.py_buffer(offsets), data])


def _write_texts(file: IO[bytes], texts: pa.Array) -> None:
    """Write all texts, one after the other, without making Python objects of them."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32, len(texts) + 1, 4 * texts.offset)
    file.write(memoryview(data)[ends[0] : ends[-1]])


WRITERS: dict[str, Callable[[Path, pa.Table], None]] = {
    "parquet": write_parquet,
    "jsonl": write_jsonl,
    "otlp": write_otlp,
}
