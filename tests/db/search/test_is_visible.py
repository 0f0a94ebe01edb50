"""search.is_visible: a read that starts from a chunk id obeys the same rules as a search."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, stage
from tests.rows import value_of


def shown(db: psycopg.Connection[Any], chunk_id: int, la: str | None = None) -> bool:
    answer: bool = value_of(
        db,
        "select search.is_visible(%s, "
        "array(select s.scope_id from search.visible_scopes(%s) as s), '{approved,pending}')",
        [chunk_id, la],
    )
    return answer


def test_a_chunk_is_visible_to_those_in_its_scope(kb: psycopg.Connection[Any]) -> None:
    (chunk,) = add(kb, "Kent text.", source="kent", la_code="E10000016").chunk_ids
    assert shown(kb, chunk, "E10000016")
    assert not shown(kb, chunk, "E08000025")
    assert not shown(kb, chunk)


@pytest.mark.parametrize("status", ["rejected", "flagged"])
def test_a_chunk_a_curator_took_out_is_not_visible(
    kb: psycopg.Connection[Any], status: str
) -> None:
    (chunk,) = add(kb, "National text.", source="national").chunk_ids
    assert shown(kb, chunk)
    kb.execute("select corpus.set_status(%s, %s)", [[chunk], status])
    assert not shown(kb, chunk)


def test_a_superseded_or_staged_chunk_is_not_visible(kb: psycopg.Connection[Any]) -> None:
    (old,) = add(kb, "Old text.", source="a").chunk_ids
    (new,) = add(kb, "New text.", source="a").chunk_ids
    assert (shown(kb, old), shown(kb, new)) == (False, True)
    staged = stage(kb, "Text to come.", source="a")
    chunk = value_of(
        kb, "select chunk_id from corpus.chunk where version_id = %s", [staged["version_id"]]
    )
    assert not shown(kb, chunk)


def test_a_chunk_that_is_not_there_is_not_visible(kb: psycopg.Connection[Any]) -> None:
    assert not shown(kb, -1)
