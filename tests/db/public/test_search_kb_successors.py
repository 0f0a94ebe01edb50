"""search_kb, rule 1: documents outlive the code of their authority, whichever they stand under."""

from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from ingest.registers.loading import load_authorities
from tests.corpus import add, axis, search
from tests.rows import value_of
from tests.sandbox import refused

AUTHORITIES = Path(__file__).resolve().parents[3] / "packs" / "send" / "authorities.csv"

# authorities whose code changed while they stayed what they are
RENAMED = {
    "Barnsley": ("E08000016", "E08000038"),
    "Sheffield": ("E08000019", "E08000039"),
    "Gateshead": ("E08000020", "E08000037"),
    "Northumberland": ("E06000048", "E06000057"),
}
SPLIT = {
    "Cumbria": ("E10000006", ("E06000063", "E06000064")),
    "Northamptonshire": ("E10000021", ("E06000061", "E06000062")),
}


@pytest.fixture
def england(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Every authority of the pack."""
    # inside a transaction already, the load is a savepoint of it
    kb.execute("select")
    load_authorities(kb, AUTHORITIES)
    return kb


def _sources(db: psycopg.Connection[Any], la: str) -> set[str]:
    return {row["source"] for row in search(db, words="transport", vector=axis(3), la=la)}


@pytest.mark.parametrize("name", RENAMED)
@pytest.mark.parametrize("under", [0, 1], ids=["by the old code", "by the new code"])
def test_a_document_is_found_by_either_code_whichever_it_was_loaded_under(
    england: psycopg.Connection[Any], name: str, under: int
) -> None:
    codes = RENAMED[name]
    add(england, f"School transport in {name}.", source=name, la_code=codes[under], vector=axis(3))
    for la in codes:
        rows = search(england, words="transport", vector=axis(3), la=la)
        assert [(row["source"], row["scope"]) for row in rows] == [(name, "la")]
    for other in RENAMED.keys() - {name}:
        assert _sources(england, RENAMED[other][1]) == set()


@pytest.mark.parametrize("name", RENAMED)
def test_a_document_from_before_the_code_changed_is_found_by_either(
    england: psycopg.Connection[Any], name: str
) -> None:
    """It stands under the old code, which was the live one when it came."""
    old, new = RENAMED[name]
    england.execute(
        "select place.load_authorities(%s)", [Jsonb([{"gss": old, "name": name, "status": "live"}])]
    )
    add(england, f"School transport in {name}.", source="before", la_code=old, vector=axis(3))
    load_authorities(england, AUTHORITIES)
    add(england, f"Transport to school: {name}.", source="after", la_code=new, vector=axis(3))
    assert value_of(
        england, "select count(distinct la_code) from corpus.scope where la_code = any(%s)",
        [[old, new]],
    ) == 2  # fmt: skip
    assert _sources(england, old) == _sources(england, new) == {"before", "after"}


@pytest.mark.parametrize("name", SPLIT)
def test_a_split_county_is_found_from_each_part_and_asked_for_by_neither_alone(
    england: psycopg.Connection[Any], name: str
) -> None:
    county, parts = SPLIT[name]
    add(england, f"School transport in {name}.", source=name, la_code=county, vector=axis(3))
    for part in parts:
        add(england, f"Transport of {part}.", source=part, la_code=part, vector=axis(3))
    for part in parts:
        assert _sources(england, part) == {name, part}
    with refused(england, "PL003") as caught:
        _sources(england, county)
    assert all(part in (caught.value.diag.message_detail or "") for part in parts)
