"""place.fold_postcode: one spelling of what people type."""

import re

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.db.corpus_fixtures import ask


def _fold(db: psycopg.Connection, typed: str | None) -> str | None:
    found: str | None = ask(db, "select place.fold_postcode(%s)", typed)
    return found


@pytest.mark.parametrize(
    ("typed", "postcode"),
    [
        ("B1 1AA", "B1 1AA"),
        ("b11aa", "B1 1AA"),
        ("  ct1  2eh\t", "CT1 2EH"),
        ("CT1\u00a02EH", "CT1 2EH"),
        ("CT1\u20072EH\u200b", "CT1 2EH"),
        ("c t 1 2 e h", "CT1 2EH"),
        ("CT1-2EH.", "CT1 2EH"),
        ("ＣＴ１ ２ＥＨ", "CT1 2EH"),
        ("W1A 1AA", "W1A 1AA"),
        ("ec1a1bb", "EC1A 1BB"),
        ("CR0 1AA", "CR0 1AA"),
    ],
)
def test_case_and_blanks_do_not_count(
    reference: psycopg.Connection, typed: str, postcode: str
) -> None:
    assert _fold(reference, typed) == postcode


@pytest.mark.parametrize(
    ("typed", "postcode"),
    [
        ("SO14 OAA", "SO14 0AA"),  # the inward code starts with a digit
        ("S014 0AA", "SO14 0AA"),  # no district has three digits
        ("CRO 1AA", "CR0 1AA"),  # no area has three letters
        ("SE1O 8AA", "SE10 8AA"),  # no district ends in O
        ("0L1 1AA", "OL1 1AA"),  # an area starts with a letter
        ("SO1 1AA", "SO1 1AA"),  # could be either: as typed
        ("B1 1OA", "B1 1OA"),  # a letter where letters stand: as typed
        ("B1 10A", None),
    ],
)
def test_o_and_nought_are_exchanged_only_where_the_other_cannot_stand(
    reference: psycopg.Connection, typed: str, postcode: str | None
) -> None:
    assert _fold(reference, typed) == postcode


@pytest.mark.parametrize(
    ("typed", "part"),
    [("b1", "B1"), ("B11", "B11"), ("b1 1", "B1 1"), ("SW1A 1", "SW1A 1"), ("CRO", "CR0")],
)
def test_an_outward_code_and_a_sector_are_kept_apart_by_the_blank(
    reference: psycopg.Connection, typed: str, part: str
) -> None:
    assert _fold(reference, typed) == part


@pytest.mark.parametrize(
    "typed",
    ["", " ", "Birmingham", "B", "1", "B1 1A", "B1 1AAA", "1B 1AA", "GIR 0AA", "CT01 1AA",
     "B1 1AA Leeds", "'; drop", "😀", "B" * 100_000, "É1 1AA"],
)  # fmt: skip
def test_what_is_no_postcode_is_null(reference: psycopg.Connection, typed: str) -> None:
    assert _fold(reference, typed) is None


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(alphabet="ABO01 9ost-.\u00a0é", max_size=10))
def test_folding_again_changes_nothing(reference: psycopg.Connection, typed: str) -> None:
    once = _fold(reference, typed)
    if once is not None:
        assert re.fullmatch(r"[A-Z]{1,2}([0-9]|[1-9][A-Z0-9])( [0-9]([A-Z]{2})?)?", once)
        assert _fold(reference, once) == once
