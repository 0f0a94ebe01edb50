"""A small corpus for tests, through the real path: staged, embedded, published.

Vectors are made here so that a test decides what is similar to what: `axis(3)` is the unit vector
along dimension 3, `near(3, 0.9)` has cosine 0.9 with it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, LiteralString

import psycopg
from psycopg.types.json import Jsonb

WIDTH = 384
Vector = list[float]

AUTHORITIES = [
    {"gss": "E08000025", "dfe_code": "330", "name": "Birmingham"},
    {"gss": "E10000016", "dfe_code": "886", "name": "Kent"},
    {"gss": "E08000038", "dfe_code": "370", "name": "Barnsley"},
    {
        "gss": "E08000016",
        "dfe_code": "370",
        "name": "Barnsley (old)",
        "status": "ended",
        "successors": ["E08000038"],
    },
    {"gss": "E06000063", "dfe_code": "942", "name": "Cumberland"},
    {"gss": "E06000064", "dfe_code": "943", "name": "Westmorland and Furness"},
    {
        "gss": "E10000006",
        "dfe_code": "909",
        "name": "Cumbria",
        "status": "ended",
        "successors": ["E06000063", "E06000064"],
    },
]
SCHOOLS = [
    {"urn": "990001", "name": "Hollybrook Primary School", "la_code": "E08000025"},
    {"urn": "990003", "name": "Weald View Primary School", "la_code": "E10000016"},
]
TOPICS = [
    {"slug": "exclusion", "name": "Exclusion", "pattern": r"exclu(ded|sion)|suspen|kicked out"},
    {"slug": "transport", "name": "Transport", "pattern": r"transport|\ytaxi\y"},
    {"slug": "ehcp", "name": "EHC plans", "pattern": r"\yehcps?\y|\yehc plan"},
]
SYNONYMS = [
    {
        "pattern": r"\ykicked out\y",
        "phrases": "kicked out",
        "expansions": ["exclusion", "permanent exclusion"],
    },
    {
        "pattern": r"\ystatement\y",
        "unless": r"\y(bank|policy|witness) statement",
        "phrases": "statement",
        "expansions": ["EHCP"],
    },
    {
        "pattern": r"won't assess",
        "phrases": "won't assess",
        "expansions": ["refusal to assess", "section 36"],
    },
]
RANKS = [
    {"authority": "statutory", "weight": 1.1},
    {"authority": "la", "weight": 1.05},
    {"authority": "charity", "weight": 1.0},
    {"authority": "school", "weight": 0.97},
    {"authority": "user_upload", "weight": 0.9},
]
DOMAINS = [{"domain": "www.gov.uk", "authority": "statutory"}]


def axis(dimension: int, width: int = WIDTH) -> Vector:
    """Unit vector along one dimension."""
    return [1.0 if i == dimension else 0.0 for i in range(width)]


def near(dimension: int, cosine: float, *, towards: int = 0, width: int = WIDTH) -> Vector:
    """Unit vector with this cosine to `axis(dimension)`, the rest along `towards`."""
    vector = [0.0] * width
    vector[dimension] = cosine
    vector[towards] += math.sqrt(max(0.0, 1 - cosine * cosine))
    return vector


def literal(vector: Sequence[float]) -> str:
    """The text form pgvector reads."""
    return "[" + ",".join(repr(x) for x in vector) + "]"


@dataclass(frozen=True, slots=True)
class Added:
    """What adding a document came to."""

    outcome: str
    document_id: int
    version_id: int
    chunk_ids: list[int]


def load_reference(db: psycopg.Connection[Any]) -> None:
    """Authorities, schools, topics, synonyms, ranks and domains the tests speak of."""
    for call, rows in (
        ("place.load_authorities(%s)", AUTHORITIES),
        ("place.load_schools(%s)", SCHOOLS),
        ("terms.load_topics('send', %s)", TOPICS),
        ("terms.load_synonyms('send', %s)", SYNONYMS),
        ("corpus.load_ranks('send', %s)", RANKS),
        ("corpus.load_domains('send', %s)", DOMAINS),
    ):
        statement: LiteralString = "select " + call
        db.execute(statement, [Jsonb(rows)])
    db.execute(
        "select place.load_districts(%s)",
        [Jsonb([{"lad_gss": "E07000106", "name": "Canterbury", "authority_gss": "E10000016"}])],
    )
    # numbers that tests reckon with stay when an evaluation moves the defaults
    db.execute(
        "update embedding.set set vector_weight = 0.7, keyword_weight = 0.3, "
        "relevance_floor = 0.30 where name = 'local-minilm'"
    )
    db.commit()


def stage(
    db: psycopg.Connection[Any],
    body: str,
    *,
    source: str,
    title: str | None = None,
    file_type: str = "txt",
    la_code: str | None = None,
    school_urn: str | None = None,
    owner: str | None = None,
    principals: list[str] | None = None,
    tags: Sequence[str] = (),
    authority: str | None = None,
    effective_date: date | None = None,
    lease_holder: str | None = "test",
) -> dict[str, Any]:
    """corpus.stage_document; the row as a dictionary."""
    cursor = db.execute(
        "select to_jsonb(s) from corpus.stage_document("
        "source => %(source)s, title => %(title)s, body => %(body)s, file_type => %(file_type)s, "
        "la_code => %(la_code)s, school_urn => %(school_urn)s, owner => %(owner)s, "
        "principals => %(principals)s, tags => %(tags)s, authority => %(authority)s, "
        "effective_date => %(effective_date)s, lease_holder => %(lease_holder)s) as s",
        {
            "source": source,
            "title": title or source,
            "body": body,
            "file_type": file_type,
            "la_code": la_code,
            "school_urn": school_urn,
            "owner": owner,
            "principals": principals,
            "tags": list(tags),
            "authority": authority,
            "effective_date": effective_date,
            "lease_holder": lease_holder,
        },
    )
    row = cursor.fetchone()
    assert row is not None
    staged: dict[str, Any] = row[0]
    return staged


def add(
    db: psycopg.Connection[Any],
    body: str,
    *,
    source: str,
    vector: Vector | None = None,
    **facts: Any,
) -> Added:
    """Stage, embed with `vector` for every chunk (default: one axis all share) and publish."""
    staged = stage(db, body, source=source, **facts)
    if staged["outcome"] == "staged":
        rows = db.execute(
            "select chunk_id from embedding.chunks_to_embed(%s, 100000)", [staged["version_id"]]
        ).fetchall()
        ids = [row[0] for row in rows]
        if ids:
            text = literal(vector or axis(1))
            db.execute("select embedding.store_vectors(%s, %s)", [ids, [text] * len(ids)])
        db.execute("select corpus.publish_version(%s)", [staged["version_id"]])
        db.execute("select queue.finish_task(%s, %s)", [staged["task_id"], staged["lease_token"]])
    db.commit()
    chunks = db.execute(
        "select chunk_id from corpus.chunk where version_id = %s order by chunk_index",
        [staged["version_id"]],
    ).fetchall()
    return Added(
        staged["outcome"], staged["document_id"], staged["version_id"], [c[0] for c in chunks]
    )


def search(
    db: psycopg.Connection[Any],
    *,
    words: str | None = None,
    vector: Vector | None = None,
    expand: bool = False,
    **arguments: Any,
) -> list[dict[str, Any]]:
    """search_kb with the words of a question and a vector; rows as dictionaries, best first."""
    named = "".join(f", {name} => %({name})s" for name in arguments)
    statement: LiteralString = (
        "select to_jsonb(r) from search_kb(query_vec => %(vector)s::vector, tsquery => "
        "terms.build_tsquery(%(words)s, "
        "case when %(expand)s then terms.expand_query(%(words)s) end)" + named + ") as r"
    )
    return [
        row[0]
        for row in db.execute(
            statement,
            {
                "words": words,
                "vector": literal(vector) if vector is not None else None,
                "expand": expand,
                **arguments,
            },
        ).fetchall()
    ]
