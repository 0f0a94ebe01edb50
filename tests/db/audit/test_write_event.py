"""audit.write_event: who did what to what."""

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows
from tests.roles import role


def test_the_event_names_the_given_actor_else_the_login(reference: psycopg.Connection) -> None:
    first = ask(reference, "select audit.write_event('tested', 'a', '{\"n\": 1}', 'Kim')")
    second = ask(reference, "select audit.write_event('tested', 'b', null)")
    assert second > first
    assert ask_rows(
        reference, "select actor, subject, detail from audit.event order by event_id"
    ) == [("Kim", "a", {"n": 1}), (ask(reference, "select session_user::text"), "b", {})]


def test_the_app_may_write_an_event_but_not_read_or_change_it(
    reference: psycopg.Connection,
) -> None:
    with role(reference, "pgkb_app"):
        reference.execute("select audit.write_event('tested', 'a')")
        for statement in (
            b"select detail from audit.event",
            b"update audit.event set kind = 'other'",
            b"delete from audit.event",
        ):
            try:
                with reference.transaction():
                    reference.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                continue
            raise AssertionError(f"{statement.decode()} was allowed")
    assert ask(reference, "select count(*) from audit.event where kind = 'tested'") == 1
