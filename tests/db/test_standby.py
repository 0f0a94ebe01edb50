"""A search runs where nothing can be written: on a standby, and in a read-only transaction."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, load_reference, near, search
from tests.db.standby import Pair, primary_and_standby


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with primary_and_standby() as servers:
        with psycopg.connect(servers.primary) as db:
            load_reference(db)
            for n, place in enumerate((None, "E08000025", "E10000016")):
                add(
                    db,
                    f"the tribunal hears appeals under section {36 + n}",
                    source=f"page {n}",
                    vector=near(3, 0.9, towards=n),
                    la_code=place,
                    tags=["transport"],
                )
            add(db, "our own way to school", source="s", school_urn="990001", vector=axis(3))
            # the statistics are searched folded and unfolded
            db.execute("select search.fold_statistics()")
            db.commit()
            add(db, "appeals about transport", source="late", vector=axis(3))
        servers.catch_up()
        yield servers


@pytest.fixture(params=["standby", "read-only transaction"])
def reading(request: pytest.FixtureRequest, pair: Pair) -> Iterator[psycopg.Connection[Any]]:
    on_standby = request.param == "standby"
    with psycopg.connect(pair.standby if on_standby else pair.primary) as db:
        db.read_only = True
        (recovering,) = db.execute("select pg_is_in_recovery()").fetchone() or (None,)
        assert recovering is on_standby
        yield db


ASKED: dict[str, dict[str, Any]] = {
    "both legs": {"words": "appeals under s.36", "vector": axis(3)},
    "words alone": {"words": "appeals"},
    "vector alone": {"vector": axis(3)},
    "an authority": {"words": "appeals", "vector": axis(3), "la": "E08000025"},
    "a school": {"words": "appeals", "vector": axis(3), "la": "E08000025", "urn": "990001"},
    "tags": {"words": "appeals", "vector": axis(3), "tags": ["transport"]},
    "tags nobody has": {"words": "appeals", "vector": axis(3), "tags": ["ehcp"]},
    "a day": {"words": "appeals", "vector": axis(3), "as_of": "2099-01-01"},
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("exact_limit", ["20000", "0"], ids=["exact", "by index"])
def test_a_search_without_writing_finds_what_the_primary_finds(
    pair: Pair, reading: psycopg.Connection[Any], asked: dict[str, Any], exact_limit: str
) -> None:
    with psycopg.connect(pair.primary) as db:
        for connection in (db, reading):
            connection.execute("select set_config('kb.exact_limit', %s, true)", [exact_limit])
        expected = search(db, **asked)
        assert expected
        assert search(reading, **asked) == expected


def test_a_search_is_explained_without_writing(reading: psycopg.Connection[Any]) -> None:
    found = [row["chunk_id"] for row in search(reading, words="appeals", la="E08000025")]
    asked = "null, 'appeal'::tsquery, la => 'E08000025'"
    told = reading.execute(
        f"select chunk_id from explain_search({asked}) where stage = 'answer' "
        "order by rank".encode()
    ).fetchall()
    assert [chunk for (chunk,) in told] == found != []
    verdict = reading.execute(f"select verdict from why_not(%s, {asked})".encode(), found[:1])
    assert verdict.fetchone() == ("in_answer",)


def test_an_authority_is_resolved_without_writing(reading: psycopg.Connection[Any]) -> None:
    row = reading.execute(
        "select la_code, school_urn, source from resolve_la(child_urn => '990001')"
    ).fetchone()
    assert row is not None
    assert row[:2] == ("E08000025", "990001")


def test_a_question_in_words_is_answered_without_writing(
    reading: psycopg.Connection[Any],
) -> None:
    # no endpoint runs here: the search goes by words, and does not try to remember a vector
    rows = reading.execute("select chunk_id from search_text('appeals to the tribunal')").fetchall()
    assert rows


def test_a_dba_looks_after_it_there(reading: psycopg.Connection[Any]) -> None:
    for view in ("index_health", "vacuum_plan", "storage", "settings", "rebuild_plan()"):
        assert reading.execute(f"select count(*) from dba.{view}".encode()).fetchone()
    ((mean,),) = reading.execute(
        "select mean_recall from dba.measure_recall(3, bands => '{everything}')"
    ).fetchall()
    assert mean == 1
    assert reading.execute("select * from dba.prewarm()").fetchall()


def test_writing_is_what_cannot_be_done_there(reading: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        add(reading, "text", source="never")
