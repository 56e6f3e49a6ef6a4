"""`docs/reference/algorithms.md`: every algorithm of the registry, its traits, its options and what its module says."""

from __future__ import annotations

import inspect
import sys

import antecede
from antecede import Algorithm, AlgorithmInfo
from antecede.core.fifo import Numbered
from antecede.core.mobile.protocols import protocols
from antecede.core.options import PURPOSES
from antecede.core.process import Process
from antecede.lab.papers import PAPERS
from tools.pages.docstrings import paragraphs

LOCALITY = "004"
"""The paper about clocks for a known graph, which has no ordering algorithm."""
INTRO = """\
# The algorithms

`antecede.create(name, process=..., processes=[...])` makes one process of an algorithm; the options below are further
keywords. Papers: {papers}. What is wrong in them, and what was done
about it, is in the [errata](../errata.md).

*For* says what an algorithm is for; [choosing an algorithm](../guide/02-choosing.md) says more. *Delay-optimal*: a
message is held back only while one that causally precedes it, and is for the same process, is missing there. *Unit*:
what one entry of `packet.control_entries` is.
"""
ROAMING = """\
## Roaming protocols

`antecede.mobile.station(name, ...)` makes a station of a protocol, and its options are further keywords.
[Roaming hosts](../guide/04-roaming.md) says how to use them.
"""


def page() -> str:
    infos = [info for _, info in sorted(antecede.algorithms().items())]
    rows = [
        f"| [{info.name}](#{info.name}) | {info.purpose} | {info.paper} | {info.addressing} | {_yes(info.causal)} "
        f"| {_yes(info.needs_fifo)} | {_yes(info.delay_optimal)} |"
        for info in infos
    ]
    head = [
        "| name | for | paper | addressing | causal | needs FIFO | delay-optimal |",
        "|---|---|---|---|---|---|---|",
    ]
    papers = "; ".join(f"{number} {paper}" for number, paper in PAPERS.items() if number != LOCALITY)
    return "\n".join([INTRO.format(papers=papers), *head, *rows, "", *map(_algorithm, infos), *_protocols()])


def _protocols() -> list[str]:
    """Return the section on roaming protocols."""
    rows = [
        f"| `{info.name}` | {info.title} | {info.paper} | {_yes(info.inhibits)} "
        f"| {', '.join(f'`{option}`' for option in info.options) or 'none'} |"
        for _, info in sorted(protocols().items())
    ]
    options = sorted({option for info in protocols().values() for option in info.options})
    return [
        ROAMING,
        "| name | what keeps the order | paper | may hold back without need | options |",
        "|---|---|---|---|---|",
        *rows,
        "",
        *(f"* `{option}`: {PURPOSES[option]}" for option in options),
        "",
    ]


def _algorithm(info: AlgorithmInfo) -> str:
    says = paragraphs(sys.modules[ordering_module(info)].__doc__)
    return "\n".join(
        [
            f"## {info.name}\n",
            f"**{info.title[0].upper()}{info.title[1:]}.** {info.purpose}\n",
            *(f"{text}\n" for text in says[:2]),
            f"* Addressing: {info.addressing}",
            f"* Unit of control information: {info.unit}",
            f"* Module: `{ordering_module(info)}`",
            f"* Options:\n{_options(info)}\n",
        ]
    )


def ordering_module(info: AlgorithmInfo) -> str:
    """Where the paper's part is written: inside the process that stamps, or the numbered channels around it."""
    made: Algorithm = antecede.create(
        info.name, process="a", processes=["a", "b"], groups={"g": ["a", "b"]} if info.addressing == "group" else None
    )
    inner = made.inner if isinstance(made, Numbered) else made
    return type(inner.ordering if isinstance(inner, Process) else inner).__module__


def _options(info: AlgorithmInfo) -> str:
    parameters = inspect.signature(info.factory).parameters
    return "\n".join(f"  * `{name}={parameters[name].default!r}`: {PURPOSES[name]}" for name in info.options)


def _yes(trait: bool) -> str:
    return "yes" if trait else "no"
