"""Which inputs get the Spark that is quick to start."""

from pathlib import Path

from antecede.pipeline.spark import small_input


def test_a_small_local_input_on_an_embedded_spark(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("{}\n")
    assert "TieredStopAtLevel=1" in small_input.options([str(tmp_path)], None)["spark.driver.extraJavaOptions"]
    assert small_input.options([str(tmp_path / "*.jsonl")], "local[2]")
    assert small_input.options([str(tmp_path)], "spark://host:7077") == {}
    assert small_input.options([str(tmp_path)], "local-cluster[2,1,1024]") == {}


def test_what_is_large_or_elsewhere_or_not_there_is_not_small(tmp_path: Path) -> None:
    large = tmp_path / "large.jsonl"
    large.write_bytes(b" " * (small_input.SMALL_BYTES_MAX + 1))
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(b" " * (small_input.SMALL_BYTES_MAX // 9))
    for path in (str(large), str(packed), "hdfs:///trace", str(tmp_path / "nothing")):
        assert not small_input.is_small([path]), path
    many = tmp_path / "many"
    many.mkdir()
    for number in range(small_input.SMALL_FILES_MAX + 1):
        (many / f"{number}.jsonl").touch()
    assert not small_input.is_small([str(many)])
