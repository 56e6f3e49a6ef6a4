"""Files on a file system that Hadoop has and Arrow has not: Spark hands their content to the tasks."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antecede.core.errors import Misuse
from antecede.judge.events import RefusedRow
from antecede.pipeline.check import check
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.rows import ReadRows, refused_table
from antecede.pipeline.read.source import Source
from antecede.pipeline.read.sources import handed_files
from antecede.pipeline.runner import LISTED_FILES, PART, Dataset, InProcess
from antecede.pipeline.spark.runner import SparkRunner
from tests.pipeline.parquet_files import write_parquet
from tests.pipeline.read.formats.span_files import link, request, span

Write = Callable[[str, Sequence[object]], str]
ROWS = [
    {"run": "r", "process": "a", "index": 0, "kind": "send", "message": "m", "dests": ["b"]},
    {"run": "r", "process": "a", "index": 1, "kind": "send", "message": "n", "dests": ["b"]},
    {"run": "r", "process": "b", "index": 0, "kind": "deliver", "message": "n"},
    {"run": "r", "process": "b", "index": 1, "kind": "deliver", "message": "m"},
]


@pytest.fixture
def mounted(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """The address of the folder `logs` of a test, which Spark has and for which Arrow needs a library that is not here.

    Hadoop remembers a file system by its name, so each test has one of its own.
    """
    (tmp_path / "logs").mkdir()
    name = f"test-{uuid4().hex}"
    setting = f"fs.viewfs.mounttable.{name}.link./logs"
    spark.conf.set(setting, (tmp_path / "logs").as_uri())
    yield f"viewfs://{name}/logs"
    spark.conf.unset(setting)


def test_files_of_lines_are_read_with_their_remote_names(spark: SparkSession, mounted: str, write_lines: Write) -> None:
    path = Path(write_lines("logs/t.jsonl", [*ROWS[:2], "broken"]))
    rest = write_lines("rest.jsonl", ROWS[2:])
    path.with_name("u.jsonl.gz").write_bytes(gzip.compress(Path(rest).read_bytes()))
    path.with_name("v.jsonl").write_bytes(b"")
    checked = check(SparkRunner(spark), [mounted], quarantine_max=1.0)
    assert (checked.answer.verdict, checked.answer.sums["events"], checked.quarantined) == ("violated", 4, 1)
    assert any(f"line 3 of {mounted}/t.jsonl" in note for note in checked.notes)


def test_parquet_and_spans_are_read(spark: SparkSession, mounted: str, write_lines: Write, tmp_path: Path) -> None:
    write_parquet(tmp_path / "logs" / "p" / "t.parquet", ROWS)
    assert check(SparkRunner(spark), [f"{mounted}/p"]).answer.verdict == "violated"
    send, arrival = span(1, 4, messaging_operation_type="publish"), span(2, 5, [link(1)])
    write_lines("logs/s/a.jsonl", [request("a", send)])
    write_lines("logs/s/b.jsonl", [request("b", arrival)])
    found = check(SparkRunner(spark), [f"{mounted}/s/*.jsonl"])
    assert (found.format, found.answer.verdict, found.answer.sums["deliveries"]) == ("otlp", "holds", 1)


def test_what_cannot_be_read_is_said(spark: SparkSession, mounted: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"neither Arrow nor Spark can open this path: .*nothing"):
        check(SparkRunner(spark), [f"{mounted}/nothing"])
    with pytest.raises(UnreadableInput, match="nowhere://x: neither Arrow nor Spark can open this path"):
        check(SparkRunner(spark), ["nowhere://x"])
    (tmp_path / "logs" / "e.jsonl").write_bytes(b"")
    with pytest.raises(UnreadableInput, match="there are no files with content"):
        check(SparkRunner(spark), [mounted])


def test_copies_are_private_and_removed() -> None:
    copies: list[Path] = []

    class Handing(InProcess):
        def read_files(self, paths: Sequence[str]) -> Dataset:
            rows = pa.table(
                {PART: pa.array([0] * len(paths), pa.int32()), "path": paths, "content": [b"x"] * len(paths)}
            )
            return self.hand_out(rows)

    def read(block: Block) -> Iterator[ReadRows]:
        copies.append(Path(block.path))
        assert (block.is_whole, copies[-1].read_bytes()) == (True, b"x")
        assert copies[-1].parent.stat().st_mode & 0o077 == 0
        assert not any(copy.exists() for copy in copies[:-1])
        yield ReadRows(refused=refused_table(block.name, [RefusedRow("odd", "x", 1)]))

    def name_files(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
        for rows in read:
            yield pa.record_batch([rows.refused["file"].to_pylist()], ["file"])

    files = Handing().read_files(["s3a://b/one", "s3a://b/two"])
    source = Source(InProcess(), files, partial(handed_files.read_contents, read=read))
    found = source.map(name_files, pa.schema([("file", pa.string())])).collect()
    assert found["file"].to_pylist() == ["s3a://b/one", "s3a://b/two"]
    assert (len(copies), [copy for copy in copies if copy.parent.exists()]) == (2, [])


def test_without_spark_people_are_told_to_use_it() -> None:
    for path in ("s3a://bucket/trace", "dbfs:/trace"):
        with pytest.raises(UnreadableInput, match=f"{path}: Arrow cannot open this path; Spark may"):
            check(InProcess(), [path])


def test_a_file_that_is_too_large_is_refused() -> None:
    class Listing(InProcess):
        def list_files(self, paths: Sequence[str]) -> pa.Table:
            return pa.table([["a"], [handed_files.FILE_BYTES_MAX + 1], ["v"]], schema=LISTED_FILES)

    with pytest.raises(UnreadableInput, match=r"a: the file has 2,146,435,073 bytes; .* at most 2,146,435,072; divide"):
        handed_files.look_at_handed_files(Listing(), ["a"])


def test_tables_are_not_written_where_arrow_cannot() -> None:
    for out in ("s3a://bucket/out", "dbfs:/out"):
        with pytest.raises(Misuse, match=rf"--out {out}: tables are written with Arrow.*use file://, s3://"):
            check(InProcess(), ["trace"], out=out)
