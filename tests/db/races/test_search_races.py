"""Searches and publishers at the same time, each on a connection of its own."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.bm25 import invented_texts
from tests.bulk import add_passages, directions
from tests.corpus import add, axis, load_reference, search
from tests.db.search.counting import kept, recounted

PASSAGES = 6
REPLACEMENTS = 25
WHOLE = {"kb.max_chunks_per_document": "100", "kb.relevance_threshold": "-1"}


def tuned(url: str) -> psycopg.Connection[Any]:
    db = psycopg.connect(url, autocommit=True)
    for name, value in WHOLE.items():
        db.execute("select set_config(%s, %s, false)", [name, value])
    return db


def publish(db: psycopg.Connection[Any], version: int, source: str, title: str) -> None:
    vectors = directions(PASSAGES, seed=version) * 0.1 + axis(3)
    add_passages(
        db,
        [f"version{version}q place{n}q on transport" for n in range(PASSAGES)],
        vectors / (vectors**2).sum(axis=1, keepdims=True) ** 0.5,
        source=source,
        title=title,
    )


def by_source(version: int) -> tuple[str, str]:
    """Every version is the same document."""
    del version
    return "page", "Page"


def by_title(version: int) -> tuple[str, str]:
    """Every version is another file, which takes over by its title."""
    return f"school travel {version}.txt", f"School travel guide v{version}"


@pytest.mark.parametrize("naming", [by_source, by_title])
def test_a_reader_always_sees_exactly_one_complete_version(
    db: psycopg.Connection[Any], db_url: str, naming: Callable[[int], tuple[str, str]]
) -> None:
    # fault J-04
    load_reference(db)
    publish(db, 0, *naming(0))
    done = threading.Event()
    seen: list[list[str]] = []

    def read(question: dict[str, Any]) -> None:
        with tuned(db_url) as reader:
            while not done.is_set():
                rows = search(reader, **question, top_k=100)
                seen.append(sorted(f"{r['content']} {r['context']}" for r in rows))

    questions: list[dict[str, Any]] = [
        {"words": "transport", "vector": axis(3)},
        {"words": "transport"},
    ]
    with ThreadPoolExecutor(len(questions)) as pool:
        readers = [pool.submit(read, question) for question in questions]
        try:
            with psycopg.connect(db_url) as writer:
                for version in range(1, REPLACEMENTS):
                    publish(writer, version, *naming(version))
        finally:
            done.set()
        for reader in readers:
            reader.result()

    versions = set()
    for answer in seen:
        text = " ".join(answer)
        marks = set(re.findall(r"version\d+q", text))
        assert len(marks) == 1, "of one version only, contexts too"
        assert len(answer) == PASSAGES, "and all of it"
        assert set(re.findall(r"place\d+q", text)) == {f"place{n}q" for n in range(PASSAGES)}
        versions |= marks
    assert len(versions) > 3, "the reader did read while versions came and went"


def test_statistics_of_four_parallel_publishers_and_a_folder_equal_a_recount(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    texts = invented_texts(48, seed=9)
    done = threading.Event()

    def publisher(number: int) -> None:
        with psycopg.connect(db_url) as own:
            for n, words in enumerate(texts[number::4]):
                add(
                    own,
                    " ".join(words),
                    # some sources and titles are everybody's: they replace each other
                    source=f"shared {n}" if n % 3 == 0 else f"own {number} {n}",
                    title=f"Common subject {n}" if n % 4 == 0 else f"Title{number}q{n}q",
                    la_code="E10000016" if n % 2 else None,
                )

    def folder() -> int:
        folded = 0
        with psycopg.connect(db_url, autocommit=True) as own:
            while not done.is_set():
                row = own.execute("select search.fold_statistics()").fetchone()
                folded += row[0] if row else 0
        return folded

    with ThreadPoolExecutor(6) as pool:
        folders = [pool.submit(folder), pool.submit(folder)]
        publishers = [pool.submit(publisher, number) for number in range(4)]
        try:
            for each in publishers:
                each.result()
        finally:
            done.set()
        assert sum(each.result() for each in folders) > 0

    assert kept(db) == recounted(db)
    db.execute("select search.fold_statistics()")
    assert kept(db) == recounted(db)
    published = db.execute(
        "select count(*) from corpus.version where state = 'published' "
        "group by document_id having count(*) > 1"
    ).fetchall()
    assert published == []


def test_a_folder_that_is_not_alone_leaves_at_once(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    add(db, "Some text.", source="a")
    before = kept(db)
    with psycopg.connect(db_url) as first, psycopg.connect(db_url, autocommit=True) as second:
        folded = first.execute("select search.fold_statistics()").fetchone()
        second.execute("set lock_timeout = '2s'")
        assert second.execute("select search.fold_statistics()").fetchone() == (0,)
        assert kept(second) == before, "uncommitted folding changes nothing for others"
        first.rollback()
        assert kept(second) == before, "and one that is undone changes nothing at all"
        assert second.execute("select search.fold_statistics()").fetchone() == folded
    db.rollback()
    assert kept(db) == before


def test_a_publisher_and_a_folder_do_not_wait_for_each_other(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    with psycopg.connect(db_url) as writer, psycopg.connect(db_url) as folder:
        for each in (writer, folder):
            each.execute("set lock_timeout = '2s'")
            each.commit()
        writer.execute(
            "insert into search.lexeme_delta (lexeme, chunks) values ('womp', 1), ('dralk', 2)"
        )
        folder.execute("select search.fold_statistics()")
        writer.execute("insert into search.lexeme_delta (lexeme, chunks) values ('womp', 1)")
        folder.commit()
        writer.commit()
    assert kept(db)[0] == {"womp": 2, "dralk": 2}
