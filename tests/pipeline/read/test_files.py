"""Which files the paths mean: folders, globs, odd names, and what is not a regular file."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pyarrow.fs
import pytest

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.files import (
    FileChanged,
    UnknownFileSystem,
    check_version,
    is_local,
    list_files,
    locate,
    version_of,
)


def touch(*paths: Path, text: str = "x\n") -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def names(*paths: str | Path, below: Path) -> list[str]:
    """The names of the files that paths mean, relative to a folder."""
    return [str(Path(file.path).relative_to(below)) for file in list_files([str(path) for path in paths])]


def refusal(*paths: str | Path) -> str:
    with pytest.raises(UnreadableInput) as refused:
        list_files([str(path) for path in paths])
    return str(refused.value)


def test_a_folder_is_searched_at_every_depth_and_hidden_names_are_ignored(tmp_path: Path) -> None:
    shown = [tmp_path / name for name in ("b", "a/z", "a/b/c/d", "é %20[1]")]
    touch(*shown)
    touch(*(tmp_path / name for name in (".hidden", "_SUCCESS", ".git/x", "a/_temporary/0/part")))
    assert names(tmp_path, below=tmp_path) == ["a/b/c/d", "a/z", "b", "é %20[1]"]
    assert names(f"file:{tmp_path}", f"file://{tmp_path}", below=tmp_path) == ["a/b/c/d", "a/z", "b", "é %20[1]"]


def test_a_hidden_file_is_read_if_it_is_named(tmp_path: Path) -> None:
    touch(tmp_path / "_log", tmp_path / ".log")
    assert names(tmp_path / "_log", below=tmp_path) == ["_log"]
    assert names(f"{tmp_path}/.l*", below=tmp_path) == [".log"]
    assert "no such file or folder" in refusal(f"{tmp_path}/*log")


def test_a_relative_path_is_shown_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path / "in" / "t")
    monkeypatch.chdir(tmp_path / "in")
    (file,) = list_files(["t"])
    assert (file.path, file.name) == (str(tmp_path / "in" / "t"), "t")
    assert [file.name for file in list_files(["../in"])] == ["t"]
    assert [file.name for file in list_files([str(tmp_path / "in"), "./*"])] == ["t"]
    assert [file.name for file in list_files([str(tmp_path / "in")])] == [str(tmp_path / "in" / "t")]
    assert names(".", "../in/t", "./t", below=tmp_path / "in") == ["t"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.log", ["a.log", "b.log"]),
        ("?.log", ["a.log", "b.log"]),
        ("[!a].log", ["b.log"]),
        ("{a,c}.*", ["a.log", "c.txt"]),
        ("{a,b}{.log,.txt}", ["a.log", "b.log"]),
        ("*/x.log", ["d1/x.log", "d2/x.log"]),
        ("d[12]/{x,y}.log", ["d1/x.log", "d2/x.log", "d2/y.log"]),
        ("d*", ["d1/x.log", "d2/x.log", "d2/y.log"]),
        ("*/../a.log", ["a.log"]),
        ("\\{a\\}*", ["{a}.log"]),
        ("\\*.log", ["*.log"]),
    ],
)
def test_globs(tmp_path: Path, pattern: str, found: list[str]) -> None:
    touch(*(tmp_path / name for name in ("a.log", "b.log", "c.txt", "d1/x.log", "d2/x.log", "d2/y.log")))
    if pattern.startswith("\\"):
        touch(tmp_path / "{a}.log", tmp_path / "*.log")
    listed = list_files([f"{tmp_path}/{pattern}"])
    assert sorted({os.path.relpath(os.path.realpath(file.path), tmp_path) for file in listed}) == found


def test_files_come_in_the_order_of_their_names_and_each_once(tmp_path: Path) -> None:
    touch(*(tmp_path / name for name in ("10", "9", "a", "B")))
    assert names(tmp_path / "a", tmp_path, f"{tmp_path}/*", below=tmp_path) == ["10", "9", "B", "a"]


def test_size_and_version_are_told(tmp_path: Path) -> None:
    touch(tmp_path / "t", text="12345")
    (file,) = list_files([str(tmp_path / "t")])
    assert file.bytes == 5
    check_version(file.path, file.version)
    check_version(file.path, None)
    touch(tmp_path / "t", text="12346789")
    with pytest.raises(FileChanged, match="the file changed while it was read; check it again when no program writes"):
        check_version(file.path, file.version)
    (tmp_path / "t").unlink()
    with pytest.raises(FileChanged):
        check_version(file.path, file.version)


def test_the_version_is_the_same_whoever_looks(tmp_path: Path) -> None:
    touch(tmp_path / "t")
    (file,) = list_files([str(tmp_path)])
    assert version_of(pyarrow.fs.LocalFileSystem().get_file_info(str(tmp_path / "t"))) == file.version


def test_empty_files_are_listed_beside_others_and_refused_alone(tmp_path: Path) -> None:
    touch(tmp_path / "a" / "none", tmp_path / "b" / "none", text="")
    assert "none: the file is empty, so there is nothing to check" in refusal(tmp_path / "a" / "none")
    touch(tmp_path / "a" / "some")
    assert [file.bytes for file in list_files([str(tmp_path / "a")])] == [0, 2]
    assert "b/none: the file is empty" in refusal(tmp_path / "a", tmp_path / "b")
    touch(tmp_path / "b" / "none too", text="")
    assert "b/none: this file is empty, and so are 1 others" in refusal(tmp_path / "a", tmp_path / "b")


def test_paths_that_lead_nowhere_say_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, words in (
        (f"{tmp_path}/nothing.log", "no such file or folder; check the path, and quote a glob"),
        (f"{tmp_path}/*.log", "no such file or folder"),
        (f"{tmp_path}/*/*.log", "no such file or folder"),
        (f"{tmp_path}/empty", "the folder has no files"),
    ):
        said = refusal(path)
        assert words in said
        assert path in said
    assert refusal() == "no input is given; give a file, a folder or a glob"


def test_a_file_system_that_arrow_does_not_know_is_named() -> None:
    with pytest.raises(UnknownFileSystem, match="nowhere://bucket/trace: cannot be opened with Arrow"):
        list_files(["nowhere://bucket/trace"])


def test_what_is_local() -> None:
    assert all(is_local(path) for path in ("a", "/a", "file:/a", "file:///a", "C:odd", "a:b", "-"))
    assert not any(is_local(path) for path in ("s3://a", "hdfs:///a", "abfss://box@account/a", "file2://x"))
    assert locate("file:///a/../b")[1] == "/b"


# What is not a regular file


def test_a_fifo_is_refused_if_it_is_named_and_ignored_in_a_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    touch(tmp_path / "t.jsonl")
    assert "pipe.jsonl: this is a FIFO, not a regular file" in refusal(tmp_path / "pipe.jsonl")
    assert "antecede check -" in refusal(tmp_path / "pipe.jsonl")
    assert names(tmp_path, below=tmp_path) == ["t.jsonl"]
    assert names(f"{tmp_path}/*.jsonl", below=tmp_path) == ["t.jsonl"]


def test_devices_and_sockets_are_refused(tmp_path: Path) -> None:
    for device in ("/dev/null", "/dev/zero", "/dev/urandom"):
        assert f"{device}: this is a device, not a regular file" in refusal(device)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        assert "this is a socket" in refusal(tmp_path / "s")
        assert "the folder has no files" in refusal(tmp_path)


def test_links_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    touch(tmp_path / "in" / "t", tmp_path / "elsewhere" / "u")
    (tmp_path / "in" / "itself").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "above").symlink_to(tmp_path)
    (tmp_path / "in" / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in" / "loop")
    (tmp_path / "in" / "file").symlink_to(tmp_path / "in" / "t")
    (tmp_path / "in" / "other").symlink_to(tmp_path / "elsewhere")
    found = names(tmp_path / "in", below=tmp_path / "in")
    assert {"t", "file", "other/u", "above/elsewhere/u"} <= set(found)
    assert not any(name.startswith("itself") or "in/" in name for name in found)
    assert "no such file or folder" in refusal(tmp_path / "in" / "dangling")
    assert "no such file or folder" in refusal(tmp_path / "in" / "loop")


def test_folders_that_link_to_each_other_end(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        touch(tmp_path / name / "t")
        (tmp_path / name / "link").symlink_to(tmp_path / other)
    assert names(tmp_path, below=tmp_path) == ["a/link/t", "a/t", "b/link/t", "b/t"]


NOT_UTF8 = os.fsdecode(b"trace-\xff.jsonl")


def test_an_empty_path_is_not_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path / "t")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnreadableInput, match="a path is empty"):
        list_files([""])
    assert len(list_files(["."])) == 1


def test_a_name_that_is_not_utf8_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / NOT_UTF8).write_text("x\n")
    for path in (tmp_path, tmp_path / NOT_UTF8, f"{tmp_path}/*.jsonl"):
        said = refusal(path)
        assert "the name of this file is not UTF-8; rename the file" in said
        said.encode()
