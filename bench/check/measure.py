"""`python -m bench.check`: measure `antecede check` as it is typed in a shell, beside its peers and its targets.

Every measurement is a new process, from its start to its end, with the Java and the Python workers that it starts.
Works take turns, so that all see the same machine, and so do this tree and, with --old, an older one on the same files;
the median of the rounds counts. Before all else each tree checks some events twice, unmeasured, so that Python's and
Numba's compiled code is on the disk, as it is for anybody who does not check for the first time.

In full it takes about an hour, 6 GB of memory and some GB of disk. With `--scale 0.01 --repeat-small 1` it takes some
minutes and shows that all works; its ratios say little, because Spark's start is then nearly all of the time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import IO

from antecede.cli.check import STATUS
from bench import table
from bench.check.cases import (
    CHECKS,
    COUNT,
    GROUPS,
    IN_PROCESS,
    IN_PROCESS_OUT,
    JUDGE,
    OUT,
    SORT,
    Input,
    choose_works,
    command_for,
    list_inputs,
)
from bench.check.files import prepare_files
from bench.check.process_tree import Usage, measure_command
from bench.check.statements import count_statements
from bench.check.targets import AS_EXPECTED, STATEMENTS_RATIO_MAX, TARGETS, Key, Summary
from bench.check.workload import Workload

ROOT = Path(__file__).resolve().parents[2]
WARM_EVENTS = 200_000
WIDTHS = "{:<16} {:<17} {:<4} {:>5} {:>9} {:>9} {:>7}  {}"


@dataclass(frozen=True, slots=True)
class Bench:
    """Where things are, and what has been measured so far, by tree, input and work."""

    options: argparse.Namespace
    scratch: Path
    results: IO[str]
    trees: dict[str, Path]
    found: dict[str, dict[Key, list[tuple[Usage, str]]]] = field(default_factory=dict)

    def keep(self, what: str, **values: object) -> None:
        """Write one line of results."""
        self.results.write(json.dumps({"what": what, **values}) + "\n")
        self.results.flush()

    def run(self, tree: str, work: str, files: Path, *more: str) -> tuple[Usage, str]:
        """Run a work once. Return what it took, and how it ended."""
        out = self.scratch / "tables"
        command = [*command_for(work, files, master=self.options.master, out=out), *more]
        source = self.trees[tree] / "src"
        places = [source] if work in CHECKS else [source, ROOT]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
        usage, output, errors = measure_command(
            command, env=env, folder=self.scratch, seconds_max=self.options.seconds_max
        )
        shutil.rmtree(out, ignore_errors=True)
        expected = 1 if work in CHECKS and self.options.late else 0
        if usage.status == expected:
            return usage, AS_EXPECTED
        if usage.status is None:
            return usage, "too long"
        said = output.splitlines()[:1] if usage.status in STATUS.values() else errors.splitlines()[-1:]
        return usage, f"status {usage.status}: {' '.join(said)[:200]}"

    def measure(self, tree: str, one: Input, work: str, files: Path, turn: int) -> None:
        usage, ended = self.run(tree, work, files)
        self.found.setdefault(tree, {}).setdefault((one.name, work), []).append((usage, ended))
        peak_gb = usage.peak_bytes / 1e9
        figures = (f"{usage.wall_s:.2f}", f"{usage.cpu_s:.2f}", f"{peak_gb:.2f}")
        print(
            WIDTHS.format(one.name, work, tree, turn + 1, *figures, "" if ended == AS_EXPECTED else ended), flush=True
        )
        size = {"form": one.form, **asdict(one.workload)}
        self.keep("measured", tree=tree, input=one.name, work=work, turn=turn, ended=ended, **size, **asdict(usage))

    def summaries(self, tree: str) -> dict[Key, Summary]:
        """Return the medians of all that was measured with a tree."""
        return {key: _summarise(times) for key, times in self.found.get(tree, {}).items()}


def main(argv: Sequence[str] = ()) -> int:
    options = _parse(argv)
    chosen = [one for one in list_inputs(options.scale, late_share=options.late) if one.group in options.only]
    trees = {"new": ROOT, **({"old": options.old.resolve()} if options.old else {})}
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-check-") as scratch, options.results.open("w") as results:
        data = options.data.resolve() if options.data else Path(scratch) / "data"
        bench = Bench(options, Path(scratch), results, trees)
        _keep_setting(bench)
        _warm_up(bench, data)
        for _, group in groupby(chosen, key=lambda one: one.group):
            _measure_group(bench, list(group), data)
        _show_medians(bench, chosen)
        _show_targets(bench)
    print(f"\nkept in {options.results}")
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m bench.check", description=__doc__, formatter_class=form)
    parser.add_argument("--scale", type=float, default=1.0, help="how large the inputs are; default: 1, the targets'")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where inputs are kept; default: they are not")
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--old", type=Path, metavar="TREE", help="an older source tree, measured in turn with this one")
    parser.add_argument("--master", metavar="URL", help="a Spark master, or in-process; default: that of the command")
    parser.add_argument("--repeat-small", type=int, default=3, metavar="N", help="rounds for small inputs; default: 3")
    parser.add_argument("--repeat-large", type=int, default=1, metavar="N", help="rounds for large inputs; default: 1")
    parser.add_argument("--late", type=float, default=0.0, metavar="SHARE", help="delivers out of order; default: none")
    parser.add_argument("--seconds-max", type=float, default=1_800.0, help="for one command; default: half an hour")
    parser.add_argument(
        "--results", type=Path, default=table.RESULTS / "check.jsonl", help="the figures, as JSON Lines"
    )
    return parser.parse_args(argv)


def _keep_setting(bench: Bench) -> None:
    options = {name: str(value) for name, value in vars(bench.options).items()}
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    machine = {"cores": os.cpu_count(), "memory_gb": memory_bytes / 1e9, "python": platform.python_version()}
    print(f"{machine['cores']} cores, {memory_bytes / 1e9:.0f} GB, load {os.getloadavg()[0]:.1f}", flush=True)
    bench.keep("setting", **machine, load=os.getloadavg()[0], options=options)


def _warm_up(bench: Bench, data: Path) -> None:
    """Check some events with each tree, whole and in windows, so that all loops are compiled."""
    files = prepare_files(data, "parquet", Workload(WARM_EVENTS, runs=1, late_share=bench.options.late))
    for tree in bench.trees:
        for windows in ((), ("--windows", "3")):
            _, ended = bench.run(tree, OUT, files, *windows)
            if ended != AS_EXPECTED:
                print(f"the {tree} tree does not check the first events: {ended}", file=sys.stderr)


def _measure_group(bench: Bench, inputs: list[Input], data: Path) -> None:
    """Measure all works on some inputs in turn, as often as each is to be."""
    files = {}
    for one in inputs:
        start = perf_counter()
        files[one.name] = prepare_files(data, one.form, one.workload)
        size = sum(path.stat().st_size for path in files[one.name].iterdir())
        took = f"{size / 1e6:,.0f} MB, made in {perf_counter() - start:.1f} s"
        print(f"\n{one.name}: about {one.workload.events:,} events as {one.form}, {took}")
    print(WIDTHS.format("input", "work", "tree", "round", "seconds", "processor", "GB", "").rstrip())
    options = bench.options
    for turn in range(max(options.repeat_small, options.repeat_large)):
        for one in inputs:
            if turn >= (options.repeat_large if one.is_large else options.repeat_small):
                continue
            for work in choose_works(one.works, options.master):
                for tree in _trees_for(work, bench):
                    bench.measure(tree, one, work, files[one.name], turn)


def _trees_for(work: str, bench: Bench) -> Iterator[str]:
    """Yield the trees that have this work. Peers are the same for all, and an old tree needs Spark."""
    yield "new"
    if work in CHECKS and work not in (IN_PROCESS, IN_PROCESS_OUT) and "old" in bench.trees:
        yield "old"


def _summarise(times: list[tuple[Usage, str]]) -> Summary:
    usages = [usage for usage, _ in times]
    return Summary(
        wall_s=median(usage.wall_s for usage in usages),
        cpu_s=median(usage.cpu_s for usage in usages),
        peak_gb=max(usage.peak_bytes for usage in usages) / 1e9,
        ended=next((ended for _, ended in times if ended != AS_EXPECTED), AS_EXPECTED),
    )


def _show_medians(bench: Bench, inputs: list[Input]) -> None:
    new, old = bench.summaries("new"), bench.summaries("old")
    rows = []
    for one in inputs:
        own = {work: new[one.name, work] for work in one.works if (one.name, work) in new}
        spark = own.get(SORT) or own.get(COUNT)
        for work, summary in own.items():
            before = old.get((one.name, work))
            beside = [_ratio(summary, peer) for peer in (spark, own.get(JUDGE), own.get(IN_PROCESS))]
            earlier = (before.wall_s, before.cpu_s, _ratio(before, summary)) if before else (None,) * 3
            rows.append((f"{one.name}: {work}", summary.wall_s, summary.cpu_s, summary.peak_gb, *beside, *earlier))
    columns = ("seconds", "processor", "GB", "of Spark", "of judge", "of in-process")
    table.show(
        f"Medians, scale {bench.options.scale:g}; Spark counts the lines, or sorts the rows of Parquet",
        ("", *columns, "old seconds", "old processor", "old/new"),
        rows,
    )


def _ratio(one: Summary, other: Summary | None) -> float | None:
    return one.wall_s / other.wall_s if other is not None and other.wall_s else None


def _show_targets(bench: Bench) -> None:
    new, old = bench.summaries("new"), bench.summaries("old")
    rows: list[tuple[object, ...]] = []
    for target in TARGETS:
        figure, before = target.measure(new, new), target.measure(old, new)
        rows.append((target.text, target.unit, target.limit, figure, _is_met(figure, target.limit), before))
    if "old" in bench.trees:
        sums = {tree: count_statements(place) for tree, place in bench.trees.items()}
        bench.keep("statements", **sums)
        figure = sum(sums["new"].values()) / sum(sums["old"].values())
        text = "statements that read, verify and write: beside the old"
        rows.append((text, "times", STATEMENTS_RATIO_MAX, figure, _is_met(figure, STATEMENTS_RATIO_MAX), 1.0))
    names = ("target", "unit", "limit", "measured", "met", "old")
    for row in rows:
        bench.keep("target", scale=bench.options.scale, **dict(zip(names, row, strict=True)))
    table.show(f"Targets, scale {bench.options.scale:g} (they are meant for scale 1)", names, rows)


def _is_met(figure: float | None, limit: float) -> str:
    return "not measured" if figure is None else "met" if figure <= limit else "NOT MET"
