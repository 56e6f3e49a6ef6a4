"""`antecede check TRACE...`: check whether a system delivered in causal order, and write a report."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.cli import screen
from antecede.cli.standard_input import read_standard_input
from antecede.core.errors import Misuse
from antecede.judge.orders import ORDERS
from antecede.judge.rule import QUARANTINE_MAX, check_quarantine_max
from antecede.pipeline.read.formats import FORMATS

if TYPE_CHECKING:
    from antecede.pipeline.check import Checked
    from antecede.pipeline.progress import Progress

STATUS = {"holds": 0, "violated": 1, "undecidable": 3}
CHECKED_EARLY = (
    *("format", "regex", "delimiter", "receives", "mapping", "out", "windows", "worst", "quarantine_max"),
    "require",
)
"""The options that the check itself takes. They are looked at before Spark starts."""

EXPLANATION = """\
Read the log of a system, and say whether it delivered its messages in causal order: if one message may have caused
another, every process that gets both must get the cause first. For the worst violations, show the chain of messages
that proves them. Also say which other orders it kept: fifo, agreed and synchronous; --require chooses the one that the
verdict is about.

TRACE is a file, a folder or a glob, plain or compressed with gzip; - is standard input. The formats are:
  antecede   JSON Lines or Parquet with the columns run, process, index, kind, time, message, dests, ...
  shiviz     ShiViz and GoVector logs; for another layout, give --regex with the groups host, clock and event, and
             with kind (send, deliver, receive or internal), message and dests if the log names its messages
  otlp       OpenTelemetry OTLP/JSON with messaging spans
  zipkin     Zipkin v2 JSON
  jaeger     Jaeger's own JSON, as its page downloads it
  mapped     other JSON Lines; --mapping says which field has which meaning
  csv        CSV with a line of names; --mapping as for JSON Lines
If your log is in none of these, --suggest-mapping prints a mapping to start from. A ShiViz log that names no messages
can be judged by its vector clocks, if --receives tells which events are receives.
A row that is not a valid event is refused and counted, and the report lists it with file, line and reason. The answer
is then marked as incomplete. If more than --quarantine-max of the rows are refused, and no violation was found, the
answer is undecidable.

exit status: 0 the required order holds, 1 it is violated, 3 undecidable, 2 usage error or unreadable input.
"""

EXAMPLES = """\
examples:
  antecede check trace.jsonl                        the verdict, and the worst violation in words
  antecede check app.jsonl --require fifo           the verdict and the exit status are about the order of each channel
  antecede check logs/ --out checked                also tables (Parquet) and checked/report.html
  antecede check spans/ --out checked --link 'https://jaeger.example/trace/{trace_id}'     steps link to Jaeger
  antecede check 'spans/*.json.gz' --json           one JSON object on standard output, for a script
  antecede check node.log --regex '(?<host>\\S+) (?<clock>{.*})\\n(?<kind>\\w+) (?<message>\\S+) (?<event>.*)'
  antecede check big/ --master spark://host:7077 --out hdfs:///checked
  antecede check trace.jsonl --run r7 --export-shiviz r7.log     the events of one run, to look at in ShiViz
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "check",
        help="check whether a system delivered in causal order, from its logs",
        description=EXPLANATION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", metavar="TRACE", nargs="+", help="the logs: files, folders or globs")
    parser.add_argument("--format", default="auto", metavar="FORMAT", help=f"auto, {', '.join(FORMATS)}; default: auto")
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write the tables and report.html to this folder; those of an earlier check there are replaced, and other "
        "files stay",
    )
    parser.add_argument(
        "--link",
        metavar="URL",
        help="make the steps of violations links in the report: an address such as "
        "https://jaeger.example/trace/{trace_id}, with names of attributes, or run, process, message, file or line, in "
        "braces",
    )
    parser.add_argument(
        "--master",
        metavar="URL",
        help="a Spark master, sc://host:port, or in-process: no Spark, for small logs; default: Spark on this machine",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object on standard output, everything else on standard error",
    )
    _add_reading(parser)
    verifying = parser.add_argument_group("verifying")
    verifying.add_argument(
        "--windows", type=int, metavar="N", help="divide every run into about N windows; default: by size"
    )
    verifying.add_argument(
        "--worst", type=int, default=100, metavar="N", help="explain at most N violations; default: 100"
    )
    verifying.add_argument(
        "--require",
        choices=ORDERS,
        default="causal",
        metavar="ORDER",
        help="the order that the verdict and the exit status are about: fifo (each sender's messages come to a process "
        "as sent), causal, agreed (processes deliver common messages in one order), or synchronous (messages could be "
        "instantaneous); default: causal",
    )
    _add_export(parser)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    reading = parser.add_argument_group("reading")
    reading.add_argument("--regex", help="a regular expression for one event of a ShiViz log")
    reading.add_argument("--delimiter", help="a regular expression for the text between two executions in a ShiViz log")
    reading.add_argument(
        "--receives",
        metavar="REGEX",
        help="a regular expression for the texts of receives in a ShiViz log, so that its vector clocks can be judged",
    )
    reading.add_argument(
        "--suggest-mapping",
        action="store_true",
        help="print a mapping to start from, for JSON Lines or CSV in a format of your own, and check nothing",
    )
    reading.add_argument(
        "--mapping", help="the meaning of the JSON fields: the name of a built-in mapping, JSON, or a file with JSON"
    )
    reading.add_argument(
        "--quarantine-max",
        type=_share,
        default=QUARANTINE_MAX,
        metavar="SHARE",
        help="the part of the rows that may be refused before the answer is undecidable: a percentage such as 5%%, "
        "or a share such as 0.05; default: 1%%",
    )


def _share(text: str) -> float:
    """Return the share that `5%` or `0.05` stands for."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        check_quarantine_max(share)
    except (ValueError, Misuse):
        raise argparse.ArgumentTypeError(f"{text!r} is not a share: write 5% or 0.05") from None
    return share


def _add_export(parser: argparse.ArgumentParser) -> None:
    export = parser.add_argument_group("export of a part of the trace")
    export.add_argument("--export-shiviz", metavar="FILE", help="write the events as a ShiViz log")
    export.add_argument("--export-otlp", metavar="FILE", help="write the events as OpenTelemetry OTLP/JSON")
    export.add_argument("--run", dest="only_run", metavar="RUN", help="only events of this run")
    export.add_argument(
        "--from", dest="start", type=float, metavar="T", help="only events from this time on, in seconds"
    )
    export.add_argument("--to", dest="end", type=float, metavar="T", help="only events up to this time, in seconds")


def run(arguments: argparse.Namespace) -> int:
    with read_standard_input(arguments.trace, arguments.master) as paths:
        arguments.trace = paths
        return _suggest(paths) if arguments.suggest_mapping else _run(arguments)


def _suggest(paths: Sequence[str]) -> int:
    """Print a mapping for the first file, and how to use it."""
    from antecede.pipeline.read.detection.suggest_mapping import describe_suggestion

    mapping, words = describe_suggestion(paths[0])
    lines = [f"  {json.dumps(name)}: {json.dumps(meaning)}" for name, meaning in mapping.items()]
    print("{\n" + ",\n".join(lines) + "\n}")
    print(screen.without_controls(words), file=sys.stderr)
    return 0


def _run(arguments: argparse.Namespace) -> int:
    arguments.mapping = _check_options(arguments)
    with screen.show_progress(quiet=arguments.json) as progress:
        checked = _add_link_notes(_check(arguments, progress), arguments.link)
        report = screen.write_report(checked, progress, arguments.link) if checked.out is not None else None
        exported = _export(arguments, checked)
    if arguments.json:
        print(json.dumps({**checked.as_dict(), "notes": list(checked.notes), **_worst(checked)}))
    else:
        screen.show(checked)
    with redirect_stdout(sys.stderr if arguments.json else sys.stdout):
        screen.show_places(checked, report, exported)
    return STATUS[checked.answer.verdict]


def _worst(checked: Checked) -> dict[str, list[Any]]:
    """Return the worst violation for a script: in words, and as the events that prove it, each with its place."""
    found = checked.explained[:1]
    names = ("run", "process", "index", "kind", "message", "file", "line")
    steps = [[{name: getattr(event, name) for name in names} for event in one.steps] for one in found]
    return {"worst": [one.words for one in found], "worst_steps": steps}


def _add_link_notes(checked: Checked, link: str | None) -> Checked:
    """Return the answer with a note in front if no step of its violations can be a link."""
    if link is None:
        return checked
    from antecede.web.step_links import note_missing_names, parse_template

    steps = (event for violation in checked.explained for event in violation.steps)
    return replace(checked, notes=(*note_missing_names(parse_template(link), steps), *checked.notes))


def _check_options(arguments: argparse.Namespace) -> Mapping[str, object] | None:
    """Return the mapping, loaded. Raise `Misuse` for options that can be known to be wrong before Spark is started."""
    _refuse_bad_export(arguments)
    if arguments.link is not None:
        _refuse_bad_link(arguments.link, arguments.out)
    from antecede.pipeline.arguments import check_arguments  # loads Arrow

    return check_arguments(arguments.trace, arguments.master, **_options_of_check(arguments))


def _options_of_check(arguments: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(arguments, name) for name in CHECKED_EARLY}


def _refuse_bad_export(arguments: argparse.Namespace) -> None:
    """Raise `Misuse` if nothing can be exported as the options say."""
    chosen = [name for name in ("only_run", "start", "end") if getattr(arguments, name) is not None]
    if chosen and not (arguments.export_shiviz or arguments.export_otlp):
        raise Misuse("--run, --from and --to choose what is exported; add --export-shiviz or --export-otlp")
    for name, time in (("--from", arguments.start), ("--to", arguments.end)):
        if time is not None and not math.isfinite(time):
            raise Misuse(f"{name} {time}: give a time in seconds")
    if None not in (arguments.start, arguments.end) and arguments.start > arguments.end:
        raise Misuse(f"--from {arguments.start} is later than --to {arguments.end}; exchange them")
    written: dict[str, str] = {}
    for option, path in (("--export-shiviz", arguments.export_shiviz), ("--export-otlp", arguments.export_otlp)):
        if path is None:
            continue
        _refuse_bad_file(option, path, arguments.trace)
        if written.setdefault(os.path.realpath(path), option) != option:
            raise Misuse(f"{written[os.path.realpath(path)]} and {option} are both {path}; give each a file of its own")


def _refuse_bad_file(option: str, path: str, inputs: Sequence[str]) -> None:
    """Raise `Misuse` if an export cannot be written to a file, or would replace the input."""
    folder = Path(path).parent
    if not path or Path(path).is_dir():
        raise Misuse(f"{option} {path!r}: that is not a file; give the name of a file")
    if not folder.is_dir():
        raise Misuse(f"{option} {path}: cannot write: {folder} is not a folder; give a file in a folder that exists")
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise Misuse(f"{option} {path}: permission denied; give a file that you can write")
    if os.path.realpath(path) in map(os.path.realpath, inputs):
        raise Misuse(f"{option} {path} is the input, which would be replaced; give another file")


def _refuse_bad_link(link: str, out: str | None) -> None:
    """Raise `Misuse` if the links of a report would not be addresses, or if no report is written."""
    from antecede.web.step_links import parse_template

    parse_template(link)
    if out is None:
        raise Misuse("--link makes links in the report; add --out DIR to write one")


def _check(arguments: argparse.Namespace, progress: Progress) -> Checked:
    runner = screen.start_runner(arguments.trace, arguments.master, progress)
    from antecede.pipeline.check import check

    return check(
        runner,
        arguments.trace,
        progress=progress,
        **_options_of_check(arguments),
    )


def _export(arguments: argparse.Namespace, checked: Checked) -> list[str]:
    if not (arguments.export_shiviz or arguments.export_otlp):
        return []
    from antecede.pipeline.report.excerpts import excerpt
    from antecede.web import export

    events = list(excerpt(checked.open_events(), run=arguments.only_run, start=arguments.start, end=arguments.end))
    if not events:
        raise Misuse("there are no events to export: no event is of that run and between those times")
    written = []
    for path, form in ((arguments.export_shiviz, export.shiviz), (arguments.export_otlp, export.otlp)):
        if path:
            screen.write(path, form(events))
            written.append(path)
    return written
