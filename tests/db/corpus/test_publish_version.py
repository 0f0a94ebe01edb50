"""corpus.publish_version: one statement makes a version seen, and retires what it replaces."""

from datetime import date
from itertools import permutations
from typing import Any

import psycopg
import pytest

from tests.corpus import Added, add, axis, literal, search, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused

BODY = "The tribunal hears appeals about the plan. "


def _states(db: psycopg.Connection) -> dict[str, str]:
    """State of the latest version of each source."""
    return dict(
        ask_rows(
            db,
            "select distinct on (d.source) d.source, v.state from corpus.version as v "
            "join corpus.document as d using (document_id) order by d.source, v.version desc",
        )
    )


def _live(db: psycopg.Connection) -> list[str]:
    return [
        row[0]
        for row in ask_rows(
            db,
            "select d.source from corpus.version as v join corpus.document as d "
            "using (document_id) where v.state = 'published' order by d.source",
        )
    ]


def _embed(db: psycopg.Connection, version_id: int, set_name: str | None = None) -> None:
    width = 384 if set_name in (None, "local-minilm") else 1536
    ids = [
        row[0]
        for row in ask_rows(
            db, "select chunk_id from embedding.chunks_to_embed(%s, 1000, %s)", version_id, set_name
        )
    ]
    vectors = [literal(axis(1, width))] * len(ids)
    db.execute("select embedding.store_vectors(%s, %s, %s)", [ids, vectors, set_name])


def _publish(db: psycopg.Connection, version_id: int) -> tuple[Any, ...]:
    return ask_rows(db, "select * from corpus.publish_version(%s)", version_id)[0]


def test_a_text_that_a_later_one_of_its_source_outranks_takes_no_other_out_of_sight(
    reference: psycopg.Connection,
) -> None:
    add(reference, BODY + "a", source="a", title="Panel days", effective_date=date(2023, 1, 1))
    add(reference, BODY + "b", source="b", title="Transport", effective_date=date(2025, 1, 1))
    # an old text, under a title that another document has
    add(reference, BODY + "c", source="b", title="Panel days", effective_date=date(2024, 1, 1))
    assert _live(reference) == ["a", "b"]
    assert _states(reference) == {"a": "published", "b": "superseded"}


def test_nothing_is_seen_before_and_all_of_it_afterwards(reference: psycopg.Connection) -> None:
    staged = stage(reference, BODY * 60, source="a.txt", tags=["ehcp", "exclusion", "transport"])
    _embed(reference, staged["version_id"])
    assert search(reference, words="tribunal", vector=axis(1)) == []
    assert ask(reference, "select count(*) from embedding.vector") == 0
    assert _publish(reference, staged["version_id"]) == (staged["document_id"], 1, [])
    found = search(reference, words="tribunal", vector=axis(1), top_k=100)
    assert len(found) == staged["chunk_count"] > 1
    assert ask_rows(
        reference,
        "select distinct status, tags, quality_score between 46 and 85 from corpus.chunk_fact",
    ) == [("pending", ["ehcp", "exclusion", "transport"], True)]
    assert ask_rows(
        reference,
        "select state, published_at is not null, valid_from = current_date, valid_to "
        "from corpus.version",
    ) == [("published", True, True, None)]
    for table in ("search.text_index", "embedding.vector", "corpus.chunk_fact"):
        assert ask(reference, f"select count(*) from {table}") == staged["chunk_count"]
    assert ask(reference, "select count(*) from embedding.cold_vector") == 0


def test_a_chunk_without_its_vector_keeps_the_whole_version_back(
    reference: psycopg.Connection,
) -> None:
    staged = stage(reference, BODY * 60, source="a.txt")
    _embed(reference, staged["version_id"])
    reference.execute(
        "delete from embedding.cold_vector where chunk_id = "
        "(select max(chunk_id) from corpus.chunk)"
    )
    with refused(reference, "KB010", "1 chunks", "local-minilm", "chunks_to_embed"):
        _publish(reference, staged["version_id"])
    assert _states(reference) == {"a.txt": "staged"}
    assert ask(reference, "select count(*) from search.text_index") == 0


def test_vectors_of_another_set_do_not_count(reference: psycopg.Connection) -> None:
    staged = stage(reference, BODY, source="a.txt")
    _embed(reference, staged["version_id"], "openai-3-large")
    with refused(reference, "KB010", "local-minilm"):
        _publish(reference, staged["version_id"])


def test_publishing_twice_changes_nothing(reference: psycopg.Connection) -> None:
    first = add(reference, BODY, source="a.txt")
    before = ask_rows(reference, "select * from corpus.version")
    assert _publish(reference, first.version_id) == (first.document_id, 1, [])
    assert ask_rows(reference, "select * from corpus.version") == before
    assert ask(reference, "select count(*) from search.text_index") == 1


def test_a_superseded_version_stays_superseded_when_published_again(
    reference: psycopg.Connection,
) -> None:
    first = add(reference, BODY, source="a.txt")
    second = add(reference, "Other text.", source="a.txt")
    _publish(reference, first.version_id)
    assert (
        ask(reference, "select version_id from corpus.version where state = 'published'")
        == second.version_id
    )


def test_an_unknown_version_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "KB009", "4711"):
        _publish(reference, 4711)


def test_a_new_version_replaces_the_one_before(reference: psycopg.Connection) -> None:
    first = add(reference, BODY * 60, source="a.txt", vector=axis(2))
    second = add(reference, "The court hears claims.", source="a.txt", vector=axis(3))
    assert [row["content"] for row in search(reference, words="court claims")] == [
        "The court hears claims."
    ]
    assert search(reference, words="tribunal appeals", vector=axis(2)) == []
    assert ask_rows(
        reference,
        "select state, superseded_by, valid_to from corpus.version where version_id = %s",
        first.version_id,
    ) == [("superseded", second.version_id, date.today())]
    # the old text stays for old citations, its vectors for as_of
    assert ask(
        reference,
        "select count(*) from embedding.cold_vector where chunk_id = any(%s)",
        first.chunk_ids,
    ) == len(first.chunk_ids)
    assert ask_rows(
        reference,
        "select distinct status from corpus.chunk_fact where chunk_id = any(%s)",
        first.chunk_ids,
    ) == [("superseded",)]
    assert ask_rows(
        reference, "select subject, detail from audit.event where kind = 'superseded'"
    ) == [(f"version {first.version_id}", {"by": second.version_id})]


def test_a_version_that_was_overtaken_is_stored_as_superseded(
    reference: psycopg.Connection,
) -> None:
    """Its holder slept while a newer text of the source was published."""
    slow = stage(reference, "The old text.", source="a.txt")
    _embed(reference, slow["version_id"])
    fast = add(reference, "The new text.", source="a.txt")
    assert fast.version_id > slow["version_id"]
    _publish(reference, slow["version_id"])
    assert [row["content"] for row in search(reference, words="text")] == ["The new text."]
    assert (
        ask(
            reference,
            "select superseded_by from corpus.version where version_id = %s",
            slow["version_id"],
        )
        == fast.version_id
    )


def test_the_vectors_of_both_widths_become_searchable(reference: psycopg.Connection) -> None:
    staged = stage(reference, BODY, source="a.txt")
    for name in ("local-minilm", "openai-3-large"):
        _embed(reference, staged["version_id"], name)
    _publish(reference, staged["version_id"])
    assert ask_rows(
        reference,
        "select set_id, public.vector_dims(embedding) from embedding.vector order by set_id",
    ) == [(1, 384), (2, 1536)]


def test_rejected_and_flagged_passages_stay_so_when_their_version_is_replaced(
    reference: psycopg.Connection,
) -> None:
    first = add(reference, BODY * 80, source="a.txt")
    rejected, flagged, approved, *pending = first.chunk_ids
    for ids, status in (([rejected], "rejected"), ([flagged], "flagged"), ([approved], "approved")):
        reference.execute("select corpus.set_status(%s, %s)", [ids, status])
    add(reference, "Other text.", source="a.txt")
    rows = ask_rows(reference, "select chunk_id, status from corpus.chunk_fact")
    statuses: dict[int, str] = dict(rows)
    assert statuses[rejected] == "rejected"
    assert statuses[flagged] == "flagged"
    assert {statuses[chunk] for chunk in (approved, *pending)} == {"superseded"}


def _add_titled(db: psycopg.Connection, source: str, title: str, **facts: Any) -> Added:
    return add(
        db, f"Text of {source} {facts.get('effective_date')}.", source=source, title=title, **facts
    )


def test_a_document_of_the_same_title_replaces_the_older_one(
    reference: psycopg.Connection,
) -> None:
    old = _add_titled(reference, "old.pdf", "SEND Policy 2023-24")
    staged = stage(reference, "New text.", source="new.pdf", title="SEND policy 2024-25 (final)")
    _embed(reference, staged["version_id"])
    assert _publish(reference, staged["version_id"]) == (
        staged["document_id"],
        1,
        [old.document_id],
    )
    assert _states(reference) == {"old.pdf": "superseded", "new.pdf": "published"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"la_code": "E08000025"}, {"la_code": "E10000016"}),  # two areas
        ({"school_urn": "990001"}, {"school_urn": "990003"}),  # two schools
        ({"la_code": "E08000025"}, {}),  # an area and the nation
        ({"owner": "kim"}, {"owner": "lee"}),
        ({"source": "https://a.example/p"}, {"source": "https://b.example/p"}),  # two sites
        ({"source": "https://a.example/p"}, {"source": "p.pdf"}),
        ({"title": "Home"}, {"title": "Home"}),  # generic
        ({"title": "Overview 2023"}, {"title": "Overview 2024"}),
        ({"title": "untitled"}, {"title": "untitled"}),
        ({"title": "Transport policy"}, {"title": "Exclusion policy"}),
    ],
)
def test_a_title_replaces_nothing_elsewhere_and_a_generic_one_nothing_at_all(
    reference: psycopg.Connection, one: dict[str, Any], other: dict[str, Any]
) -> None:
    for number, facts in enumerate((one, other)):
        _add_titled(reference, **{"source": f"{number}.pdf", "title": "SEND Policy"} | facts)
    assert len(_live(reference)) == 2


def test_the_pages_of_one_site_replace_each_other_with_and_without_www(
    reference: psycopg.Connection,
) -> None:
    _add_titled(reference, "https://www.school.example/2023", "SEND Policy 2023")
    _add_titled(reference, "https://school.example/2024", "SEND Policy 2024")
    assert _live(reference) == ["https://school.example/2024"]


@pytest.mark.parametrize("order", list(permutations([2022, 2023, 2024])))
def test_the_newest_by_its_date_wins_whatever_the_order_of_arrival(
    reference: psycopg.Connection, order: tuple[int, ...]
) -> None:
    for year in order:
        _add_titled(
            reference, f"{year}.pdf", f"SEND Policy {year}", effective_date=date(year, 9, 1)
        )
    assert _states(reference) == {
        "2022.pdf": "superseded",
        "2023.pdf": "superseded",
        "2024.pdf": "published",
    }
    assert [row["source"] for row in search(reference, words="text")] == ["2024.pdf"]
    assert ask(reference, "select count(*) from search.text_index") == 1
    assert ask(reference, "select count(*) from corpus.version where superseded_by is null") == 1


@pytest.mark.parametrize(
    ("days", "winner"),
    [
        ({"2020.pdf": 2020, "2022.pdf": 2022, "undated.pdf": None}, "undated.pdf"),
        ({"2020.pdf": 2020, "undated.pdf": None, "2090.pdf": 2090}, "2090.pdf"),
    ],
)
@pytest.mark.parametrize("order", list(permutations([0, 1, 2])))
def test_one_without_a_date_counts_from_the_day_it_came_in_any_order_of_arrival(
    reference: psycopg.Connection,
    days: dict[str, int | None],
    winner: str,
    order: tuple[int, ...],
) -> None:
    arrivals = list(days.items())
    for source, year in (arrivals[place] for place in order):
        _add_titled(
            reference,
            source,
            "SEND Policy",
            effective_date=date(year, 1, 1) if year else None,
        )
    assert _live(reference) == [winner]


def test_without_dates_the_later_arrival_wins(reference: psycopg.Connection) -> None:
    for source in ("first.pdf", "second.pdf"):
        _add_titled(reference, source, "SEND Policy")
    assert _live(reference) == ["second.pdf"]


def test_a_source_that_gives_no_date_any_more_is_believed(reference: psycopg.Connection) -> None:
    _add_titled(reference, "a.pdf", "SEND Policy", effective_date=date(2090, 1, 1))
    add(reference, "The new text.", source="a.pdf", title="SEND Policy")
    assert [row["content"] for row in search(reference, words="text")] == ["The new text."]


def test_a_new_version_may_change_its_title_and_leaves_nothing_of_the_old_behind(
    reference: psycopg.Connection,
) -> None:
    _add_titled(reference, "a.pdf", "Transport policy")
    _add_titled(reference, "b.pdf", "Exclusion policy")
    add(reference, "The new text.", source="a.pdf", title="Exclusion policy")
    assert _live(reference) == ["a.pdf"]
    assert [row["content"] for row in search(reference, words="text")] == ["The new text."]


def test_an_outranked_new_version_still_retires_the_one_before(
    reference: psycopg.Connection,
) -> None:
    """The source no longer says what its old version says, whoever outranks the new one."""
    _add_titled(reference, "a.pdf", "Transport policy")
    _add_titled(reference, "b.pdf", "Exclusion policy", effective_date=date(2024, 1, 1))
    add(
        reference,
        "The new text.",
        source="a.pdf",
        title="Exclusion policy",
        effective_date=date(2020, 1, 1),
    )
    assert _live(reference) == ["b.pdf"]


def test_the_ingest_role_can_do_it_all(reference: psycopg.Connection) -> None:
    reference.execute("set local role pgkb_ingest")
    for text in ("The first text.", "The second text."):
        staged = stage(reference, text, source="a.txt", tags=["ehcp"])
        _embed(reference, staged["version_id"])
        _publish(reference, staged["version_id"])
        assert ask(
            reference,
            "select queue.finish_task(%s, %s::uuid)",
            staged["task_id"],
            staged["lease_token"],
        )
    reference.execute("reset role")
    assert [row["content"] for row in search(reference, words="text")] == ["The second text."]
