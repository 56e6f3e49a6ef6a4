"""Building graphs, from links and from text, and what is said about bad ones."""

from typing import Any

import pytest

from antecede.core.locality.edge_list import guess, parse
from antecede.core.locality.graph import BadGraph, Graph, reachable


def test_processes_and_links_are_sorted() -> None:
    graph = Graph.of([("b", "a"), ("a", "c")])
    assert graph.processes == ("a", "b", "c")
    assert graph.links == (("a", "c"), ("b", "a"))
    assert graph.predecessors == {"a": ("b",), "b": (), "c": ("a",)}


def test_a_link_given_twice_is_one_link() -> None:
    assert Graph.of([("a", "b"), ("a", "b")]) == Graph.of([("a", "b")])
    assert parse("a b\na b\nb a", "edges").repeated == 1


def test_both_ways() -> None:
    assert Graph.both_ways([("a", "b")]).is_two_way
    assert not Graph.of([("a", "b")]).is_two_way


def test_declared_processes_may_have_no_links() -> None:
    assert Graph.of([("a", "b")], ["a", "b", "c"]).processes == ("a", "b", "c")


@pytest.mark.parametrize(
    ("links", "processes", "complaint"),
    [
        ([("a", "b"), ("c", "c")], None, "'c' has a link to itself: remove it"),
        ([("a", "b")], ["a"], "names 'b', which is not among the processes declared"),
        ([], None, "the graph has no links"),
        ([], ["a", "b"], "the graph has no links"),
        ([("a", "")], None, "has an end without a name"),
    ],
)
def test_bad_graphs_are_refused(links: list[tuple[str, str]], processes: list[str] | None, complaint: str) -> None:
    with pytest.raises(BadGraph, match=complaint):
        Graph.of(links, processes)


@pytest.mark.parametrize(
    ("links", "processes", "complaint"),
    [
        ([("a", "b", "c")], None, "is not a link: give pairs"),
        (["ab"], None, "'ab' is not a link"),
        ([None], None, "None is not a link"),
        ([("a", 1)], None, "1 is not the name of a process"),
        ([("a", ["b"])], None, "is not the name of a process"),
        ([("a", "b")], ["a", "b", 3], "3 is not the name of a process"),
    ],
)
def test_what_is_no_link_is_refused(links: Any, processes: Any, complaint: str) -> None:
    for build in (Graph.of, Graph.both_ways):
        with pytest.raises(BadGraph, match=complaint):
            build(links, processes)


def test_a_graph_made_by_hand_has_links_too() -> None:
    with pytest.raises(BadGraph, match="the graph has no links"):
        Graph({}, {})


def test_reachable_may_avoid_a_process() -> None:
    graph = Graph.of([("a", "b"), ("b", "c"), ("a", "d")])
    assert reachable(graph.successors, ["a"]) == {"a", "b", "c", "d"}
    assert reachable(graph.successors, ["a"], avoiding="b") == {"a", "d"}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("edges", "# who writes to whom\na b\n\nb -> c  # one way\nc<->a\n"),
        ("csv", "a,b\nb,c\nc,a\na,c\n"),
        ("csv", "weight,to,from\n1,b,a\n2,c,b\n3,a,c\n4,c,a\n"),
        ("json", '[["a","b"],["b","c"],["c","a"],["a","c"]]'),
        ("json", '{"processes": ["a", "b", "c"], "links": [["a","b"],["b","c"],["c","a"],["a","c"]]}'),
    ],
)
def test_all_formats_say_the_same(form: str, text: str) -> None:
    assert parse(text, form).graph() == Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")])
    assert guess("-", text) == form


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("links.csv", "csv"),
        ("links.JSON", "json"),
        ("links.txt", "edges"),
        ("csv", "edges"),
        ("links.csv.txt", "edges"),
    ],
)
def test_the_ending_of_the_name_says_the_format_or_else_the_text_does(name: str, form: str) -> None:
    assert guess(name, "a b\n") == form


def test_names_may_have_dashes_and_angles() -> None:
    assert parse("a-b c>d\n<e> -> f-\nf- <-> g", "edges").given == (
        ("a-b", "c>d"),
        ("<e>", "f-"),
        ("f-", "g"),
        ("g", "f-"),
    )


def test_a_quoted_cell_keeps_its_new_line() -> None:
    assert parse('from,to\n"a\nb",c\n"d, e",c', "csv").given == (("a\nb", "c"), ("d, e", "c"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize(("form", "text"), [("edges", "a b\nb c\n"), ("csv", "from,to\na,b\nb,c\n")])
def test_lines_may_end_in_any_way(form: str, text: str, end: str) -> None:
    assert parse(text.replace("\n", end), form).given == (("a", "b"), ("b", "c"))


def test_json_may_say_both_ways() -> None:
    assert parse('{"links": [["a","b"]], "both_ways": true}', "json").graph() == Graph.both_ways([("a", "b")])


@pytest.mark.parametrize(
    ("form", "text", "complaint"),
    [
        ("edges", "a b\na b c", "line 2 is not a link: 'a b c'"),
        ("edges", "a", "line 1 is not a link"),
        ("edges", "a ->", "line 1 is not a link: 'a ->'"),
        ("edges", "-> b", "line 1 is not a link"),
        ("edges", "a <->", "line 1 is not a link"),
        ("edges", "a->b->c", "line 1 is not a link"),
        ("edges", "a -> b -> c", "line 1 is not a link"),
        ("edges", "a <- b", "line 1 is not a link"),
        ("edges", "a<-b", "line 1 is not a link"),
        ("edges", "a <-", "line 1 is not a link"),
        ("edges", "a-->b", "line 1 is not a link"),
        ("csv", 'a,b\nc,"d\ne,f\n', "is not CSV: .*; look for a quote"),
        ("csv", 'a,b\n"' + "c" * 140_000 + '",d\n', "line 2 is not CSV: .*; look for a quote"),
        ("csv", "from,to\na", "line 2 is not a link"),
        ("csv", "from,to\na,", "line 2 is not a link"),
        ("json", "{", "not JSON"),
        ("json", "[" * 100_000, "not JSON"),
        ("json", '{"edges": []}', "an object with a list 'links'"),
        ("json", '[["a", 1]]', "link 1 of the JSON"),
        ("json", '{"links": [["a","b"]], "processes": "ab"}', "'processes' must be a list"),
        ("json", '{"links": [["a","b"]], "both_ways": 1}', "'both_ways' must be"),
        ("edges", "", "the graph has no links"),
    ],
)
def test_bad_text_is_refused_with_its_place(form: str, text: str, complaint: str) -> None:
    with pytest.raises(BadGraph, match=complaint):
        parse(text, form).graph()
