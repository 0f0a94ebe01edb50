"""The trigger corpus.chunk_fact__note_decisions: each decision is an event, however it was made."""

from typing import Any

import psycopg

from tests.corpus import add
from tests.db.corpus_fixtures import ask, ask_rows


def _events(db: psycopg.Connection) -> list[tuple[Any, ...]]:
    return ask_rows(
        db,
        "select actor, login = session_user, subject, detail from audit.event "
        "where kind = 'status_changed' order by event_id",
    )


def test_a_plain_update_is_audited_with_the_login(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a.txt")
    reference.execute("update corpus.chunk_fact set status = 'flagged'")
    assert _events(reference) == [
        (
            ask(reference, "select session_user"),
            True,
            f"version {added.version_id}",
            {"from": "pending", "to": "flagged", "chunks": added.chunk_ids},
        )
    ]


def test_any_client_may_say_for_whom_and_why(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a.txt")
    reference.execute("set local audit.actor = 'Kim'")
    reference.execute("set local audit.reason = 'outdated'")
    reference.execute("update corpus.chunk_fact set status = 'rejected'")
    assert _events(reference) == [
        (
            "Kim",
            True,
            f"version {added.version_id}",
            {"from": "pending", "to": "rejected", "chunks": added.chunk_ids, "reason": "outdated"},
        )
    ]
    assert ask(reference, "select reviewed_by from corpus.chunk_fact") == "Kim"


def test_one_statement_over_two_documents_is_one_event_for_each_and_move(
    reference: psycopg.Connection,
) -> None:
    one = add(reference, "Some text.", source="a.txt")
    two = add(reference, "Other text.", source="b.txt")
    reference.execute(
        "select corpus.set_status(%s, 'approved', 'Kim'), corpus.set_status(%s, 'rejected', 'Lee')",
        [one.chunk_ids, one.chunk_ids + two.chunk_ids],
    )
    assert [(actor, subject, told["from"]) for actor, _, subject, told in _events(reference)] == [
        ("Kim", f"version {one.version_id}", "pending"),
        ("Lee", f"version {one.version_id}", "approved"),
        ("Lee", f"version {two.version_id}", "pending"),
    ]


def test_what_follows_its_version_is_told_once_of_the_version(
    reference: psycopg.Connection,
) -> None:
    old = add(reference, "Some text. " * 200, source="a.txt")
    add(reference, "Other text.", source="a.txt")
    assert _events(reference) == []
    assert (
        ask(
            reference,
            "select count(*) from audit.event where kind = 'superseded' and subject = %s",
            f"version {old.version_id}",
        )
        == 1
    )
