"""A file that is loaded again, changed, copied or renamed: which document it is."""

from dataclasses import replace
from pathlib import Path

import psycopg

from providers.protocols import Embedder
from tests.ingest.library import (
    BIRMINGHAM,
    KENT,
    load,
    one,
    statuses,
    visible,
    words,
    write_texts,
)
from tests.providers.fake_openai import FakeServer


def test_an_unchanged_file_is_neither_stored_nor_embedded_again(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    items = write_texts(folder, fees=words("fees"), bus=words("buses"))
    load(url, items, embedder)
    asked = len(provider.calls)
    before = visible(places)
    results = load(url, items, embedder)
    assert statuses(results) == {"fees.txt": "unchanged", "bus.txt": "unchanged"}
    assert len(provider.calls) == asked
    assert visible(places) == before


def test_corrected_facts_of_an_unchanged_file_are_applied_and_nothing_is_embedded(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    (item,) = write_texts(folder, fees=words("fees"))
    load(url, [item], embedder)
    asked = len(provider.calls)
    better = replace(item, title="What it costs", tags=("transport",), authority="la")
    (result,) = load(url, [better], embedder)
    assert (result.status, result.source) == ("updated", "fees.txt")
    assert len(provider.calls) == asked
    assert one(places, "select (title, tags, authority)::text from corpus.version") == (
        '("What it costs",{transport},la)'
    )
    # and what is left out later takes nothing away
    assert load(url, [item], embedder)[0].status == "unchanged"
    assert one(places, "select title from corpus.version") == "What it costs"


def test_a_changed_file_replaces_its_old_version_and_embeds_only_what_changed(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    text = words("transport", 450)
    (first,) = load(url, write_texts(folder, transport=text), embedder)
    assert first.chunks >= 200
    asked = len(provider.texts)
    changed = text.replace("Paragraph 60 about transport", "Paragraph 60 about travel")
    (second,) = load(url, write_texts(folder, transport=changed), embedder)
    assert (second.status, second.version) == ("stored", 2)
    assert second.document_id == first.document_id
    assert 0 < len(provider.texts) - asked <= 3
    (same,) = load(url, write_texts(folder, transport=changed), embedder)
    assert (same.status, len(provider.texts) - asked) == ("unchanged", second.embedded)
    assert second.embedded == len(provider.texts) - asked
    (row,) = visible(places)
    assert row["chunks"] == row["places"] == second.chunks
    assert (
        one(places, "select count(*) from knowledge_base where content like '%%about travel%%'") > 0
    )


def test_equal_names_of_two_folders_stay_two_documents_and_each_gets_its_own_versions(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    items = []
    for place in ("kent", "leeds", "north/leeds"):
        (folder / place).mkdir(parents=True)
        items += write_texts(folder / place, notes=words(f"notes of {place}"))
    names = ["notes.txt", "leeds/notes.txt", "north/leeds/notes.txt"]
    # one run each, as people do it
    assert [load(url, [item], embedder)[0].source for item in items] == names
    assert [row["source"] for row in visible(places)] == sorted(names)
    write_texts(folder / "leeds", notes=words("news of leeds"))
    (again,) = load(url, [items[1]], embedder)
    assert (again.status, again.source, again.version) == ("stored", "leeds/notes.txt", 2)
    assert [load(url, [item], embedder)[0].status for item in items] == ["unchanged"] * 3


def test_a_stated_source_is_the_identity_wherever_the_file_lies(
    url: str, embedder: Embedder, folder: Path
) -> None:
    for number, place in enumerate(("kent", "leeds"), start=1):
        (folder / place).mkdir()
        (item,) = write_texts(folder / place, notes=words(f"notes of {place}"))
        (result,) = load(url, [replace(item, source="notes")], embedder)
        assert (result.source, result.version) == ("notes", number)


def test_a_copy_of_a_file_of_the_same_run_is_its_duplicate(
    url: str, embedder: Embedder, folder: Path
) -> None:
    items = write_texts(folder, a=words("fees"), b=words("fees"))
    first, copy = sorted(load(url, items, embedder), key=lambda result: result.source)
    assert (first.status, copy.status) == ("stored", "duplicate")
    assert (copy.existing, copy.document_id) == ("a.txt", first.document_id)


def test_a_copy_under_another_name_is_a_duplicate_that_names_the_first(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    """J-09"""
    (first,) = load(url, write_texts(folder, fees=words("fees")), embedder)
    (copy,) = load(url, write_texts(folder, copy=words("fees")), embedder)
    assert copy.status == "duplicate"
    assert copy.existing == "fees.txt"
    assert copy.document_id == first.document_id
    assert "fees.txt" in (copy.reason or "")
    assert [row["source"] for row in visible(places)] == ["fees.txt"]


def test_the_same_text_in_another_area_is_no_duplicate(
    url: str, embedder: Embedder, folder: Path
) -> None:
    (item,) = write_texts(folder, fees=words("fees"))
    both = [replace(item, la_code=BIRMINGHAM), replace(item, la_code=KENT)]
    assert [result.status for result in load(url, both, embedder)] == ["stored", "stored"]


def test_a_duplicate_inside_a_run_does_not_stop_the_files_after_it(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    """J-02"""
    items = write_texts(
        folder,
        a=words("apples"),
        b=words("apples"),
        c=words("pears"),
        d=words("plums"),
        e=words("figs"),
    )
    assert statuses(load(url, items, embedder)) == {
        "a.txt": "stored",
        "b.txt": "duplicate",
        "c.txt": "stored",
        "d.txt": "stored",
        "e.txt": "stored",
    }
    assert len(visible(places)) == 4
