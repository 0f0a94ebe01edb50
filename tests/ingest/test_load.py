"""Files become visible documents, whole or not at all, each once."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path

import psycopg
import pytest

from ingest.errors import IngestError, OptionError
from ingest.items import Item, Progress
from ingest.load import check_options, load_paths
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.ingest.library import (
    BIRMINGHAM,
    KENT,
    SCHOOL,
    load,
    one,
    statuses,
    visible,
    words,
    write_texts,
)
from tests.ingest.parse.makers import docx, para, pdf, write
from tests.providers.fake_openai import FakeServer


def test_files_of_every_type_are_stored_and_visible(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    files = {
        "a.txt": b"Fees\n\nThe fee is ten pounds.",
        "b.html": b"<html><body><h1>Transport</h1><p>The bus is free.</p></body></html>",
        "c.docx": docx(para("The taxi is not free.")),
        "d.pdf": pdf([["The train is cheap."]]),
    }
    items = [Item(path=write(folder, name, data)) for name, data in files.items()]
    results = load(url, items, embedder)
    assert statuses(results) == dict.fromkeys(files, "stored")
    assert [result.title for result in results] == ["Fees", "Transport", "C", "D"]
    assert [row["source"] for row in visible(places)] == sorted(files)
    assert all(result.version == 1 and result.chunks == 1 for result in results)


def test_every_chunk_has_its_vector_and_the_task_is_gone(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    (result,) = load(url, write_texts(folder, long=words("transport", 40)), embedder)
    assert result.chunks > 10
    assert result.embedded == result.chunks
    assert one(places, "select count(*) from embedding.vector") == result.chunks
    assert one(places, "select count(*) from queue.task") == 0


def test_options_and_facts_are_kept_with_the_document(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    path = write(folder, "policy.pdf", pdf([["The school helps pupils who need it."]]))
    item = Item(
        path=path,
        source="hawthorn/policy.pdf",
        la_code=BIRMINGHAM,
        school_urn=SCHOOL,
        tags=("transport",),
        authority="school",
        title="SEND policy",
        document_type="policy",
        effective_date=date(2026, 9, 1),
    )
    (result,) = load(url, [item], embedder)
    assert (result.status, result.source, result.title) == (
        "stored",
        "hawthorn/policy.pdf",
        "SEND policy",
    )
    row = places.execute(
        "select v.title, v.authority, v.tags, v.document_type, v.effective_date,"
        " v.metadata ->> 'page_count', v.metadata ->> 'extractor', s.school_urn"
        " from corpus.version as v join corpus.document as d using (document_id)"
        " join corpus.scope as s using (scope_id)"
    ).fetchone()
    assert row is not None
    assert row[:6] == ("SEND policy", "school", ["transport"], "policy", date(2026, 9, 1), "1")
    assert row[6].startswith("pgkb ")
    assert row[7] == SCHOOL


def test_the_title_is_the_given_one_else_the_documents_else_the_files(
    url: str, embedder: Embedder, folder: Path
) -> None:
    text = "This sentence is no title.\n\n" + words("fees")
    named = write(folder, "home-to-school_transport 2026.txt", text)
    (result,) = load(url, [Item(path=named)], embedder)
    assert result.title == "Home to school transport 2026"


def test_no_path_of_this_machine_is_stored(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    load(url, write_texts(folder, fees=words("fees")), embedder)
    everything = one(places, "select string_agg(v::text, ' ') from knowledge_base as v")
    assert str(folder) not in everything
    assert str(folder) not in one(places, "select string_agg(v::text, ' ') from corpus.version v")


def test_a_bad_file_never_stops_the_others(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    files: dict[str, bytes] = {
        "bomb.docx": docx(para("x" * 30_000_000)),
        "empty.txt": b"",
        "good.txt": b"The fee is ten pounds.",
        "locked.pdf": pdf([["secret"]], user_password="secret"),
        "noise.bin": bytes(range(256)) * 20,
        "scan.pdf": pdf([[]]),
        "zz.txt": b"The bus is free.",
    }
    items = [Item(path=write(folder, name, data)) for name, data in files.items()]
    results = load(url, items, embedder)
    good = {"good.txt", "zz.txt"}
    assert statuses(results) == {name: "stored" if name in good else "refused" for name in files}
    for result in results:
        assert (result.reason is None) == (result.status == "stored")
        assert "\n" not in (result.reason or "")
    assert {row["source"] for row in visible(places)} == good
    assert one(places, "select count(*) from corpus.version") == 2


def test_a_missing_file_is_refused_and_the_others_go_on(
    url: str, embedder: Embedder, folder: Path
) -> None:
    items = [Item(path=folder / "gone.txt"), *write_texts(folder, fees=words("fees"))]
    assert statuses(load(url, items, embedder)) == {"gone.txt": "refused", "fees.txt": "stored"}


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"la_code": "E99999999"}, "E99999999"),
        ({"school_urn": "123"}, "123"),
        ({"tags": ("transport", "nonsense")}, "nonsense"),
        ({"authority": "wizard"}, "wizard"),
        ({"la_code": KENT, "school_urn": SCHOOL}, "990001"),
    ],
)
def test_an_unknown_option_is_refused_once_before_anything_is_read(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    folder: Path,
    options: dict[str, object],
    line: str,
) -> None:
    items = [
        replace(item, **options)  # type: ignore[arg-type]
        for item in write_texts(folder, a=words("apples"), b=words("pears"))
    ]
    with pytest.raises(OptionError, match=line) as caught:
        load(url, items, embedder)
    assert "\n" not in str(caught.value)
    assert one(places, "select count(*) from corpus.scope where kind <> 'national'") in (0, None)
    assert one(places, "select count(*) from corpus.document") == 0


def test_good_options_pass_the_check(places: psycopg.Connection, folder: Path) -> None:
    (item,) = write_texts(folder, a="x")
    places.rollback()
    places.autocommit = True
    check_options(
        places, [replace(item, la_code=BIRMINGHAM, school_urn=SCHOOL, tags=("transport",))]
    )


def test_the_options_of_many_items_are_checked_in_a_few_calls(
    places: psycopg.Connection, folder: Path, tmp_path: Path
) -> None:
    """An archive of every council has some 300 of them."""
    (item,) = write_texts(folder, a="x")
    many = [
        replace(item, la_code=KENT, owner=f"person {n}", tags=("transport",)) for n in range(300)
    ]
    places.rollback()
    places.autocommit = True
    with (tmp_path / "sent").open("w+") as sent:
        places.pgconn.trace(sent.fileno())
        check_options(places, many)
        places.pgconn.untrace()
        sent.seek(0)
        answered = sum("ReadyForQuery" in line for line in sent)
    assert answered <= 6
    with pytest.raises(OptionError, match="E99999999"):
        check_options(places, [*many, replace(item, la_code="E99999999", owner="last")])
    assert one(places, "select count(*) from corpus.scope where owner is not null") == 0


def test_two_runs_that_name_the_same_new_readers_do_not_fail_each_other(
    places: psycopg.Connection, url: str, folder: Path
) -> None:
    (item,) = write_texts(folder, a="x")
    both = [replace(item, owner="person 1"), replace(item, owner="person 2")]
    new = "select corpus.scope_for(owner => %s)"
    waits = "select cardinality(pg_blocking_pids(%s)) > 0"
    with (
        psycopg.connect(url) as other,
        psycopg.connect(url, autocommit=True) as ours,
        ThreadPoolExecutor(1) as pool,
    ):
        # whoever has waited long enough notices, and is the one that fails: never the other
        other.execute("set deadlock_timeout = '60s'")
        other.execute(new, ["person 2"])
        checked = pool.submit(check_options, ours, both)
        places.rollback()
        places.autocommit = True
        while places.execute(waits, [ours.info.backend_pid]).fetchone() != (True,):
            assert not checked.done()
            time.sleep(0.01)
        # each now waits for the other
        other.execute(new, ["person 1"])
        other.rollback()
        checked.result(timeout=30)


def test_an_embedder_of_another_model_is_refused(
    url: str, folder: Path, provider: FakeServer
) -> None:
    other = embedder_for("compatible", "another-model", 512, {"PGKB_EMBED_BASE_URL": provider.url})
    with pytest.raises(IngestError, match="512 numbers with another-model"):
        load(url, write_texts(folder, a=words("apples")), other)
    other.close()


def test_progress_counts_up_to_the_end(url: str, embedder: Embedder, folder: Path) -> None:
    heard: list[Progress] = []
    items = write_texts(folder, a=words("apples"), b=words("pears"), c="")
    results = list(load_paths(url, items, embedder=embedder, on_progress=heard.append))
    assert len(results) == 3
    assert [step.files_done for step in heard] == sorted(step.files_done for step in heard)
    assert (heard[-1].files_done, heard[-1].files) == (3, 3)
    assert heard[-1].chunks_done == heard[-1].chunks > 0
    assert {step.stage for step in heard} == {"parse", "embed", "done"}


def test_a_file_name_that_is_no_text_is_made_one(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    """P-02, P-03"""
    path = Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9-menu.txt"))
    path.write_text("The canteen serves lunch at noon.")
    (result,) = load(url, [Item(path=path)], embedder)
    assert (result.status, result.source) == ("stored", "caf-menu.txt")


def test_a_private_document_is_nobody_elses(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    (item,) = write_texts(folder, letter=words("my child"))
    (result,) = load(
        url, [replace(item, owner="user:1", principals=("user:1", "user:2"))], embedder
    )
    assert result.status == "stored"
    assert one(
        places, "select s.kind from corpus.scope s join corpus.document d using (scope_id)"
    ) == ("private")
