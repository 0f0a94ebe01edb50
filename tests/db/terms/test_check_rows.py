"""terms.check_rows: what no loader can read is refused in one line, before anything goes."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask, refused

LOADERS = ["terms.load_topics", "terms.load_synonyms", "corpus.load_ranks", "corpus.load_domains"]


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("rows", [None, Jsonb(None), Jsonb({}), Jsonb("x"), Jsonb(7), Jsonb([[]])])
def test_what_is_no_list_of_objects_is_refused(
    reference: psycopg.Connection, loader: str, rows: Any
) -> None:
    before = ask(reference, "select count(*) from terms.topic")
    with refused(reference, "TE004", "send", "list of objects"):
        reference.execute(f"select {loader}('send', %s)".encode(), [rows])
    assert ask(reference, "select count(*) from terms.topic") == before


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("pack", [None, "", " "])
def test_a_pack_without_a_name_is_refused(
    reference: psycopg.Connection, loader: str, pack: str | None
) -> None:
    with refused(reference, "TE004", "no name"):
        reference.execute(f"select {loader}(%s, '[]')".encode(), [pack])
