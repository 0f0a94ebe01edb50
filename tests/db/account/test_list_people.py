"""`account.list_people`: pages without gaps, filters that are no patterns."""

from typing import Any

import psycopg

from app.access.user import Role
from tests.app.people import add_person
from tests.rows import rows_of
from tests.sandbox import refused


def test_pages_follow_each_other_without_gap_or_repetition(
    kb: psycopg.Connection[Any],
) -> None:
    # one instant for all: the key decides
    added = {str(add_person(kb)[0]) for _ in range(5)}
    seen: list[str] = []
    while page := rows_of(
        kb,
        "account.list_people(after => %s, page_size => 2)",
        [seen[-1] if seen else None],
    ):
        seen += [row["person_id"] for row in page]
    assert len(seen) == 5
    assert set(seen) == added


def test_a_filter_is_taken_as_it_is_typed(kb: psycopg.Connection[Any]) -> None:
    add_person(kb, Role.CURATOR, email="a_b@example.org")
    add_person(kb, email="acb@example.org")
    for email, found in (("A_B", 1), ("%", 0), ("' or true --", 0), ("@example", 2)):
        assert len(rows_of(kb, "account.list_people(with_email => %s)", [email])) == found
    assert len(rows_of(kb, "account.list_people(with_role => 'curator')")) == 1


def test_odd_roles_and_sizes_are_refused(kb: psycopg.Connection[Any]) -> None:
    with refused(kb, "PE003"):
        rows_of(kb, "account.list_people(with_role => 'x; drop table y')")
    for size in (0, 201, None):
        with refused(kb, "PE010"):
            rows_of(kb, "account.list_people(page_size => %s)", [size])
