"""search.tagged_scores: the scores stay whose chunks carry a tag and are visible, no others."""

from typing import Any

import numpy as np
import psycopg
import pytest

from tests.corpus import add
from tests.rows import value_of

VISIBLE = ["approved", "pending"]
SCORES = (
    "array(select row(k.scope_id, k.block, search.level_vector(2.5, cardinality(k.chunk_ids)))"
    "::search.block_scores from search.listed_block as k)"
)


@pytest.fixture
def listed(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Two listed scopes; the tag on a third of the one and a seventh of the other."""
    words = "\n\n".join(f"paragraph {n} of plans and schools " * 30 for n in range(60))
    for number, la_code in enumerate((None, "E10000016", "E08000025")):
        add(kb, f"{words} {number}", source=f"text {number}", la_code=la_code)
    kb.execute("set local kb.list_scope = 20")
    kb.execute("select search.fold_statistics()")
    kb.execute("select search.refresh_postings()")
    kb.execute(
        "update corpus.chunk_fact as f set tags = case "
        "when s.la_code is null and c.chunk_index % 3 = 0 then '{ehcp}'::text[] "
        "when s.la_code = 'E10000016' and c.chunk_index % 7 = 0 then '{transport,ehcp}' "
        "else '{exclusion}' end, status = case when c.chunk_index % 2 = 0 then 'approved' "
        "else 'rejected' end from corpus.chunk as c join corpus.scope as s using (scope_id) "
        "where f.chunk_id = c.chunk_id"
    )
    return kb


def kept(
    db: psycopg.Connection[Any], tags: list[str], scopes: list[int] | None = None, most: int = 1000
) -> set[int] | None:
    """The chunks with a score left, which is what it was; None where there are too many."""
    if scopes is None:
        scopes = value_of(db, "select array_agg(scope_id) from search.listed_scope")
    rows = value_of(
        db,
        "select case when t is not null then array(select row(k.chunk_ids, b.scores::real[])::text "
        "from unnest(t) as b join search.listed_block as k using (scope_id, block)) end "
        f"from search.tagged_scores({SCORES}, %s, %s, %s, %s) as t",
        [tags, scopes, VISIBLE, most],
    )
    if rows is None:
        return None
    found = set()
    for row in rows:
        ids, scores = (
            np.array(part.strip('{}"').split(","), dtype=float)
            for part in row.strip("()").split('","')
        )
        assert len(ids) == len(scores)
        assert set(scores) <= {0.0, 2.5}
        assert scores.any(), "a block without any is left out"
        found |= {int(one) for one in ids[scores > 0]}
    return found


def carrying(db: psycopg.Connection[Any], tags: list[str]) -> set[int]:
    return set(
        value_of(
            db,
            "select coalesce(array_agg(chunk_id), '{}') from corpus.chunk_fact "
            "where tags && %s and status = any(%s)",
            [tags, VISIBLE],
        )
    )


@pytest.mark.parametrize(
    "tags", [["ehcp"], ["transport"], ["transport", "exclusion"], ["ehcp", "exclusion"], ["none"]]
)
def test_what_carries_a_tag_and_is_visible_keeps_its_score(
    listed: psycopg.Connection[Any], tags: list[str]
) -> None:
    assert value_of(listed, "select count(*) from search.listed_scope") == 3
    assert kept(listed, tags) == carrying(listed, tags)


def test_nothing_of_a_scope_that_was_not_asked_for_is_kept(
    listed: psycopg.Connection[Any],
) -> None:
    national = set(
        value_of(listed, "select array_agg(chunk_id) from corpus.chunk_fact where scope_id = 1")
    )
    assert kept(listed, ["ehcp"], [1]) == carrying(listed, ["ehcp"]) & national


def test_a_chunk_the_lists_do_not_know_is_passed_over(listed: psycopg.Connection[Any]) -> None:
    before = kept(listed, ["ehcp"])
    new = add(listed, "an addition about plans", source="new")
    listed.execute(
        "update corpus.chunk_fact set tags = '{ehcp}', status = 'approved' "
        "where chunk_id = any(%s)",
        [list(new.chunk_ids)],
    )
    assert kept(listed, ["ehcp"]) == before


def test_with_more_than_the_most_it_gives_up(listed: psycopg.Connection[Any]) -> None:
    count = len(carrying(listed, ["ehcp"]))
    assert count > 3
    assert kept(listed, ["ehcp"], most=count) == carrying(listed, ["ehcp"])
    assert kept(listed, ["ehcp"], most=count - 1) is None
