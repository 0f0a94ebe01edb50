"""What a load sends to the embedding provider, and what it does when that fails."""

import threading
from pathlib import Path

import psycopg

from ingest.items import Item
from ingest.load import load_paths
from providers.protocols import Embedder
from tests.ingest.library import (
    load,
    one,
    statuses,
    visible,
    words,
    write_texts,
)
from tests.ingest.parse.makers import pdf, write
from tests.providers.fake_openai import FakeServer, Faults


def test_the_active_sets_own_embedder_is_used_when_none_is_given(
    places: psycopg.Connection, url: str, folder: Path
) -> None:
    (result,) = load_paths(url, write_texts(folder, a="The bus is free for pupils."))
    assert (result.status, result.embedded) == ("stored", 1)
    assert len(visible(places)) == 1


def test_small_documents_share_a_call_to_the_provider(
    url: str, embedder: Embedder, provider: FakeServer, folder: Path
) -> None:
    items = write_texts(
        folder, **{f"d{number:02}": words(f"topic {number}") for number in range(30)}
    )
    results = load(url, items, embedder)
    chunks = sum(result.chunks for result in results)
    assert {result.status for result in results} == {"stored"}
    assert len(provider.texts) == chunks
    assert len(provider.calls) < 10


def test_no_blank_text_is_ever_sent(
    url: str, embedder: Embedder, provider: FakeServer, folder: Path
) -> None:
    """E-01"""
    path = write(folder, "blank-page.pdf", pdf([["First page."], [" "], ["Third page."]]))
    (result,) = load(url, [Item(path=path)], embedder)
    assert result.status == "stored"
    assert all(text.strip() for text in provider.texts)


def test_a_provider_that_fails_in_the_second_batch_leaves_nothing_half_visible(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    """E-04"""
    items = write_texts(folder, long=words("transport", 400))
    provider.faults = Faults(fail_calls=frozenset({3}), fail_status=503)
    (failed,) = load(url, items, embedder)
    assert failed.status == "failed"
    assert "embedding failed" in (failed.reason or "")
    assert failed.chunks > 128
    assert len(provider.texts) > 64
    assert visible(places) == []
    stored = one(places, "select count(*) from embedding.cold_vector")
    assert 0 < stored < failed.chunks

    provider.faults = Faults()
    sent = len(provider.texts)
    (result,) = load(url, items, embedder)
    assert (result.status, result.version) == ("stored", 1)
    assert len(provider.texts) - sent == failed.chunks - stored
    (row,) = visible(places)
    assert row["chunks"] == row["places"] == failed.chunks
    assert one(places, "select count(*) from queue.task") == 0


def test_one_document_the_provider_refuses_does_not_take_its_neighbours_along(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    provider.faults = Faults(bad_item="about pears")
    items = write_texts(folder, a=words("apples"), b=words("pears"), c=words("plums"))
    results = load(url, items, embedder)
    assert statuses(results) == {"a.txt": "stored", "b.txt": "failed", "c.txt": "stored"}
    assert [row["source"] for row in visible(places)] == ["a.txt", "c.txt"]


def test_a_provider_that_is_down_is_not_asked_for_every_file(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    provider.faults = Faults(fail_calls=frozenset(range(1, 1000)), fail_status=503)
    texts = {f"d{number}": words(f"topic {number}", 120) for number in range(6)}
    results = load(url, write_texts(folder, **texts), embedder)
    assert {result.status for result in results} == {"failed"}
    assert len(provider.calls) <= 4
    assert visible(places) == []
    assert one(places, "select count(*) from queue.task where not dead") == 6


def test_no_transaction_is_open_while_the_provider_is_asked(
    url: str, embedder: Embedder, provider: FakeServer, folder: Path, server_url: str
) -> None:
    """J-06"""
    provider.faults = Faults(delay=0.5)
    items = write_texts(
        folder, **{f"d{number}": words(f"topic {number}", 70) for number in range(6)}
    )
    seen: list[tuple[str, str]] = []
    ended = threading.Event()

    def watch() -> None:
        with psycopg.connect(server_url, autocommit=True) as watcher:
            while not ended.wait(0.05):
                seen.extend(
                    watcher.execute(
                        "select state, query from pg_stat_activity"
                        " where application_name = 'pgkb ingest'"
                        " and state like 'idle in transaction%%'"
                        " and state_change < clock_timestamp() - interval '100 ms'"
                    ).fetchall()
                )

    watcher = threading.Thread(target=watch)
    watcher.start()
    results = load(url, items, embedder)
    ended.set()
    watcher.join()
    assert {result.status for result in results} == {"stored"}
    assert seen == []
