"""Draw bar charts in SVG whose letters keep their size from a phone to a printed page.

Horizontal positions are percentages of the available width and vertical ones are pixels, so nothing is stretched. Each
bar has a `<title>`. A table below each chart gives the same figures, for readers who want the numbers or cannot see the
bars. If there are more than `BUCKETS_MAX` buckets, neighbours are merged and none is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from antecede.pipeline.report.model import Histogram, HistogramBucket, TimeBucket
from antecede.web.text import data_size, duration, moment, number, plural

BUCKETS_MAX = 60
AXIS = 22
BAND = 64
MEANS: tuple[tuple[str, Callable[[float], str], str], ...] = (
    ("delay", duration, "delay_s_mean"),
    ("hold-back", duration, "hold_s_mean"),
    ("stamp", data_size, "stamp_bytes_mean"),
)
"""Of a stretch of time: what is averaged, how it is written, and where it stands."""
B = TypeVar("B")


def histogram(distribution: Histogram, what: str) -> str:
    """Return the buckets at equal widths, whatever they span, with the percentiles as labelled lines."""
    buckets = merge_buckets(distribution.buckets)
    titles = [_bucket_title(bucket) for bucket in buckets]
    bars = _bars([bucket.count for bucket in buckets], titles, top=36, height=120)
    lines = _percentile_lines(distribution, buckets)
    edges = [duration(bucket.start_s) for bucket in buckets] + [duration(buckets[-1].end_s)]
    return (
        f'<svg class="chart" width="100%" height="{156 + AXIS}" role="img" aria-label="Histogram of {what}">'
        + "".join([*bars, *lines, *_axis(edges, 156)])
        + "</svg>"
    )


def timeline(buckets: Sequence[TimeBucket]) -> str:
    """Return bands over the same time, each to its own scale: deliveries, violations, and the means that are known."""
    shown = merge_time_buckets(buckets)
    origin = shown[0].start_s
    edges = [duration(bucket.start_s - origin) for bucket in shown]
    edges.append(duration(shown[-1].end_s - origin))
    titles = [_time_title(bucket, origin) for bucket in shown]
    parts, top = [], 0
    for label, heights, css in _bands(shown):
        parts.append(f'<text x="0" y="{top + 12}">{label}</text>')
        parts += _bars(heights, titles, top=top + 20, height=BAND, css=css)
        top += BAND + 28
    bottom = top - 8
    return (
        f'<svg class="chart" width="100%" height="{bottom + AXIS}" role="img" aria-label="Over time">'
        + "".join([*parts, *_axis(edges, bottom)])
        + "</svg>"
    )


def _bands(shown: Sequence[TimeBucket]) -> Iterator[tuple[str, list[float], str]]:
    deliveries, violations = [b.deliveries for b in shown], [b.violations for b in shown]
    yield f"deliveries, at most {number(max(deliveries))} in a bar", [*deliveries], "bar quiet"
    yield f"violations, at most {number(max(violations))} in a bar", [*violations], "bar wrong"
    for what, said, name in MEANS:
        values = [getattr(bucket, name) for bucket in shown]
        known = [value for value in values if value is not None]
        if known and max(known) > 0:
            yield f"mean {what}, at most {said(max(known))}", [max(0.0, value or 0.0) for value in values], "bar quiet"


def merge_buckets(buckets: Sequence[HistogramBucket]) -> list[HistogramBucket]:
    """Return at most `BUCKETS_MAX` buckets with the same total."""
    return [
        HistogramBucket(group[0].start_s, group[-1].end_s, sum(bucket.count for bucket in group))
        for group in _groups(buckets)
    ]


def merge_time_buckets(buckets: Sequence[TimeBucket]) -> list[TimeBucket]:
    """Return at most `BUCKETS_MAX` buckets of the time line with the same totals."""
    return [
        TimeBucket(
            group[0].start_s,
            group[-1].end_s,
            sum(bucket.deliveries for bucket in group),
            sum(bucket.violations for bucket in group),
            *(_mean(group, name) for _, _, name in MEANS),
        )
        for group in _groups(buckets)
    ]


def _mean(group: Sequence[TimeBucket], name: str) -> float | None:
    """Return the mean of the means of neighbours, weighted by their deliveries, which is accurate enough to draw."""
    known = [(value, bucket.deliveries or 1) for bucket in group if (value := getattr(bucket, name)) is not None]
    return sum(value * weight for value, weight in known) / sum(weight for _, weight in known) if known else None


def _groups(buckets: Sequence[B]) -> Iterator[Sequence[B]]:
    size = -(-len(buckets) // BUCKETS_MAX) or 1
    return (buckets[start : start + size] for start in range(0, len(buckets), size))


def _bucket_title(bucket: HistogramBucket) -> str:
    return f"{duration(bucket.start_s)} to {duration(bucket.end_s)}: {number(bucket.count)}"


def _time_title(bucket: TimeBucket, origin: float) -> str:
    span = f"{duration(bucket.start_s - origin)} to {duration(bucket.end_s - origin)}"
    found = f"{plural(bucket.deliveries, 'delivery', 'deliveries')}, {plural(bucket.violations, 'violation')}"
    means = [f"mean {what} {said(value)}" for what, said, name in MEANS if (value := getattr(bucket, name)) is not None]
    return f"{span} (clock {moment(bucket.start_s)}): " + ", ".join([found, *means])


def _bars(counts: Sequence[float], titles: Sequence[str], top: int, height: int, css: str = "bar") -> Iterator[str]:
    """Yield the bars. A bar of 0 is not drawn, and the smallest other bar is two pixels high."""
    highest = max(counts) or 1
    step = 100 / len(counts)
    for place, (count, title) in enumerate(zip(counts, titles, strict=True)):
        tall = max(2.0, height * count / highest) if count else 0.0
        x, width = f"{place * step + step * 0.06:.3f}%", f"{step * 0.88:.3f}%"
        yield (
            f'<g class="{css}"><title>{title}</title>'
            f'<rect class="hit" x="{x}" y="{top}" width="{width}" height="{height}"/>'
            f'<rect class="fill" x="{x}" y="{top + height - tall:.1f}" width="{width}" height="{tall:.1f}"/></g>'
        )


def _axis(edges: Sequence[str], y: int) -> Iterator[str]:
    """Yield the base line and at most five labels."""
    last = len(edges) - 1
    yield f'<line class="axis" x1="0" y1="{y}" x2="100%" y2="{y}"/>'
    for place in sorted({round(last * quarter / 4) for quarter in range(5)}):
        anchor = "start" if place == 0 else "end" if place == last else "middle"
        x = f"{100 * place / last:.3f}%"
        yield f'<line class="axis" x1="{x}" y1="{y}" x2="{x}" y2="{y + 4}"/>'
        yield f'<text x="{x}" y="{y + 18}" text-anchor="{anchor}">{edges[place]}</text>'


def _percentile_lines(distribution: Histogram, buckets: Sequence[HistogramBucket]) -> Iterator[str]:
    """Yield lines at the percentiles of the table, with labels on alternating levels so that neighbours do not
    collide.
    """
    for level, (percent, seconds) in enumerate(distribution.percentiles[:6]):
        place = _place(seconds, buckets)
        anchor = "start" if place < 50 else "end"
        y = 12 + 14 * (level % 2)
        yield (
            f'<line class="percentile" x1="{place:.2f}%" y1="{y - 8}" x2="{place:.2f}%" y2="156"/>'
            f'<text x="{place:.2f}%" dx="{3 if place < 50 else -3}" y="{y}" text-anchor="{anchor}">p{percent:g}</text>'
        )


def _place(seconds: float, buckets: Sequence[HistogramBucket]) -> float:
    """Return the position of a value in percent of the width, by its position inside its bucket."""
    step = 100 / len(buckets)
    for number_before, bucket in enumerate(buckets):
        if seconds < bucket.end_s:
            span = bucket.end_s - bucket.start_s
            inside = (seconds - bucket.start_s) / span if span > 0 else 0.0
            return step * (number_before + min(1.0, max(0.0, inside)))
    return 100.0
