"""The command line of db: what it prints, and its exit codes."""

from pathlib import Path

import pytest

from db.__main__ import main
from tests.deploying import sha256_of, up
from tests.sql_tree import SqlTree


def _command(tree: SqlTree, name: str, *arguments: str) -> int:
    return main([name, "--root", str(tree.root), *arguments])


def test_up_prints_what_it_did(
    blank_url: str, tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _command(tree, "up", "--url", blank_url) == 0
    assert capsys.readouterr().out.splitlines() == [
        "migration 0001_shelf",
        "1 function, 1 trigger, grants",
    ]
    assert _command(tree, "up", "--url", blank_url) == 0
    assert capsys.readouterr().out == "nothing to do\n"


def test_an_unreachable_database_is_one_line_without_the_password(
    tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _command(tree, "up", "--url", "postgresql://me:s3cret@127.0.0.1:1/none") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert "cannot be reached" in shown.err
    assert "s3cret" not in shown.err


def test_a_malformed_url_is_one_line(tree: SqlTree, capsys: pytest.CaptureFixture[str]) -> None:
    assert _command(tree, "up", "--url", "postgresql//nonsense") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_without_migrations_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["up", "--root", str(tmp_path), "--url", "postgresql://127.0.0.1:1/none"]) == 2
    assert "no migrations folder here" in capsys.readouterr().err


def test_check_without_a_database_checks_the_files(
    tree: SqlTree, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGKB_DATABASE_URL", raising=False)
    monkeypatch.setenv("PGKB_HOME", str(tree.root.parent / "no-server"))
    tree.write("migrations/frozen.txt", f"{sha256_of(tree, '0001_shelf')}  0001_shelf.sql\n")
    assert _command(tree, "check") == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("files only, no database was looked at:")
    assert shown[1] == "ok"


def test_check_tells_what_has_not_run_yet(
    blank_url: str, tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.write("migrations/frozen.txt", f"{sha256_of(tree, '0001_shelf')}  0001_shelf.sql\n")
    assert _command(tree, "check", "--url", blank_url) == 2
    assert "nothing was deployed" in capsys.readouterr().err
    up(blank_url, tree)
    assert _command(tree, "check", "--url", blank_url) == 0
    tree.function("count_books", "select 7::bigint")
    assert _command(tree, "check", "--url", blank_url) == 2
    assert "count_books.sql: differs from what ran here" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["up", "check", "diff", "snapshot", "new"])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    assert "usage: python -m db" in capsys.readouterr().out
