"""place.load_authorities: add or correct authorities and who succeeded whom."""

from collections.abc import Mapping
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import AUTHORITIES
from tests.db.corpus_fixtures import ask, ask_rows, refused

Authority = dict[str, Any]


def _load(db: psycopg.Connection, *rows: Mapping[str, Any]) -> int:
    count: int = ask(db, "select place.load_authorities(%s)", Jsonb(list(rows)))
    return count


def _all(db: psycopg.Connection) -> list[tuple[Any, ...]]:
    return ask_rows(
        db,
        "select a.*, array(select s.successor_gss from place.authority_successor as s "
        "where s.gss = a.gss order by 1) from place.authority as a order by a.gss",
    )


def test_loading_the_same_rows_again_changes_nothing(reference: psycopg.Connection) -> None:
    before = _all(reference)
    count = ask(reference, "select place.load_authorities(%s)", Jsonb(AUTHORITIES))
    assert count == len(AUTHORITIES)
    assert _all(reference) == before


def test_a_row_corrects_what_was_loaded_and_leaves_the_others(
    reference: psycopg.Connection,
) -> None:
    _load(reference, {"gss": "E08000025", "name": "City of Birmingham", "start_date": "2009-04-01"})
    assert ask_rows(
        reference, "select name, start_date::text from place.authority where gss = 'E08000025'"
    ) == [("City of Birmingham", "2009-04-01")]
    assert ask(reference, "select count(*) from place.authority") == len(AUTHORITIES)


def test_successors_are_replaced_with_their_row(reference: psycopg.Connection) -> None:
    _load(reference, {"gss": "E10000006", "name": "Cumbria", "successors": ["E06000063"]})
    assert ask(reference, "select place.resolve_authority('E10000006')") == "E06000063"


def test_a_successor_may_come_later_in_the_same_list(reference: psycopg.Connection) -> None:
    _load(
        reference,
        {"gss": "E09000091", "name": "Old", "successors": ["E09000092", "E09000092"]},
        {"gss": "E09000092", "name": "New", "successors": None},
    )
    assert ask(reference, "select place.resolve_authority('E09000091')") == "E09000092"


@pytest.mark.parametrize(
    "row",
    [
        {"name": "No code"},
        {"gss": "E0800002", "name": "Short"},
        {"gss": "e08000099", "name": "Lower case"},
        {"gss": "E08000099"},
        {"gss": "E08000099", "name": ""},
        {"gss": "E08000099", "name": " "},
        {"gss": "E08000099", "name": "A", "status": "gone"},
        {"gss": "E08000099", "name": "A", "dfe_code": "33"},
        {"gss": "E08000099", "name": "A", "successors": ["E08000099"]},
        {"gss": "E08000099", "name": "A", "successors": ["E08000098"]},
        {"gss": "E08000099", "name": "A", "successors": [None]},
    ],
)
def test_a_row_that_cannot_be_an_authority_is_refused_and_nothing_is_stored(
    reference: psycopg.Connection, row: Authority
) -> None:
    before = _all(reference)
    with refused(reference, "PL004"):
        _load(reference, {"gss": "E09000091", "name": "Fine"}, row)
    assert _all(reference) == before


def test_a_code_that_is_listed_twice_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "PL004", "E09000091", "twice"):
        _load(reference, {"gss": "E09000091", "name": "One"}, {"gss": "E09000091", "name": "Other"})


def test_codes_that_succeed_each_other_are_refused(reference: psycopg.Connection) -> None:
    """Following them would never end."""
    with refused(reference, "PL004", "would succeed itself"):
        _load(
            reference,
            {"gss": "E09000091", "name": "A", "successors": ["E09000092"]},
            {"gss": "E09000092", "name": "B", "successors": ["E09000093"]},
            {"gss": "E09000093", "name": "C", "successors": ["E09000091"]},
        )


def test_a_circle_that_closes_with_an_older_row_is_refused(
    reference: psycopg.Connection,
) -> None:
    with refused(reference, "PL004", "would succeed itself"):
        _load(reference, {"gss": "E08000038", "name": "Barnsley", "successors": ["E08000016"]})
    assert ask(reference, "select place.resolve_authority('E08000016')") == "E08000038"
