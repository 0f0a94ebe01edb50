"""Which files are meant, in which order, under which names."""

from pathlib import Path

import pytest

from ingest.errors import IngestError
from ingest.paths import expand_paths, longer_names, origin_of


def make(folder: Path, *names: str) -> None:
    """Files with something in them."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def sources(*paths: Path) -> list[str]:
    """The names the files are kept under."""
    return [found.source for found in expand_paths(paths)]


def test_folders_are_walked_in_a_stable_order(tmp_path: Path) -> None:
    make(tmp_path, "b.txt", "a.txt", "z/c.txt", "m/d.txt", "m/deep/e.txt")
    assert sources(tmp_path) == ["a.txt", "b.txt", "m/d.txt", "m/deep/e.txt", "z/c.txt"]


def test_hidden_files_and_side_files_are_left_out(tmp_path: Path) -> None:
    make(
        tmp_path,
        "a.txt",
        ".hidden",
        ".git/config",
        "Thumbs.db",
        "desktop.ini",
        "__MACOSX/a.txt",
        "~$policy.docx",
        ".DS_Store",
    )
    assert sources(tmp_path) == ["a.txt"]


def test_a_file_that_is_named_is_taken_whatever_its_name(tmp_path: Path) -> None:
    make(tmp_path, ".hidden")
    assert sources(tmp_path / ".hidden") == [".hidden"]


def test_a_name_never_tells_where_the_folder_was(tmp_path: Path) -> None:
    make(tmp_path, "kent/fees.txt")
    assert sources(tmp_path / "kent" / "fees.txt") == ["fees.txt"]
    assert sources(tmp_path) == ["kent/fees.txt"]


def test_two_files_of_one_name_get_what_tells_them_apart(tmp_path: Path) -> None:
    make(tmp_path, "kent/policy.pdf", "leeds/policy.pdf", "leeds/fees.txt")
    assert sources(tmp_path / "kent", tmp_path / "leeds") == [
        "kent/policy.pdf",
        "fees.txt",
        "leeds/policy.pdf",
    ]


def test_a_file_named_twice_is_taken_once(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    assert sources(tmp_path / "a.txt", tmp_path, tmp_path / "a.txt") == ["a.txt"]


def test_longer_names_tell_at_most_three_folders_and_an_origin_none(tmp_path: Path) -> None:
    path = Path("/srv/data/kent/schools/policy.pdf")
    assert longer_names(path, "policy.pdf") == [
        "schools/policy.pdf",
        "kent/schools/policy.pdf",
        "data/kent/schools/policy.pdf",
    ]
    assert longer_names(path, "kent/schools/policy.pdf")[0] == "data/kent/schools/policy.pdf"
    assert longer_names(Path("/a.txt"), "a.txt") == []
    assert longer_names(Path("/srv/kent.zip"), "policy.pdf")[0] == "kent.zip/policy.pdf"
    assert "policy" not in origin_of(path)
    assert origin_of(path) != origin_of(tmp_path / "policy.pdf")


def test_a_link_back_to_the_folder_is_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert sources(tmp_path) == ["a.txt"]


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="no such file or folder"):
        expand_paths([tmp_path / "missing"])


def test_a_folder_with_nothing_in_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="holds no files"):
        expand_paths([tmp_path])
