"""corpus.load_domains: sites whose pages hold everywhere."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import stage
from tests.db.corpus_fixtures import ask, ask_rows, refused


def _load(db: psycopg.Connection, *rows: dict[str, Any], pack: str = "send") -> int:
    count: int = ask(db, "select corpus.load_domains(%s, %s)", pack, Jsonb(list(rows)))
    return count


def _domains(db: psycopg.Connection) -> list[tuple[Any, ...]]:
    return ask_rows(db, "select domain, authority from corpus.domain order by domain")


def test_a_load_replaces_the_sites_of_its_pack_and_no_other(
    reference: psycopg.Connection,
) -> None:
    _load(reference, {"domain": "law.example", "authority": "statutory"}, pack="hr")
    _load(reference, {"domain": " WWW.Ipsea.org.uk ", "authority": "charity"})
    assert _domains(reference) == [("ipsea.org.uk", "charity"), ("law.example", "statutory")]


def test_a_site_listed_with_and_without_www_is_one(reference: psycopg.Connection) -> None:
    _load(
        reference,
        {"domain": "www.gov.uk", "authority": "statutory"},
        {"domain": "gov.uk", "authority": "la"},
    )
    assert _domains(reference) == [("gov.uk", "statutory")]


def test_an_unknown_kind_of_publisher_is_refused_and_the_old_sites_stay(
    reference: psycopg.Connection,
) -> None:
    before = _domains(reference)
    for authority in ("blog", None):
        with refused(reference, "KB004"):
            _load(reference, {"domain": "a.example", "authority": authority})
    assert _domains(reference) == before


def test_a_page_of_a_national_site_is_national_whoever_adds_it(
    reference: psycopg.Connection,
) -> None:
    staged = stage(reference, "The law.", source="https://www.gov.uk/send", la_code="E08000025")
    assert ask_rows(
        reference,
        "select s.kind, v.authority from corpus.document as d "
        "join corpus.scope as s using (scope_id) join corpus.version as v using (document_id) "
        "where d.document_id = %s",
        staged["document_id"],
    ) == [("national", "statutory")]


@pytest.mark.parametrize("domain", ["", " ", None])
def test_a_site_without_a_name_is_refused(
    reference: psycopg.Connection, domain: str | None
) -> None:
    with refused(reference, "TE004", "no name"):
        _load(reference, {"domain": domain, "authority": "la"})
