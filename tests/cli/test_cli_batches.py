"""`pgkb ingest URL…` hands addresses in, `pgkb ingest-status` tells what became of them."""

import threading
import zipfile
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from tests.app.library import KENT, load_places_and_words
from tests.cli.command import pgkb_here

# an address of a test network: refused without asking anybody
INSIDE = "http://127.0.0.1/plan"


@pytest.fixture
def words(db: psycopg.Connection, db_url: str) -> str:
    """The URL of a database with places and words, and no document."""
    load_places_and_words(db)
    return db_url


def _key(out: str) -> str:
    return out.split("batch ")[1].split(":")[0]


def test_addresses_are_handed_in_once_each_and_asked_for_by_a_key(
    words: str, tmp_path: Path, db: psycopg.Connection
) -> None:
    listed = tmp_path / "pages.txt"
    listed.write_text(f"\ufeff# the council's\n\n{INSIDE}\nhttp://127.0.0.1/other\n")
    ended = pgkb_here("ingest", INSIDE, "--urls", listed, "--la", KENT, PGKB_DATABASE_URL=words)
    assert ended.code == 0, ended.err
    assert ended.out == f"batch {_key(ended.out)}: 2 pages to fetch\n"
    assert f"pgkb ingest-status {_key(ended.out)}" in ended.err
    assert db.execute("select la_code from intake.batch").fetchone() == (KENT,)
    status = pgkb_here("ingest-status", _key(ended.out), PGKB_DATABASE_URL=words)
    assert status.code == 0
    assert status.out.splitlines() == [f"waiting    {INSIDE}", "waiting    http://127.0.0.1/other"]
    assert status.err == "2 pages: 2 waiting\n"


def test_a_worker_does_the_batch_and_reaches_nothing_inside(words: str) -> None:
    handed = pgkb_here("ingest", INSIDE, "--json", PGKB_DATABASE_URL=words).json
    assert handed["status"]["waiting"] == 1
    assert pgkb_here("worker", "--once", PGKB_DATABASE_URL=words).code == 0
    ended = pgkb_here("ingest-status", handed["batch_id"], "--wait", PGKB_DATABASE_URL=words)
    assert ended.code == 1
    assert ended.out.startswith(f"refused    {INSIDE}: the host is not on the public internet")
    as_json = pgkb_here("ingest-status", handed["batch_id"], "--json", PGKB_DATABASE_URL=words)
    assert (as_json.code, as_json.json["status"]["done"]) == (1, True)


def test_waiting_ends_when_the_batch_is_done(words: str) -> None:
    batch_id = pgkb_here("ingest", INSIDE, "--json", PGKB_DATABASE_URL=words).json["batch_id"]
    with psycopg.connect(words, autocommit=True) as db:
        done = threading.Timer(
            0.5,
            lambda: db.execute(
                "update intake.page set outcome = 'refused', reason = 'no', finished_at = now()"
            ),
        )
        done.start()
        ended = pgkb_here("ingest-status", batch_id, "--wait", PGKB_DATABASE_URL=words)
        done.join()
    assert ended.code == 1
    assert ended.err == "0 of 1 page done\n1 page: 1 refused\n"


def test_a_bad_address_is_told_at_once_and_stops_no_other(words: str) -> None:
    ended = pgkb_here("ingest", INSIDE, "http://kim:s3cret@a.example/", PGKB_DATABASE_URL=words)
    assert ended.code == 1
    assert ended.out.startswith("refused    http://…@a.example/: ")
    assert "1 page to fetch" in ended.out
    assert "s3cret" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ([INSIDE, "plan.pdf"], "plan.pdf"),
        ([INSIDE, "--title", "Plan"], "--title"),
        ([INSIDE, "--manifest", "m.jsonl"], "--manifest"),
        ([INSIDE, "--tag", "no-such-topic"], "no-such-topic"),
        ([INSIDE, "--la", "E99999999"], "E99999999"),
        (["--urls", "nowhere.txt"], "nowhere.txt"),
        (["--urls", "/dev/null"], "no address"),
        (["--urls", "/bin/sh"], "UTF-8"),
    ],
)
def test_what_cannot_be_handed_in_is_one_line(
    arguments: list[str], about: str, words: str, db: psycopg.Connection
) -> None:
    ended = pgkb_here("ingest", *arguments, PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert about in ended.line()
    assert db.execute("select count(*) from intake.batch").fetchone() == (0,)


def test_an_unknown_batch_is_one_line(words: str) -> None:
    ended = pgkb_here("ingest-status", str(uuid4()), PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert "IN001" in ended.line()
    assert pgkb_here("ingest-status", "12", PGKB_DATABASE_URL=words).code == 2


def test_an_archive_is_a_line_for_itself_and_one_for_each_file(words: str, tmp_path: Path) -> None:
    path = tmp_path / "plans.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("kent/plan.txt", "Kent holds an annual review of every plan. " * 9)
        archive.writestr("logo.png", b"\x89PNG\r\n\x1a\n")
    ended = pgkb_here("ingest", path, PGKB_DATABASE_URL=words)
    assert ended.code == 1
    first, *rest = ended.out.splitlines()
    assert first == "unpacked  plans.zip: 2 files; no topic is named like the folders kent"
    assert sorted(line.split(":")[0] for line in rest) == [
        "refused   plans.zip/logo.png",
        "stored    plans.zip/kent/plan.txt",
    ]
