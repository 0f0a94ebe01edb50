"""`privacy.export_person`, `erase_person`, `purge`: everything is handed over, nothing stays."""

import json
import secrets
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.app.people import HASH, add_person
from tests.corpus import WIDTH, add, literal, near, search
from tests.rows import value_of
from tests.sandbox import refused

EMAIL, NAME, POSTCODE, QUESTION = "kim@example.org", "Robin", "CT1 2EH", "why was he sent home"


def _live(db: psycopg.Connection[Any]) -> UUID:
    """Somebody with everything a person can have."""
    person_id, _ = add_person(db, email=EMAIL)
    principal = f"person:{person_id}"
    child_id = value_of(
        db, "select account.add_child(%s, %s, '990001', %s)", [person_id, NAME, POSTCODE]
    )
    add(db, "My own notes on a plan.", source="notes.txt", owner=principal, vector=near(3, 0.9))
    db.execute(
        "select intake.create_batch(urls => array['https://example.org/a'], owner => %s)",
        [principal],
    )
    db.execute(
        "select embedding.remember_query(%s, %s, %s::vector)",
        [principal, QUESTION, literal(near(3, 0.8))],
    )
    db.execute(
        "select chat.start_turn(question => %s, person_id => %s, child_id => %s)",
        [QUESTION, person_id, child_id],
    )
    db.execute("select audit.write_event('looked', 'chunk 1', '{}', %s)", [principal])
    db.execute("select audit.speak_for(%s, null)", [principal])
    db.execute("select intake.create_batch(urls => array['https://example.org/everybody'])")
    db.execute(
        "select intake.receive_upload(spool_name => %s, file_name => 'handed-in.txt',"
        " sha256 => %s, byte_count => 1)",
        [secrets.token_hex(16), secrets.token_bytes(32)],
    )
    db.execute("select validation.start_run(dry_run => true)")
    db.execute(
        "update corpus.chunk_fact set status = 'flagged' where chunk_id = %s",
        [add(db, "A rule for everybody.", source="rule.txt").chunk_ids[0]],
    )
    db.execute("select crawl.set_site(domain => 'nhs.uk', seeds => array['https://www.nhs.uk/'])")
    db.execute("select crawl.start(domain => 'nhs.uk', requested_by => %s)", [principal])
    db.execute("select audit.speak_for('', null)")
    return person_id


def _everything(db: psycopg.Connection[Any]) -> str:
    """All rows of all our tables as one text."""
    tables = db.execute(
        "select format('%I.%I', n.nspname, c.relname) from pg_class as c"
        " join pg_namespace as n on n.oid = c.relnamespace where c.relkind = 'r'"
        " and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'"
    ).fetchall()
    rows = [
        str(value_of(db, f"select coalesce(string_agg(t::text, ' '), '') from {table} as t"))
        for (table,) in tables
    ]
    return "\n".join(rows)


def test_an_export_holds_everything_and_no_secret(kb: psycopg.Connection[Any]) -> None:
    person_id = _live(kb)
    found = value_of(kb, "select privacy.export_person(%s)", [person_id])
    text = json.dumps(found)
    names = (
        "notes.txt", "https://example.org/a", "https://example.org/everybody", "looked",
        "handed-in.txt",
    )  # fmt: skip
    for held in (EMAIL, NAME, POSTCODE, QUESTION, *names):
        assert held in text
    assert "argon2id" not in text
    empty = {name for name, value in found.items() if not value}
    assert empty == set()
    (conversation,) = found["conversations"]
    assert [turn["question"] for turn in conversation["turns"]] == [QUESTION]


def test_an_export_holds_nothing_of_others(kb: psycopg.Connection[Any]) -> None:
    _live(kb)
    other, _ = add_person(kb, email="lee@example.org")
    text = json.dumps(value_of(kb, "select privacy.export_person(%s)", [other]))
    for foreign in (EMAIL, NAME, POSTCODE, QUESTION, "notes.txt"):
        assert foreign not in text


def test_nothing_of_a_person_stays_anywhere(kb: psycopg.Connection[Any]) -> None:
    person_id = _live(kb)
    other, _ = add_person(kb, email="lee@example.org")
    words = search(kb, words="notes plan", vector=near(3, 0.9), principals=[f"person:{person_id}"])
    assert words
    kb.execute("select privacy.erase_person(%s, %s)", [person_id, f"person:{person_id}"])
    # the worker's next round: words that no text holds any more leave the statistics
    kb.execute("select search.fold_statistics()")
    left = _everything(kb)
    for gone in (str(person_id), EMAIL, NAME, POSTCODE, QUESTION, "My own notes", "notes.txt"):
        assert gone not in left
    assert "lee@example.org" in left
    # of the passage that was only decided on
    assert value_of(kb, "select count(*) from embedding.vector") == 1
    kinds = {row[0] for row in kb.execute("select kind from audit.event").fetchall()}
    assert {"person_added", "looked", "person_erased"} <= kinds
    assert value_of(kb, "select privacy.export_person(%s) is not null", [other])


def test_nobody_is_erased_twice(kb: psycopg.Connection[Any]) -> None:
    person_id, _ = add_person(kb)
    kb.execute("select privacy.erase_person(%s)", [person_id])
    for call in ("select privacy.erase_person(%s)", "select privacy.export_person(%s)"):
        with refused(kb, "PE006"):
            kb.execute(call.encode(), [person_id])
    with refused(kb, "PE006"):
        kb.execute("select chat.start_turn(question => 'still?', person_id => %s)", [person_id])


def test_what_an_answer_cached_after_its_asker_left_is_purged(
    kb: psycopg.Connection[Any],
) -> None:
    person_id, _ = add_person(kb)
    for viewer in (f"person:{person_id}", f"person:{uuid4()}", "anonymous"):
        kb.execute(
            "select embedding.remember_query(%s, 'a question', %s::vector)",
            [viewer, literal([1.0] + [0.0] * (WIDTH - 1))],
        )
    assert value_of(kb, "select privacy.purge()") >= 1
    kept = {row[0] for row in kb.execute("select viewer from embedding.query_cache").fetchall()}
    assert kept == {f"person:{person_id}", "anonymous"}


def test_old_sessions_and_empty_measures_are_purged(kb: psycopg.Connection[Any]) -> None:
    add_person(kb)
    kb.execute("select limits.take('ask_person', 'a'), limits.take('ask_person', 'b')")
    kb.execute("update limits.bucket set empty_at = now() - interval '1 s'")
    kb.execute("select limits.take('ask_person', 'b')")
    kb.execute("update account.session set expires_at = now() - %s", [timedelta(days=31)])
    kb.execute("select privacy.purge()")
    assert value_of(kb, "select count(*) from account.session") == 0
    assert value_of(kb, "select count(*) from account.refresh_token") == 0
    assert value_of(kb, "select count(*) from limits.bucket") == 1


@pytest.fixture
def committed(db_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(db_url, autocommit=True) as db:
        yield db
        db.execute("delete from account.person")


@pytest.mark.parametrize(
    "call",
    [
        "select session_id from account.finish_sign_in(%(person)s, %(hash)s, %(token)s)",
        "select conversation from chat.start_turn(question => 'now?', person_id => %(person)s)",
    ],
)
def test_whoever_signs_in_or_asks_while_the_account_goes_leaves_nothing(
    db_url: str, committed: psycopg.Connection[Any], call: str
) -> None:
    person_id, _ = add_person(committed)
    got: list[object] = []

    def act() -> None:
        with psycopg.connect(db_url, autocommit=True) as db:
            try:
                values = {"person": person_id, "hash": HASH, "token": secrets.token_bytes(32)}
                got.append(db.execute(call.encode(), values).fetchone())
            except psycopg.Error as error:
                got.append(error.sqlstate)

    with psycopg.connect(db_url) as eraser:
        eraser.execute("select privacy.erase_person(%s)", [person_id])
        other = threading.Thread(target=act)
        other.start()
        while not value_of(committed, "select exists (select from pg_locks where not granted)"):
            assert other.is_alive()
        eraser.commit()
        other.join(30)
    assert got in ([None], ["PE006"])
    for table in ("account.session", "chat.conversation"):
        assert value_of(committed, f"select count(*) from {table}") == 0
