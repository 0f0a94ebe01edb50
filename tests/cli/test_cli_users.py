"""`pgkb users`: accounts from the command line, passwords never in its arguments."""

import io
import secrets
from unittest.mock import patch

import psycopg
import pytest

from tests.cli.command import Ended, pgkb_here

PASSWORD = "correct horse battery"


@pytest.fixture
def email() -> str:
    """An address nobody has."""
    return f"{secrets.token_hex(8)}@example.org"


def _users(library_url: str, *arguments: str, typed: str = "") -> Ended:
    with patch("sys.stdin", io.StringIO(typed)):
        return pgkb_here("users", *arguments, PGKB_DATABASE_URL=library_url)


def test_an_account_is_made_listed_changed_exported_and_erased(
    library_url: str, email: str
) -> None:
    added = _users(
        library_url, "add", email.upper(), "--role", "curator", "--json", typed=PASSWORD + "\n"
    )
    assert added.code == 0, added.err
    person_id = added.json["person_id"]
    assert _users(library_url, "role", email, "professional").out == "now professional\n"
    assert _users(library_url, "disable", email).code == 0
    (listed,) = _users(library_url, "list", "--email", email, "--json").json["users"]
    assert (listed["person_id"], listed["role"]) == (person_id, "professional")
    assert listed["disabled_at"]
    line = _users(library_url, "list", "--role", "professional", "--email", email)
    assert line.out == f"{person_id} professional {email}, disabled\n"
    assert _users(library_url, "disable", email, "--undo").code == 0
    assert _users(library_url, "password", email, typed="another " + PASSWORD).code == 0
    exported = _users(library_url, "export", email)
    assert exported.json["account"]["email"] == email
    assert "argon2" not in exported.out
    asked = _users(library_url, "erase", email)
    assert (asked.code, "--yes" in asked.line()) == (2, True)
    assert _users(library_url, "erase", email, "--yes").out == "erased\n"
    assert "PE006" in _users(library_url, "erase", email, "--yes").line()


def test_refusals_are_one_line_without_password_or_address(library_url: str, email: str) -> None:
    for typed, said in (("", "first line"), ("short\n", "12 characters"), ("a" * 20, "guessed")):
        refused = _users(library_url, "add", email, typed=typed)
        assert (refused.code, said in refused.line()) == (2, True)
    assert _users(library_url, "add", email, typed=PASSWORD).code == 0
    twice = _users(library_url, "add", email, typed=PASSWORD)
    assert twice.code == 2
    assert "PE002" in twice.line()
    for private in (email, PASSWORD):
        assert private not in twice.err


def test_the_password_is_kept_as_argon2id_at_full_cost(library_url: str, email: str) -> None:
    assert _users(library_url, "add", email, typed=PASSWORD).code == 0
    with psycopg.connect(library_url) as db:
        row = db.execute(
            "select h.hash from account.password as h join account.person as p using (person_id)"
            " where p.email = %s",
            [email],
        ).fetchone()
    assert row is not None
    assert row[0].startswith("$argon2id$v=19$m=65536,t=3,p=4$")
