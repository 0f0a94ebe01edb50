"""What explains a search and what counts it agree with what answers it, whatever corpus and call.

The corpora are drawn: few words, few directions and few texts, so that ties, copies and full
documents are common.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bulk import add_passages
from tests.corpus import literal, near
from tests.rows import rows_of, value_of
from tests.scoped_corpus import BARNSLEY, BARNSLEY_OLD, HOLLYBROOK, KENT

# of the owner of a text and of the caller
PLACES: tuple[dict[str, Any], ...] = (
    {},
    {"la_code": KENT},
    {"la_code": BARNSLEY_OLD},
    {"school_urn": HOLLYBROOK},
    {"owner": "ann"},
    {"owner": "bob", "principals": ["ann", "team"]},
)
CALLERS: tuple[dict[str, Any], ...] = (
    {},
    {"la": KENT},
    {"la": BARNSLEY, "home_la": KENT},
    {"urn": HOLLYBROOK, "la": KENT},
    {"la": KENT, "principals": ["ann"]},
    {"principals": ["team", "bob"]},
)
WORDS = ("womp", "frim", "dralk", "INC-48211")
STATUSES = (None, None, None, "approved", "rejected", "flagged")


@dataclass(frozen=True, slots=True)
class Document:
    """What is published in one go."""

    place: dict[str, Any]
    tags: list[str]
    passages: list[tuple[str, float]]  # with the cosine to the question
    status: str | None  # of its first chunk, as a curator decides


DOCUMENTS = st.lists(
    st.builds(
        Document,
        place=st.sampled_from(PLACES),
        tags=st.sampled_from(([], ["ehcp"], ["transport", "ehcp"])),
        passages=st.lists(
            st.tuples(
                st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
                st.sampled_from((0.9, 0.6, 0.4, 0.3, 0.05)),
            ),
            min_size=1,
            max_size=4,
        ),
        status=st.sampled_from(STATUSES),
    ),
    max_size=6,
)
CALLS = st.fixed_dictionaries(
    {
        "words": st.sampled_from((None, "womp", "womp frim", "INC-48211 dralk", "zzz")),
        "has_vector": st.booleans(),
        "caller": st.sampled_from(CALLERS),
        "tags": st.sampled_from((None, [], ["ehcp"], ["exclusion"])),
        "statuses": st.sampled_from((None, ["approved"])),
        "top_k": st.sampled_from((1, 2, 3, 10)),
        "candidates": st.sampled_from((1, 2, 50)),
        "on_a_day": st.booleans(),
    }
)
SETTINGS = st.fixed_dictionaries(
    {
        "kb.exact_limit": st.sampled_from(("0", "")),
        "kb.keyword_mode": st.sampled_from(("vector_first", "")),
        "kb.max_chunks_per_document": st.sampled_from(("1", "")),
        "kb.relevance_threshold": st.sampled_from(("-1", "0.35", "")),
        "kb.chunk_expansion_enabled": st.sampled_from(("off", "")),
    }
)


def fill(db: psycopg.Connection[Any], documents: list[Document]) -> None:
    """Publish them and let a curator decide."""
    for n, document in enumerate(documents):
        added = add_passages(
            db,
            [words for words, _ in document.passages],
            np.array([near(3, cosine, towards=9) for _, cosine in document.passages]),
            source=f"source{n}",
            tags=document.tags,
            **document.place,
        )
        if document.status:
            db.execute(
                "select corpus.set_status(%s, %s, 'curator')",
                [added.chunk_ids[:1], document.status],
            )


TYPES = {
    "query_vec": "vector",
    "tsquery": "tsquery",
    "la": "text",
    "home_la": "text",
    "urn": "text",
    "tags": "text[]",
    "top_k": "integer",
    "principals": "text[]",
    "as_of": "date",
    "statuses": "text[]",
    "candidates": "integer",
}
ARGUMENTS = ", ".join(f"{name} => %({name})s::{kind}" for name, kind in TYPES.items())


def values_of(db: psycopg.Connection[Any], call: dict[str, Any]) -> dict[str, Any]:
    """The arguments of search_kb by name."""
    return dict.fromkeys(TYPES) | {
        "query_vec": literal(near(3, 1.0)) if call["has_vector"] else None,
        "tsquery": value_of(db, "select terms.build_tsquery(%s)::text", [call["words"]]),
        "as_of": value_of(db, "select current_date::text") if call["on_a_day"] else None,
        **{name: call[name] for name in ("tags", "statuses", "top_k", "candidates")},
        **call["caller"],
    }


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(documents=DOCUMENTS, call=CALLS, chosen=SETTINGS)
def test_explanations_and_counts_agree_with_the_answer(
    kb: psycopg.Connection[Any],
    documents: list[Document],
    call: dict[str, Any],
    chosen: dict[str, str],
) -> None:
    with kb.transaction(force_rollback=True):
        fill(kb, documents)
        for name, value in chosen.items():
            kb.execute("select set_config(%s, %s, true)", [name, value])
        chunks = [
            row[0] for row in kb.execute("select chunk_id from corpus.chunk order by 1").fetchall()
        ]
        values = values_of(kb, call)
        kb.execute("set local role pgkb_admin")
        answer = rows_of(kb, f"search_kb({ARGUMENTS})", values)
        ids = [row["chunk_id"] for row in answer]

        explained = rows_of(kb, f"explain_search({ARGUMENTS})", values)
        of_stage: dict[str, list[Any]] = {}
        for row in explained:
            of_stage.setdefault(row["stage"], []).append(row)
        assert [row["chunk_id"] for row in of_stage.get("answer", [])] == ids
        assert {row["chunk_id"] for row in of_stage.get("choice", []) if row["kept"]} == set(ids)
        assert [row["value"] for row in of_stage.get("answer", [])] == [
            row["score"] for row in answer
        ]

        for chunk in chunks:
            (verdict,) = rows_of(
                kb, f"why_not(chunk_id => %(chunk)s, {ARGUMENTS})", {**values, "chunk": chunk}
            )
            assert (verdict["verdict"] == "in_answer") == (chunk in ids)
            assert verdict["place"] == (ids.index(chunk) + 1 if chunk in ids else None)

        (found,) = rows_of(kb, f"search.find({ARGUMENTS})", values)
        assert [row["chunk_id"] for row in found["results"]] == ids
        counts = found["counts"]
        assert counts["candidates"] == len(of_stage.get("fusion", []))
        assert counts["vector_candidates"] == len(of_stage.get("vector", []))
        assert counts["keyword_candidates"] == len(of_stage.get("keyword", []))
        assert counts["kept"] == sum(row["kept"] for row in of_stage.get("floor", []))
        assert counts["attempts"] == len(of_stage["attempt"])
        kb.execute("reset role")

        number = value_of(
            kb,
            "select search.record_search(f.results, counts => f.counts) "
            f"from search.find({ARGUMENTS}) as f",
            values,
        )
        (record,) = rows_of(kb, "search.record", None)
        assert record["record_id"] == number
        assert record["result_count"] == len(ids)
        assert record["candidate_count"] == counts["candidates"]
        for kind in ("hybrid", "vector", "keyword"):
            column = "hybrid_count" if kind == "hybrid" else f"{kind}_only_count"
            assert record[column] == sum(row["matched_by"] == kind for row in answer)
        for flag in ("topic_fallback_used", "no_la_broad_fallback_used"):
            assert record[flag] == counts[flag]
