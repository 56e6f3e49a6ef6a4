"""The algorithms by name: what there is, what each needs, and what `create` refuses."""

from __future__ import annotations

import pytest

import antecede
from antecede import Misuse, SnapshotError, UnknownAlgorithm, mobile
from antecede.core.options import PURPOSES
from tests.paths import ROOT

TRAITS = {
    #                    addressing    causal  FIFO   delay-optimal
    "chain2": ("multicast", False, False, True),
    "hierarchy": ("multicast", True, False, False),
    "history": ("multicast", True, False, False),
    "isis": ("group", True, False, True),
    "ks": ("multicast", True, False, True),
    "mf": ("unicast", True, False, False),
    "mr": ("group", True, True, False),
    "mr-broadcast": ("broadcast", True, True, False),
    "mr-scalar": ("group", True, True, False),
    "none": ("multicast", False, False, True),
    "prs": ("multicast", True, False, True),
    "prs-broadcast": ("broadcast", True, False, True),
    "psync": ("multicast", True, False, True),
    "rendezvous": ("unicast", True, False, False),
    "rst": ("multicast", True, False, True),
    "serial-broadcast": ("broadcast", True, False, False),
    "serial-multicast": ("multicast", True, False, False),
    "ses": ("multicast", True, False, True),
    "sps": ("multicast", True, False, False),
    "vector": ("broadcast", True, False, True),
}
OPTIONS = {
    "chain2": ("hold_back_limit",),
    "hierarchy": ("inner", "representatives", "successors", "hold_back_limit"),
    "history": ("acknowledge_every", "repeat_after_s", "hold_back_limit"),
    "isis": ("acyclic", "hold_back_limit"),
    "ks": ("multicast", "differential", "links", "hold_back_limit"),
    "mf": ("hold_back_limit",),
    "mr": ("acyclic", "own_count", "bare_resynch", "numbered", "resynch_after_s", "hold_back_limit"),
    "mr-broadcast": ("numbered", "resynch_after_s", "hold_back_limit"),
    "mr-scalar": ("numbered", "resynch_after_s", "hold_back_limit"),
    "none": ("memory",),
    "prs": ("bit_string", "links", "hold_back_limit"),
    "prs-broadcast": ("hold_back_limit",),
    "psync": ("hold_back_limit",),
    "rendezvous": ("hold_back_limit",),
    "rst": ("hold_back_limit",),
    "serial-broadcast": ("token_at", "hold_back_limit"),
    "serial-multicast": ("token_at", "hold_back_limit"),
    "ses": ("hold_back_limit",),
    "sps": ("hold_back_limit",),
    "vector": ("hold_back_limit",),
}


def test_all_algorithms_are_there() -> None:
    assert sorted(antecede.algorithms()) == sorted(TRAITS)


@pytest.mark.parametrize("name", TRAITS)
def test_traits(name: str) -> None:
    info = antecede.algorithms()[name]
    assert info.name == name
    assert (info.addressing, info.causal, info.needs_fifo, info.delay_optimal) == TRAITS[name]
    assert info.synchronous == (name == "rendezvous")
    assert info.options == OPTIONS[name]
    assert info.title
    assert info.unit
    ours = {"none": "-", "sps": "ours, after Almeida 2026"}
    assert info.paper == ours[name] if name in ours else info.paper[:3] in ("000", "001", "002", "003")


@pytest.mark.parametrize("name", TRAITS)
def test_every_algorithm_can_be_made_and_is_itself_after_a_restart(name: str) -> None:
    groups = {"g": ["a", "b"]} if TRAITS[name][0] == "group" else None
    algorithm = antecede.create(name, process="a", processes=["a", "b"], groups=groups)
    assert algorithm.process == "a"
    assert algorithm.pending() == ()
    assert algorithm.tick(1.0) == []
    assert antecede.restore(algorithm.snapshot()).snapshot() == algorithm.snapshot()


def test_the_registry_can_not_be_changed_by_who_reads_it() -> None:
    with pytest.raises(TypeError):
        antecede.algorithms()["mine"] = antecede.algorithms()["ks"]  # type: ignore[index]  # the wrong type is the test


def test_an_unknown_name_is_told_the_names_there_are() -> None:
    with pytest.raises(UnknownAlgorithm, match=r"no algorithm 'kss'; there are chain2, hierarchy, .*, vector"):
        antecede.create("kss", process="a")


@pytest.mark.parametrize("name", TRAITS)
def test_an_unknown_option_is_told_the_options_there_are(name: str) -> None:
    with pytest.raises(Misuse) as caught:
        antecede.create(name, process="a", processes=["a", "b"], nonsense=1)
    assert str(caught.value) == f"{name} has no option 'nonsense'; it has {', '.join(OPTIONS[name])}"


def test_a_hierarchy_is_told_which_algorithms_it_can_have_inside() -> None:
    with pytest.raises(Misuse, match="the inner algorithm of a hierarchy must be one of ks, prs, rst, ses, not 'mr'"):
        antecede.create("hierarchy", process="a", processes=["a", "b"], inner="mr")


@pytest.mark.parametrize("representatives", [{}, {"a": ["b"], "c": ["b"]}])
def test_representatives_hold_every_process_once(representatives: dict[str, list[str]]) -> None:
    with pytest.raises(Misuse, match="representatives must hold every process once, and there must be one"):
        antecede.create("hierarchy", process="a", processes=["a", "b", "c"], representatives=representatives)


@pytest.mark.parametrize(
    ("name", "option", "value", "wanted"),
    [
        ("history", "acknowledge_every", 0, "a number of deliveries, 1 or more"),
        ("ks", "hold_back_limit", -1, "a number of packets, 0 or more"),
        ("ks", "hold_back_limit", True, "a number of packets, 0 or more"),
        ("ks", "links", 7, "pairs of names, such as [('a', 'b')]; of a Graph, its .links"),
        ("ks", "multicast", 1, "True or False"),
        ("mr", "numbered", "yes", "True or False"),
        ("mr", "resynch_after_s", float("inf"), "a number of seconds, 0 or more"),
        ("mr", "resynch_after_s", -0.5, "a number of seconds, 0 or more"),
        ("none", "memory", 0, "a number of messages, 1 or more"),
    ],
)
def test_an_option_of_a_wrong_value_is_told_what_is_wanted(name: str, option: str, value: object, wanted: str) -> None:
    with pytest.raises(Misuse) as caught:
        antecede.create(name, process="a", processes=["a", "b"], groups={"g": ["a", "b"]}, **{option: value})
    assert str(caught.value) == f"{option} must be {wanted}, not {value!r}"


@pytest.mark.parametrize("name", ["serial-broadcast", "serial-multicast"])
def test_the_token_is_at_one_of_the_processes(name: str) -> None:
    with pytest.raises(Misuse, match=r"token_at must be one of the processes \['a', 'b'\], not 'z'"):
        antecede.create(name, process="a", processes=["a", "b"], token_at="z")


@pytest.mark.parametrize("wrong", [None, "text", 7, ["a"]])
def test_a_process_is_restored_from_bytes_and_nothing_else(wrong: object) -> None:
    with pytest.raises(Misuse, match=f"restore takes the bytes of a snapshot, not a {type(wrong).__name__}"):
        antecede.restore(wrong)  # type: ignore[arg-type]  # the wrong type is the test


def test_a_station_or_a_host_is_not_restored_as_a_process() -> None:
    made = [mobile.station(name="s1", stations=["s1"], homes={}), mobile.host("h", "s1")]
    for one in made:
        with pytest.raises(SnapshotError, match=f"the snapshot of a {type(one).__name__}, not of an algorithm"):
            antecede.restore(one.snapshot())


def test_errors_are_told_apart_by_whose_fault_they_are() -> None:
    assert issubclass(UnknownAlgorithm, Misuse)
    assert issubclass(antecede.WireError, antecede.RemoteViolation)
    assert issubclass(antecede.SnapshotError, antecede.RemoteViolation)
    assert issubclass(antecede.HoldBackFull, antecede.LimitReached)
    for error in (Misuse, antecede.RemoteViolation, antecede.LimitReached):
        assert issubclass(error, antecede.AntecedeError)


def test_every_algorithm_and_every_option_has_a_purpose_in_a_sentence() -> None:
    for info in antecede.algorithms().values():
        assert info.purpose.endswith("."), info.name
        assert ". " not in info.purpose, info.name
    ordering = {option for info in antecede.algorithms().values() for option in info.options}
    roaming = {option for info in mobile.protocols().values() for option in info.options}
    assert ordering | roaming == set(PURPOSES)
    assert all(words.endswith(".") for words in PURPOSES.values())


def test_the_table_of_the_guide_says_what_each_algorithm_is_for() -> None:
    """Every algorithm, with its purpose and its options but the one that all have."""
    page = (ROOT / "docs/guide/02-choosing.md").read_text()
    table = page.partition("| name | what it is for | options |\n|---|---|---|\n")[2].partition("\n\n")[0]
    expected = {
        f"| `{name}` | {info.purpose} | {', '.join(f'`{one}`' for one in info.options if one != 'hold_back_limit')} |"
        for name, info in antecede.algorithms().items()
    }
    assert {row.replace("| |", "|  |") for row in table.splitlines()} == expected
