"""python -m ingest: exit codes and one-line errors."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.ingest.library import KENT, write_texts
from tests.providers.fake_openai import FakeServer

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, url: str | None, provider: str = "") -> tuple[int, str, str]:
    """Exit code, output and errors."""
    environment = {name: value for name, value in os.environ.items() if name != "PGKB_DATABASE_URL"}
    if url is not None:
        environment["PGKB_DATABASE_URL"] = url
    environment["PGKB_EMBED_BASE_URL"] = provider
    environment["PGKB_EMBED_SEND_DIMENSIONS"] = "1"
    done = subprocess.run(
        [sys.executable, "-m", "ingest", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def compatible_url(places: psycopg.Connection, url: str) -> str:
    """The database's URL, its active set at the test's provider."""
    places.execute("update embedding.set set provider = 'compatible' where active")
    places.commit()
    return url


def test_files_are_loaded_and_told_line_by_line(
    compatible_url: str, provider: FakeServer, folder: Path
) -> None:
    write_texts(folder, fees="The fee is ten pounds.")
    code, out, errors = run("load", str(folder), url=compatible_url, provider=provider.url)
    assert (code, out) == (0, "stored    fees.txt, 1 chunks\n"), errors


def test_a_refused_file_is_told_and_ends_with_two(
    compatible_url: str, provider: FakeServer, folder: Path
) -> None:
    write_texts(folder, empty="", fees="The fee is ten pounds.")
    code, out, _ = run("load", str(folder), url=compatible_url, provider=provider.url)
    assert code == 2
    assert out.splitlines()[0].startswith("refused   empty.txt: the file is empty")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("load", "missing.txt"), "no such file or folder"),
        (("load", "README.md", "--la", "E99999999"), "E99999999"),
        (("load", "README.md", "--la", KENT, "--tag", "nonsense"), "nonsense"),
    ],
)
def test_bad_input_is_one_line_and_ends_with_two(
    url: str, folder: Path, arguments: tuple[str, ...], line: str
) -> None:
    if arguments[1] == "README.md":
        (item,) = write_texts(folder, readme="Words.")
        arguments = (arguments[0], str(item.path), *arguments[2:])
    code, out, errors = run(*arguments, url=url)
    assert (code, out) == (2, "")
    assert line in errors
    assert len(errors.splitlines()) == 1


def test_without_a_database_the_variable_to_set_is_named() -> None:
    code, _, errors = run("once", url=None)
    assert code == 2
    assert "PGKB_DATABASE_URL is not set" in errors


def test_a_database_that_is_not_there_is_one_line_without_the_password() -> None:
    code, _, errors = run("once", url="postgresql://someone:hush@127.0.0.1:9/none")
    assert code == 2
    assert len(errors.splitlines()) == 1
    assert "hush" not in errors
