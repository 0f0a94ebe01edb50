"""embedding.store_vectors: only true vectors of the right width, all or none."""

import math

import psycopg
import pytest

from tests.corpus import add, axis, literal, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused

BODY = "The tribunal hears appeals about the plan. " * 60


def _store(
    db: psycopg.Connection, ids: list[int], vectors: list[str], set_name: str | None = None
) -> int:
    count: int = ask(
        db, "select embedding.store_vectors(%s::bigint[], %s::text[], %s)", ids, vectors, set_name
    )
    return count


def _staged_chunks(db: psycopg.Connection) -> list[int]:
    staged = stage(db, BODY, source="a.txt")
    return [
        row[0]
        for row in ask_rows(
            db,
            "select chunk_id from corpus.chunk where version_id = %s order by 1",
            staged["version_id"],
        )
    ]


def _stored(db: psycopg.Connection) -> int:
    count: int = ask(
        db,
        "select (select count(*) from embedding.cold_vector)"
        " + (select count(*) from embedding.vector)",
    )
    return count


def test_a_vector_is_kept_at_unit_length(reference: psycopg.Connection) -> None:
    (chunk, *_) = _staged_chunks(reference)
    assert _store(reference, [chunk], [literal([3.0, 4.0] + [0.0] * 382)]) == 1
    norm = ask(reference, "select public.l2_norm(embedding) from embedding.cold_vector")
    assert math.isclose(norm, 1, abs_tol=1e-3)


@pytest.mark.parametrize("scale", [1e-38, 1e30, 1e38])
def test_a_tiny_or_a_huge_vector_keeps_its_direction(
    reference: psycopg.Connection, scale: float
) -> None:
    (chunk, *_) = _staged_chunks(reference)
    _store(reference, [chunk], [literal([x * scale for x in axis(7)])])
    assert (
        ask(
            reference,
            "select embedding operator(public.<=>) %s::public.halfvec from embedding.cold_vector",
            literal(axis(7)),
        )
        < 0.01
    )


def test_storing_again_adds_nothing_and_keeps_the_first(reference: psycopg.Connection) -> None:
    chunks = _staged_chunks(reference)
    assert _store(reference, chunks, [literal(axis(1))] * len(chunks)) == len(chunks) == 3
    assert _store(reference, chunks, [literal(axis(2))] * len(chunks)) == 0
    assert _stored(reference) == 3


def test_both_widths_are_stored_side_by_side(reference: psycopg.Connection) -> None:
    chunks = _staged_chunks(reference)
    assert _store(reference, chunks, [literal(axis(1))] * 3) == 3
    assert _store(reference, chunks, [literal(axis(1, 1536))] * 3, "openai-3-large") == 3
    assert ask_rows(
        reference,
        "select set_id, public.vector_dims(embedding), count(*)::int from embedding.cold_vector "
        "group by 1, 2 order by 1",
    ) == [(1, 384, 3), (2, 1536, 3)]


def test_a_vector_goes_where_its_chunk_is(reference: psycopg.Connection) -> None:
    """Published ones are searched at once; staged and superseded ones wait unindexed."""
    old = add(reference, "The old text.", source="a.txt")
    live = add(reference, "The live text.", source="a.txt")
    staged = stage(reference, "The next text.", source="a.txt")
    (coming,) = ask_rows(
        reference, "select chunk_id from corpus.chunk where version_id = %s", staged["version_id"]
    )[0]
    ids = [old.chunk_ids[0], live.chunk_ids[0], coming]
    assert _store(reference, ids, [literal(axis(1, 1536))] * 3, "openai-3-large") == 3
    assert ask_rows(reference, "select chunk_id from embedding.vector where set_id = 2") == [
        (live.chunk_ids[0],)
    ]
    assert ask_rows(
        reference, "select chunk_id from embedding.cold_vector where set_id = 2 order by 1"
    ) == [(old.chunk_ids[0],), (coming,)]


@pytest.mark.parametrize(
    ("vector", "code", "told"),
    [
        (literal([0.0] * 384), "VE001", "all zero"),
        (literal([-0.0] * 384), "VE001", "all zero"),
        (literal([1.0] * 383), "VE002", "383"),
        (literal([1.0] * 1536), "VE002", "1536"),
        ("[1]", "VE002", "1 dimensions"),
        (literal([math.nan] + [1.0] * 383), "VE003", "NaN"),
        (literal([math.inf] + [1.0] * 383), "VE003", "infinit"),
        (literal([-math.inf] + [1.0] * 383), "VE003", "infinit"),
        ("[1e39" + ",1" * 383 + "]", "VE003", "out of range"),
        ("[]", "VE003", "vector"),
        ("", "VE003", "vector"),
        ("nonsense", "VE003", "vector"),
        ("[1,2", "VE003", "vector"),
        ("{1,2}", "VE003", "vector"),
        ("[" + ",".join("1" * 20_000) + "]", "VE003", "vector"),
        (None, "VE003", "missing"),
    ],
)
def test_what_is_no_vector_of_the_set_is_refused_and_nothing_is_stored(
    reference: psycopg.Connection, vector: str, code: str, told: str
) -> None:
    """R-16, R-18: the refusal names the model and its width."""
    chunks = _staged_chunks(reference)
    with refused(reference, code, "all-MiniLM-L6-v2-int8", told):
        _store(reference, chunks, [literal(axis(1)), literal(axis(1)), vector])
    assert _stored(reference) == 0


def test_a_wrong_width_names_the_model_and_both_widths(reference: psycopg.Connection) -> None:
    chunks = _staged_chunks(reference)
    with refused(reference, "VE002", "384 dimensions", "text-embedding-3-large", "has 1536"):
        _store(reference, chunks[:1], [literal(axis(1))], "openai-3-large")


@pytest.mark.parametrize("count", [0, 1, 4])
def test_lists_of_different_length_are_refused(reference: psycopg.Connection, count: int) -> None:
    chunks = _staged_chunks(reference)
    with refused(reference, "VE007", "one vector for each chunk"):
        _store(reference, chunks, [literal(axis(1))] * count)


def test_a_chunk_twice_or_without_a_name_is_refused(reference: psycopg.Connection) -> None:
    chunks = _staged_chunks(reference)
    for ids in ([chunks[0], chunks[0]], [chunks[0], None]):
        with refused(reference, "VE007"):
            _store(reference, ids, [literal(axis(1))] * 2)  # type: ignore[arg-type]


def test_an_unknown_set_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "VE005", "word2vec"):
        _store(reference, [], [], "word2vec")


def test_chunks_that_are_gone_are_passed_over(reference: psycopg.Connection) -> None:
    chunks = _staged_chunks(reference)
    assert _store(reference, [chunks[0], 4711], [literal(axis(1))] * 2) == 1


def test_nothing_stores_nothing(reference: psycopg.Connection) -> None:
    assert _store(reference, [], []) == 0


def _numbers(count: int, width: int = 384) -> list[float]:
    """So many vectors, the n-th along the n-th axis, one behind the other."""
    return [number for n in range(count) for number in axis(n, width)]


def test_numbers_are_stored_as_the_vectors_they_are_a_row_of(
    reference: psycopg.Connection,
) -> None:
    chunks = _staged_chunks(reference)
    assert ask(
        reference, "select embedding.store_numbers(%s, %s::real[])", chunks, _numbers(3)
    ) == len(chunks)
    for n, chunk in enumerate(chunks):
        assert ask(
            reference,
            "select embedding = %s::public.halfvec from embedding.cold_vector where chunk_id = %s",
            literal(axis(n)),
            chunk,
        )


@pytest.mark.parametrize(
    ("numbers", "code", "told"),
    [
        (_numbers(3)[:-1], "VE007", "pair up"),
        (_numbers(3, 1536), "VE002", "1536 dimensions"),
        ([], "VE003", "vector"),
        (None, "VE007", "pair up"),
        ([0.0] * 384 + _numbers(2), "VE001", "all zero"),
        ([math.nan, *_numbers(3)[1:]], "VE003", "NaN"),
        ([*_numbers(3)[:-1], math.inf], "VE003", "infinit"),
        ([None, *_numbers(3)[1:]], "VE003", "null"),
    ],
)
def test_numbers_that_are_no_vectors_of_the_set_are_refused(
    reference: psycopg.Connection, numbers: list[float] | None, code: str, told: str
) -> None:
    chunks = _staged_chunks(reference)
    with refused(reference, code, told):
        ask(reference, "select embedding.store_numbers(%s, %s::real[])", chunks, numbers)
    assert _stored(reference) == 0


def test_no_numbers_for_no_chunks_store_nothing(reference: psycopg.Connection) -> None:
    assert ask(reference, "select embedding.store_numbers('{}', '{}')") == 0
