"""corpus.scope_for: who may see a document."""

from typing import Any

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused


def _scope(db: psycopg.Connection, **facts: Any) -> int:
    given = dict.fromkeys(("la_code", "school_urn", "owner", "principals")) | facts
    scope: int = ask(
        db, "select corpus.scope_for(%s::text, %s::text, %s::text, %s::text[])", *given.values()
    )
    return scope


def _facts(db: psycopg.Connection, scope_id: int) -> tuple[Any, ...]:
    return ask_rows(
        db,
        "select kind, la_code, school_urn, owner, principals from corpus.scope where scope_id = %s",
        scope_id,
    )[0]


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({}, ("national", None, None, None, [])),
        ({"la_code": "", "school_urn": " ", "owner": ""}, ("national", None, None, None, [])),
        ({"la_code": "E08000025"}, ("la", "E08000025", None, None, [])),
        ({"la_code": " e08000016 "}, ("la", "E08000038", None, None, [])),
        ({"la_code": "330"}, ("la", "E08000025", None, None, [])),
        ({"la_code": "E07000106"}, ("la", "E10000016", None, None, [])),
        ({"school_urn": "990001"}, ("school", "E08000025", "990001", None, [])),
        (
            {"school_urn": "990001", "la_code": "330"},
            ("school", "E08000025", "990001", None, []),
        ),
        ({"owner": "kim"}, ("private", None, None, "kim", [])),
        (
            {"owner": "kim", "principals": ["lee", " ", "ash", "lee", "kim"]},
            ("private", None, None, "kim", ["ash", "lee"]),
        ),
        (
            {"owner": "kim", "la_code": "E08000025"},
            ("private", "E08000025", None, "kim", []),
        ),
        # an authority that was split keeps its documents under the old code
        ({"la_code": "E10000006"}, ("la", "E10000006", None, None, [])),
        ({"la_code": "e10000006"}, ("la", "E10000006", None, None, [])),
        ({"la_code": "909"}, ("la", "E10000006", None, None, [])),
    ],
)
def test_the_readers_decide_the_scope_and_ask_for_it_twice_in_vain(
    reference: psycopg.Connection, given: dict[str, Any], facts: tuple[Any, ...]
) -> None:
    scope = _scope(reference, **given)
    assert _facts(reference, scope) == facts
    assert _scope(reference, **given) == scope


def test_different_readers_have_different_scopes(reference: psycopg.Connection) -> None:
    scopes = [
        _scope(reference, **given)
        for given in (
            {},
            {"la_code": "E08000025"},
            {"la_code": "E10000016"},
            {"school_urn": "990001"},
            {"owner": "kim"},
            {"owner": "lee"},
            {"owner": "kim", "principals": ["lee"]},
            {"owner": "kim", "principals": ["lee", "ash"]},
        )
    ]
    assert len(set(scopes)) == len(scopes)


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        ({"la_code": "E99999999"}, "PL001", "E99999999"),
        ({"school_urn": "999999"}, "PL002", "999999"),
        ({"school_urn": "990001", "la_code": "E10000016"}, "KB006", "E08000025"),
        ({"principals": ["lee"]}, "KB007", "owner"),
        ({"principals": ["lee"], "owner": " "}, "KB007", "owner"),
    ],
)
def test_readers_that_cannot_be_are_refused_and_no_scope_is_made(
    reference: psycopg.Connection, given: dict[str, Any], code: str, told: str
) -> None:
    before = ask(reference, "select count(*) from corpus.scope")
    with refused(reference, code, told):
        _scope(reference, **given)
    assert ask(reference, "select count(*) from corpus.scope") == before
