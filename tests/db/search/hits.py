"""Candidates to hand to the steps after the legs."""

from typing import Any

from tests.rows import Row

_BLANK: Row = {
    "scope": "national",
    "similarity": 0.5,
    "vector_rank": 1,
    "matched_by": "vector",
    "rrf_raw": 0.01,
    "freshness": 1.0,
    "authority_weight": 1.0,
    "boost": 1.0,
    "score": 0.01,
    "floor_exempt": False,
    "coverage": 0.0,
    "school_boosted": False,
}


def ranked(chunk_id: int, **facts: Any) -> Row:
    """A search.ranked_hit; what is not named is unremarkable, text and document are its own."""
    own = {"chunk_id": chunk_id, "document_id": chunk_id, "content_hash": f"\\x{chunk_id:064x}"}
    return _BLANK | own | facts
