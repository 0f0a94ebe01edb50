"""place.load_districts: districts and the education authority of each."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask, refused


def _load(db: psycopg.Connection, *rows: dict[str, Any]) -> int:
    count: int = ask(db, "select place.load_districts(%s)", Jsonb(list(rows)))
    return count


def test_a_district_stands_under_the_live_code_of_its_authority(
    reference: psycopg.Connection,
) -> None:
    assert _load(
        reference, {"lad_gss": "E07000999", "name": "Penistone", "authority_gss": "E08000016"}
    )
    assert (
        ask(reference, "select authority_gss from place.district where lad_gss = 'E07000999'")
        == "E08000038"
    )


def test_loading_again_corrects_the_row(reference: psycopg.Connection) -> None:
    for authority in ("E10000016", "E08000025"):
        _load(reference, {"lad_gss": "E07000106", "name": "Moved", "authority_gss": authority})
    assert ask(reference, "select place.resolve_authority('E07000106')") == "E08000025"


def test_a_district_of_an_unknown_authority_is_refused_and_nothing_is_stored(
    reference: psycopg.Connection,
) -> None:
    with refused(reference, "PL001", "E99999999"):
        _load(
            reference,
            {"lad_gss": "E07000998", "name": "Fine", "authority_gss": "E10000016"},
            {"lad_gss": "E07000999", "name": "Lost", "authority_gss": "E99999999"},
        )
    assert ask(reference, "select count(*) from place.district") == 1


def test_a_district_of_an_authority_that_was_split_is_refused(
    reference: psycopg.Connection,
) -> None:
    with refused(reference, "PL003", "E06000063 and E06000064"):
        _load(reference, {"lad_gss": "E07000026", "name": "A", "authority_gss": "E10000006"})


@pytest.mark.parametrize(
    "row",
    [
        {"name": "No code", "authority_gss": "E10000016"},
        {"lad_gss": "E0700010", "name": "Short", "authority_gss": "E10000016"},
        {"lad_gss": "E07000999", "authority_gss": "E10000016"},
        {"lad_gss": "E07000999", "name": " ", "authority_gss": "E10000016"},
        {"lad_gss": "E07000999", "name": "Lost"},
        {"lad_gss": "E07000998", "name": "Twice", "authority_gss": "E10000016"},
    ],
)
def test_a_row_that_cannot_be_a_district_is_refused_and_nothing_is_stored(
    reference: psycopg.Connection, row: dict[str, Any]
) -> None:
    with refused(reference, "PL007"):
        _load(
            reference, {"lad_gss": "E07000998", "name": "Fine", "authority_gss": "E10000016"}, row
        )
    assert ask(reference, "select count(*) from place.district") == 1
