"""`pgkb documents`: list, show, history, decisions; thin, with one JSON document on demand."""

from typing import Any

import psycopg
import pytest

from tests.cli.command import Ended, pgkb, pgkb_here
from tests.corpus import Added, add, load_reference, search

KENT = "E10000016"


@pytest.fixture
def desk(db: psycopg.Connection, db_url: str) -> tuple[str, dict[str, Added]]:
    """The URL of a database with a few documents, and those."""
    load_reference(db)
    return db_url, {
        "kent": add(db, "On travel. " * 150, source="kent.pdf", title="Travel", la_code=KENT),
        "old": add(db, "The old days.", source="old.pdf", title="Panel days", tags=["ehcp"]),
        "new": add(db, "The new days.", source="new.pdf", title="Panel days 2024"),
    }


def _run(desk: tuple[str, dict[str, Added]], *arguments: str | int) -> Ended:
    return pgkb_here("documents", *map(str, arguments), PGKB_DATABASE_URL=desk[0])


def _json(desk: tuple[str, dict[str, Added]], *arguments: str | int) -> Any:
    ended = _run(desk, *arguments, "--json")
    assert ended.code == 0, ended.err
    assert ended.err == ""
    return ended.json


def test_a_curator_works_from_the_list_to_the_history(
    desk: tuple[str, dict[str, Added]], db: psycopg.Connection
) -> None:
    kent, old, new = (added.document_id for added in desk[1].values())

    # a list in pages, with filters
    page = _json(desk, "list", "--limit", 2)
    assert [d["document_id"] for d in page["documents"]] == [new, old]
    assert _json(desk, "list", "--before", page["next_before"]) == {
        "documents": _json(desk, "list", "--la", KENT)["documents"],
        "next_before": None,
    }
    for options in (
        ["--status", "superseded"],
        ["--tag", "ehcp", "--tag", "transport"],
        ["--title", "PANEL", "--before", new],
    ):  # fmt: skip
        assert [d["document_id"] for d in _json(desk, "list", *options)["documents"]] == [old]
    shown = _run(desk, "list", "--limit", 1)
    assert "Panel days 2024" in shown.out
    assert "(1 pending)" in shown.out
    assert shown.err == f"more: --before {new}\n"

    # one of them, a page of its passages
    first = _json(desk, "show", kent, "--limit", 1)
    assert first["document"]["passages"] > 1
    assert [p["status"] for p in first["passages"]] == ["pending"]
    rest = _json(desk, "show", kent, "--after", first["next_after"])
    assert len(rest["passages"]) == first["document"]["passages"] - 1
    assert f"superseded by document {new}" in _run(desk, "show", old).out

    # decisions, each for itself
    ended = _run(desk, "approve", kent, old, 4711, "--reason", "read", "--actor", "Kim", "--json")
    assert ended.code == 1
    assert {d["document_id"]: d["outcome"] for d in ended.json["decisions"]} == {
        kent: "changed",
        old: "refused",
        4711: "unknown",
    }
    assert _run(desk, "flag", kent, "--actor", "Lee").code == 0
    db.commit()
    assert search(db, words="travel", la=KENT) == []
    told = _run(desk, "reject", kent)
    assert (told.code, told.err) == (0, "")
    assert "changed" in told.out

    # undo and supersede
    assert _json(desk, "undo", old, "--actor", "Kim")["stands_alone"] is True
    db.commit()
    assert len(search(db, words="days")) == 2
    assert _json(desk, "supersede", old, "--by", new)["superseded_by"] == new
    db.commit()
    assert [row["source"] for row in search(db, words="days")] == ["new.pdf"]

    # who, when and why
    told = _run(desk, "history", kent)
    assert "pending -> approved  by Kim (postgres)  because read" in told.out
    assert "approved -> flagged  by Lee" in told.out
    events = _json(desk, "history", old)["history"]
    assert [event["what"] for event in events] == [
        "published", "superseded", "restored", "superseded",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", 4711], ["no document 4711", "KB022"]),
        (["history", 4711], ["no document 4711", "KB022"]),
        (["undo", 4711], ["no document 4711", "KB022"]),
        (["supersede", 4711, "--by", 4712], ["no document 4711", "KB022"]),
        (["list", "--status", "live"], ["live", "Ask for pending", "SE002"]),
        (["list", "--la", "E99999999"], ["E99999999", "PL001"]),
        (["list", "--la", " "], ["--la is blank"]),
        (["list", "--limit", 0], ["--limit"]),
        (["approve", *range(1, 52)], ["up to 50", "KB021"]),
        (["approve", "one"], ["DOCUMENT", "integer"]),
        (["approve", 2**63], ["DOCUMENT"]),
        (["list", "--before", 2**63], ["--before"]),
        (["show", 1, "--version", 2**31], ["--version"]),
        (["approve"], ["DOCUMENT"]),
        (["approve", 1, "--actor", ""], ["--actor is blank"]),
        (["supersede", 1], ["--by"]),
    ],
)
def test_what_is_refused_is_one_line(
    desk_url: str, arguments: list[str | int], words: list[str]
) -> None:
    ended = pgkb_here("documents", *map(str, arguments), PGKB_DATABASE_URL=desk_url)
    assert ended.code == 2
    for word in words:
        assert word in ended.line()


@pytest.fixture(scope="module")
def desk_url(library_url: str) -> str:
    """A database that refusals leave as it is."""
    return library_url


def test_nothing_to_undo_says_where_to_look(desk: tuple[str, dict[str, Added]]) -> None:
    new = desk[1]["new"].document_id
    ended = _run(desk, "undo", new)
    assert ended.code == 2
    assert "name the replaced document" in ended.line()
    assert "version 7" in _run(desk, "undo", desk[1]["old"].document_id, "--version", 7).line()


def test_help_lists_what_there_is() -> None:
    ended = pgkb("documents", "--help")
    for name in ("list", "show", "history", "approve", "reject", "flag", "supersede", "undo"):
        assert f"\n  {name} " in ended.out


def test_undecided_documents_are_judged_in_a_run_that_can_be_followed(
    desk: tuple[str, dict[str, Added]], db: psycopg.Connection
) -> None:
    started = _json(desk, "auto-validate", "--dry-run", "--la", KENT, "--threshold", "0.5")
    assert (started["dry_run"], started["documents"], started["judged"]) == (True, 1, 0)
    db.execute(
        "select validation.judge_batch(t.subject_id, t.task_id, t.lease_token)"
        " from queue.claim_tasks(worker => 'w', kinds => '{validate_batch}') as t"
    )
    db.commit()
    told = _run(desk, "validation")
    assert told.code == 0, told.err
    assert told.out.startswith(f"dry run {started['run_id']}: 1 of 1 document judged; ")
    assert _json(desk, "validation", started["run_id"])["done"] is True
    assert _run(desk, "validation", 4711).code == 2
    assert _run(desk, "auto-validate", "--threshold", "2").code == 2
