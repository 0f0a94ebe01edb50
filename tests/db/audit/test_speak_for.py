"""audit.speak_for and audit.actor: who acts and why, until the transaction ends."""

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows


def test_without_a_name_the_login_acts(reference: psycopg.Connection) -> None:
    assert ask(reference, "select audit.actor() = session_user")


def test_events_carry_who_and_why_until_it_is_given_back(reference: psycopg.Connection) -> None:
    before = ask(reference, "select audit.speak_for('Kim', 'a complaint')")
    reference.execute("select audit.write_event('tested', 'a')")
    reference.execute("select audit.speak_for(%s, %s)", before)
    reference.execute("select audit.write_event('tested', 'b')")
    assert ask_rows(
        reference,
        "select actor = session_user, actor, detail from audit.event "
        "where kind = 'tested' order by event_id",
    ) == [
        (False, "Kim", {"reason": "a complaint"}),
        (True, ask(reference, "select session_user"), {}),
    ]


def test_nothing_said_leaves_what_the_client_named(reference: psycopg.Connection) -> None:
    reference.execute("set local audit.actor = 'Kim'")
    reference.execute("select audit.speak_for(null, null)")
    assert ask(reference, "select audit.actor()") == "Kim"
