"""corpus.release_outranked: what a wrong title or day hid is seen once that is corrected."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from threading import Barrier

import psycopg
import pytest

from tests.corpus import add, load_reference, search, stage
from tests.db.corpus.editions import TITLE, add_edition, behind, live, take_out_two
from tests.db.corpus_fixtures import ask, ask_rows
from tests.roles import role


def _correct(
    db: psycopg.Connection, source: str, year: int | None = None, title: str | None = None
) -> None:
    """The same text is handed in again, with other facts."""
    with role(db, "pgkb_ingest"):
        again = stage(
            db,
            f"The text of {source}.",
            source=source,
            title=title or TITLE,
            effective_date=date(year, 1, 1) if year else None,
        )
    assert again["outcome"] == "updated"


@pytest.mark.parametrize("arrives_first", [True, False])
def test_what_a_wrong_title_hid_is_seen_at_once(
    reference: psycopg.Connection, arrives_first: bool
) -> None:
    sources = [("a", 2024), ("b", 2025)]
    for source, year in sources if arrives_first else sources[::-1]:
        add_edition(reference, source, year)
    assert live(reference) == ["b"]
    _correct(reference, "b", title="Exclusion policy")
    assert live(reference) == ["a", "b"]
    assert (
        ask_rows(
            reference,
            "select f.status, v.superseded_by, v.valid_to from corpus.version as v"
            " join corpus.chunk as c using (version_id)"
            " join corpus.chunk_fact as f using (chunk_id)",
        )
        == [("pending", None, None)] * 2
    )
    assert ask(reference, "select count(*) from embedding.cold_vector") == 0
    assert ask(reference, "select count(*) from audit.event where kind = 'restored'") == 1
    again = stage(
        reference, "The text of a.", source="a", title=TITLE, effective_date=date(2024, 1, 1)
    )
    assert again["outcome"] == "unchanged"


def test_a_wrong_day_put_right_turns_the_two_round(reference: psycopg.Connection) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2030)
    _correct(reference, "b", 2020)
    assert live(reference) == ["a"]
    assert behind(reference) == {"b": "a"}
    found = search(reference, words="text", as_of=date(2021, 1, 1))
    assert [row["source"] for row in found] == ["b"]


def test_a_day_that_is_still_the_later_one_hides_as_before(reference: psycopg.Connection) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2030)
    _correct(reference, "b", 2025)
    assert live(reference) == ["b"]
    assert ask(
        reference,
        "select valid_to from corpus.version join corpus.document using (document_id)"
        " where source = 'a'",
    ) == date(2025, 1, 1)


def test_of_several_that_were_hidden_the_last_edition_comes_back(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "b", 2025)
    for source, year in (("old", 2021), ("older", 2019), ("last", 2023)):
        add_edition(reference, source, year)
    _correct(reference, "b", title="Exclusion policy")
    assert live(reference) == ["b", "last"]
    assert behind(reference) == {"old": "last", "older": "last"}
    for day, source in ((2020, "older"), (2022, "old"), (2024, "last")):
        found = search(reference, words="text", as_of=date(day, 6, 1))
        assert [row["source"] for row in found if row["source"] != "b"] == [source]


def test_each_correction_judges_the_whole_line_anew(reference: psycopg.Connection) -> None:
    add_edition(reference, "a", 2022)
    add_edition(reference, "b", 2025)
    add_edition(reference, "c", 2027, title="Panel policy")
    _correct(reference, "c", title=TITLE)
    assert live(reference) == ["c"]
    _correct(reference, "c", 2024)
    assert live(reference) == ["b"]
    _correct(reference, "b", 2023)
    assert live(reference) == ["c"]
    assert behind(reference)["b"] == "c"


def test_what_a_version_of_the_document_hid_comes_back_when_a_later_one_is_corrected(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025, body="The text of b, first.")
    add_edition(reference, "b", 2025)
    _correct(reference, "b", title="Exclusion policy")
    assert live(reference) == ["a", "b"]


def test_a_text_whose_newer_version_was_published_meanwhile_stays_out(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    add_edition(
        reference, "a", 2026, body="The text of a, on another subject.", title="Panel policy"
    )
    _correct(reference, "b", title="Exclusion policy")
    assert live(reference) == ["a", "b"]
    assert (
        ask(
            reference,
            "select version from corpus.version join corpus.document using (document_id)"
            " where source = 'a' and state = 'published'",
        )
        == 2
    )


def test_a_later_text_of_the_document_that_a_wrong_day_held_back_comes_back(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2030)
    add_edition(reference, "a", 2024, body="The text of a, revised.")
    assert [row["content"] for row in search(reference, words="text")] == ["The text of a."]
    _correct(reference, "a", 2020)
    assert [row["content"] for row in search(reference, words="text")] == [
        "The text of a, revised."
    ]


def test_of_two_of_one_day_the_later_to_arrive_holds_also_after_a_correction(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2020, title="Panel days")
    add_edition(reference, "b", 2024)
    _correct(reference, "a", 2024)
    assert live(reference) == ["b"]
    assert behind(reference) == {"a": "b"}


def test_a_text_that_its_source_has_replaced_since_stays_out_although_the_new_one_is_hidden(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    add_edition(reference, "a", 2026, body="The text of a, on another subject.", title="Panel days")
    add_edition(reference, "c", 2027, title="Panel days")
    _correct(reference, "b", title="Exclusion policy")
    assert live(reference) == ["b", "c"]


def test_passages_come_back_as_curators_left_them(reference: psycopg.Connection) -> None:
    old = add(reference, "The text of a. " * 150, source="a", title=TITLE)
    approved, rejected, *_ = old.chunk_ids
    for chunk, status in ((approved, "approved"), (rejected, "rejected")):
        reference.execute("select corpus.set_status(array[%s::bigint], %s)", [chunk, status])
    facts = "select chunk_id, status from corpus.chunk_fact where chunk_id = any(%s) order by 1"
    before = ask_rows(reference, facts, old.chunk_ids)
    add_edition(reference, "b")
    _correct(reference, "b", title="Exclusion policy")
    assert ask_rows(reference, facts, old.chunk_ids) == before


def test_what_a_curator_or_a_gone_source_took_out_stays_out(
    reference: psycopg.Connection,
) -> None:
    take_out_two(reference)
    _correct(reference, "b", title="Exclusion policy")
    assert live(reference) == ["b"]
    again = stage(
        reference, "The text of gone.", source="gone", title=TITLE, effective_date=date(2023, 1, 1)
    )
    assert again["outcome"] == "staged", "its source says it again"


def test_an_earlier_version_that_a_curator_put_behind_stays_there(
    reference: psycopg.Connection,
) -> None:
    first = add_edition(reference, "a", 2022)
    add_edition(reference, "a", 2023, body="The text of a, garbled.")
    reference.execute("select corpus.undo_supersession(%s)", [first])
    _correct(reference, "a", 2021)
    assert [row["content"] for row in search(reference, words="text")] == ["The text of a."]


def test_one_without_its_vectors_stays_out_and_is_told_of(reference: psycopg.Connection) -> None:
    """The active set was changed since."""
    hidden = add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    reference.execute("delete from embedding.cold_vector")
    _correct(reference, "b", title="Exclusion policy")
    assert live(reference) == ["b"]
    assert ask(reference, "select subject from audit.event where kind = 'not_restored'") == (
        f"version {hidden}"
    )
    again = stage(
        reference, "The text of a.", source="a", title=TITLE, effective_date=date(2024, 1, 1)
    )
    assert again["outcome"] == "staged", "read again, it is embedded and comes back"


def test_a_superseded_version_that_is_corrected_retires_nobody(
    reference: psycopg.Connection,
) -> None:
    hidden = add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    reference.execute("select corpus.correct_facts(%s, effective_date => '2026-01-01')", [hidden])
    assert live(reference) == ["b"]


def test_correcting_publishing_and_deciding_at_once_neither_hide_nor_double(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    for number in range(4):
        add_edition(db, f"a{number}", 2024, title=f"Policy {number}")
        add_edition(db, f"b{number}", 2025, title=f"Policy {number}")
    db.commit()
    barrier = Barrier(3)

    def correct() -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            for turn in range(8):
                number = turn % 4
                _again(own, f"b{number}", title=f"{'Panel' if turn < 4 else 'Policy'} {number}")

    def publish() -> None:
        with psycopg.connect(db_url) as own:
            barrier.wait(30)
            for number in (3, 2, 1, 0):
                add_edition(
                    own, f"a{number}", 2024, title=f"Policy {number}", body=f"Text {number}, new."
                )
                own.commit()

    def decide() -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            for _ in range(12):
                own.execute(
                    "select corpus.decide_documents("
                    "array(select document_id from corpus.document order by random()), 'approved')"
                )

    with ThreadPoolExecutor(3) as pool:
        for work in [pool.submit(job) for job in (correct, publish, decide)]:
            work.result(60)
    # each subject has its title back, so b holds and nothing of a is seen
    assert live(db) == ["b0", "b1", "b2", "b3"]
    assert (
        ask(
            db,
            "select count(*) from corpus.chunk_fact join corpus.chunk using (chunk_id)"
            " join corpus.version as v using (version_id)"
            " where (status = 'superseded') <> (v.state = 'superseded')",
        )
        == 0
    )


def _again(db: psycopg.Connection, source: str, title: str) -> None:
    outcome = stage(
        db, f"The text of {source}.", source=source, title=title, effective_date=date(2025, 1, 1)
    )["outcome"]
    assert outcome == "updated"
