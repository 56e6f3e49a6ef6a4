"""The generated pages: written, checked, and complete."""

from pathlib import Path

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


def test_every_public_name_is_on_the_page() -> None:
    text = api.page()
    for name in antecede.__all__:
        assert f"\n### {name}\n" in text
    assert "\ndecode(data: bytes, roster: Sequence[str] = ()) -> Packet\n" in text
    assert "\n* `seq: int`\n" in text


def test_paragraphs_leave_indented_blocks_out() -> None:
    assert paragraphs("One\n    line.\n\n        x = 1\n\n    Two.") == ["One line.", "Two."]
