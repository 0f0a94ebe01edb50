"""place.resolve_authority: codes change, districts are not authorities; resolve, never compare."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask, refused


def _resolve(db: psycopg.Connection, code: str | None) -> str | None:
    found: str | None = ask(db, "select place.resolve_authority(%s)", code)
    return found


@pytest.mark.parametrize(
    ("code", "gss"),
    [
        ("E08000025", "E08000025"),  # itself
        ("E08000016", "E08000038"),  # an old code gives the new one
        ("E07000106", "E10000016"),  # a district gives the county that answers for it
        ("330", "E08000025"),  # the code of the Department for Education
        ("370", "E08000038"),  # shared by the old and the new: the live one
        ("e08000025", "E08000025"),
        ("  e08000016 ", "E08000038"),
        (None, None),
    ],
)
def test_any_code_of_an_authority_gives_its_live_gss_code(
    reference: psycopg.Connection, code: str | None, gss: str | None
) -> None:
    assert _resolve(reference, code) == gss


@pytest.mark.parametrize("code", ["E99999999", "999", "Birmingham", "", "E0800002", "'; drop"])
def test_an_unknown_code_is_refused(reference: psycopg.Connection, code: str) -> None:
    with refused(reference, "PL001", f'authority "{code}" is not known', "place.authority"):
        _resolve(reference, code)


@pytest.mark.parametrize("code", ["E10000006", "909"])
def test_an_authority_that_was_split_is_refused_and_its_successors_are_named(
    reference: psycopg.Connection, code: str
) -> None:
    with refused(reference, "PL003", "E10000006", "E06000063 and E06000064"):
        _resolve(reference, code)


def test_a_chain_of_successors_is_followed_to_its_end(reference: psycopg.Connection) -> None:
    rows = [
        {"gss": "E09000091", "name": "First", "status": "ended", "successors": ["E09000092"]},
        {"gss": "E09000092", "name": "Second", "status": "ended", "successors": ["E09000093"]},
        {"gss": "E09000093", "name": "Third"},
    ]
    reference.execute("select place.load_authorities(%s)", [Jsonb(rows)])
    assert _resolve(reference, "E09000091") == "E09000093"


def test_a_long_code_is_quoted_only_in_part(reference: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as caught, reference.transaction():
        _resolve(reference, "E" * 10000)
    assert len(caught.value.diag.message_primary or "") < 80
