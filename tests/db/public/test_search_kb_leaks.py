"""search_kb: thousands of random calls return nothing that the caller may not see.

The corpus has, in every scope, chunks in every state, several to a document so that contexts
reach for neighbours. Each chunk holds a mark of its own; many questions ask for the very mark or
the very vector of a chunk the caller may not see. What may be seen is worked out here again, from
the facts the corpus was made of, without any of the product's code.
"""

import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import psycopg
import pytest
from pytest_postgresql.executors import NoopExecutor

from tests.bulk import Vectors, add_passages, directions, text_of
from tests.corpus import load_reference
from tests.sandbox import held, shared_database
from tests.scoped_corpus import (
    BARNSLEY,
    BARNSLEY_OLD,
    BIRMINGHAM,
    CUMBERLAND,
    CUMBRIA,
    HOLLYBROOK,
    KENT,
    WEALD_VIEW,
)

# 5,000 for every run; PGKB_LEAK_CALLS=100000 for the long one
CALLS = int(os.environ.get("PGKB_LEAK_CALLS", "5000"))
BATCH = 100
WORKERS = 2
FIRST, SECOND = date(2019, 1, 1), date(2024, 1, 1)
FAMILY = {BARNSLEY_OLD: BARNSLEY}
TOOK_OVER = {CUMBRIA: {CUMBERLAND}}
SUBJECTS = ("transport", "exclusion", "assessment", "tribunal", "mediation")


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose a document is."""

    kind: str
    la: str | None = None
    urn: str | None = None
    readers: frozenset[str] = frozenset()

    def facts(self) -> dict[str, Any]:
        """As corpus.stage_document wants it told."""
        owner, *principals = sorted(self.readers) or ("",)
        return {
            "la_code": self.la,
            "school_urn": self.urn,
            "owner": owner,
            "principals": principals or None,
        }


SCOPES = (
    Scope("national"),
    Scope("la", BIRMINGHAM),
    Scope("la", KENT),
    Scope("la", BARNSLEY_OLD),
    Scope("la", CUMBRIA),
    Scope("school", urn=HOLLYBROOK),
    Scope("school", urn=WEALD_VIEW),
    Scope("private", readers=frozenset({"ann"})),
    Scope("private", readers=frozenset({"ann", "bob"})),
    Scope("private", la=KENT, readers=frozenset({"cid"})),
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk and everything that decides who sees it when."""

    mark: str
    scope: Scope
    status: str
    tags: tuple[str, ...]
    version: int
    versions: int
    vector: Vectors = field(compare=False)


@dataclass(frozen=True, slots=True)
class Ask:
    """One call."""

    la: str | None
    home_la: str | None
    urn: str | None
    principals: tuple[str, ...]
    tags: tuple[str, ...]
    statuses: tuple[str, ...] | None
    as_of: date | None
    words: str | None
    vector: Vectors | None


def may_see(ask: Ask, chunk: Chunk, *, everywhere: bool) -> bool:
    """The rules 1, 2 and 10, in Python."""
    places = {FAMILY.get(p, p) for p in (ask.la, ask.home_la) if p}
    scope = chunk.scope
    if scope.kind == "la":
        own = {FAMILY.get(scope.la or "", scope.la), *TOOK_OVER.get(scope.la or "", ())}
        in_scope = bool(own & places) or (everywhere and not places and not ask.urn)
    elif scope.kind == "school":
        in_scope = scope.urn == ask.urn
    elif scope.kind == "private":
        in_scope = bool(scope.readers & set(ask.principals))
    else:
        in_scope = True
    # a version that was superseded keeps only that it was neither rejected nor flagged
    shown: tuple[str, ...] = ("approved", "pending")
    if chunk.version == chunk.versions and ask.statuses:
        shown = ask.statuses
    if chunk.status not in shown:
        return False
    if ask.as_of is None:
        in_force = chunk.version == chunk.versions
    elif chunk.version < chunk.versions:
        in_force = FIRST <= ask.as_of < SECOND
    else:
        in_force = ask.as_of >= (FIRST if chunk.versions == 1 else SECOND)
    return in_scope and in_force


# the state a curator gives a chunk; None leaves it pending
_STATES = (None, "approved", "rejected", "flagged")


def documents() -> Iterator[tuple[str, Scope, int, list[Chunk]]]:
    """Source, scope, version number and chunks of all there is, in the order to publish it."""
    draw = random.Random(5)  # noqa: S311 - a corpus, not a secret
    vectors = iter(directions(400, seed=12))
    for n, scope in enumerate(SCOPES):
        for m, versions in enumerate((1, 1, 2)):
            source = f"source{n}x{m}"
            for version in range(1, versions + 1):
                tags = draw.choice(((), ("transport",), ("exclusion", "ehcp")))
                chunks = [
                    Chunk(
                        mark=f"mark{n}x{m}x{version}x{i}q",
                        scope=scope,
                        status=draw.choice(_STATES) or "pending",
                        tags=tags,
                        version=version,
                        versions=versions,
                        vector=next(vectors),
                    )
                    for i in range(4)
                ]
                yield source, scope, version, chunks


def fill(db: psycopg.Connection[Any]) -> None:
    """Publish the documents; curators decide before a version is superseded."""
    load_reference(db)
    draw = random.Random(6)  # noqa: S311 - a corpus, not a secret
    for source, scope, version, chunks in documents():
        added = add_passages(
            db,
            [f"{chunk.mark} speaks of {draw.choice(SUBJECTS)}" for chunk in chunks],
            [chunk.vector for chunk in chunks],  # type: ignore[arg-type]
            source=source,
            tags=chunks[0].tags,
            effective_date=FIRST if version == 1 else SECOND,
            **scope.facts(),
        )
        for chunk_id, chunk in zip(added.chunk_ids, chunks, strict=True):
            if chunk.status != "pending":
                db.execute(
                    "select corpus.set_status(array[%s::bigint], %s)", [chunk_id, chunk.status]
                )
    db.commit()


def asks(count: int, chunks: list[Chunk]) -> Iterator[Ask]:
    """Random callers with random questions, half of them after something out of their reach."""
    draw = random.Random(20)  # noqa: S311 - questions, not secrets
    places = (None, None, BIRMINGHAM, KENT, BARNSLEY, BARNSLEY_OLD, CUMBERLAND)
    for _ in range(count):
        wanted = draw.choice(chunks)
        words = [*draw.sample(SUBJECTS, draw.randint(0, 2)), *[wanted.mark] * draw.randint(0, 1)]
        yield Ask(
            la=draw.choice(places),
            home_la=draw.choice(places),
            urn=draw.choice((None, None, HOLLYBROOK, WEALD_VIEW)),
            principals=tuple(draw.sample(("ann", "bob", "cid", "eve"), draw.randint(0, 2))),
            tags=draw.choice(((), (), ("transport",), ("ehcp",), ("unheard-of",))),
            statuses=draw.choice((None, None, None, ("approved",), ("pending",))),
            as_of=draw.choice((*[None] * 9, date(2018, 1, 1), date(2022, 1, 1), date(2030, 1, 1))),
            words=" ".join(words) or None,
            vector=draw.choice((None, wanted.vector, wanted.vector, draw.choice(chunks).vector)),
        )


@pytest.fixture(scope="module")
def leaky_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    with shared_database(server_url, template, fill) as url:
        yield url


def answers(db: psycopg.Connection[Any], batch: list[Ask]) -> list[tuple[int, str, str, bool]]:
    """For each row of the answers: number of the call, source of the words, context, flag."""
    return db.execute(
        "select a.n, r.content, r.context, r.no_la_broad_fallback_used "
        "from unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], "
        "%s::date[], %s::text[], %s::text[]) with ordinality "
        "as a (la, home_la, urn, principals, tags, statuses, as_of, words, vector, n) "
        "cross join lateral search_kb(query_vec => a.vector::vector, "
        "tsquery => terms.build_tsquery(a.words), la => a.la, home_la => a.home_la, "
        "urn => a.urn, principals => a.principals::text[], tags => a.tags::text[], "
        "statuses => a.statuses::text[], as_of => a.as_of, top_k => 100) as r",
        [
            [a.la for a in batch],
            [a.home_la for a in batch],
            [a.urn for a in batch],
            ["{" + ",".join(a.principals) + "}" for a in batch],
            ["{" + ",".join(a.tags) + "}" for a in batch],
            [a.statuses and "{" + ",".join(a.statuses) + "}" for a in batch],
            [a.as_of for a in batch],
            [a.words for a in batch],
            [None if a.vector is None else text_of(a.vector) for a in batch],
        ],
    ).fetchall()


def settings_of(batch: int) -> dict[str, str]:
    """Settings for a batch of calls: both ways to the vectors, every mode, floors mostly off."""
    choices = {
        "kb.exact_limit": ("0", "20000"),
        "kb.keyword_mode": ("corpus", "corpus", "vector_first"),
        "kb.relevance_threshold": ("-1", "-1", "0.2"),
        "kb.retrieval_floor": ("-1", "0.1"),
        "kb.keyword_coverage": ("0", "0.5"),
        "kb.max_chunks_per_document": ("100", "1"),
    }
    return {name: values[batch % len(values)] for name, values in choices.items()}


def shown_marks(url: str, asked: list[tuple[int, list[Ask]]]) -> Iterator[tuple[Ask, bool, str]]:
    """Every mark in every answer, with the call and whether all areas were searched."""
    with held(url) as db:
        for number, batch in asked:
            for name, value in settings_of(number).items():
                db.execute("select set_config(%s, %s, true)", [name, value])
            for n, content, context, everywhere in answers(db, batch):
                for word in f"{content} {context}".split():
                    if word.startswith("mark"):
                        yield batch[n - 1], everywhere, word


def test_no_random_call_returns_what_its_caller_may_not_see(leaky_url: str) -> None:
    chunks = [chunk for *_, part in documents() for chunk in part]
    by_mark = {chunk.mark: chunk for chunk in chunks}
    every = list(asks(CALLS, chunks))
    batches = [(n, every[n * BATCH : (n + 1) * BATCH]) for n in range(CALLS // BATCH)]
    with ThreadPoolExecutor(WORKERS) as pool:
        parts = pool.map(
            lambda first: list(shown_marks(leaky_url, batches[first::WORKERS])), range(WORKERS)
        )
        shown = [each for part in parts for each in part]
    for ask, everywhere, mark in shown:
        assert may_see(ask, by_mark[mark], everywhere=everywhere), (ask, by_mark[mark])
    # the test means something: much was returned, and all that anybody may see was
    assert len(shown) > 5 * CALLS
    assert {mark for *_, mark in shown} == {
        c.mark for c in chunks if c.status in ("approved", "pending")
    }
