"""Loads that run beside others, batches beside each other, and runs that end early."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg

from ingest.items import Item
from ingest.load import load_paths
from ingest.settings import Settings
from providers.protocols import Embedder
from tests.corpus import stage
from tests.ingest.library import (
    load,
    one,
    visible,
    words,
    write_texts,
)
from tests.ingest.parse.makers import write


def test_a_file_that_somebody_else_is_adding_is_in_progress_and_names_the_job(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    (item,) = write_texts(folder, fees=words("fees"))
    places.rollback()
    held = stage(places, item.path.read_text(), source="fees.txt", lease_holder="another")
    places.commit()
    (result,) = load_paths(url, [item], embedder=embedder, settings=Settings(settle_seconds=0))
    assert (result.status, result.task_id) == ("in_progress", held["task_id"])
    assert result.document_id == held["document_id"]
    assert f"jobs show {held['task_id']}" in (result.reason or "")


def test_what_another_leaves_lying_is_taken_over_at_the_end_of_the_run(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    (item,) = write_texts(folder, fees=words("fees"))
    with psycopg.connect(url) as other:
        stage(other, item.path.read_text(), source="fees.txt", lease_holder="another")
        other.commit()
        with ThreadPoolExecutor(1) as pool:
            run = pool.submit(load, url, [item], embedder)
            time.sleep(0.5)
            assert visible(places) == []
            other.close()
            (result,) = run.result(20)
    assert result.status == "stored"
    assert len(visible(places)) == 1


def test_twenty_loads_of_the_same_bytes_at_once_give_one_document(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    """J-01"""
    items = write_texts(folder, **{f"copy{number:02}": words("fees") for number in range(20)})
    outcomes: list[str] = []
    start = threading.Barrier(20)

    def upload(item: Item) -> None:
        start.wait()
        outcomes.extend(result.status for result in load(url, [item], embedder))

    threads = [threading.Thread(target=upload, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["duplicate"] * 19 + ["stored"]
    assert one(places, "select count(*) from corpus.document") == 1
    (row,) = visible(places)
    assert row["chunks"] == row["places"]


def test_a_consumer_that_stops_early_gives_the_work_back(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    items = write_texts(folder, bad="", a=words("apples"), b=words("pears"))
    results = load_paths(url, [items[1], items[0], items[2]], embedder=embedder)
    assert next(results).status == "refused"
    results.close()
    assert one(places, "select count(*) from queue.task where claimed_by is null") == 1
    assert visible(places) == []


def test_an_early_stop_does_not_wait_for_a_file_that_is_being_parsed(
    url: str, embedder: Embedder, folder: Path
) -> None:
    slow = write(folder, "slow.html", "<html><body>" + "<div>" * 200_000 + "deep")
    items = [*write_texts(folder, bad=""), Item(path=slow)]
    results = load_paths(url, items, embedder=embedder)
    assert next(results).status == "refused"
    started = time.monotonic()
    results.close()
    assert time.monotonic() - started < 5


def test_of_one_title_the_last_file_stays_although_batches_are_published_side_by_side(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    """Between documents of one title and day the order of the files decides."""
    items = [
        replace(item, title="Panel policy")
        for item in write_texts(folder, **{f"n{at:02}": words(f"case {at}", 1) for at in range(24)})
    ]
    results = list(load_paths(url, items, embedder=embedder, settings=Settings(embed_batch=2)))
    assert {result.status for result in results} == {"stored"}
    assert [row["source"] for row in visible(places)] == ["n23.txt"]
    # each was replaced by the next one, none by an earlier one
    assert (
        one(
            places,
            "select count(*) from corpus.version as v"
            " where v.superseded_by is not null and v.superseded_by < v.version_id",
        )
        == 0
    )


class _Meeting:
    """An embedder whose first call waits until there is a second one beside it."""

    name = "meeting"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._both = threading.Barrier(2)
        self._calls = 0
        self.model, self.width = embedder.model, embedder.width

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self._calls += 1
        if self._calls <= 2:
            self._both.wait(20)
        return self._embedder.embed(texts)

    async def aembed(self, texts: Sequence[str]) -> list[list[float]]:
        return self.embed(texts)

    def close(self) -> None: ...

    async def aclose(self) -> None: ...


def test_two_batches_are_embedded_and_published_side_by_side(
    url: str, embedder: Embedder, folder: Path
) -> None:
    items = write_texts(folder, **{f"n{at}": words(f"case {at}", 1) for at in range(6)})
    meeting = _Meeting(embedder)
    results = list(load_paths(url, items, embedder=meeting, settings=Settings(embed_batch=2)))
    assert {result.status for result in results} == {"stored"}
