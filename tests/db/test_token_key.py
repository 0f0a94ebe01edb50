"""The key of access tokens: made once, read by nobody else."""

import stat
from pathlib import Path

import pytest

from db.server import Server, ServerError


def test_the_key_is_made_once_and_is_its_owners_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    key = Server(home).token_key()
    assert len(key) >= 64
    assert Server(home).token_key() == key
    assert stat.S_IMODE((home / "token_key").stat().st_mode) == 0o600
    assert Server(tmp_path / "other").token_key() != key


def test_a_folder_of_other_files_is_no_place_for_a_key(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("hello")
    with pytest.raises(ServerError, match="PGKB_HOME"):
        Server(tmp_path).token_key()
