"""`pgkb reembed`: what is there, what would be done, and refusals of one line."""

from pathlib import Path

import psycopg
import pytest

from tests.cli.command import pgkb_here
from tests.corpus import add
from tests.providers.fake_openai import fake_openai

NEW = ("--set", "wide", "--provider", "compatible", "--model", "fake-wide", "--width", "64")


@pytest.fixture
def filled(db: psycopg.Connection, db_url: str) -> str:
    """The URL of a database with two chunks."""
    for name in ("a", "b"):
        add(db, f"The text of {name}.", source=name)
    # an index is built concurrently when no transaction of a test is left open
    db.rollback()
    return db_url


def test_a_set_is_filled_switched_to_rolled_back_and_dropped(filled: str) -> None:
    with fake_openai() as server:
        environ = {
            "PGKB_DATABASE_URL": filled,
            "PGKB_EMBED_BASE_URL": server.url,
            "PGKB_EMBED_SEND_DIMENSIONS": "1",
        }
        done = pgkb_here("reembed", *NEW, "--no-switch", **environ)
        assert (done.code, done.out) == (
            0,
            "wide: 2 chunks filled in; vector_3_local_0_idx, vector_3_local_1_idx, "
            "vector_3_national_idx built; "
            "searches use local-minilm still\n",
        ), done.err
        done = pgkb_here("reembed", "--switch", "--set", "wide", **environ)
        assert (done.code, done.out) == (0, "searches use wide now\n")
        done = pgkb_here("reembed", "--rollback", "--json", **environ)
        assert (done.json["set"], done.json["switched"]) == ("local-minilm", True)
        assert done.json["previous"] == "wide"
        done = pgkb_here("reembed", "--status", **environ)
        assert done.out.splitlines() == [
            "local-minilm  all-MiniLM-L6-v2-int8, 384 dimensions, active: 2 of 2 chunks",
            "openai-3-large  text-embedding-3-large, 1536 dimensions, idle",
            "wide  fake-wide, 64 dimensions, ready: 2 of 2 chunks",
        ]
        done = pgkb_here("reembed", "--set", "wide", **environ)
        assert "wide has no endpoint" in done.err
        assert pgkb_here("reembed", "--rollback", **environ).code == 0
        assert pgkb_here("reembed", "--stop", "wide", **environ).code == 0
        done = pgkb_here("reembed", "--rollback", **environ)
        assert (done.code, "(VE014)" in done.line()) == (2, True)
        done = pgkb_here("reembed", "--drop", "wide", **environ)
        assert done.out == "wide and its vectors are gone\n"
        rows = pgkb_here("reembed", "--status", "--json", **environ).json
        assert [row["name"] for row in rows] == ["local-minilm", "openai-3-large"]


def test_a_dry_run_tells_the_amount_and_keeps_nothing(filled: str) -> None:
    done = pgkb_here("reembed", *NEW, "--dry-run", PGKB_DATABASE_URL=filled)
    assert done.out == (
        "2 chunks lack a vector: 2 texts to embed, 32 characters (dry run: nothing was kept)\n"
    )
    rows = pgkb_here("reembed", "--status", "--json", PGKB_DATABASE_URL=filled).json
    assert len(rows) == 2


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ([], "--set is missing"),
        (["--set", " "], "--set is blank"),
        (["--set", "wide"], "(VE005)"),
        (["--set", "wide", "--model", "m"], "--model, --provider and --width"),
        (["--set", "w", "--model", "m", "--provider", "x", "--width", "3"], "(VE011)"),
        (["--set", "local-minilm", "--batch", "0"], "1 to 2048"),
        (["--set", "openai-3-large"], "OPENAI_API_KEY"),
        (["--switch", "--set", "openai-3-large"], "(VE006)"),
        (["--switch", "--rollback"], "Ask for one"),
        (["--rollback"], "(VE014)"),
        (["--drop", "local-minilm"], "(VE012)"),
        (["--stop", "word2vec"], "(VE005)"),
    ],
)
def test_what_cannot_be_done_is_one_line(filled: str, arguments: list[str], about: str) -> None:
    ended = pgkb_here("reembed", *arguments, PGKB_DATABASE_URL=filled)
    assert ended.code == 2
    assert about in ended.line()
    assert ended.out == ""


def test_a_set_without_its_provider_is_left_as_it_was(filled: str, tmp_path: Path) -> None:
    ended = pgkb_here(
        "reembed", "--set", "openai-3-large", PGKB_DATABASE_URL=filled, PGKB_HOME=str(tmp_path)
    )
    assert ended.code == 2
    rows = pgkb_here("reembed", "--status", "--json", PGKB_DATABASE_URL=filled).json
    assert {row["name"]: row["state"] for row in rows}["openai-3-large"] == "idle"
