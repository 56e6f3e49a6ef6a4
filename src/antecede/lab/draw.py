"""Draw figures: measurements with their confidence intervals, and what the paper states.

The two can be told apart without colour. Measured lines have markers and error bars. What the paper states is grey,
with a hatch or a large cross, and says "paper" in the legend. Explanations that were tried are dashed. The same results
give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from antecede.lab.experiment import Chart, Experiment, PaperValue
from antecede.lab.papers import cite
from antecede.lab.results import Estimate, Results, estimate

MARKERS = "osD^vP*X<>hd"
COLOURS = ("#0b5fa5", "#c2500a", "#2a7f3f", "#7b3fa0", "#8a6d00", "#b0276b", "#00788a", "#5b5b5b", "#a11212", "#3d3b9e")
STROKES = ("-", "-.")
"""The strokes of the first lines, and of lines whose colour is already in use."""
CROSSES = ("x", "+", "1", "2")
DOTS = (":", (0, (1, 4)), (0, (3, 2, 1, 2)))
"""The marks and the strokes of what the paper states, so that two of its values can be told apart."""
HATCHES = ("////", "\\\\\\\\", "....", "xxxx", "----", "||||")
SETTINGS: Any = {"svg.hashsalt": "antecede", "font.size": 9.0, "axes.spines.top": False, "axes.spines.right": False}
COLUMNS_MAX = 3
PANEL_INCHES = (5.4, 4.6)
TITLE_CHARS = 66
"""Characters of a line of the title, for each panel in a row."""
LOG_TICKS_MAX = 6
LEGEND_BELOW_FROM = 3
"""A legend with more lines than this stands below the panel, where it hides nothing."""
NOTHING = "none: 0 at every point"
"""What stands in a panel of bars that has none to draw."""
LEGEND_COLUMN_CHARS = 40
"""Two columns of a legend fit below a panel if no label is longer than this."""


@dataclass(frozen=True, slots=True)
class Line:
    """One series of a chart: its label, and an estimate at each x."""

    label: str
    xs: tuple[Any, ...]
    ys: tuple[Estimate, ...]


def chart_lines(chart: Chart, results: Results) -> list[Line]:
    """Return the series of a chart, in the order of the grid. Rows without the numbers of the chart are left out."""
    found: dict[str, dict[Any, list[float]]] = {}
    rows = results.select(**chart.where).rows
    for row in rows:
        if chart.y in row.measurements and (chart.x in row.parameters or chart.x in row.measurements):
            label = _label(chart, row.parameters)
            if not label and chart.series:
                continue  # a series with an empty name belongs to another chart
            place = row.parameters[chart.x] if chart.x in row.parameters else _mean_at(rows, row.point, chart.x)
            if chart.x_max is not None and place > chart.x_max:
                continue
            found.setdefault(label, {}).setdefault(place, []).append(row.measurements[chart.y])
    return [_build_line(label, values) for label, values in found.items()]


def draw_figure(experiment: Experiment, results: Results) -> Figure:
    """Return the figure of an experiment, with one panel for each chart that has results."""
    panels = [(chart, found) for chart in experiment.charts if (found := chart_lines(chart, results))]
    columns = 2 if len(panels) == 4 else min(COLUMNS_MAX, max(1, len(panels)))
    rows = -(-len(panels) // columns) or 1
    figure = Figure(figsize=(PANEL_INCHES[0] * columns + 0.6, PANEL_INCHES[1] * rows + 0.5), layout="constrained")
    title = f"{experiment.name}: {experiment.title} ({cite(f'{experiment.paper}, {experiment.figure}')})"
    figure.suptitle(fill(title, TITLE_CHARS * columns), fontsize=11)
    for number, (chart, found) in enumerate(panels, start=1):
        axes = figure.add_subplot(rows, columns, number)
        draw_lines = _draw_bars if chart.bars else _draw_curves
        draw_lines(axes, chart, found)
        for stated, hatch, marker, stroke in zip(
            chart.stated, cycle(HATCHES), cycle(CROSSES), cycle(DOTS), strict=False
        ):
            _draw_paper_value(axes, stated, hatch=hatch, marker=marker, stroke=stroke)
        _label_axes(axes, chart, found)
    return figure


def write_figure(experiment: Experiment, results: Results, folder: Path) -> None:
    """Write figure.svg and figure.png."""
    with mpl.rc_context(SETTINGS):
        figure = draw_figure(experiment, results)
        FigureCanvasAgg(figure)
        figure.savefig(folder / "figure.svg", format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(folder / "figure.png", format="png", dpi=110, metadata={"Software": None})


def _label(chart: Chart, parameters: dict[str, Any]) -> str:
    """Return the label of the series to which a point belongs."""
    values = [parameters.get(name) for name in chart.series]
    key = values[0] if len(values) == 1 else tuple(values)
    if key in chart.names:
        return chart.names[key]
    return ", ".join(str(chart.names.get(value, value)) for value in values)


def _mean_at(rows: Sequence[Any], point: int, name: str) -> float:
    """Return the mean of a number at one point."""
    return estimate([row.measurements[name] for row in rows if row.point == point]).mean


def _build_line(label: str, values: dict[Any, list[float]]) -> Line:
    places = sorted(values) if all(isinstance(place, int | float) for place in values) else list(values)
    return Line(label, tuple(places), tuple(estimate(values[place]) for place in places))


def line_number(chart: Chart, line: Line, place: int) -> int:
    """Return the number that decides the colour and the marker of a line. `place` is its place in the panel."""
    return chart.order.index(line.label) if line.label in chart.order else place


def _draw_curves(axes: Any, chart: Chart, found: list[Line]) -> None:
    for place, line in enumerate(found):
        tried = line.label in chart.dashed
        number = line_number(chart, line, place)
        means = [one.mean for one in line.ys]
        places = list(chart.ticks)
        axes.errorbar(
            [places.index(x) for x in line.xs] if places else line.xs,
            means,
            yerr=[[one.mean - one.low for one in line.ys], [one.high - one.mean for one in line.ys]],
            label=f"{line.label} (0)"
            if chart.y_log and not any(means)
            else line.label,  # 0 has no place on a logarithmic axis
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=4.5,
            markerfacecolor="white" if tried else None,
            linestyle="--" if tried else STROKES[number // len(COLOURS) % len(STROKES)],
            linewidth=1.2,
            capsize=2.5,
            elinewidth=0.9,
        )


def _draw_bars(axes: Any, chart: Chart, found: list[Line]) -> None:
    """Draw a group of bars for each name on the x axis, with a hatch for each series."""
    names = list(dict.fromkeys(str(place) for line in found for place in line.xs))
    width = 0.8 / len(found)
    for number, (line, hatch) in enumerate(zip(found, cycle(HATCHES), strict=False)):
        places = [names.index(str(place)) + (number - (len(found) - 1) / 2) * width for place in line.xs]
        axes.bar(
            places,
            [one.mean for one in line.ys],
            width,
            yerr=[[one.mean - one.low for one in line.ys], [one.high - one.mean for one in line.ys]],
            label=line.label,
            color=COLOURS[number % len(COLOURS)],
            edgecolor="white",
            hatch=hatch,
            capsize=2.5,
        )
    labels = [chart.ticks.get(name, name) for name in names]
    axes.set_xticks(range(len(names)), labels, rotation=30, ha="right", fontsize=8)
    if not any(one.mean for line in found for one in line.ys):
        axes.set_ylim(top=1.0)
        axes.text(0.5, 0.5, NOTHING, transform=axes.transAxes, ha="center", va="center", fontsize=11, color="0.25")


def _draw_paper_value(axes: Any, stated: PaperValue, *, hatch: str, marker: str, stroke: Any) -> None:
    """Draw what the paper states: a band for a range, a cross for a value, a dotted line for a value at every x."""
    style = {"color": "0.25", "label": stated.label, "zorder": 1}
    if stated.high is not None:
        left, right = axes.get_xlim() if stated.x is None else (stated.x, stated.x_end or stated.x)
        axes.fill_between(
            [left, right], stated.low, stated.high, facecolor="0.93", edgecolor="0.45", hatch=hatch, label=stated.label,
            zorder=0,
        )  # fmt: skip
    elif stated.x is None:
        axes.axhline(stated.low, linestyle=stroke, linewidth=1.4, **style)
    else:
        axes.plot(
            [stated.x], [stated.low], marker=marker, markersize=11, markeredgewidth=2.2, linestyle="none", **style
        )


def _set_log_ticks(axes: Any, found: list[Line]) -> None:
    """Put ticks at the measured values of a logarithmic axis, unless there are too many to read."""
    axes.set_xscale("log")
    places = sorted({x for line in found for x in line.xs})
    if len(places) <= LOG_TICKS_MAX:
        axes.set_xticks(places, [f"{x:g}" for x in places])
        axes.set_xticks([], minor=True)


def _format_tick(value: float, _place: int) -> str:
    """Return the label of a tick at 1, 2 or 5 times a power of ten, or "" for another tick, which has no room."""
    leading = f"{value:e}"[0]
    return f"{value:,g}" if leading in "125" else ""


def _label_axes(axes: Any, chart: Chart, found: list[Line]) -> None:
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    axes.set_title(chart.title, fontsize=9)
    if chart.ticks and not chart.bars:
        axes.set_xticks(range(len(chart.ticks)), list(chart.ticks.values()))
    if chart.x_log:
        _set_log_ticks(axes, found)
    if chart.y_log:
        axes.set_yscale("log")
        for axis_format in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
            axis_format(FuncFormatter(_format_tick))
    else:
        axes.set_ylim(bottom=0)
    if chart.y_percent:
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > LEGEND_BELOW_FROM:
        columns = 2 if max(map(len, labels)) <= LEGEND_COLUMN_CHARS else 1
        axes.legend(
            handles,
            labels,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.28 if chart.bars else -0.16),
            ncols=columns,
            fontsize=7,
            frameon=False,
        )
    elif any(labels):
        axes.legend(handles, labels, fontsize=7, framealpha=0.85)
