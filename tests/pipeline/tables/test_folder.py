"""A folder for tables belongs to one check at a time, and is never mistaken for something else."""

from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.pipeline.tables.folder import claim_folder, refuse_bad_folder


def test_one_check_at_a_time_writes_to_a_folder(tmp_path: Path) -> None:
    out = str(tmp_path / "new" / "out")
    with claim_folder(out):
        with pytest.raises(Misuse, match="another check is writing there; wait for it"), claim_folder(out):
            pass
        with claim_folder(str(tmp_path / "other")), claim_folder(None), claim_folder("s3://bucket/out"):
            pass
    with claim_folder(out):
        pass


def test_what_a_killed_check_wrote_is_removed_by_the_next_and_not_while_it_writes(tmp_path: Path) -> None:
    for name in (".parts-1/deliveries", "deliveries", ".partsof"):
        (tmp_path / name).mkdir(parents=True)
    with claim_folder(str(tmp_path)):
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", ".partsof", "deliveries"]
        (tmp_path / ".parts-2").mkdir()
        with pytest.raises(Misuse), claim_folder(str(tmp_path)):
            pass
        assert (tmp_path / ".parts-2").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    out = str(tmp_path / "file" / "out")
    with pytest.raises(Misuse, match="cannot write there: Not a directory"), claim_folder(out):
        pass


def test_input_and_output_are_apart(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="are inside each other"):
        refuse_bad_folder(str(tmp_path / "logs" / "out"), [str(tmp_path / "logs")])
    (tmp_path / "out" / "events").mkdir(parents=True)
    with pytest.raises(Misuse, match="events is there and is no table of a check"):
        refuse_bad_folder(str(tmp_path / "out"), [])


def test_a_folder_that_is_written_as_an_address_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "out" / "deliveries").mkdir(parents=True)
    for out in (f"file:{tmp_path}/out", f"file://{tmp_path}/out"):
        with pytest.raises(Misuse, match="deliveries is there and is no table of a check"):
            refuse_bad_folder(out, [])
    with pytest.raises(Misuse, match="are inside each other"):
        refuse_bad_folder(str(tmp_path), [f"file:{tmp_path}/trace.jsonl"])


def test_a_link_to_itself_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    refuse_bad_folder(str(tmp_path / "out"), [str(tmp_path / "loop")])
    refuse_bad_folder(str(tmp_path / "loop"), [])
    with pytest.raises(Misuse, match="cannot write there"), claim_folder(str(tmp_path / "loop")):
        pass


def test_a_file_that_is_called_like_the_lock_keeps_its_text(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text("mine")
    with claim_folder(str(tmp_path)):
        assert (tmp_path / ".lock").read_text() == "mine"
