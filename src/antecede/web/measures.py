"""Draw the measurements of a report: delays, hold-back, stamps and the time line, each as a chart and as a table.

If the source does not give a measurement, a sentence says so. It is not drawn as zero. Few values are not drawn at all:
a histogram of ten values shows less than their mean and the largest of them.
"""

from __future__ import annotations

from antecede.pipeline.report.model import Figures, Histogram, HistogramBucket, StampSizes, TimeBucket
from antecede.web import charts
from antecede.web.tables import table
from antecede.web.text import data_size, duration, moment, number, percent, plural

DRAWN_VALUES_MIN = 30


def delay(distribution: Histogram | None) -> str:
    """Return the section on delivery delays as HTML."""
    if distribution is None or distribution.count == 0:
        return "<p>The source has no clock readings for both ends of a message, so delays are not known.</p>"
    return _distribution(distribution, "delivery delay", "The time from send to deliver, by the clocks of the source.")


def _distribution(distribution: Histogram, what: str, note: str) -> str:
    figures = [(f"{percent_:g} % take at most", duration(seconds)) for percent_, seconds in distribution.percentiles]
    caption = f"{what[0].upper()}{what[1:]}, {plural(distribution.count, 'value')}"
    drawn = ""
    if distribution.count < DRAWN_VALUES_MIN:
        figures = []
    elif distribution.buckets:
        chart = charts.histogram(distribution, what)
        drawn = f'<div class="drawn">{chart}{_bucket_table(distribution.buckets, what)}</div>'
    figures = [("Mean", duration(distribution.mean_s)), *figures, ("Longest", duration(distribution.max_s))]
    return (
        f'<p class="note">{note}</p><div class="measured">{drawn}'
        f"{table(caption, ('Figure', 'Value'), figures, 'tn')}</div>"
    )


def _bucket_table(buckets: tuple[HistogramBucket, ...], what: str) -> str:
    if not buckets:
        return ""
    rows = (
        (duration(bucket.start_s), duration(bucket.end_s), number(bucket.count))
        for bucket in charts.merge_buckets(buckets)
    )
    inner = table(f"Histogram of {what}", ("From", "to below", "Count"), rows, "nnn")
    return f'<details class="figures"><summary>Show as a table</summary>{inner}</details>'


def hold_back(figures: Figures) -> str:
    """Return the section on hold-back as HTML."""
    wait, needless = (figures.histograms.get(name) for name in ("hold_s", "needless_s"))
    if wait is None:
        return "<p>The source has no receive events besides its deliver events, so hold-back is not known.</p>"
    held, needless_count = figures.held, needless.count if needless else 0
    if not held:
        return "<p>No message was held back between receive and deliver.</p>"
    words = (
        f"<p>{plural(held, 'message')} {'was' if held == 1 else 'were'} held back between receive and "
        f"deliver. {number(needless_count)} of them ({percent(needless_count, held)}) waited "
        "needlessly: every cause had already been delivered.</p>"
    )
    body = _distribution(wait, "hold-back", "The time from receive to deliver, at one process and by one clock.")
    if needless is not None and needless.count:
        body += _distribution(needless, "needless hold-back", "The time for which no cause was missing.")
    return words + body


def stamp(sizes: StampSizes | None) -> str:
    """Return the section on stamps as HTML."""
    if sizes is None:
        return "<p>The source does not say how large the control information on its messages is.</p>"
    if not sizes.bytes:
        return "<p>The messages carried no control information.</p>"
    mean = 0.0 if sizes.entries is None else sizes.entries / sizes.messages
    entries = "" if sizes.entries is None else f", {number(mean)} {'entry' if mean == 1 else 'entries'}"
    return (
        f"<p>{plural(sizes.messages, 'message')} carried {data_size(sizes.bytes)} of control information: "
        f"{data_size(sizes.bytes / sizes.messages)}{entries} on average, {data_size(sizes.bytes_max)} at most.</p>"
    )


def timeline(buckets: tuple[TimeBucket, ...]) -> str:
    """Return the section on the course of the run over time as HTML."""
    if not buckets:
        return "<p>The source has no clock readings, so there is no timeline.</p>"
    shown = charts.merge_time_buckets(buckets)
    means = [one for one in charts.MEANS if any(getattr(bucket, one[2]) is not None for bucket in shown)]
    rows = (
        (
            *(moment(bucket.start_s), moment(bucket.end_s)),
            *(number(bucket.deliveries), number(bucket.violations)),
            *("" if (value := getattr(bucket, name)) is None else said(value) for _, said, name in means),
        )
        for bucket in shown
    )
    titles = ("From", "to below", "Deliveries", "Violations", *(f"Mean {what}" for what, _, _ in means))
    inner = table("Over time", titles, rows, "ttnn" + "n" * len(means))
    span = f"From {moment(shown[0].start_s)} to {moment(shown[-1].end_s)} by the clocks of the source."
    deliveries = sum(bucket.deliveries for bucket in buckets)
    if deliveries < DRAWN_VALUES_MIN:
        return f"<p>{span} {plural(deliveries, 'delivery', 'deliveries')} in that time.</p>"
    return (
        f'<p class="note">{span}</p>{charts.timeline(shown)}'
        f'<details class="figures"><summary>Show as a table</summary>{inner}</details>'
    )
