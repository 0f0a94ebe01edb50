"""Files become visible documents, whole or not at all, each once."""

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path

import psycopg
import pytest

from ingest.errors import IngestError, OptionError
from ingest.items import Item, Progress
from ingest.load import check_options, load_paths
from ingest.settings import Settings
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.corpus import stage
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
from tests.providers.fake_openai import FakeServer, Faults


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
        other.execute(new, ["person 2"])
        checked = pool.submit(check_options, ours, both)
        places.rollback()
        places.autocommit = True
        while places.execute(waits, [ours.info.backend_pid]).fetchone() != (True,):
            assert not checked.done()
            time.sleep(0.01)
        # each now waits for the other; the first that waited notices
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


def test_progress_counts_up_to_the_end(url: str, embedder: Embedder, folder: Path) -> None:
    heard: list[Progress] = []
    items = write_texts(folder, a=words("apples"), b=words("pears"), c="")
    results = list(load_paths(url, items, embedder=embedder, on_progress=heard.append))
    assert len(results) == 3
    assert [step.files_done for step in heard] == sorted(step.files_done for step in heard)
    assert (heard[-1].files_done, heard[-1].files) == (3, 3)
    assert heard[-1].chunks_done == heard[-1].chunks > 0
    assert {step.stage for step in heard} == {"parse", "embed", "done"}


def test_a_consumer_that_stops_early_gives_the_work_back(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    items = write_texts(folder, bad="", a=words("apples"), b=words("pears"))
    results = load_paths(url, [items[1], items[0], items[2]], embedder=embedder)
    assert next(results).status == "refused"
    results.close()
    assert one(places, "select count(*) from queue.task where claimed_by is null") == 1
    assert visible(places) == []


def test_the_active_sets_own_embedder_is_used_when_none_is_given(
    places: psycopg.Connection, url: str, folder: Path
) -> None:
    (result,) = load_paths(url, write_texts(folder, a="The bus is free for pupils."))
    assert (result.status, result.embedded) == ("stored", 1)
    assert len(visible(places)) == 1


def test_a_file_name_that_is_no_text_is_made_one(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    """P-02, P-03"""
    path = Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9-menu.txt"))
    path.write_text("The canteen serves lunch at noon.")
    (result,) = load(url, [Item(path=path)], embedder)
    assert (result.status, result.source) == ("stored", "caf-menu.txt")


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
