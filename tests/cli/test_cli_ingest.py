"""`pgkb ingest` and `pgkb worker`: one line per file, and an exit code that tells."""

import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.app.library import KENT, SCHOOL, load_places_and_words
from tests.cli.command import REPOSITORY, environment, pgkb, pgkb_here

PLAN = (
    "Kent holds an annual review of every education, health and care plan. The school invites the "
    "parents, and the council decides within four weeks of the meeting."
)


@pytest.fixture
def words(db: psycopg.Connection, db_url: str) -> str:
    """The URL of a database with places and words, and no document."""
    load_places_and_words(db)
    return db_url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files: one good, one with the same text, one that is no text at all."""
    (tmp_path / "reviews.txt").write_text(PLAN)
    (tmp_path / "reviews-copy.txt").write_text(PLAN)
    (tmp_path / "zero.txt").write_bytes(bytes(range(256)) * 8)
    return tmp_path


def _documents(db: psycopg.Connection) -> int:
    row = db.execute("select count(*) from corpus.document").fetchone()
    assert row is not None
    return int(row[0])


def test_each_file_is_one_line_and_a_refused_one_makes_the_exit_code(
    words: str, folder: Path, db: psycopg.Connection
) -> None:
    ended = pgkb("ingest", folder, "--la", KENT, PGKB_DATABASE_URL=words)
    assert ended.code == 1
    lines = {line.split(":")[0].split()[1]: line for line in ended.out.splitlines()}
    assert set(lines) == {"reviews.txt", "reviews-copy.txt", "zero.txt"}
    stored = [line for line in lines.values() if line.startswith("stored")]
    duplicates = [line for line in lines.values() if line.startswith("duplicate")]
    assert len(stored) == len(duplicates) == 1
    assert " of reviews" in duplicates[0]
    assert lines["zero.txt"].startswith("refused   zero.txt: because ")
    assert "3 files:" in ended.err
    assert _documents(db) == 1


def test_the_same_file_again_is_unchanged_and_all_is_well(words: str, folder: Path) -> None:
    file = folder / "reviews.txt"
    first = pgkb_here("ingest", file, PGKB_DATABASE_URL=words)
    again = pgkb_here("ingest", file, PGKB_DATABASE_URL=words)
    assert (first.code, again.code) == (0, 0)
    assert first.out.startswith("stored")
    assert again.out.startswith("unchanged")


def test_source_names_a_file_or_goes_before_the_names_of_a_folder(words: str, folder: Path) -> None:
    (folder / "zero.txt").unlink()
    (folder / "reviews-copy.txt").write_text("The bus is free.")
    whole = pgkb_here("ingest", folder, "--source", "kent/", "--json", PGKB_DATABASE_URL=words)
    names = {file["source"] for file in whole.json["files"]}
    assert names == {"kent/reviews.txt", "kent/reviews-copy.txt"}
    one = pgkb_here(
        "ingest",
        folder / "reviews.txt",
        "--source",
        "kent/reviews.txt",
        PGKB_DATABASE_URL=words,
    )
    assert one.out.startswith("unchanged kent/reviews.txt")
    two = pgkb_here(
        "ingest",
        folder / "reviews.txt",
        folder / "reviews-copy.txt",
        "--source",
        "x",
        PGKB_DATABASE_URL=words,
    )
    assert two.code == 2
    assert "Give them one by one" in two.err


def test_json_holds_every_file_and_the_counts(words: str, folder: Path) -> None:
    ended = pgkb_here("ingest", folder, "--json", PGKB_DATABASE_URL=words)
    assert ended.code == 1
    assert ended.json["counts"] == {"stored": 1, "duplicate": 1, "refused": 1}
    refused = [file for file in ended.json["files"] if file["status"] == "refused"]
    assert refused[0]["source"] == "zero.txt"
    assert refused[0]["reason"]
    assert ended.err == ""


def test_what_was_ingested_is_found_at_once(words: str, folder: Path) -> None:
    pgkb_here("ingest", folder / "reviews.txt", "--la", KENT, PGKB_DATABASE_URL=words)
    ended = pgkb_here(
        "ask", "who decides after an annual review?", "--la", KENT, PGKB_DATABASE_URL=words
    )
    assert "source   [1] Reviews · la E10000016" in ended.out
    assert (
        "“Kent holds an annual review of every education, health and care plan.” [1]" in ended.out
    )


def test_a_source_is_told_with_its_page_and_section(words: str, tmp_path: Path) -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    for heading, line in (
        ("Transport handbook", "Children who cannot walk to school get a taxi."),
        ("Mediation", "A mediator hears both sides of a quarrel about the plan."),
    ):
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 790, heading)
        canvas.setFont("Helvetica", 11)
        for number in range(25):
            canvas.drawString(72, 750 - 22 * number, f"{line} This is rule {number}.")
        canvas.showPage()
    canvas.save()
    file = tmp_path / "handbook.pdf"
    file.write_bytes(spool.getvalue())
    pgkb_here("ingest", file, "--la", KENT, PGKB_DATABASE_URL=words)
    ended = pgkb_here(
        "ask", "who hears both sides of a quarrel?", "--la", KENT, PGKB_DATABASE_URL=words
    )
    assert re.search(r"source   \[1\] \S.*, page 2, Mediation · la E10000016", ended.out)


@pytest.mark.parametrize(
    ("options", "about"),
    [
        (["--la", "E99999999"], "E99999999"),
        (["--urn", "123456"], "123456"),
        (["--urn", SCHOOL, "--la", KENT], SCHOOL),
        (["--tag", "no-such-topic"], "no-such-topic"),
        (["--authority", "newspaper"], "newspaper"),
        (["--title", "One title"], "--title"),
    ],
)
def test_an_unusable_option_is_refused_before_anything_is_stored(
    options: list[str], about: str, words: str, folder: Path, db: psycopg.Connection
) -> None:
    ended = pgkb_here("ingest", folder, *options, PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert about in ended.line()
    assert ended.out == ""
    assert _documents(db) == 0


def test_a_path_that_is_not_there_is_refused(words: str) -> None:
    ended = pgkb_here("ingest", "nowhere.pdf", PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert "nowhere.pdf" in ended.line()


@pytest.mark.parametrize(
    ("arguments", "about"),
    [([], "no files were named"), (["--la", KENT], "no files were named")],
)
def test_without_files_there_is_nothing_to_do(arguments: list[str], about: str, words: str) -> None:
    ended = pgkb_here("ingest", *arguments, PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert about in ended.line()


def test_a_manifest_says_what_belongs_to_each_file(
    words: str, folder: Path, db: psycopg.Connection
) -> None:
    manifest = folder / "manifest.jsonl"
    line = {"path": "reviews.txt", "source": "kent/reviews", "title": "Reviews", "la_code": KENT}
    manifest.write_text(json.dumps(line | {"effective_date": "2025-09-01"}) + "\n\n")
    ended = pgkb_here("ingest", "--manifest", manifest, PGKB_DATABASE_URL=words)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("stored    kent/reviews: ")
    row = db.execute("select title, effective_date::text from corpus.version").fetchone()
    assert row == ("Reviews", "2025-09-01")


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ('{"path": "a.txt"}\n{"source": "b"}\n', "manifest.jsonl:2"),
        ("not json\n", "manifest.jsonl:1"),
        ('{"path": "a.txt", "tags": "one"}\n', "manifest.jsonl:1"),
        ("\n", "names no files"),
    ],
)
def test_a_manifest_that_cannot_be_read_names_its_line(
    text: str, about: str, words: str, tmp_path: Path
) -> None:
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text(text)
    ended = pgkb_here("ingest", "--manifest", manifest, PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert about in ended.line()


def test_options_for_paths_do_not_go_with_a_manifest_alone(words: str, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text('{"path": "a.txt"}\n')
    ended = pgkb_here("ingest", "--manifest", manifest, "--la", KENT, PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert "manifest" in ended.line()


def test_a_manifest_that_is_not_there_is_refused(words: str) -> None:
    ended = pgkb_here("ingest", "--manifest", "nowhere.jsonl", PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert "nowhere.jsonl" in ended.line()


def test_worker_once_stops_when_nothing_waits(words: str) -> None:
    ended = pgkb("worker", "--once", PGKB_DATABASE_URL=words)
    assert ended.code == 0, ended.err
    assert "0 documents finished" in ended.err


def test_a_pack_is_loaded_and_can_be_loaded_again(db_url: str) -> None:
    first = pgkb_here("pack", "load", "packs/send", "--json", PGKB_DATABASE_URL=db_url)
    assert first.code == 0, first.err
    assert first.json["pack"] == "send"
    assert first.json["topics"] >= 39
    again = pgkb_here("pack", "load", "packs/send", PGKB_DATABASE_URL=db_url)
    assert again.out.startswith("send: ")


def test_a_folder_that_is_no_pack_is_refused(words: str, tmp_path: Path) -> None:
    ended = pgkb_here("pack", "load", tmp_path, PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert "pack.toml" in ended.line()


def test_an_interrupted_ingest_keeps_what_it_stored_and_goes_on_next_time(
    words: str, tmp_path: Path
) -> None:
    for number in range(30):
        (tmp_path / f"{number}.txt").write_text(f"{PLAN} This is page number {number}.")
    process = subprocess.Popen(
        [sys.executable, "-m", "cli.main", "ingest", str(tmp_path)],
        env=environment(PGKB_DATABASE_URL=words, PGKB_EMBED_BATCH="2"),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("stored")
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in complaint

    again = pgkb_here("ingest", tmp_path, "--json", PGKB_DATABASE_URL=words)
    assert again.code == 0, again.out
    assert again.json["counts"].get("unchanged", 0) >= 1
    assert sum(again.json["counts"].values()) == 30
