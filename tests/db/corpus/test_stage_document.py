"""corpus.stage_document: a text nobody sees yet, stored once."""

from datetime import date
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import Vector, add, axis, search, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused

BODY = "The tribunal hears appeals about the plan. " * 60
TABLES = (
    "corpus.document",
    "corpus.version",
    "corpus.chunk",
    "corpus.scope",
    "queue.task",
    "embedding.cold_vector",
)


def _counts(db: psycopg.Connection) -> dict[str, int]:
    return {table: ask(db, f"select count(*) from {table}") for table in TABLES}


def _published(db: psycopg.Connection) -> list[str]:
    sources: list[str] = ask(
        db,
        "select array_agg(d.source order by d.source) from corpus.version as v"
        " join corpus.document as d using (document_id) where v.state = 'published'",
    )
    return sources


def test_a_staged_text_is_stored_in_passages_and_nobody_sees_it(
    reference: psycopg.Connection,
) -> None:
    staged = stage(reference, BODY, source="appeals.txt", tags=["ehcp", "EHCP "])
    assert staged["outcome"] == "staged"
    assert staged["existing_document_id"] is None
    chunks = ask_rows(
        reference,
        "select chunk_index, start_at, content from corpus.chunk where version_id = %s "
        "order by chunk_index",
        staged["version_id"],
    )
    assert chunks == ask_rows(reference, "select * from corpus.chunk_text(%s)", BODY)
    assert staged["chunk_count"] == len(chunks) == 3
    assert ask_rows(
        reference,
        "select state, version, tags, authority, published_at from corpus.version "
        "where version_id = %s",
        staged["version_id"],
    ) == [("staged", 1, ["ehcp"], None, None)]
    assert ask(reference, "select count(*) from knowledge_base") == 0
    assert search(reference, words="tribunal appeals", vector=axis(1)) == []


def test_every_fact_is_kept(reference: psycopg.Connection) -> None:
    staged = ask(
        reference,
        "select to_jsonb(s) from corpus.stage_document(source => ' a.pdf ', title => ' A title ', "
        "body => 'Some text.', file_type => 'pdf', la_code => '370', tags => '{Transport}', "
        "authority => ' charity ', document_type => ' policy ', effective_date => '2024-09-01', "
        "metadata => %s) as s",
        Jsonb({"pages": 3}),
    )
    assert ask_rows(
        reference,
        "select d.source, d.source_family, s.la_code, v.title, v.title_key, v.file_type, "
        "v.document_type, v.authority, v.tags, v.effective_date, v.metadata "
        "from corpus.version as v join corpus.document as d using (document_id) "
        "join corpus.scope as s using (scope_id) where v.version_id = %s",
        staged["version_id"],
    ) == [
        (
            "a.pdf",
            "upload",
            "E08000038",
            "A title",
            "a title",
            "pdf",
            "policy",
            "charity",
            ["transport"],
            date(2024, 9, 1),
            {"pages": 3},
        )
    ]


@pytest.mark.parametrize(
    ("facts", "authority"),
    [
        ({}, None),
        ({"la_code": "E08000025"}, "la"),
        ({"school_urn": "990001"}, "school"),
        ({"owner": "kim"}, "user_upload"),
        ({"la_code": "E08000025", "authority": "charity"}, "charity"),
    ],
)
def test_the_kind_of_publisher_follows_from_the_scope_unless_it_is_named(
    reference: psycopg.Connection, facts: dict[str, Any], authority: str | None
) -> None:
    staged = stage(reference, BODY, source="a.txt", **facts)
    assert (
        ask(
            reference,
            "select authority from corpus.version where version_id = %s",
            staged["version_id"],
        )
        == authority
    )


def test_without_a_title_the_source_is_the_title(reference: psycopg.Connection) -> None:
    staged = stage(reference, BODY, source="guide.txt", title="  ")
    assert (
        ask(
            reference,
            "select title from corpus.version where version_id = %s",
            staged["version_id"],
        )
        == "guide.txt"
    )


def test_the_same_text_of_the_same_source_is_unchanged(reference: psycopg.Connection) -> None:
    first = add(reference, BODY, source="a.txt")
    before = _counts(reference)
    again = stage(reference, f"\r\n{BODY}".replace(" ", "  "), source="a.txt")
    assert (again["outcome"], again["version_id"]) == ("unchanged", first.version_id)
    assert again["task_id"] is None
    assert _counts(reference) == before


@pytest.mark.parametrize("la_code", [None, "E08000025"])
def test_the_same_text_under_another_name_is_a_duplicate_that_names_the_first(
    reference: psycopg.Connection, la_code: str | None
) -> None:
    """J-01, J-09."""
    first = add(reference, BODY, source="a.txt", la_code=la_code)
    before = _counts(reference)
    copy = stage(reference, BODY, source="copy.txt", la_code=la_code)
    assert copy["outcome"] == "duplicate"
    assert (copy["existing_document_id"], copy["existing_source"]) == (first.document_id, "a.txt")
    assert _counts(reference) == before


@pytest.mark.parametrize(
    "facts",
    [
        {"la_code": "E08000025"},
        {"school_urn": "990001"},
        {"owner": "kim"},
        {"owner": "kim", "principals": ["lee"]},
    ],
)
def test_the_same_text_in_another_scope_is_no_duplicate(
    reference: psycopg.Connection, facts: dict[str, Any]
) -> None:
    first = add(reference, BODY, source="a.txt")
    other = stage(reference, BODY, source="a.txt", **facts)
    assert other["outcome"] == "staged"
    assert other["document_id"] != first.document_id


def test_an_old_and_a_new_code_of_one_authority_are_one_scope(
    reference: psycopg.Connection,
) -> None:
    add(reference, BODY, source="a.txt", la_code="E08000016")
    assert stage(reference, BODY, source="b.txt", la_code="370")["outcome"] == "duplicate"


def test_a_new_text_of_a_source_is_its_next_version(reference: psycopg.Connection) -> None:
    first = add(reference, BODY, source="a.txt")
    second = stage(reference, BODY + "Changed.", source="a.txt")
    assert (second["outcome"], second["document_id"]) == ("staged", first.document_id)
    assert (
        ask(
            reference,
            "select version from corpus.version where version_id = %s",
            second["version_id"],
        )
        == 2
    )


def test_a_text_that_came_back_is_a_new_version(reference: psycopg.Connection) -> None:
    first = add(reference, BODY, source="a.txt")
    add(reference, "Another text.", source="a.txt")
    back = add(reference, BODY, source="a.txt")
    assert back.outcome == "staged"
    assert back.version_id > first.version_id
    assert ask(
        reference,
        "select array_agg(version order by version) from corpus.version where state = 'published'",
    ) == [3]


def test_an_outranked_older_document_added_again_makes_no_version(
    reference: psycopg.Connection,
) -> None:
    add(reference, "New rules.", source="new.txt", title="Rules", effective_date=date(2025, 1, 1))
    old: dict[str, Any] = {
        "source": "old.txt",
        "title": "Rules",
        "effective_date": date(2020, 1, 1),
    }
    first = add(reference, "Old rules.", **old)
    again = stage(reference, "Old rules.", **old)
    assert (again["outcome"], again["version_id"]) == ("unchanged", first.version_id)


def test_the_task_is_leased_to_the_holder(reference: psycopg.Connection) -> None:
    staged = stage(reference, BODY, source="a.txt", lease_holder="kim")
    (kind, subject, holder, attempts, token, leased), *_ = ask_rows(
        reference,
        "select kind, subject_id, claimed_by, attempts, lease_token::text, "
        "ready_at > clock_timestamp() + interval '4 minutes' from queue.task where task_id = %s",
        staged["task_id"],
    )
    assert (kind, subject, holder, attempts) == ("publish_version", staged["version_id"], "kim", 1)
    assert (token, leased) == (staged["lease_token"], True)


def test_without_a_holder_the_task_waits_for_a_worker(reference: psycopg.Connection) -> None:
    staged = stage(reference, BODY, source="a.txt", lease_holder=None)
    assert staged["lease_token"] is None
    claimed = ask_rows(reference, "select task_id from queue.claim_tasks('worker')")
    assert claimed == [(staged["task_id"],)]


def test_a_text_that_somebody_is_adding_is_in_progress_and_names_the_task(
    reference: psycopg.Connection,
) -> None:
    first = stage(reference, BODY, source="a.txt", lease_holder="kim")
    for source in ("a.txt", "b.txt"):
        other = stage(reference, BODY, source=source, lease_holder="lee")
        assert (other["outcome"], other["existing_source"]) == ("in_progress", "a.txt")
        assert (other["task_id"], other["lease_token"]) == (first["task_id"], None)
    assert (
        ask(reference, "select claimed_by from queue.task where task_id = %s", first["task_id"])
        == "kim"
    )


def test_a_text_that_waits_for_a_worker_is_in_progress_for_who_would_only_wait(
    reference: psycopg.Connection,
) -> None:
    first = stage(reference, BODY, source="a.txt", lease_holder=None)
    assert stage(reference, BODY, source="b.txt", lease_holder=None)["outcome"] == "in_progress"
    taken = stage(reference, BODY, source="b.txt", lease_holder="kim")
    assert (taken["outcome"], taken["version_id"]) == ("staged", first["version_id"])
    assert taken["lease_token"] is not None


def test_a_rejected_or_superseded_document_does_not_block_the_text_under_another_name(
    reference: psycopg.Connection,
) -> None:
    first = add(reference, BODY, source="a.txt", title="Fees")
    reference.execute("select corpus.set_status(%s, 'rejected')", [first.chunk_ids])
    second = add(reference, BODY, source="b.txt", title="Other fees")
    assert second.outcome == "staged"
    add(reference, BODY + "Changed.", source="b.txt", title="Other fees")
    assert add(reference, BODY, source="c.txt", title="More fees").outcome == "staged"
    # a nightly crawl brings nothing back that a curator took out
    assert add(reference, BODY, source="a.txt", title="Fees").outcome == "unchanged"
    assert (
        ask(
            reference,
            "select count(*) from corpus.chunk_fact where chunk_id = any(%s)"
            " and status <> 'rejected'",
            first.chunk_ids,
        )
        == 0
    )


@pytest.mark.parametrize("holder", ["lee", None])
def test_after_the_holders_lease_the_next_goes_on_and_the_first_is_fenced_off(
    reference: psycopg.Connection, holder: str | None
) -> None:
    first = stage(reference, BODY, source="a.txt", lease_holder="kim")
    reference.execute("update queue.task set ready_at = clock_timestamp() - interval '1 second'")
    second = stage(reference, BODY, source="b.txt", lease_holder=holder)
    assert (second["outcome"], second["version_id"]) == ("staged", first["version_id"])
    assert second["chunk_count"] == first["chunk_count"]
    assert second["task_id"] == first["task_id"]
    assert second["lease_token"] != first["lease_token"]
    assert not ask(
        reference,
        "select queue.finish_task(%s, %s::uuid)",
        first["task_id"],
        first["lease_token"],
    )
    assert ask(reference, "select count(*) from corpus.version") == 1


def test_a_text_whose_task_was_given_up_is_taken_up_again(reference: psycopg.Connection) -> None:
    first = stage(reference, BODY, source="a.txt")
    reference.execute(
        "select queue.fail_task(%s, %s::uuid, 'no model', final => true)",
        [first["task_id"], first["lease_token"]],
    )
    again = stage(reference, BODY, source="a.txt", lease_holder=None)
    assert (again["outcome"], again["version_id"]) == ("staged", first["version_id"])
    assert ask_rows(reference, "select dead, last_error, attempts from queue.task") == [
        (False, None, 0)
    ]


@pytest.mark.parametrize(
    ("facts", "code", "told"),
    [
        ({"body": ""}, "KB001", "OCR"),
        ({"body": " \r\n\t\u00a0 "}, "KB001", "OCR"),
        ({"body": "\ufeff\u200b\u00ad\u2060"}, "KB001", "OCR"),
        ({"tags": ["ehcp", "nonsense"]}, "KB002", "nonsense"),
        ({"body": "x" * 2001}, "KB003", "2001"),
        ({"authority": "blog"}, "KB004", "blog"),
        ({"school_urn": "990001", "la_code": "E10000016"}, "KB006", "E08000025"),
        ({"principals": ["lee"]}, "KB007", "owner"),
        ({"file_type": "exe"}, "KB011", "exe"),
        ({"file_type": "PDF"}, "KB011", "PDF"),
        ({"file_type": None}, "KB011", "pdf, docx, html or txt"),
        ({"source": "  "}, "KB012", "source"),
        ({"source": None, "title": "A"}, "KB012", "source"),
        ({"source": "https://a.example/" + "x" * 3000}, "KB012", "2000"),
        ({"la_code": "E99999999"}, "PL001", "E99999999"),
        ({"school_urn": "999999"}, "PL002", "999999"),
        # a page of a national site is national, but what was said with it must be right
        ({"source": "https://www.gov.uk/a", "la_code": "E99999999"}, "PL001", "E99999999"),
        ({"source": "https://www.gov.uk/a", "school_urn": "999999"}, "PL002", "999999"),
        ({"source": "https://www.gov.uk/a", "principals": ["lee"]}, "KB007", "owner"),
    ],
)
def test_what_is_refused_stores_nothing(
    reference: psycopg.Connection, facts: dict[str, Any], code: str, told: str
) -> None:
    reference.execute("set local kb.max_document_length = 2000")
    before = _counts(reference)
    given = {"body": "Some text.", "source": "a.txt"} | facts
    with refused(reference, code, told):
        stage(reference, **given)
    assert _counts(reference) == before


def test_a_text_of_the_greatest_length_is_taken(reference: psycopg.Connection) -> None:
    reference.execute("set local kb.max_document_length = 2000")
    assert stage(reference, "x" * 2000, source="a.txt")["outcome"] == "staged"


def test_a_page_of_a_national_site_may_name_an_authority_that_was_split(
    reference: psycopg.Connection,
) -> None:
    staged = stage(reference, BODY, source="https://www.gov.uk/a", la_code="E10000006")
    assert staged["outcome"] == "staged"


def test_a_private_copy_of_a_national_page_stays_private(reference: psycopg.Connection) -> None:
    stage(reference, BODY, source="https://www.gov.uk/a", owner="kim")
    assert (
        ask(
            reference,
            "select s.kind from corpus.document as d join corpus.scope as s using (scope_id)",
        )
        == "private"
    )


def test_an_endless_title_is_published_like_any_other(reference: psycopg.Connection) -> None:
    vector: Vector = axis(3)
    added = add(reference, BODY, source="a.txt", title="㌀㌁㌂㌃㌄ 𐐀𐐁𐐂 " * 2000, vector=vector)
    assert added.outcome == "staged"
    assert len(search(reference, vector=vector)) > 0


def test_a_document_shared_with_a_few_is_one_scope(reference: psycopg.Connection) -> None:
    shared: dict[str, Any] = {"owner": "kim", "principals": ["lee", "ash"]}
    first = stage(reference, BODY, source="a.txt", **shared)
    again = stage(reference, "Other text.", source="a.txt", owner="kim", principals=["ash", "lee"])
    assert again["document_id"] == first["document_id"]


def test_a_source_that_says_again_what_it_said_before_a_duplicate_is_found_again(
    reference: psycopg.Connection,
) -> None:
    add(reference, BODY + "One.", source="a.txt", title="Panel days")
    add(reference, BODY + "Two.", source="b.txt", title="Hearings")
    assert add(reference, BODY + "Two.", source="a.txt", title="Panel days").outcome == "duplicate"
    again = add(reference, BODY + "One.", source="a.txt", title="Panel days")
    assert again.outcome == "staged"
    assert _published(reference) == ["a.txt", "b.txt"]
    once_more = add(reference, BODY + "One.", source="a.txt", title="Panel days")
    assert (once_more.outcome, once_more.version_id) == ("unchanged", again.version_id)


def test_a_document_that_a_curator_retired_stays_so_when_it_arrives_again(
    reference: psycopg.Connection,
) -> None:
    old = add(reference, BODY + "One.", source="a.txt", title="Panel days")
    new = add(reference, BODY + "Two.", source="b.txt", title="Hearings")
    reference.execute("select corpus.supersede(%s, %s)", [old.document_id, new.document_id])
    # also after its source said for a while what another says
    add(reference, BODY + "Two.", source="a.txt", title="Panel days")
    assert add(reference, BODY + "One.", source="a.txt", title="Panel days").outcome == "unchanged"
    assert _published(reference) == ["b.txt"]


@pytest.mark.parametrize(
    ("title", "day", "in_force"),
    [("Panel policy", date(2022, 1, 1), ["a.txt"]), ("Hearings", None, ["a.txt", "b.txt"])],
)
def test_a_document_is_in_force_again_as_soon_as_what_outranked_it_is_corrected(
    reference: psycopg.Connection, title: str, day: date | None, in_force: list[str]
) -> None:
    old: dict[str, Any] = {
        "source": "a.txt",
        "title": "Panel policy",
        "effective_date": date(2023, 1, 1),
    }
    add(reference, BODY + "One.", **old)
    add(
        reference,
        BODY + "Two.",
        source="b.txt",
        title="Panel policy",
        effective_date=date(2025, 1, 1),
    )
    assert add(reference, BODY + "One.", **old).outcome == "unchanged"
    corrected = add(reference, BODY + "Two.", source="b.txt", title=title, effective_date=day)
    assert corrected.outcome == "updated"
    assert _published(reference) == in_force
    assert add(reference, BODY + "One.", **old).outcome == "unchanged"
