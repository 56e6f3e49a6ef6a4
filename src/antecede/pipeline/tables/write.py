"""Write the tables of a check to an output folder, and return the figures that a report draws from them.

The tables are written first, and the figures of links and processes are read from them, so that neither is computed
twice. Hold-backs are measured only if the trace has both receives and delivers, and edges of vector clocks only if no
message is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.judge.events import Event
from antecede.pipeline.read.ingest import Ingested
from antecede.pipeline.report.arrows import edge_arrows, message_arrows
from antecede.pipeline.report.locality_saving import saving
from antecede.pipeline.report.model import (
    Answer,
    ExplainedViolation,
    Figures,
    LinkTotals,
    QuarantinedRow,
    TracePicture,
)
from antecede.pipeline.spark.local_dataframe import given
from antecede.pipeline.spark.progress import Stages
from antecede.pipeline.tables import figures, folder, measures
from antecede.pipeline.tables.clock_edges import edges
from antecede.pipeline.tables.hold_back import EVENTS_MAX as NEEDLESS_EVENTS_MAX
from antecede.pipeline.tables.hold_back import needless
from antecede.pipeline.verify.answer import plural
from antecede.pipeline.verify.verify import Verified

SKEW_LISTED_MAX = 50
QUARANTINE_LISTED_MAX = 100
PICTURE_EVENTS_MAX = 90
WORDS = pa.schema(
    [
        *(("run", pa.string()), ("process", pa.string()), ("index", pa.int64())),
        *(("rank", pa.int32()), ("words", pa.string()), ("late_s", pa.float64())),
    ]
)


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Which kinds of events the trace has."""

    sends: bool
    receives: bool
    delivers: bool
    clocks: bool


def write_results(
    read: Ingested, verified: Verified, found: Answer, told: Sequence[ExplainedViolation], *, out: str, stages: Stages
) -> Figures:
    """Write the tables under `out`, and return the figures of a report."""
    spark = read.events.sparkSession
    with stages.stage("measuring"):
        kinds = _kinds(read.events)
        shown = edges(read.events).persist(StorageLevel.MEMORY_AND_DISK) if kinds.clocks and not kinds.sends else None
        timed = _timed(read.events, verified, kinds).persist(StorageLevel.MEMORY_AND_DISK)
        histograms, timeline = figures.distributions(timed, shown, read.events.where("kind = 'send'"))
        stamps = figures.stamps(read.events) if kinds.sends else None
    with stages.stage("writing"):
        _write(read, verified, timed, shown, _words(spark, told), out=out)
    with stages.stage("summarising"):
        links, processes = (folder.read(spark, out, name) for name in ("links", "processes"))
        busiest = figures.busiest_links(links)
        drawn = Figures(
            histograms=histograms,
            timeline=timeline,
            stamps=stamps,
            links=busiest,
            processes=figures.worst_processes(processes),
            process_count=processes.select("process").distinct().count(),
            held=processes.agg(fn.coalesce(fn.sum("held"), fn.lit(0))).collect()[0][0] if "hold_s" in histograms else 0,
            locality=_locality(busiest),
            notes=_notes(kinds, found),
            skew=tuple(_skew(verified)) if found.sums["early"] else (),
            quarantined=_quarantined(spark, out),
            reasons=_reasons(spark, out),
            picture=None if told else _picture(folder.read(spark, out, "events"), shown, found),
        )
    for frame in (timed, shown):
        if frame is not None:
            frame.unpersist()
    return drawn


def _write(
    read: Ingested, verified: Verified, timed: DataFrame, shown: DataFrame | None, words: DataFrame, *, out: str
) -> None:
    folder.write(
        {
            "events": read.events,
            "quarantine": read.quarantine,
            "messages": verified.messages,
            "deliveries": timed,
            "violations": measures.violations(verified.deliveries, words),
            "links": measures.links(read.events, timed, shown),
        },
        out,
    )
    links = folder.read(read.events.sparkSession, out, "links")
    folder.write(
        {
            "processes": measures.processes(read.events, timed, links),
            "summary": measures.summary(verified.runs, read.events, timed),
        },
        out,
    )


def _kinds(events: DataFrame) -> _Kinds:
    names = ("send", "receive", "deliver")
    (row,) = events.agg(
        *(fn.coalesce(fn.max(fn.col("kind") == name), fn.lit(False)).alias(f"{name}s") for name in names),
        fn.coalesce(fn.max(fn.col("attributes")["clock"].isNotNull()), fn.lit(False)).alias("clocks"),
    ).collect()
    return _Kinds(**row.asDict())


def _timed(events: DataFrame, verified: Verified, kinds: _Kinds) -> DataFrame:
    if not (kinds.receives and kinds.delivers):
        return measures.deliveries(verified.deliveries, None, None)
    return measures.deliveries(verified.deliveries, measures.receipts(events), needless(events, verified.runs))


def _words(spark: SparkSession, told: Sequence[ExplainedViolation]) -> DataFrame:
    rows: list[tuple[Any, ...]] = [
        (one.run, one.process, one.index, rank, one.words, one.late_seconds) for rank, one in enumerate(told, start=1)
    ]
    return given(spark, rows, WORDS)


def _locality(links: Sequence[LinkTotals]) -> str:
    pairs = [(link.sender, link.process) for link in links]
    return saving(pairs, complete=len(pairs) < figures.LINKS_MAX)


def _notes(kinds: _Kinds, found: Answer) -> tuple[str, ...]:
    notes = []
    if kinds.receives and kinds.delivers and any(run.events > NEEDLESS_EVENTS_MAX for run in found.runs):
        notes.append(
            f"Needless hold-back is told for runs of up to {NEEDLESS_EVENTS_MAX:,} events; this trace has larger ones."
        )
    if kinds.clocks and not kinds.sends:
        notes.append(
            "Links, delays and the time line are of the edges that the source's vector clocks show; an edge is at "
            "least one message."
        )
    return tuple(notes)


def _skew(verified: Verified) -> Iterator[str]:
    """Yield a sentence for each link on which delivers came before their sends, the worst first."""
    worst = verified.skew.where("early > 0").orderBy(fn.desc("worst_s"), "run", "sender", "process")
    for row in worst.limit(SKEW_LISTED_MAX).collect():
        where = f" in run {row['run']}" if row["run"] else ""
        early = plural(row["early"], "deliver came before its send", "delivers came before their sends")
        yield f"From {row['sender']} to {row['process']}{where}: {early}, by up to {row['worst_s']:.6g} s."


def _quarantined(spark: SparkSession, out: str) -> tuple[QuarantinedRow, ...]:
    rows = folder.read(spark, out, "quarantine").orderBy("file", "line").limit(QUARANTINE_LISTED_MAX)
    return tuple(QuarantinedRow(**row.asDict()) for row in rows.collect())


def _reasons(spark: SparkSession, out: str) -> tuple[tuple[str, int], ...]:
    by_reason = folder.read(spark, out, "quarantine").groupBy("reason").agg(fn.count("*").alias("rows"))
    rows = by_reason.orderBy(fn.desc("rows"), "reason").limit(QUARANTINE_LISTED_MAX).collect()
    return tuple((row["reason"], row["rows"]) for row in rows)


def _picture(events: DataFrame, shown: DataFrame | None, found: Answer) -> TracePicture | None:
    """Return an example of the trace, with its messages if they have names, else with the edges of vector clocks."""
    if not found.runs or not found.sums["events"]:
        return None
    run = found.runs[0].run
    first = events.where(fn.col("run") == run).orderBy("index", "process").limit(PICTURE_EVENTS_MAX)
    rows = first.select("run", "process", "index", "kind", "message", "time").collect()
    points = tuple(Event(**row.asDict()) for row in rows)
    arrows, words = tuple(message_arrows(points, {})), "."
    if shown is not None:
        last = max(point.index for point in points)
        near = shown.where((fn.col("run") == run) & (fn.col("index") <= last) & (fn.col("sent_index") <= last))
        edges_near = near.select("sender", "sent_index", "process", "index").limit(4 * PICTURE_EVENTS_MAX).collect()
        if edges_near:
            words = ", with arrows for what the vector clocks show to have reached another process."
        arrows = arrows or tuple(edge_arrows(points, [row.asDict() for row in edges_near]))
    return TracePicture(run, f"The first {plural(len(points), 'event')}{words}", points, arrows)
