"""Examples of what the API takes and gives, for its OpenAPI document."""

QUESTION = {"question": "my son was kicked out of school", "la": "E08000025", "top_k": 3}
EXPLAIN = QUESTION | {"chunk_id": 12}

SCOPE = {
    "la_code": "E08000025",
    "la_name": "Birmingham",
    "home_la_code": None,
    "home_la_name": None,
    "school_urn": None,
    "school_name": None,
}
HIT = {
    "chunk_id": 12,
    "document_id": 4,
    "title": "Birmingham Belonging and Inclusion Team: suspensions and exclusions",
    "source": "birmingham-exclusions-and-inclusion-team.html",
    "content": "Call the team within five school days of the exclusion.",
    "context": "If your child was excluded: call the team within five school days of the "
    "exclusion. Ask for a meeting.",
    "chunk_index": 2,
    "la_code": "E08000025",
    "school_urn": None,
    "tags": ["exclusion"],
    "document_type": "guidance",
    "authority": "la",
    "version": 1,
    "effective_date": "2025-09-01",
    "created_at": "2025-09-02T08:00:00Z",
    "scope": "la",
    "similarity": 0.62,
    "vector_rank": 1,
    "bm25_score": 7.4,
    "bm25_rank": 1,
    "matched_by": "hybrid",
    "rrf_raw": 0.0164,
    "freshness": 0.98,
    "authority_weight": 1.1,
    "boost": 1.0,
    "score": 0.0177,
    "topic_fallback_used": False,
    "no_la_broad_fallback_used": False,
    "school_boosted": False,
    "page_from": None,
    "page_to": None,
    "heading_path": ["If your child was excluded"],
}
RETRIEVAL = {
    "mode": "hybrid",
    "query_vector": "provider",
    "embedding_set": "local-minilm",
    "topic_fallback_used": False,
    "no_la_broad_fallback_used": False,
    "notes": [],
    "timings_ms": {"understand": 3.1, "embed": 9.8, "search": 12.4, "record": 1.9},
}
SEARCH = {
    "scope": SCOPE,
    "topics": ["exclusion"],
    "expansions": ["excluded", "exclusion"],
    "results": [HIT],
    "retrieval": RETRIEVAL,
}
EXPLANATION = {
    "scope": SCOPE,
    "topics": ["exclusion"],
    "expansions": ["excluded", "exclusion"],
    "steps": [
        {
            "stage_no": 5,
            "stage": "vector",
            "chunk_id": 12,
            "title": HIT["title"],
            "scope": "la",
            "rank": 1,
            "value": 0.62,
            "kept": True,
            "reason": "similarity 0.62 is rank 1 of 50",
            "detail": None,
        }
    ],
    "verdict": {
        "verdict": "in_answer",
        "reason": "it is in the answer, at place 1",
        "place": 1,
        "facts": {},
    },
    "notes": [],
}
CITATION = {
    "document_id": 4,
    "version": 1,
    "title": HIT["title"],
    "source": HIT["source"],
    "content": HIT["content"],
    "chunk_index": 2,
    "document_type": "guidance",
    "authority": "la",
    "scope": "la",
    "effective_date": "2025-09-01",
    "in_force_from": "2025-09-01",
    "in_force_to": None,
    "is_current": True,
    "superseded_by_document": None,
    "superseded_by_version": None,
}
DOCUMENT = {
    "version": 1,
    "title": HIT["title"],
    "source": HIT["source"],
    "file_type": "html",
    "document_type": "guidance",
    "authority": "la",
    "scope": "la",
    "la_code": "E08000025",
    "school_urn": None,
    "tags": ["exclusion"],
    "effective_date": "2025-09-01",
    "in_force_from": "2025-09-01",
    "published_at": "2025-09-02T08:00:00Z",
    "passage_count": 9,
    "passages": [
        {
            "chunk_id": 10,
            "chunk_index": 0,
            "content": "The Belonging and Inclusion Team advises families.",
            "page_from": None,
            "page_to": None,
            "heading_path": [],
        }
    ],
}
