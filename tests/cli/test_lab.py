"""`antecede lab`, as it is typed."""

import json
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antecede.cli import main
from antecede.lab.experiments import experiment_names


def test_list_names_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in experiment_names())
    assert "Meldal, Sankar, Vera 1991, §5, §7" in shown
    assert not re.search(r"\b00[0-4]\b", shown), "papers are cited by author and year"


def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["experiments"]
    assert [one["name"] for one in found] == experiment_names()
    assert found[0]["paper"] == "Prakash, Raynal, Singhal 1997"


def test_an_unknown_name_is_told_before_spark_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "run", "msv-topology"]) == 2
    assert "did you mean msv-topologies" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["file", "file/inside", "/proc/nope", ""])
def test_a_folder_that_can_not_be_written_to_is_told_before_spark_starts(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    out = name and str(tmp_path / name)
    assert main(["lab", "run", "errata", "--out", out]) == 2
    assert "folder" in capsys.readouterr().err


@pytest.mark.parametrize("master", ["foo", "local[0]", "local[]", "http://127.0.0.1"])
def test_a_master_that_is_none_is_told_before_java_starts(
    master: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", "run", "errata", "--quick", "--out", str(tmp_path), "--master", master]) == 2
    assert "no Spark is addressed like" in capsys.readouterr().err


def test_nothing_named_is_not_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "run"]) == 2
    assert "or all" in capsys.readouterr().err


def test_run_writes_everything_and_tells_it(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = ["msv-topologies", "msv-topologies"]
    assert main(["lab", "run", *twice, "--quick", "--out", str(tmp_path), "--master", "local[2]", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["experiment"] for one in told["experiments"]] == ["msv-topologies"]
    assert told["experiments"][0]["command"] == "antecede lab run msv-topologies --quick"
    for name in ("results.parquet", "times.parquet", "figure.svg", "figure.png", "claims.json"):
        assert (tmp_path / "msv-topologies" / name).stat().st_size > 0
    assert (tmp_path / "index.html").exists()
