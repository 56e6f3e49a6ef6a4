"""Files on a file system that Hadoop has and Arrow has not: Spark hands their content to the tasks."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antecede.core.errors import Misuse
from antecede.pipeline.check import check
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.sources import handed_files
from antecede.pipeline.runner import LISTED_FILES, InProcess
from antecede.pipeline.spark.runner import SparkRunner
from tests.pipeline.parquet_files import write_parquet
from tests.pipeline.read.formats.span_files import link, request, span

Write = Callable[[str, Sequence[object]], str]
SHOWN = "viewfs://antecede/logs"
ROWS = [
    {"run": "r", "process": "a", "index": 0, "kind": "send", "message": "m", "dests": ["b"]},
    {"run": "r", "process": "a", "index": 1, "kind": "send", "message": "n", "dests": ["b"]},
    {"run": "r", "process": "b", "index": 0, "kind": "deliver", "message": "n"},
    {"run": "r", "process": "b", "index": 1, "kind": "deliver", "message": "m"},
]


@pytest.fixture
def mounted(spark: SparkSession, tmp_path: Path) -> Iterator[SparkRunner]:
    """A runner whose Spark has the folder `logs` of a test at `SHOWN`. Arrow needs a library for it that is not here."""
    (tmp_path / "logs").mkdir()
    name = "fs.viewfs.mounttable.antecede.link./logs"
    spark.conf.set(name, (tmp_path / "logs").as_uri())
    yield SparkRunner(spark)
    spark.conf.unset(name)


def test_files_of_lines_are_read_with_their_remote_names(mounted: SparkRunner, write_lines: Write) -> None:
    path = Path(write_lines("logs/t.jsonl", [*ROWS[:2], "broken"]))
    rest = write_lines("rest.jsonl", ROWS[2:])
    path.with_name("u.jsonl.gz").write_bytes(gzip.compress(Path(rest).read_bytes()))
    path.with_name("v.jsonl").write_bytes(b"")
    before = set(Path(tempfile.gettempdir()).glob("antecede-*"))
    checked = check(mounted, [SHOWN], quarantine_max=1.0)
    assert (checked.answer.verdict, checked.answer.sums["events"], checked.quarantined) == ("violated", 4, 1)
    assert any(f"line 3 of {SHOWN}/t.jsonl" in note for note in checked.notes)
    assert any(note.startswith(f"{SHOWN}/v.jsonl: empty") for note in checked.notes)
    assert set(Path(tempfile.gettempdir()).glob("antecede-*")) == before


def test_parquet_and_spans_are_read(mounted: SparkRunner, write_lines: Write, tmp_path: Path) -> None:
    write_parquet(tmp_path / "logs" / "p" / "t.parquet", ROWS)
    assert check(mounted, [f"{SHOWN}/p"]).answer.verdict == "violated"
    send, arrival = span(1, 4, messaging_operation_type="publish"), span(2, 5, [link(1)])
    write_lines("logs/s/a.jsonl", [request("a", send)])
    write_lines("logs/s/b.jsonl", [request("b", arrival)])
    found = check(mounted, [f"{SHOWN}/s/*.jsonl"])
    assert (found.format, found.answer.verdict, found.answer.sums["deliveries"]) == ("otlp", "holds", 1)


def test_what_cannot_be_read_is_said(mounted: SparkRunner, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="neither Arrow nor Spark can open this path: .*nothing"):
        check(mounted, [f"{SHOWN}/nothing"])
    with pytest.raises(UnreadableInput, match="nowhere://x: neither Arrow nor Spark can open this path"):
        check(mounted, ["nowhere://x"])
    (tmp_path / "logs" / "e.jsonl").write_bytes(b"")
    with pytest.raises(UnreadableInput, match="there are no files with content"):
        check(mounted, [SHOWN])


def test_without_spark_people_are_told_to_use_it() -> None:
    for path in ("s3a://bucket/trace", "dbfs:/trace"):
        with pytest.raises(UnreadableInput, match=f"{path}: Arrow cannot open this path; Spark may"):
            check(InProcess(), [path])


def test_a_file_that_is_too_large_is_refused() -> None:
    class Listing(InProcess):
        def list_files(self, paths: Sequence[str]) -> pa.Table:
            return pa.table([["a"], [handed_files.FILE_BYTES_MAX + 1], ["v"]], schema=LISTED_FILES)

    with pytest.raises(UnreadableInput, match="a: the file has 2,146,435,073 bytes; .* at most 2,146,435,072; divide"):
        handed_files.look_at_handed_files(Listing(), ["a"])


def test_tables_are_not_written_where_arrow_cannot() -> None:
    for out in ("s3a://bucket/out", "dbfs:/out"):
        with pytest.raises(Misuse, match=f"--out {out}: tables are written with Arrow.*use file://, s3://"):
            check(InProcess(), ["trace"], out=out)
