"""place.authority_family: the codes under which documents of an authority may stand."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, refused


@pytest.mark.parametrize(
    ("code", "family"),
    [
        ("E08000025", ["E08000025"]),
        ("E08000038", ["E08000016", "E08000038"]),
        ("E08000016", ["E08000016", "E08000038"]),  # asked by the old code: the same
        ("E06000063", ["E06000063", "E10000006"]),  # half of a split county, and the county
        ("e06000064", ["E06000064", "E10000006"]),
        ("E07000106", ["E10000016"]),
        (None, []),
    ],
)
def test_the_family_is_the_live_code_and_all_it_took_over_from(
    reference: psycopg.Connection, code: str | None, family: list[str]
) -> None:
    assert ask(reference, "select place.authority_family(%s)", code) == family


def test_a_sibling_of_a_split_is_not_family(reference: psycopg.Connection) -> None:
    assert "E06000064" not in ask(reference, "select place.authority_family('E06000063')")


def test_an_unknown_code_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "PL001"):
        reference.execute("select place.authority_family('E99999999')")


def test_a_split_authority_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "PL003"):
        reference.execute("select place.authority_family('E10000006')")
