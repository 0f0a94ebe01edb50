"""search_kb over embedding sets of different widths: one is searched, the others wait."""

from typing import Any

import psycopg
import pytest

from tests.bulk import add_passages, around, directions, text_of
from tests.corpus import add, axis, near, search
from tests.rows import value_of
from tests.sandbox import refused

WIDE = "openai-3-large"


@pytest.fixture
def filled(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Two texts in both sets; the wide set says the opposite of the narrow one."""
    for name, narrow, wide in (("alpha", 0.9, 0.4), ("beta", 0.5, 0.95)):
        added = add(kb, f"Text {name}.", source=name, vector=near(3, narrow))
        kb.execute(
            "select embedding.store_vectors(%s, %s, %s)",
            [
                added.chunk_ids,
                [text_of(near(7, wide, width=1536))] * len(added.chunk_ids),
                WIDE,
            ],
        )
    return kb


def found(rows: list[dict[str, Any]]) -> list[str]:
    return [row["source"] for row in rows]


@pytest.mark.parametrize("exact_limit", ["0", "20000"])
def test_each_set_is_searched_when_it_is_active(
    filled: psycopg.Connection[Any], exact_limit: str
) -> None:
    filled.execute("select set_config('kb.exact_limit', %s, true)", [exact_limit])
    assert found(search(filled, vector=axis(3))) == ["alpha", "beta"]
    filled.execute("select embedding.activate(%s)", [WIDE])
    assert found(search(filled, vector=axis(7, 1536))) == ["beta", "alpha"]
    filled.execute("select embedding.activate('local-minilm')")
    assert found(search(filled, vector=axis(3))) == ["alpha", "beta"]


def test_after_the_switch_a_vector_of_the_old_width_is_refused(
    filled: psycopg.Connection[Any],
) -> None:
    filled.execute("select embedding.activate(%s)", [WIDE])
    with refused(filled, "VE002") as caught:
        search(filled, vector=axis(3))
    assert "text-embedding-3-large" in str(caught.value)


def test_floors_and_weights_are_those_of_the_active_set(
    filled: psycopg.Connection[Any],
) -> None:
    filled.execute("update embedding.set set vector_weight = 0.2 where name = %s", [WIDE])
    add_far = near(7, 0.32, width=1536)
    filled.execute("select embedding.activate(%s)", [WIDE])
    add(filled, "Text gamma.", source="gamma", vector=add_far)
    rows = search(filled, vector=axis(7, 1536))
    assert found(rows) == ["beta", "alpha", "gamma"], "0.32 is over the wide set's floor of 0.3"
    assert rows[0]["rrf_raw"] == pytest.approx(0.2 / 61)


def test_words_are_found_whichever_set_is_active(filled: psycopg.Connection[Any]) -> None:
    before = found(search(filled, words="alpha"))
    filled.execute("select embedding.activate(%s)", [WIDE])
    assert found(search(filled, words="alpha")) == before == ["alpha"]


def test_a_set_that_lacks_vectors_cannot_be_switched_to(filled: psycopg.Connection[Any]) -> None:
    add(filled, "Only narrow.", source="narrow")
    with refused(filled, "VE006"):
        filled.execute("select embedding.activate(%s)", [WIDE])
    assert found(search(filled, vector=axis(3))) == ["alpha", "beta"]


def test_without_an_active_set_it_says_so(filled: psycopg.Connection[Any]) -> None:
    filled.execute("update embedding.set set active = false")
    with refused(filled, "VE004") as caught:
        search(filled, words="alpha")
    assert caught.value.diag.message_hint


def test_the_wide_index_finds_what_the_exact_scan_finds(kb: psycopg.Connection[Any]) -> None:
    question = directions(1, seed=4, width=1536)[0]
    kb.execute("select embedding.activate(%s)", [WIDE])
    add_passages(
        kb,
        [f"passage {n}" for n in range(150)],
        around(question, 150, cosine=0.5, seed=9) + 0.2 * directions(150, seed=2, width=1536),
        source="wide",
    )
    kb.execute("set local kb.max_chunks_per_document = 100")
    exact = search(kb, vector=question.tolist(), top_k=50)
    kb.execute("set local kb.exact_limit = 0")
    index = search(kb, vector=question.tolist(), top_k=50)
    assert len(exact) == len(index) == 50
    same = {r["chunk_id"] for r in exact} & {r["chunk_id"] for r in index}
    assert len(same) >= 45
    assert value_of(kb, "select count(*) from embedding.vector_2") == 150
