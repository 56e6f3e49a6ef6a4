"""The tables of the guide that come from runs of `antecede simulate`: each row is simulated again.

A number in a table is right if it is what the run prints, rounded to the digits that the table has.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex

import pytest

from antecede.cli import simulate
from tests.marks import slow
from tests.paths import ROOT

GUIDE = (ROOT / "docs" / "guide" / "02-choosing.md").read_text()
LONG = "--pattern conversation --turns 100 --messages 2000 --interval exponential:100 --latency exponential:0.1"
FAST = "--interval exponential:1 --latency exponential:0.02"
DIFFERENTIAL = {
    "conversations of two, 2 processes": "--processes 2 --dests 1 --pattern conversation --turns 20 --messages 2000",
    "conversations of two, 8 processes": f"--processes 8 --dests 1 {LONG}",
    "conversations of two, 20 processes": f"--processes 20 --dests 1 {LONG}",
    "conversations of four, 20 processes": f"--processes 20 --dests 3 {LONG}",
    "random sets, 8 processes": "--processes 8 --dests 1-7 --messages 1000",
    "random sets, 20 processes": "--processes 20 --dests 1-19 --messages 800",
    "random sets, 8 processes, fast network": f"--processes 8 --dests 1-7 --messages 1000 {FAST}",
    "random sets, 20 processes, fast network": f"--processes 20 --dests 1-19 --messages 800 {FAST}",
}
BIT_STRING = {
    "random sets, 8 processes": "--processes 8 --dests 1-7 --messages 1000",
    "random sets, 8 processes, 10,000 messages": "--processes 8 --dests 1-7 --messages 10000",
    "conversations of two, 8 processes": f"--processes 8 --dests 1 {LONG}",
    "random sets, 40 processes": "--processes 40 --dests 1-39 --messages 800",
    "random sets, 40 processes, 8,000 messages": "--processes 40 --dests 1-39 --messages 8000",
    "random sets, 40 processes, fast network": f"--processes 40 --dests 1-39 --messages 800 {FAST}",
    "conversations of two, 40 processes": f"--processes 40 --dests 1 {LONG}",
}
TAKE_LONG = {  # more than ten seconds
    "random sets, 8 processes, 10,000 messages",
    "random sets, 40 processes",
    "random sets, 40 processes, 8,000 messages",
    "random sets, 40 processes, fast network",
}


def rows_of(heading: str) -> dict[str, list[str]]:
    """Return the numbers of the table below a heading of the guide, by the traffic of their row."""
    section = GUIDE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    return {name: numbers for name, *numbers in rows}


def simulate_stamps(options: str, capsys: pytest.CaptureFixture[str]) -> tuple[float, float]:
    """Return the entries and the bytes of a stamp in the mean of a run."""
    parser = argparse.ArgumentParser(prog="antecede")
    simulate.add(parser.add_subparsers())
    assert simulate.run(parser.parse_args(["simulate", "--json", *shlex.split(options)])) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    return result["entries_mean"], result["bytes_mean"]


def check_number(printed: str, measured: float) -> None:
    """Raise `AssertionError` if a number is not the measured one, rounded to its own digits."""
    unit = 10.0 ** -len(printed.partition(".")[2])
    assert abs(float(printed.replace(",", "")) - measured) <= unit / 2 + 1e-9


def test_the_tables_have_these_rows_and_the_guide_the_options_of_each() -> None:
    assert rows_of("What a conversation saves").keys() == DIFFERENTIAL.keys()
    assert rows_of("Two forms of a causal barrier").keys() == BIT_STRING.keys()
    text = " ".join(GUIDE.split())
    for options in (LONG, FAST, DIFFERENTIAL["conversations of two, 2 processes"]):
        assert text.count(options) >= 1
    for traffic in ("random sets, 8 processes", "random sets, 20 processes"):
        assert f"`{DIFFERENTIAL[traffic]}`" in text
    assert re.search(r"`--processes 8 --dests 1-7` and `--processes 40 --dests 1-39`, with `--messages 1000` and", text)


@pytest.mark.parametrize("traffic", [slow(one) if one in TAKE_LONG else one for one in DIFFERENTIAL])
def test_what_a_conversation_saves(traffic: str, capsys: pytest.CaptureFixture[str]) -> None:
    entries, entries_less, size, size_less = rows_of("What a conversation saves")[traffic]
    whole = simulate_stamps(f"--algorithm ks {DIFFERENTIAL[traffic]}", capsys)
    less = simulate_stamps(f"--algorithm ks --option differential=true {DIFFERENTIAL[traffic]}", capsys)
    for printed, measured in zip((entries, size, entries_less, size_less), (*whole, *less), strict=True):
        check_number(printed, measured)


@pytest.mark.parametrize("traffic", [slow(one) if one in TAKE_LONG else one for one in BIT_STRING])
def test_two_forms_of_a_causal_barrier(traffic: str, capsys: pytest.CaptureFixture[str]) -> None:
    entries, size, size_of_string = rows_of("Two forms of a causal barrier")[traffic]
    table = simulate_stamps(f"--algorithm prs {BIT_STRING[traffic]}", capsys)
    string = simulate_stamps(f"--algorithm prs --option bit_string=true {BIT_STRING[traffic]}", capsys)
    assert table[0] == string[0]
    for printed, measured in zip((entries, size, size_of_string), (*table, string[1]), strict=True):
        check_number(printed, measured)
