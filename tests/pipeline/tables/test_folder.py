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
