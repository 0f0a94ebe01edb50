"""corpus.release_corrected: a corrected file does not go on hiding what its wrong title hid."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from threading import Barrier
from typing import Any, LiteralString

import psycopg
import pytest

from tests.corpus import axis, literal, load_reference, search, stage
from tests.db.corpus.editions import TITLE, add_edition, behind, live, take_out_two
from tests.db.corpus_fixtures import ask, ask_rows

OTHER = "Exclusion policy"


def _correct(db: psycopg.Connection, year: int | None = 2025, title: str = OTHER) -> int:
    return add_edition(db, "b", year, title=title, body="The text of b, put right.")


def test_a_text_of_the_same_day_under_another_title_brings_back_what_the_first_replaced(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    assert live(reference) == ["b"]
    _correct(reference)
    assert live(reference) == ["a", "b"]
    assert ask_rows(
        reference,
        "select f.status, v.superseded_by, v.valid_to from corpus.version as v"
        " join corpus.document as d using (document_id) join corpus.chunk as c using (version_id)"
        " join corpus.chunk_fact as f using (chunk_id) where d.source = 'a'",
    ) == [("pending", None, None)]
    # in force on every day from its first on, as if the wrong one had never come
    for year, sources in ((2024, ["a"]), (2026, ["a", "b"])):
        found = search(reference, words="text", as_of=date(year, 6, 1))
        assert sorted(row["source"] for row in found) == sources
    again = stage(
        reference, "The text of a.", source="a", title=TITLE, effective_date=date(2024, 1, 1)
    )
    assert again["outcome"] == "unchanged"


def test_an_undated_text_is_corrected_on_the_day_it_came(reference: psycopg.Connection) -> None:
    add_edition(reference, "a")
    add_edition(reference, "b")
    _correct(reference, None)
    assert live(reference) == ["a", "b"]


def test_a_wrong_day_and_title_are_corrected_at_once(reference: psycopg.Connection) -> None:
    """The first was to begin in years; its source dates it no more."""
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2090)
    _correct(reference, None)
    assert live(reference) == ["a", "b"]


def test_what_was_in_force_for_a_time_has_replaced_the_others_for_good(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    _correct(reference, 2026)
    assert live(reference) == ["b"]
    assert behind(reference) == {"a": "b", "b": "b"}


def test_a_correction_that_keeps_the_title_keeps_what_it_replaced(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    _correct(reference, title=f"{TITLE} 2025")
    assert live(reference) == ["b"]


def test_a_second_correction_brings_back_what_the_first_text_replaced(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    add_edition(reference, "b", 2025, body="The text of b, with a typing error less.")
    _correct(reference)
    assert live(reference) == ["a", "b"]


@pytest.mark.parametrize(
    "order", [("a", "wrong", "right"), ("wrong", "a", "right"), ("wrong", "right", "a")]
)
def test_the_order_of_arrival_decides_nothing(
    reference: psycopg.Connection, order: Sequence[str]
) -> None:
    for name in order:
        match name:
            case "a":
                add_edition(reference, "a", 2024)
            case "wrong":
                add_edition(reference, "b", 2025)
            case _:
                _correct(reference)
    assert live(reference) == ["a", "b"]


def test_of_several_the_last_edition_comes_back_and_stays_behind_a_newer_one(
    reference: psycopg.Connection,
) -> None:
    for source, year in (("older", 2022), ("a", 2024), ("b", 2025)):
        add_edition(reference, source, year)
    # what was behind the wrong one by itself, too
    add_edition(reference, "old", 2023)
    _correct(reference)
    assert live(reference) == ["a", "b"]
    assert behind(reference)["old"] == "a"
    add_edition(reference, "c", 2025, title="Panel policy")
    add_edition(reference, "d", 2026, title="Panel policy")
    add_edition(reference, "c", 2025, title="Days of the panel", body="The text of c, put right.")
    assert live(reference) == ["a", "b", "c", "d"]


def test_what_a_newer_edition_replaced_since_stays_behind_that_one(
    reference: psycopg.Connection,
) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    add_edition(reference, "c", 2025)
    assert behind(reference) == {"a": "b", "b": "c"}
    _correct(reference)
    assert live(reference) == ["b", "c"]
    assert behind(reference)["a"] == "c"


def test_what_a_curator_or_its_source_took_out_stays_out(reference: psycopg.Connection) -> None:
    take_out_two(reference)
    _correct(reference)
    assert live(reference) == ["b"]


def test_what_its_own_source_has_replaced_since_stays_out(reference: psycopg.Connection) -> None:
    add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    add_edition(reference, "a", 2026, title="Panel policy", body="The text of a, another subject.")
    _correct(reference)
    assert live(reference) == ["a", "b"]
    assert behind(reference)["a"] in ("a", "b")


def test_one_without_its_vectors_stays_out_and_is_told_of(reference: psycopg.Connection) -> None:
    hidden = add_edition(reference, "a", 2024)
    add_edition(reference, "b", 2025)
    reference.execute("delete from embedding.cold_vector")
    _correct(reference)
    assert live(reference) == ["b"]
    assert ask(reference, "select subject from audit.event where kind = 'not_restored'") == (
        f"version {hidden}"
    )


def _ready(db: psycopg.Connection, source: str, body: str, **facts: Any) -> tuple[int, str]:
    """A task of a staged document that only needs publishing."""
    staged = stage(db, body, source=source, **facts)
    ids = [
        row[0]
        for row in ask_rows(
            db, "select chunk_id from embedding.chunks_to_embed(%s, 1000)", staged["version_id"]
        )
    ]
    db.execute("select embedding.store_vectors(%s, %s)", [ids, [literal(axis(1))] * len(ids)])
    return staged["task_id"], staged["lease_token"]


def _publish(
    db: psycopg.Connection, tasks: list[tuple[int, str]], by: LiteralString = "publish_tasks"
) -> set[str]:
    return {
        row[0]
        for row in ask_rows(
            db,
            "select outcome from corpus." + by + "(%s, %s::uuid[])",
            [task for task, _ in tasks],
            [token for _, token in tasks],
        )
    }


def test_wrong_and_right_and_what_they_hide_are_published_in_one_batch(
    reference: psycopg.Connection,
) -> None:
    tasks = [
        _ready(reference, "a", "The text of a.", title=TITLE, effective_date=date(2024, 1, 1)),
        *(
            _ready(reference, "b", body, title=title, effective_date=date(2025, 1, 1))
            for body, title in (("The text of b.", TITLE), ("The text of b, right.", OTHER))
        ),
    ]
    # corpus.publish_tasks would go on one by one where all together fail
    assert _publish(reference, tasks, by="publish_claims") == {"published"}
    assert live(reference) == ["a", "b"]


def test_batches_that_correct_each_others_subjects_wait_for_each_other(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    batches: list[list[tuple[int, str]]] = [[], []]
    for number in range(6):
        title = f"Policy {number}"
        add_edition(db, f"a{number}", 2024, title=title)
        add_edition(db, f"b{number}", 2025, title=title)
        for turn, source in enumerate("ab" if number % 2 else "ba"):
            facts: dict[str, Any] = (
                {"title": f"Panel {number}", "effective_date": date(2025, 1, 1)}
                if source == "b"
                else {"title": title, "effective_date": date(2024, 1, 1)}
            )
            task = _ready(db, f"{source}{number}", f"New text of {source}{number}.", **facts)
            batches[turn].insert(0 if turn else number, task)
    db.commit()
    barrier = Barrier(3)

    def publish(batch: list[tuple[int, str]]) -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            assert _publish(own, batch) == {"published"}

    def decide() -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            for _ in range(8):
                own.execute(
                    "select corpus.set_status(array(select c.chunk_id from corpus.chunk as c"
                    " join corpus.chunk_fact as f using (chunk_id)"
                    " where f.status in ('pending', 'approved')), 'approved')"
                )

    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(publish, batch) for batch in batches]
        jobs.append(pool.submit(decide))
        for job in jobs:
            job.result(60)
    assert live(db) == sorted(f"{source}{number}" for source in "ab" for number in range(6))
