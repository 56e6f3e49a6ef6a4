"""`antecede simulate`: what it writes, what it says, and how it ends."""

import argparse
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from antecede.cli import main, simulate
from antecede.cli.simulation import options as table
from antecede.cli.simulation.parameters import fixed_parameters, parameters, roaming_parameters
from antecede.core import registry
from antecede.core.errors import LimitReached, Misuse
from antecede.core.process import Process
from antecede.judge.events import read_jsonl
from antecede.judge.judge import judge
from antecede.lab.printed.ks import LookAheadKs
from antecede.locality import Order, compare_texts
from antecede.sim import AccessLink
from tests.paths import ROOT

SMALL = "--processes 5 --messages 80"
GUIDE = ROOT / "docs" / "guide" / "02-choosing.md"


def parse(options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="antecede")
    simulate.add(parser.add_subparsers())
    return parser.parse_args(["simulate", *shlex.split(options)])


def run(options: str) -> int:
    return simulate.run(parse(options))


def test_it_writes_the_trace_and_sums_it_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    assert run(f"{SMALL} --out {path}") == 0
    events, quarantine = read_jsonl(path.read_text().splitlines())
    assert not quarantine
    assert judge(events).verdict == "holds"
    said = capsys.readouterr().out
    assert "holds" in said
    assert f"{len(events):,} events" in said
    assert f"antecede check {path}" in said
    assert len(said.splitlines()) < 24


def test_the_summary_as_json_agrees_with_the_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    assert run(f"{SMALL} --algorithm none --json --out {path}") == 0
    said = json.loads(capsys.readouterr().out)
    verdict = judge(read_jsonl(path.read_text().splitlines())[0])
    assert said | verdict.as_dict() == said
    assert said["verdict"] == "violated"
    assert said["result"]["messages"] == 80
    assert said["causal"] is False


def test_the_stamps_that_the_guide_compares_are_those_that_its_command_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The same messages through `ks` and `rst`, both weighed in the same wire form."""
    text = " ".join(GUIDE.read_text().split())
    compared = re.search(
        r"it has (?P<ks>[\d,]+) bytes on average, and that of `rst` has (?P<rst>[\d,]+): "
        r"`antecede simulate (?P<options>.+?)`",
        text,
    )
    assert compared is not None
    for algorithm in ("ks", "rst"):
        assert run(f"{compared['options']} --algorithm {algorithm}") == 0
        weight = re.search(r"stamp .* ([\d,.]+) bytes \(most", capsys.readouterr().out)
        assert weight is not None
        assert f"{float(weight[1].replace(',', '')):,.0f}" == compared[algorithm]


def test_the_packets_that_riding_saves_are_those_that_the_guide_tells(capsys: pytest.CaptureFixture[str]) -> None:
    section = GUIDE.read_text().partition("## What riding on acknowledgements saves")[2].partition("\n## ")[0]
    command = re.search(r"antecede simulate (.+) --algorithm mr --groups 4:2 --answers-ride", section)
    rows = re.findall(r"\| `(mr.*?)` \| (.+) \| (.+) \| (.+) \| (.+) \|", section)
    assert command is not None
    assert [row[0].split()[0] for row in rows] == ["mr", "mr-scalar", "mr-broadcast"]
    for algorithm, *counts in rows:
        said = []
        for rides in ("", "--answers-ride"):
            assert run(f"{command[1]} --algorithm {algorithm} {rides}") == 0
            found = re.search(r"packets +([\d,]+), of them ([\d,]+) control", capsys.readouterr().out)
            assert found is not None
            said.append(found.groups())
        assert [(counts[0], counts[2]), (counts[1], counts[3])] == said


def test_a_violating_run_is_explained_and_its_replay_gives_the_same_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """002 §4.5: the look-ahead, as printed, breaks causal order, which `ks` promises: the status is 1."""
    ks = registry.algorithms()["ks"]
    look_ahead = replace(ks, factory=lambda roster: Process(roster, LookAheadKs(roster.me)))
    monkeypatch.setitem(registry._BY_NAME, "ks", look_ahead)
    path = tmp_path / "t.jsonl"
    assert run(f"--processes 4 --messages 150 --dests 1-3 --seed 3 --out {path}") == 1
    said = capsys.readouterr().out
    assert "violated" in said
    assert " before " in said
    before = path.read_bytes()
    command = said.split("To replay this run: antecede simulate ")[1].splitlines()[0]
    path.unlink()
    assert run(command) == 1
    assert path.read_bytes() == before


def test_the_control_violates_and_that_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"{SMALL} --algorithm none") == 0
    assert "none does not guarantee causal order" in capsys.readouterr().out


def test_local_clocks_are_in_the_trace_and_messages_keep_to_the_links(tmp_path: Path) -> None:
    links, out = tmp_path / "links.txt", tmp_path / "t.jsonl"
    links.write_text("p1 -> p2\np1 -> p3\np2 -> p3\np3 <-> p4\n")
    assert run(f"--algorithm none {SMALL} --local-clocks {links} --out {out}") == 0
    events, _ = read_jsonl(out.read_text().splitlines())
    delivers = [event for event in events if event.kind == "deliver"]
    assert {event.process for event in delivers} == {"p2", "p3", "p4"}
    at_p3 = [event.attributes["local_clock"] for event in delivers if event.process == "p3" and event.attributes]
    assert {compare_texts(at_p3[0], text) for text in at_p3[1:]} == {Order.BEFORE, Order.CONCURRENT}


@pytest.mark.parametrize("algorithm", ["ks", "prs"])
def test_an_algorithm_that_is_told_of_the_links_has_smaller_stamps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], algorithm: str
) -> None:
    links = tmp_path / "links.txt"
    links.write_text("p1 <-> p2\np2 <-> p3\np3 <-> p4\np3 <-> p5\n")
    results = []
    for flag in ("--links", "--local-clocks"):
        assert run(f"--algorithm {algorithm} {SMALL} {flag} {links} --json") == 0
        results.append(json.loads(capsys.readouterr().out))
    assert [one["violations"] for one in results] == [0, 0]
    assert f"--links {links}" in results[0]["replay"]
    told, untold = (one["result"] for one in results)
    assert told["bytes_mean"] < 0.8 * untold["bytes_mean"]
    assert told["delay_max_s"] == untold["delay_max_s"]


def test_more_events_than_the_limit_are_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"{SMALL} --algorithm none --judge-max 100") == 0
    assert "not judged" in capsys.readouterr().out


def test_a_run_that_fails_says_how_to_replay_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LimitReached):
        run(f"{SMALL} --option hold_back_limit=1 --seed 7")
    assert f"antecede simulate --option hold_back_limit=1 {SMALL} --seed 7" in capsys.readouterr().err


def test_every_option_comes_back_in_the_replay() -> None:
    options = (
        "--algorithm mr --option numbered=true --option resynch_after_s=0.5 --processes 9 --messages 50 --seed 4 "
        "--latency uniform:1-2 --link p1=9.5 --fifo --partition 1-2:p1,p2/p3 --retransmit 3.0 --answers-ride "
        "--groups 3:1 --pattern request --cost-entry 0.1 --needless --json"
    )
    replayed = table.replay(parse(options))
    assert vars(parse(replayed.removeprefix("antecede simulate "))) == vars(parse(options))
    assert table.replay(parse("")) == "antecede simulate --seed 1"


def test_an_option_may_be_json() -> None:
    levels = {"p1": ["p2"], "p3": ["p4"]}
    option = shlex.quote(f"representatives={json.dumps(levels)}")
    given = parse(f"--algorithm hierarchy --option {option} --processes 4")
    assert fixed_parameters(given).options == {"representatives": levels}


def test_options_become_parameters() -> None:
    given = fixed_parameters(
        parse(
            "--algorithm ks --option multicast=true --option hold_back_limit=5 --latency lognormal:2:0.25 --loss 0.1 "
            "--partition 10-20.5:p01,p02 --selectivity 95 --dests 2-9 --deliveries 10 --warmup 5 --cost-byte 0.5"
        )
    )
    assert given.options == {"multicast": True, "hold_back_limit": 5}
    assert str(given.network.latency) == "lognormal:2:0.25"
    assert given.network.retransmit_after_s == 8.0
    cut = given.network.partitions[0]
    assert (cut.end_s, sorted(cut.side)) == (20.5, ["p01", "p02"])
    assert (given.workload.selectivity, given.workload.dests) == (0.95, (2, 9))
    assert (given.messages, given.deliveries, given.warmup) == (None, 10, 5)
    assert given.cost.byte_s == 0.5


@pytest.mark.parametrize(("algorithm", "expected"), [("ks", 4.0), ("history", None), ("none", None)])
def test_retransmission_is_for_those_who_need_it(algorithm: str, expected: float | None) -> None:
    lossy = fixed_parameters(parse(f"--algorithm {algorithm} --loss 0.1"))
    assert lossy.network.retransmit_after_s == expected
    assert fixed_parameters(parse(f"--algorithm {algorithm}")).network.retransmit_after_s is None
    assert fixed_parameters(parse("--loss 0.1 --retransmit off")).network.retransmit_after_s is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--algorithm kss", "no algorithm 'kss'; did you mean ks or sps or ses?"),
        ("--algorithm 1", "no algorithm '1'; there are chain2, hierarchy, history,"),
        ("--algorithm 1", "vector, roam, av1,"),
        ("--local-clocks no-such-file", "no-such-file"),
        ("--algorithm roam --local-clocks x", "--local-clocks is for processes that stay"),
        ("--algorithm roam --links x", "--links is for processes that stay"),
        ("--links no-such-file", "no-such-file"),
        ("--option links=a", "this option is set by --links"),
        ("--option representatives={p1:p2}", "the value begins as JSON does, and is none"),
        ("--dests 1-50", "give a range from 1 to 19"),
        ("--dests many", "write it like 1-19"),
        ("--groups 5", "an overlap below the size"),
        ("--latency slow", "write exponential:1.0"),
        ("--partition 10:p1", "write it like 10-20:p1,p2"),
        ("--partition 10-20:p77", "no process 'p77'; they are p01 to p20"),
        ("--link p01", "write NAME=BYTES, such as s01=3500"),
        ("--link p01=0", "give from 0.001 to 1e+15"),
        ("--link p77=100", "no process 'p77'; they are p01 to p20"),
        ("--option multicast", "write NAME=VALUE"),
        ("--option speed=9", "ks has no option 'speed'"),
        ("--retransmit soon", "write it like 4, auto, off"),
        ("--out trace.csv", ".jsonl, .jsonl.gz or .parquet"),
        ("--loss 2", "give a probability from 0 to 1"),
        ("--pattern chat", "there are open, request, conversation"),
        ("--hosts 5", "--hosts is for roaming protocols ("),
        ("--algorithm av2 --processes 5", "give --hosts and --stations, not --processes"),
        ("--algorithm av2 --option logical=2", "av2 has no option 'logical'"),
        ("--algorithm roam --handoff-interval often", "write exponential:1.0"),
        ("--algorithm roam --when-asleep wake", "store or drop"),
        ("--algorithm roam --beacon 0", "a beacon after a time of 0.0 s"),
        ("--beacon 1", "--beacon is for roaming protocols ("),
        ("--algorithm roam --air-loss 0.95", "a loss of at most 0.9"),
        ("--bandwidth 0", "give from 0.001 to 1e+15"),
        ("--bandwidth nan", "a bandwidth"),
        ("--cost-byte nan", "a cost for each byte"),
        ("--cost-byte inf", "a cost for each byte"),
        ("--ratio nan", "a ratio of rates"),
        ("--ratio 1e308", "a ratio of rates"),
        ("--interval constant:1e308", "give 0, or from 1e-09 to 1e+09 seconds"),
        ("--latency constant:inf", "give 0, or from 1e-09 to 1e+09 seconds"),
        ("--latency uniform:3-1", "the lower first"),
        ("--answers-ride", "let the network retransmit"),
        ("--loss 0.1 --retransmit nan", "retransmission after a time"),
        ("--loss 0.1 --retransmit 1e-320", "retransmission after a time"),
        ("--partition 0-1e8:p01", "let the partition heal sooner"),
        ("--partition 0-1e15:p01", "heal by 1e+09 s"),
        ("--algorithm roam --retry 1e-320", "a retry after a time"),
        ("--payload 99999999999999999999", "a payload, in bytes"),
        ("--option process=zz", "set by --processes and --groups"),
        ("--algorithm history --loss 1 --deliveries 10", "nothing ever arrives"),
        ("--out ''", "--out is empty"),
        ("--dests ''", "--dests is empty"),
        ("--out trace.jsonl --run 'a\nb'", "cannot be written"),
    ],
)
def test_options_that_have_no_meaning_are_refused_in_words(
    options: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Misuse) as refused:
        run(options)
    assert words in str(refused.value)
    assert "replay" not in capsys.readouterr().err


def test_an_unknown_option_is_told_with_the_command_that_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--frmat", "y"]) == 2
    assert capsys.readouterr().err == "antecede: --frmat y: see `antecede simulate --help` for what can be given\n"


def test_a_name_too_long_for_a_file_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="the trace cannot be written"):
        run(f"{SMALL} --out {tmp_path}/{'y' * 300}.jsonl")


def test_numbers_with_exponents_can_be_ranges() -> None:
    asked = fixed_parameters(parse("--latency uniform:1e-3-2e-3 --partition 1e-3-2:p01"))
    assert (asked.network.latency.mean_s, asked.network.partitions[0].start_s) == (0.0015, 0.001)


def test_a_run_in_which_nothing_arrives_is_not_said_to_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"{SMALL} --loss 1 --retransmit off") == 0
    assert "nothing was delivered" in capsys.readouterr().out


def test_a_warm_up_that_never_ends_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"{SMALL} --warmup 100000") == 0
    assert "nothing was measured" in capsys.readouterr().out


def test_help_teaches_by_examples_that_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("--help")
    assert "examples:" in capsys.readouterr().out
    commands = [line.strip() for line in table.EXAMPLES.splitlines() if line.startswith("  antecede simulate")]
    assert len(commands) >= 5
    for command in commands:
        parameters(parse(command.removeprefix("antecede simulate").split("   ")[0].split("  ")[0]))


ROAMING = "--hosts 6 --stations 3 --messages 80 --interval exponential:0.1 --handoff-interval exponential:0.3"


@pytest.mark.parametrize("protocol", ["roam", "av1", "av2", "av2-ks", "av3", "prs-mobile"])
def test_roaming_protocols_are_simulated_too(protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    assert run(f"--algorithm {protocol} {ROAMING} --disconnect-interval exponential:1 --needless --out {path}") == 0
    events, quarantine = read_jsonl(path.read_text().splitlines())
    assert not quarantine
    verdict = judge(events)
    assert (verdict.verdict, verdict.lost) == ("holds", 0)
    assert {"move", "connect", "disconnect"} <= {event.kind for event in events}
    said = capsys.readouterr().out
    assert "6 hosts, 3 stations" in said
    assert "hand-off" in said
    assert "no message is left undelivered" in said
    assert len(said.splitlines()) < 24


def test_a_roaming_run_as_json_is_replayed_by_the_command_it_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"--algorithm av3 --option logical=3 {ROAMING} --air-loss 0.1 --full-matrices --json --seed 5") == 0
    said = capsys.readouterr().out
    first = json.loads(said)
    assert first["causal"] is True
    assert first["result"]["entries_mean"] == 81
    assert run(first["replay"].removeprefix("antecede simulate ")) == 0
    assert capsys.readouterr().out == said


def test_options_become_roaming_parameters() -> None:
    given = roaming_parameters(
        parse(
            "--algorithm av1 --hosts 7 --latency uniform:0.005-0.009 --loss 0.1 --air-latency constant:0.001 --away 3 "
            "--integer-bytes 4 --retry 0.5 --handoff-interval never --cost-entry 1e-6 --dests 1-2 --payload 100 "
            "--link s01=3500 --link s02=1e6 --beacon 0.1"
        )
    )
    assert (given.protocol, given.hosts, given.stations) == ("av1", 7, 10)
    assert given.wires.retransmit_after_s == pytest.approx(4 * 0.007)
    assert (given.wires.bandwidth_bytes_per_s, given.air.bandwidth_bytes_per_s) == (12.5e6, 125_000)
    assert (given.mobility.handoff, given.mobility.connected, given.mobility.away.mean_s) == (None, None, 3)
    assert (given.header.integer_bytes, given.policy.retry_s, given.cost.entry_s) == (4, 0.5, 1e-6)
    assert (given.workload.dests, given.workload.payload_bytes) == ((1, 2), 100)
    assert given.beacon_s == 0.1
    assert given.wires.links == (AccessLink("s01", 3_500.0), AccessLink("s02", 1e6))
