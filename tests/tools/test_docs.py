"""The generated pages: written, checked, and complete."""

import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from tools.pages import algorithms, api
from tools.pages.docstrings import paragraphs

import antecede
from tools import docs

PAGES = {"docs/a/api.md": "tools.pages.api"}


def test_pages_are_written_and_then_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert docs.main([], PAGES, tmp_path) == 0
    assert capsys.readouterr().out == "wrote docs/a/api.md\n"
    assert docs.main(["--check"], PAGES, tmp_path) == 0
    assert docs.main([], PAGES, tmp_path) == 0
    assert capsys.readouterr().out == ""


def test_check_names_a_stale_page_and_leaves_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs.main([], PAGES, tmp_path)
    page = tmp_path / "docs/a/api.md"
    page.write_text("old")
    assert docs.main(["--check"], PAGES, tmp_path) == 1
    assert "docs/a/api.md is stale" in capsys.readouterr().err
    assert page.read_text() == "old"


def test_check_names_a_missing_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert docs.main(["--check"], PAGES, tmp_path) == 1
    assert "docs/a/api.md is stale" in capsys.readouterr().err
    assert not (tmp_path / "docs").exists()


def test_every_algorithm_has_its_part_with_options_and_module() -> None:
    text = algorithms.page()
    for name, info in antecede.algorithms().items():
        part = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert info.unit in part
        assert all(f"`{option}=" in part for option in info.options)
    assert algorithms.ordering_module(antecede.algorithms()["ks"]) == "antecede.core.ordering.ks"
    assert algorithms.ordering_module(antecede.algorithms()["hierarchy"]) == "antecede.core.ordering.hierarchy"


@pytest.mark.parametrize("module", api.MODULES, ids=lambda module: module.__name__)
def test_every_public_name_is_on_the_page(module: ModuleType) -> None:
    part = api.page().partition(f"\n## {module.__name__}\n")[2].partition("\n## ")[0]
    for name in module.__all__:
        assert f"\n#### {name}\n" in part


def test_the_page_shows_signatures_fields_and_what_is_loaded_late() -> None:
    text = api.page()
    assert "\ndecode(data: bytes, roster: Sequence[str] = ()) -> Packet\n" in text
    assert "\n* `seq: int`\n" in text
    assert "\n    clock: Callable[[], float] = time.monotonic,\n" in text
    assert (
        "`CheckResult`, `Host`, `Limits`, `NatsOptions`, `Node`, `check`, `join`, `join_sync` and `suggest_mapping`"
        in text
    )
    assert " at 0x" not in text


def test_everything_that_is_public_says_what_it_is() -> None:
    without = [line for line in api.page().splitlines() if line.startswith("* `") and "(" in line and "`: " not in line]
    assert without == []


def test_paragraphs_leave_indented_blocks_out() -> None:
    assert paragraphs("One\n    line.\n\n        x = 1\n\n    Two.") == ["One line.", "Two."]


def test_the_picture_of_the_readme_stands_alone_and_shows_the_violation() -> None:
    text = docs.make("docs/violation.svg", "tools.pages.violation")
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("aria-label", "").startswith("b delivered m3 before m1: m1 was sent by a, then a sent m2 to c")
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a", "b", "c", "m1", "m2", "m3", "first", "too late"} <= set(words)
    used = set(re.findall(r"var\((--\w+)\)", text))
    assert used <= set(re.findall(r"^\s+(--\w+):", text, re.MULTILINE))
    assert "prefers-color-scheme: dark" in text
