"""What was billed is told per document, and what was paid for is not paid for twice."""

from pathlib import Path

import psycopg

from providers.protocols import Embedder
from tests.ingest.library import load, one, words, write_texts
from tests.providers.fake_openai import FakeServer, Faults, tokens_in


def billed(provider: FakeServer) -> int:
    """What the provider counted for all that it was sent."""
    return sum(map(tokens_in, provider.texts))


def test_the_tokens_of_each_document_are_those_the_provider_billed(
    places: psycopg.Connection, url: str, embedder: Embedder, provider: FakeServer, folder: Path
) -> None:
    load(url, write_texts(folder, long=words("taxis", 40), short=words("fees", 1)), embedder)
    rows = places.execute(
        "select source, tokens, chunks from embedding.document_spend order by source"
    ).fetchall()
    assert [row[0] for row in rows] == ["long.txt", "short.txt"]
    assert sum(row[1] for row in rows) == billed(provider)
    assert sum(row[2] for row in rows) == len(provider.texts)
    assert rows[0][1] > 10 * rows[1][1] > 0
    load(url, write_texts(folder, long=words("taxis", 40)), embedder)
    assert one(places, "select sum(tokens) from embedding.spend") == billed(provider)


def test_texts_answered_before_a_failure_are_neither_lost_nor_sent_again(
    places: psycopg.Connection, url: str, embedder: Embedder, provider: FakeServer, folder: Path
) -> None:
    """E-04"""
    items = write_texts(folder, long=words("transport", 400))
    # a call for 64 chunks makes two requests of 32: the second one of the second call fails
    provider.faults = Faults(fail_calls=frozenset({4}), fail_status=503)
    (failed,) = load(url, items, embedder)
    assert failed.status == "failed"
    assert one(places, "select count(*) from embedding.cold_vector") == 96
    answered = billed(provider) - sum(map(tokens_in, provider.calls[3].texts))
    assert one(places, "select tokens from embedding.document_spend") == answered

    provider.faults = Faults()
    sent = len(provider.texts)
    (result,) = load(url, items, embedder)
    assert result.status == "stored"
    assert len(provider.texts) - sent == failed.chunks - 96
