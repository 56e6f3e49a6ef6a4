"""What is written: tables that last apart from times, figures that are the same each time, pages that hold together."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from antecede.lab import draw, pages, report, results
from antecede.lab.experiment import Experiment
from antecede.lab.experiments import find_experiment
from antecede.lab.results import Measurement, Results
from antecede.lab.run import ExperimentRun
from tests.lab.tiny import tiny


def rows(experiment: Experiment, seconds: float) -> list[dict[str, object]]:
    return [
        {
            "experiment": experiment.name,
            "point": job.point,
            "parameters": job.parameters,
            "seed": job.seed,
            "measurements": [("of_n_squared", 0.1 * job.seed), ("us_per_packet", seconds)],
            "error": None,
            "seconds": seconds,
        }
        for job in experiment.jobs(True)
    ]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    for place, seconds in (("a", 1.0), ("b", 2.0)):
        experiment = tiny()
        table = pa.Table.from_pylist(rows(experiment, seconds), results.SCHEMA)
        ran = ExperimentRun(replace(experiment, timed=("us_per_packet",)), True, table, 0, (), "c0de")
        report.write_report(ran, tmp_path / place / "prs-fig4")
    return tmp_path


@pytest.mark.parametrize("name", ["results.parquet", "claims.json", "figure.svg", "figure.png"])
def test_times_are_kept_apart_from_what_lasts(written: Path, name: str) -> None:
    one, other = (written / place / "prs-fig4" / name for place in "ab")
    assert one.read_bytes() == other.read_bytes()
    times = [(written / place / "prs-fig4" / "times.parquet").read_bytes() for place in "ab"]
    assert times[0] != times[1]


def test_what_was_split_is_read_back_whole(written: Path) -> None:
    table = results.read_results(written / "a" / "prs-fig4")
    assert table.num_rows == 9
    assert dict(table["measurements"][0].as_py()) == {"of_n_squared": pytest.approx(0.1), "us_per_packet": 1.0}
    assert table["seconds"][0].as_py() == 1.0


def test_the_figure_has_the_paper_s_values_beside_ours(written: Path) -> None:
    drawn = (written / "a" / "prs-fig4" / "figure.svg").read_text()
    ET.fromstring(drawn)
    for words in ("paper: about 90 %", "mean propagation time / mean inter-message time", "tuples in the barrier"):
        assert words in drawn, "matplotlib writes each text as a comment beside its outline"


def test_claims_have_the_command_and_version_that_made_them(written: Path) -> None:
    made = json.loads((written / "a" / "prs-fig4" / "claims.json").read_text())
    assert made["command"] == "antecede lab run prs-fig4 --quick"
    assert made["version"]
    assert made["code"] == "c0de"
    assert {"id", "says", "where", "stated", "outcome", "measured", "confidence_95"} <= made["claims"][0].keys()


@pytest.mark.parametrize(("number", "is_said"), [(0.0, True), (2.0, False)])
def test_a_panel_of_bars_that_are_all_0_says_so(tmp_path: Path, number: float, is_said: bool) -> None:
    experiment = find_experiment("errata")
    experiment = replace(experiment, charts=[chart for chart in experiment.charts if "endless" in chart.y])
    found = tuple(Measurement(0, dict(point), 1, {experiment.charts[0].y: number}) for point in experiment.quick[:3])
    draw.write_figure(experiment, Results(found), tmp_path)
    assert (draw.NOTHING in (tmp_path / "figure.svg").read_text()) is is_said


def test_claims_cite_papers_by_author_and_year_and_numbers_of_an_earlier_release_are_read(written: Path) -> None:
    path = written / "a" / "prs-fig4" / "claims.json"
    made = json.loads(path.read_text())
    assert made["paper"] == "Prakash, Raynal, Singhal 1997"
    assert {claim["where"] for claim in made["claims"]} == {f"{made['paper']} §7", f"{made['paper']} §7.1"}
    page = pages.reproduction_page(written / "a")
    numbered = path.read_text().replace(made["paper"], "000")
    path.write_text(numbered)
    assert pages.reproduction_page(written / "a") == page
    assert "| [prs-fig4](#prs-fig4) | Prakash, Raynal, Singhal 1997, Figure 4 |" in page


@pytest.mark.parametrize("garbage", ["", "[]", "{}", "{", "\x00"])
def test_claims_that_are_none_are_passed_over(tmp_path: Path, garbage: str) -> None:
    (tmp_path / "claims.json").write_text(garbage)
    assert report.read_claims(tmp_path) is None


def test_the_page_of_figures_needs_no_other_file(written: Path) -> None:
    text = pages.write_index(written / "a").read_text()
    assert "data:image/svg+xml;base64," in text
    assert 'src="http' not in text
    assert "prs-fig4" in text


def test_the_reproduction_page_has_every_claim(written: Path) -> None:
    text = pages.reproduction_page(written / "a")
    for claim in tiny().claims:
        assert claim.says in text
    assert "reproduction/prs-fig4/figure.svg" in text
    assert "What was tried." in text
