"""corpus.lay_timeline: on any day exactly one of a family is in force, whatever came when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import add, stage
from tests.db.corpus_fixtures import ask, ask_rows

SUBJECT = "Travel to school"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A text that comes: of which file, under which date; None says no date."""

    source: str
    day: date | None


def _come(db: psycopg.Connection, arrivals: Sequence[Arrival]) -> None:
    for number, arrival in enumerate(arrivals):
        add(
            db,
            f"Text {number} of {arrival.source}.",
            source=arrival.source,
            title=f"{SUBJECT} {arrival.day.year if arrival.day else ''}",
            effective_date=arrival.day,
        )


def _in_force(db: psycopg.Connection, day: date) -> list[str]:
    rows = ask_rows(
        db,
        "select d.source from search.chunks_as_of(%s, "
        "(select array_agg(scope_id) from corpus.scope), '{approved,pending}') as a (chunk_id) "
        "join corpus.chunk as c using (chunk_id) join corpus.document as d using (document_id)",
        day,
    )
    return [row[0] for row in rows]


def _days(db: psycopg.Connection) -> list[date]:
    """The first day of every version, and the day before each."""
    firsts = [row[0] for row in ask_rows(db, "select distinct valid_from from corpus.version")]
    return sorted({day for first in firsts for day in (first - timedelta(1), first)})


YEARS = [date(year, 9, 1) for year in (2018, 2020, 2022, 2024)]


@settings(
    max_examples=24,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(order=st.permutations(YEARS))
def test_three_and_more_documents_of_a_title_have_one_time_line_in_any_order_of_arrival(
    reference: psycopg.Connection, order: list[date]
) -> None:
    with reference.transaction(force_rollback=True):
        _come(reference, [Arrival(f"{day.year}.pdf", day) for day in order])
        assert ask_rows(
            reference, "select valid_from, valid_to from corpus.version order by valid_from"
        ) == list(zip(YEARS, [*YEARS[1:], None], strict=True))
        for day, source in zip(YEARS, ("2018", "2020", "2022", "2024"), strict=True):
            assert _in_force(reference, day) == [f"{source}.pdf"]


DATED = [date(2020, 9, 1), date(2022, 9, 1), date(2022, 9, 1), date(2024, 9, 1)]


@settings(
    max_examples=24,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(order=st.permutations(range(len(DATED))))
def test_the_newest_is_published_in_any_order_and_of_two_of_one_day_the_later_holds(
    reference: psycopg.Connection, order: list[int]
) -> None:
    """J-08: all 24 orders of four files of one title, two of them of one day."""
    with reference.transaction(force_rollback=True):
        _come(reference, [Arrival(f"{number}.pdf", DATED[number]) for number in order])
        later_of_two = max((1, 2), key=order.index)
        assert ask_rows(
            reference,
            "select d.source from corpus.version as v join corpus.document as d "
            "using (document_id) where v.state = 'published'",
        ) == [("3.pdf",)]
        assert _in_force(reference, date(2021, 1, 1)) == ["0.pdf"]
        assert _in_force(reference, date(2023, 1, 1)) == [f"{later_of_two}.pdf"]
        assert _in_force(reference, date(2025, 1, 1)) == ["3.pdf"]
        assert _chain_ends(reference) == {"3.pdf"}


def _chain_ends(db: psycopg.Connection) -> set[str]:
    """Where what took over leads to from each version; it must not run in a circle."""
    rows = ask_rows(
        db,
        "with recursive step as ("
        "select version_id as began, version_id, superseded_by from corpus.version union all "
        "select s.began, v.version_id, v.superseded_by from step as s "
        "join corpus.version as v on s.superseded_by = v.version_id"
        ") cycle version_id set is_circle using path "
        "select d.source, s.is_circle from step as s join corpus.version as v using (version_id) "
        "join corpus.document as d using (document_id) "
        "where s.superseded_by is null or s.is_circle",
    )
    assert not any(circle for _, circle in rows)
    return {source for source, _ in rows}


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_whatever_curators_undo_and_supersede_all_stays_whole(
    reference: psycopg.Connection, data: st.DataObject
) -> None:
    """Arrivals, corrections, undone supersessions and named successors in any order."""
    with reference.transaction(force_rollback=True):
        _come(
            reference,
            data.draw(
                st.lists(
                    st.builds(
                        Arrival,
                        source=st.sampled_from(["a.pdf", "b.pdf", "c.pdf"]),
                        day=st.sampled_from([*YEARS, None]),
                    ),
                    min_size=2,
                    max_size=4,
                )
            ),
        )
        for turn in range(data.draw(st.integers(1, 4))):
            superseded = ask_rows(
                reference,
                "select version_id from corpus.version where state = 'superseded' order by 1",
            )
            live = [
                row[0]
                for row in ask_rows(
                    reference,
                    "select document_id from corpus.version where state = 'published' order by 1",
                )
            ]
            choices = [
                "come",
                "correct",
                *["undo"] * bool(superseded),
                *["supersede"] * (len(live) > 1),
            ]
            match data.draw(st.sampled_from(choices)):
                case "undo":
                    (version_id,) = data.draw(st.sampled_from(superseded))
                    reference.execute("select corpus.undo_supersession(%s)", [version_id])
                case "supersede":
                    old, new = data.draw(st.permutations(live))[:2]
                    reference.execute("select corpus.supersede(%s, %s)", [old, new])
                case "correct":
                    reference.execute(
                        "select corpus.correct_facts(version_id, title => %s, effective_date => %s)"
                        " from corpus.version where document_id = %s and state = 'published'",
                        [
                            data.draw(st.sampled_from([SUBJECT, "Panel days"])),
                            data.draw(st.sampled_from([*YEARS, None])),
                            data.draw(st.sampled_from(live)),
                        ],
                    )
                case "come":
                    source = data.draw(st.sampled_from(["a.pdf", "b.pdf", "c.pdf"]))
                    add(
                        reference,
                        f"Turn {turn}.",
                        source=source,
                        title=SUBJECT,
                        effective_date=data.draw(st.sampled_from([*YEARS, None])),
                    )
            _check_whole(reference)


def _check_whole(db: psycopg.Connection) -> None:
    """States, facts, indexed texts and vectors agree, and chains end in what is published."""
    assert (
        ask(
            db,
            "select count(*) from corpus.chunk as c join corpus.version as v using (version_id) "
            "join corpus.chunk_fact as f using (chunk_id) "
            "left join search.text_index as t using (chunk_id) "
            "left join embedding.vector as w using (chunk_id) "
            "left join embedding.cold_vector as k using (chunk_id) "
            "where (v.state = 'published') <> (t.chunk_id is not null) "
            "or (v.state = 'published') <> (w.chunk_id is not null) "
            "or (v.state = 'published') = (k.chunk_id is not null) "
            "or (v.state = 'superseded') <> (f.status = 'superseded') "
            "or (v.state = 'superseded') <> (v.superseded_by is not null) "
            "or (v.state = 'superseded') <> (v.valid_to is not null)",
        )
        == 0
    )
    live = ask_rows(
        db,
        "select d.source from corpus.version as v join corpus.document as d using (document_id) "
        "where v.state = 'published'",
    )
    assert _chain_ends(db) <= {row[0] for row in live}
    assert sorted(_in_force(db, date.max)) == sorted(row[0] for row in live)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    arrivals=st.lists(
        st.builds(
            Arrival,
            source=st.sampled_from(["a.pdf", "b.pdf", "c.pdf"]),
            day=st.sampled_from([*YEARS, date(2090, 1, 1), None]),
        ),
        min_size=2,
        max_size=6,
    )
)
def test_exactly_one_of_a_family_is_in_force_from_its_first_day_on(
    reference: psycopg.Connection, arrivals: list[Arrival]
) -> None:
    """Versions and documents of one title, dated, undated, of one day and still to come."""
    with reference.transaction(force_rollback=True):
        _come(reference, arrivals)
        started = False
        for day in _days(reference):
            found = _in_force(reference, day)
            assert len(found) <= 1, f"{found} on {day}"
            assert found or not started, f"nothing on {day}"
            started = started or bool(found)
        live = ask_rows(
            reference,
            "select d.source from corpus.version as v join corpus.document as d "
            "using (document_id) where v.state = 'published'",
        )
        assert _in_force(reference, date.max) == [live[0][0]], (
            "the last is the one that is searched"
        )


def test_a_title_that_was_left_ends_on_the_day_its_document_spoke_of_something_else(
    reference: psycopg.Connection,
) -> None:
    add(reference, "Buses.", source="a", title="School buses", effective_date=date(2020, 1, 1))
    add(reference, "Taxis.", source="a", title="School taxis", effective_date=date(2022, 1, 1))
    add(
        reference, "Buses again.", source="b", title="School buses", effective_date=date(2024, 1, 1)
    )
    assert _in_force(reference, date(2021, 1, 1)) == ["a"]
    assert _in_force(reference, date(2023, 1, 1)) == ["a"]
    assert sorted(_in_force(reference, date(2024, 1, 1))) == ["a", "b"]
    assert ask_rows(
        reference, "select valid_to from corpus.version where title = 'School buses' order by 1"
    ) == [(date(2022, 1, 1),), (None,)]


def test_families_of_other_places_and_sites_do_not_end_each_other(
    reference: psycopg.Connection,
) -> None:
    families: list[tuple[str, dict[str, Any]]] = [
        ("{}.pdf", {}),
        ("{}.pdf", {"la_code": "E10000016"}),
        ("{}.pdf", {"owner": "ann"}),
        ("https://a.example/{}", {}),
    ]
    for where, facts in families:
        for year in (2020, 2024, 2022):
            add(
                reference,
                f"Text {year} of {where} {facts}.",
                source=where.format(year),
                title=SUBJECT,
                effective_date=date(year, 1, 1),
                **facts,
            )
    assert len(_in_force(reference, date(2021, 1, 1))) == 4
    assert len(_in_force(reference, date(2023, 1, 1))) == 4


def test_a_source_that_now_says_what_another_says_held_until_that_day(
    reference: psycopg.Connection,
) -> None:
    add(reference, "The common text.", source="a", title="Panel days")
    add(reference, "The old text.", source="b", title="Panel fees", effective_date=date(2023, 1, 1))
    again = stage(
        reference,
        "The common text.",
        source="b",
        title="Panel fees",
        effective_date=date(2025, 1, 1),
    )
    assert again["outcome"] == "duplicate"
    assert _in_force(reference, date(2024, 12, 31)) == ["b"]
    assert _in_force(reference, date(2025, 1, 1)) == []
    # and still when another file takes the title up
    add(reference, "Fees.", source="c", title="Panel fees", effective_date=date(2026, 1, 1))
    assert _in_force(reference, date(2025, 12, 31)) == []
    assert "c" in _in_force(reference, date(2026, 1, 1))


@pytest.mark.parametrize("first", ["2020", "2024"])
def test_publishing_again_changes_no_time_line(reference: psycopg.Connection, first: str) -> None:
    _come(reference, [Arrival(f"{day.year}.pdf", day) for day in YEARS])
    before = ask_rows(reference, "select version_id, valid_to from corpus.version order by 1")
    document_id = ask(
        reference, "select document_id from corpus.document where source = %s", f"{first}.pdf"
    )
    reference.execute("select corpus.lay_timeline(%s)", [document_id])
    assert (
        ask_rows(reference, "select version_id, valid_to from corpus.version order by 1") == before
    )
