"""place.authority_named: what people call a council means one authority or is refused."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, refused

KENT, BIRMINGHAM = "E10000016", "E08000025"


@pytest.mark.parametrize(
    ("name", "gss"),
    [
        ("Kent", KENT),
        (" KENT  county council", KENT),
        ("Birmingham City Council", BIRMINGHAM),
        ("City of Birmingham", BIRMINGHAM),
        ("Westmorland and Furness Council", "E06000064"),
        # an ended code of the same name is not meant
        ("Barnsley Metropolitan Borough Council", "E08000038"),
    ],
)
def test_a_council_is_known_with_and_without_its_ornaments(
    reference: psycopg.Connection, name: str, gss: str
) -> None:
    assert ask(reference, "select place.authority_named(%s)", name) == gss


@pytest.mark.parametrize("name", ["Atlantis", "council", "County Council", "", None, "K%"])
def test_a_name_that_means_none_is_refused(reference: psycopg.Connection, name: str | None) -> None:
    with refused(reference, "PL001"):
        ask(reference, "select place.authority_named(%s)", name)
