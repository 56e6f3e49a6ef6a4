"""Make pages of results: the page `reproduction` of the documentation, and an index of all figures in one file."""

from __future__ import annotations

import base64
import html
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antecede.lab.experiments import experiment_names, find_experiment
from antecede.lab.papers import PAPERS, cite
from antecede.lab.report import read_claims

INTRO = """\
# Reproduction

{sentence}

What the papers measured, measured again. Every experiment is declared in `src/antecede/lab/experiments` and is run with
`antecede lab run NAME`; the results, figures and verdicts shown here are kept beside this page, with the command and
the version that made them. A code in brackets is a digest of the statements that measure: the algorithms, the
simulator, and what the experiments use of them; `antecede lab list` prints that of today's code. Nothing was tuned to
meet a curve: where a paper and we differ, the page says so, and says which explanations were tried.

Intervals are 95 % confidence intervals by Student's t over the seeds. Differences and ratios are taken seed by seed. A
sentence of a paper that is about several figures or sizes is a claim about each of them. A trend over an axis is judged
by the ends of the axis, unless the claim says otherwise.

* *Reproduced*: the whole interval lies within what the paper states, widened by a tolerance: for its rounding, for the
  four per cent between its own runs, or, for an exponent of growth, 0.1 to 0.25 for what small sizes add.
* *Not reproduced*: the whole interval lies outside.
* *Undecided*: the interval has values of both sides; or it depends on settings that the paper does not state, or on
  which of two readings is meant; or what the paper describes takes too long to compute, as the four numbers of Meldal,
  Sankar and Vera §7 do: their Allocation 5 as printed enumerates too many paths there.
* *Qualitative*: the paper gives no number. The claim holds if the whole interval is on the right side, and does not
  hold if the whole interval is on the wrong side. An upper bound that was kept is among these: it reproduces nothing.
* *Tried*: not a claim. The paper's number is held against something else than what the paper describes, an explanation
  or a form of ours. It is in none of the tables.

The papers:

{papers}

The claims of the papers:
"""
OURS = """\
The claims that are ours, and not of a paper: that our algorithms keep what they promise, that a printed form fails, and
what we say of `roam` and of our explanations.
"""
MISSING = """\
These experiments have not been run at full size since they were declared as they are now, and their claims are not
counted: {names}. `antecede lab run {words} --out docs/reproduction` runs them.
"""
COLUMNS = ("reproduced", "not reproduced", "undecided", "qualitative: holds", "does not hold")
"""The columns of the summary, in which claims are counted."""


def reproduction_page(results: Path, link: str = "reproduction") -> str:
    """Return the page in Markdown. `results` is the folder of results, and `link` leads from the page to that
    folder.
    """
    made = _read_all_claims(results)
    papers = "\n".join(
        f"* {paper}: *{paper.title}*, {paper.published}. Here it has the number {number}."
        for number, paper in PAPERS.items()
    )
    parts = [
        INTRO.format(sentence=summary_sentence(made) + _unmeasured(made), papers=papers),
        _summary_table(made, ours=False),
        OURS,
        _summary_table(made, ours=True),
        *_missing(made),
        *(_experiment_markdown(one, link) for one in made),
    ]
    return "\n".join(parts)


def summary_sentence(made: list[dict[str, Any]]) -> str:
    """Say how many of the papers' claims are reproduced, are not, and are undecided."""
    claims = [claim for one in made for claim in one["claims"] if not claim["ours"] and _column(claim)]
    found = Counter(map(_column, claims))
    bounds = sum(claim["is_bound"] for claim in claims)
    holds, fails = found["qualitative: holds"], found["does not hold"]
    return (
        f"Of the papers' {len(claims)} claims, {found['reproduced']} are reproduced, {found['not reproduced']} are "
        f"not, {found['undecided']} are undecided, and {holds + fails} have no number: {holds} of these hold "
        f"({bounds} are upper bounds), and {fails} do not."
    )


def _names_missing(made: list[dict[str, Any]]) -> list[str]:
    """Return the names of the experiments that have no results."""
    there = {one["experiment"] for one in made}
    return [name for name in experiment_names() if name not in there]


def _unmeasured(made: list[dict[str, Any]]) -> str:
    """Say how many experiments have claims that are not among those counted, if there are any."""
    count = len(_names_missing(made))
    return f" The claims of {count} more experiments are not measured yet, and are not among these." if count else ""


def _missing(made: list[dict[str, Any]]) -> list[str]:
    """Return a paragraph about the experiments that have no results, if there are any."""
    names = _names_missing(made)
    return [MISSING.format(names=", ".join(names), words=" ".join(names))] if names else []


def write_index(folder: Path) -> Path:
    """Write index.html, with all figures and claims of `folder`, and return its path. It needs no other file."""
    path = folder / "index.html"
    path.write_text(index_page(folder), encoding="utf-8")
    return path


def index_page(folder: Path, *, alone: bool = True) -> str:
    """Return the page of all figures and claims in `folder`.

    If `alone` is true, the page contains the figures. Otherwise it links to the files beside it.
    """
    made = _read_all_claims(folder)
    sections = [_experiment_html(one, _picture_url(folder, one["experiment"]) if alone else "") for one in made]
    return PAGE.format(sentence=summary_sentence(made), body="\n".join(sections))


def _picture_url(folder: Path, name: str) -> str:
    drawn = base64.b64encode((folder / name / "figure.svg").read_bytes()).decode()
    return f"data:image/svg+xml;base64,{drawn}"


def _read_all_claims(folder: Path) -> list[dict[str, Any]]:
    """Return the claims of every experiment that has results in `folder`."""
    return [made for name in experiment_names() if (made := read_claims(folder / name)) is not None]


def _summary_table(made: list[dict[str, Any]], *, ours: bool) -> str:
    """Return a table with a row for each experiment and paper that has such claims, and one for all."""
    rows, total = [], Counter[str]()
    for one in made:
        by_paper: dict[str, list[dict[str, Any]]] = {}
        for claim in one["claims"]:
            if claim["ours"] is ours:
                by_paper.setdefault(cite(one["paper"]) if ours else _paper_of(claim), []).append(claim)
        for paper, claims in by_paper.items():
            found, name = Counter(map(_column, claims)), one["experiment"]
            place = _format_place(one) if paper == cite(one["paper"]) else paper
            rows.append(_summary_row(f"| [{name}](#{name}) | {place} |", found))
            total += found
    head = [f"| experiment | paper | {' | '.join(COLUMNS)} |", "|---" * (2 + len(COLUMNS)) + "|"]
    return "\n".join([*head, *rows, _summary_row("| **all** | |", total), ""])


def _paper_of(claim: dict[str, Any]) -> str:
    """Return the authors and the year of the paper that makes a claim."""
    where = _cite_source(claim)
    return next(str(paper) for paper in PAPERS.values() if where.startswith(str(paper)))


def _summary_row(lead: str, found: Mapping[str, int]) -> str:
    return f"{lead} {' | '.join(str(found.get(column, 0)) for column in COLUMNS)} |"


def _column(claim: dict[str, Any]) -> str:
    """Return the column that counts this claim, or "" for an explanation or for a point that failed."""
    outcome: str = claim["outcome"]
    if outcome == "qualitative":
        return "qualitative: holds" if claim["holds"] else "does not hold"
    return outcome if outcome in COLUMNS else ""


def _experiment_markdown(one: dict[str, Any], link: str) -> str:
    """Return the section of one experiment in Markdown."""
    declared = find_experiment(one["experiment"])
    rows = [
        f"| {claim['says']} ({_format_source(claim)}) | {claim['stated']} "
        f"| {_format_measurement(claim)} | {_format_outcome(claim)} |"
        for claim in one["claims"]
    ]
    failed = [f"Failed: {failure}" for failure in one["failed"]]
    return "\n\n".join(
        [
            f"## {one['experiment']}",
            f"*{one['title']}* ({_format_place(one)}). {declared.about}",
            f"![{one['title']}]({link}/{one['experiment']}/figure.svg)",
            "\n".join(["| claim | stated | measured (95 % interval) | |", "|---|---|---|---|", *rows]),
            *([f"**What was tried.** {declared.tried}"] if declared.tried else []),
            *failed,
            f"Made by `{one['command']}`, {_format_code(one)}, {one['rows']} runs.\n",
        ]
    )


def _format_code(one: dict[str, Any]) -> str:
    """Return the version that measured, with the digest of the code that measured if it was noted."""
    code = one.get("code")
    return f"antecede {one['version']}" + (f" (code {code})" if code else "")


def _format_place(one: dict[str, Any]) -> str:
    """Return the paper of an experiment, by author and year, and its figure."""
    return cite(f"{one['paper']}, {one['figure']}")


def _cite_source(claim: dict[str, Any]) -> str:
    """Return where a claim is made, by author and year. An earlier release wrote numbers of papers."""
    return cite(claim["where"])


def _format_source(claim: dict[str, Any]) -> str:
    where = _cite_source(claim)
    return f"{where}; ours" if claim["ours"] and where != "ours" else where


def _format_outcome(claim: dict[str, Any]) -> str:
    if claim["is_bound"]:
        return "holds (upper bound)"
    if claim["outcome"] == "qualitative":
        return "holds (qualitative)" if claim["holds"] else "**does not hold** (qualitative)"
    if claim["outcome"] == "tried":
        return "tried: would meet it" if claim["holds"] else "tried: would not"
    return f"**{claim['outcome']}**" if _is_against(claim) else str(claim["outcome"])


def _is_against(claim: dict[str, Any]) -> bool:
    """Return whether the measurement contradicts the claim."""
    return claim["outcome"] == "not reproduced" or (claim["outcome"] == "qualitative" and not claim["holds"])


def _format_measurement(claim: dict[str, Any]) -> str:
    if claim["measured"] is None:
        return claim["words"] or "-"
    low, high = claim["confidence_95"]
    words = f"; {claim['words']}" if claim["words"] else ""
    return f"{_format_number(claim['measured'])} ({_format_number(low)} to {_format_number(high)}){words}"


def _format_number(value: float) -> str:
    """Return a number with three digits, or all digits before the point if there are more."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>antecede lab</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }}
img {{ max-width: 100%; height: auto; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ccc; }}
.bad {{ font-weight: bold; }}
code {{ background: #f2f2f2; padding: 0 .2rem; }}
</style>
<h1>The experiments</h1>
<p>{sentence}</p>
{body}
</html>
"""


def _bold(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)


def _experiment_html(one: dict[str, Any], picture: str) -> str:
    """Return the section of one experiment in HTML."""
    declared = find_experiment(one["experiment"])
    tried = f"\n<p><b>What was tried.</b> {_bold(html.escape(declared.tried))}</p>" if declared.tried else ""
    rows = "\n".join(
        f"<tr><td>{html.escape(claim['says'])} ({html.escape(_format_source(claim))})<td>{html.escape(claim['stated'])}"
        f"<td>{html.escape(_format_measurement(claim))}<td{' class=bad' if _is_against(claim) else ''}>"
        f"{html.escape(_format_outcome(claim).replace('*', ''))}"
        for claim in one["claims"]
    )
    quick = " Small grid: the numbers are rough." if one["quick"] else ""
    return f"""\
<h2 id="{one["experiment"]}">{one["experiment"]}: {html.escape(one["title"])}</h2>
<p>{html.escape(_format_place(one))}. {html.escape(declared.about)}{quick}</p>
<img alt="{html.escape(one["title"])}" src="{picture or f"{one['experiment']}/figure.svg"}">
<table><tr><th>claim<th>stated<th>measured (95 % interval)<th>outcome
{rows}
</table>{tried}
<p>Made by <code>{html.escape(one["command"])}</code>, {html.escape(_format_code(one))}, {one["rows"]} runs.</p>"""
