"""resolve_citation: a citation made then is the same text now, for whoever may see it."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.corpus import Added, add, search
from tests.roles import role
from tests.sandbox import refused


def cited(db: psycopg.Connection[Any], chunk_id: int | None, **asked: Any) -> list[dict[str, Any]]:
    named = "".join(f", {name} => %({name})s" for name in asked)
    return [
        row[0]
        for row in db.execute(
            f"select to_jsonb(r) from resolve_citation(%(chunk_id)s{named}) as r",
            {"chunk_id": chunk_id, **asked},
        ).fetchall()
    ]


def rules(db: psycopg.Connection[Any], year: int, **facts: Any) -> Added:
    return add(
        db,
        f"The rules of {year}.",
        source="rules.pdf",
        title=f"Travel rules {year}",
        effective_date=date(year, 9, 1),
        **facts,
    )


def test_a_citation_made_then_is_the_same_text_after_every_change(
    kb: psycopg.Connection[Any],
) -> None:
    first = rules(kb, 2020)
    (then,) = search(kb, words="rules")
    (before,) = cited(kb, then["chunk_id"])
    assert (before["content"], before["is_current"], before["in_force_to"]) == (
        "The rules of 2020.",
        True,
        None,
    )
    second = rules(kb, 2024)
    (now,) = cited(kb, then["chunk_id"])
    changed = {name for name in now if now[name] != before[name]}
    assert changed == {
        "is_current",
        "in_force_to",
        "superseded_by_document",
        "superseded_by_version",
    }
    assert now == before | {
        "is_current": False,
        "in_force_to": "2024-09-01",
        "superseded_by_document": second.document_id,
        "superseded_by_version": 2,
    }
    assert (now["version"], now["in_force_from"], now["scope"]) == (1, "2020-09-01", "national")
    kb.execute("select corpus.undo_supersession(%s)", [first.version_id])
    assert cited(kb, then["chunk_id"]) == [before]


def test_it_says_what_the_search_said(kb: psycopg.Connection[Any]) -> None:
    rules(kb, 2020, la_code="E10000016")
    (found,) = search(kb, words="rules", la="E10000016")
    (row,) = cited(kb, found["chunk_id"], la="E10000016")
    for name in set(row) & set(found):
        assert row[name] == found[name], name


@pytest.mark.parametrize(
    ("facts", "may", "may_not"),
    [
        ({}, [{}, {"la": "E10000016"}, {"principals": ["bob"]}], []),
        (
            {"la_code": "E10000016"},
            [{"la": "E10000016"}, {"la": "E08000025", "home_la": "E10000016"}],
            [{}, {"la": "E08000025"}, {"urn": "990003"}, {"la": "E08000025", "everywhere": True}],
        ),
        (
            {"school_urn": "990003"},
            [{"urn": "990003"}, {"la": "E10000016", "urn": "990003"}],
            [{}, {"la": "E10000016"}, {"urn": "990001"}, {"everywhere": True}],
        ),
        (
            {"owner": "ann", "principals": ["bob"]},
            [{"principals": ["ann"]}, {"principals": ["eve", "bob"]}],
            [{}, {"principals": ["eve"]}, {"principals": []}, {"everywhere": True}],
        ),
    ],
)  # fmt: skip
def test_only_who_could_have_found_it_may_read_it(
    kb: psycopg.Connection[Any],
    facts: dict[str, Any],
    may: list[dict[str, Any]],
    may_not: list[dict[str, Any]],
) -> None:
    (old,) = rules(kb, 2020, **facts).chunk_ids
    (new,) = rules(kb, 2024, **facts).chunk_ids
    for chunk_id in (old, new):
        for asked in may:
            assert len(cited(kb, chunk_id, **asked)) == 1, asked
        for asked in may_not:
            assert cited(kb, chunk_id, **asked) == [], asked


def test_what_a_search_without_a_place_found_everywhere_can_be_cited_as_such(
    kb: psycopg.Connection[Any],
) -> None:
    rules(kb, 2020, la_code="E10000016")
    (found,) = search(kb, words="rules")
    assert found["no_la_broad_fallback_used"]
    asked = {"everywhere": found["no_la_broad_fallback_used"]}
    assert len(cited(kb, found["chunk_id"], **asked)) == 1
    assert cited(kb, found["chunk_id"]) == []


def test_an_authority_that_took_over_may_read_the_old_ones_text(
    kb: psycopg.Connection[Any],
) -> None:
    (chunk,) = rules(kb, 2020, la_code="E08000016").chunk_ids
    assert len(cited(kb, chunk, la="E08000038")) == 1


@pytest.mark.parametrize("status", ["rejected", "flagged"])
def test_what_was_taken_out_is_not_read_through_an_old_citation(
    kb: psycopg.Connection[Any], status: str
) -> None:
    (chunk,) = rules(kb, 2020).chunk_ids
    kb.execute("select corpus.set_status(%s, %s)", [[chunk], status])
    assert cited(kb, chunk) == []
    rules(kb, 2024)
    assert cited(kb, chunk) == []


def test_a_passage_that_never_was_or_is_not_published_yet_is_no_row(
    kb: psycopg.Connection[Any],
) -> None:
    kb.execute(
        "select corpus.stage_document("
        "source => 'a', title => 'a', body => 'Text.', file_type => 'txt')"
    )
    staged = kb.execute("select chunk_id from corpus.chunk").fetchone()
    assert staged is not None
    for chunk_id in (staged[0], 4711, -1, None):
        assert cited(kb, chunk_id) == []


def test_a_place_that_is_none_is_refused(kb: psycopg.Connection[Any]) -> None:
    with refused(kb, "PL001"):
        cited(kb, 1, la="E99999999")
    with refused(kb, "PL002"):
        cited(kb, 1, urn="123456")


@pytest.mark.parametrize("name", ["pgkb_reader", "pgkb_app", "pgkb_admin"])
def test_readers_may_and_it_writes_nothing(kb: psycopg.Connection[Any], name: str) -> None:
    (chunk,) = rules(kb, 2020).chunk_ids
    with kb.transaction(), role(kb, name):
        kb.execute("set transaction_read_only = on")
        assert len(cited(kb, chunk)) == 1
