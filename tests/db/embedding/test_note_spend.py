"""embedding.note_spend: tokens and their price are charged to the versions they were used for."""

from decimal import Decimal
from typing import Any

import psycopg

from tests.corpus import stage
from tests.db.corpus_fixtures import ask, ask_rows, refused

BODY = "The tribunal hears appeals about the plan. " * 60
PRICED = "openai-3-large"


def chunks_of(db: psycopg.Connection, source: str) -> list[int]:
    """The chunks of a staged document."""
    version = stage(db, f"{source}. {BODY}", source=source)["version_id"]
    rows = ask_rows(db, "select chunk_id from corpus.chunk where version_id = %s", version)
    return [row[0] for row in rows]


def note(db: psycopg.Connection, ids: list[int], tokens: list[int], set_name: str = PRICED) -> Any:
    """Call it; how many versions were charged."""
    return ask(
        db, "select embedding.note_spend(%s::bigint[], %s::bigint[], %s)", ids, tokens, set_name
    )


def spent(db: psycopg.Connection) -> list[Any]:
    """What each document cost."""
    return ask_rows(
        db,
        "select source, set_name, chunks, tokens, unpriced_tokens, cost_usd"
        " from embedding.document_spend order by source, set_name",
    )


def test_each_document_is_charged_what_its_chunks_used(reference: psycopg.Connection) -> None:
    a, b = chunks_of(reference, "a"), chunks_of(reference, "b")
    assert note(reference, [a[0], b[0], a[1]], [1000, 500, 2000]) == 2
    assert note(reference, [a[2]], [7000]) == 1
    assert spent(reference) == [
        ("a", PRICED, 3, 10_000, 0, Decimal("0.0013")),
        ("b", PRICED, 1, 500, 0, Decimal("0.000065")),
    ]


def test_a_new_price_does_not_change_what_was_paid(reference: psycopg.Connection) -> None:
    (chunk, *_) = chunks_of(reference, "a")
    note(reference, [chunk], [1_000_000])
    reference.execute("update embedding.set set usd_per_million_tokens = 99")
    note(reference, [chunk], [1_000_000])
    assert spent(reference)[0][5] == Decimal("99.13")


def test_tokens_without_a_price_are_told_apart_and_not_called_free(
    reference: psycopg.Connection,
) -> None:
    (chunk, *_) = chunks_of(reference, "a")
    reference.execute("update embedding.set set usd_per_million_tokens = null")
    note(reference, [chunk], [30])
    assert spent(reference) == [("a", PRICED, 1, 30, 30, Decimal(0))]


def test_sets_are_charged_apart(reference: psycopg.Connection) -> None:
    (chunk, *_) = chunks_of(reference, "a")
    note(reference, [chunk], [10])
    note(reference, [chunk], [20], "local-minilm")
    assert [(row[1], row[3], row[5]) for row in spent(reference)] == [
        ("local-minilm", 20, Decimal(0)),
        (PRICED, 10, Decimal("0.0000013")),
    ]


def test_chunks_that_are_gone_and_calls_that_cost_nothing_leave_no_row(
    reference: psycopg.Connection,
) -> None:
    (chunk, *_) = chunks_of(reference, "a")
    assert note(reference, [chunk, -1], [0, 50]) == 0
    assert note(reference, [], []) == 0
    assert spent(reference) == []


def test_lists_that_do_not_pair_and_unknown_sets_are_refused(
    reference: psycopg.Connection,
) -> None:
    (chunk, *_) = chunks_of(reference, "a")
    with refused(reference, "VE007"):
        note(reference, [chunk], [])
    with refused(reference, "VE005"):
        note(reference, [chunk], [1], "nobody")


def test_a_deleted_document_takes_its_count_along(reference: psycopg.Connection) -> None:
    (chunk, *_) = chunks_of(reference, "a")
    note(reference, [chunk], [10])
    reference.execute("delete from corpus.document where source = 'a'")
    assert spent(reference) == []
