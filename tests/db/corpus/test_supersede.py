"""corpus.supersede: a curator says what titles do not tell."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.corpus import Added, add, search, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role


def _supersede(db: psycopg.Connection, old: Added, new: Added) -> int:
    version_id: int = ask(
        db,
        "select corpus.supersede(%s, %s, 'Kim', 'merged')",
        old.document_id,
        new.document_id,
    )
    return version_id


def _live(db: psycopg.Connection) -> list[str]:
    return sorted(row["source"] for row in search(db, words="text", top_k=20))


def _add(db: psycopg.Connection, source: str, year: int | None = None, **facts: Any) -> Added:
    day = date(year, 1, 1) if year else None
    return add(
        db,
        f"The text of {source}.",
        source=source,
        title=f"About {source}",
        effective_date=day,
        **facts,
    )


def test_the_other_takes_over_whatever_the_titles_and_sites(reference: psycopg.Connection) -> None:
    old = _add(reference, "fees.pdf", 2020)
    new = _add(reference, "https://kent.example/panels", 2024)
    assert _supersede(reference, old, new) == old.version_id
    assert _live(reference) == ["https://kent.example/panels"]
    assert ask_rows(
        reference,
        "select state, superseded_by, valid_to from corpus.version where version_id = %s",
        old.version_id,
    ) == [("superseded", new.version_id, date(2024, 1, 1))]
    found = search(reference, words="text", as_of=date(2023, 1, 1))
    assert [row["source"] for row in found] == ["fees.pdf"]
    assert ask_rows(
        reference,
        "select subject, actor, detail from audit.event where kind = 'superseded'",
    ) == [(f"version {old.version_id}", "Kim", {"by": new.version_id, "reason": "merged"})]


def test_one_that_began_later_held_until_today(reference: psycopg.Connection) -> None:
    old, new = _add(reference, "a", 2024), _add(reference, "b", 2020)
    _supersede(reference, old, new)
    assert ask_rows(
        reference,
        "select valid_from, valid_to = current_date from corpus.version where version_id = %s",
        old.version_id,
    ) == [(date(2024, 1, 1), True)]


def test_the_same_again_does_not_bring_it_back_and_something_new_does(
    reference: psycopg.Connection,
) -> None:
    """A superseded document never blocks a legitimate change."""
    old, new = _add(reference, "a"), _add(reference, "b")
    _supersede(reference, old, new)
    again = stage(reference, "The text of a.", source="a", title="About a")
    assert again["outcome"] == "unchanged"
    assert _live(reference) == ["b"]
    add(reference, "The text of a, revised.", source="a", title="About a")
    assert _live(reference) == ["a", "b"]


def test_it_can_be_undone_and_said_again(reference: psycopg.Connection) -> None:
    old, new = _add(reference, "a", 2020), _add(reference, "b", 2024)
    for _ in range(2):
        _supersede(reference, old, new)
        assert _live(reference) == ["b"]
        assert ask(reference, "select count(*) from corpus.document where stands_alone") == 0
        reference.execute("select corpus.undo_supersession(%s)", [old.version_id])
        assert _live(reference) == ["a", "b"]
        assert ask_rows(
            reference,
            "select valid_to, withdrawn_on from corpus.version where version_id = %s",
            old.version_id,
        ) == [(None, None)]


@pytest.mark.parametrize(
    "facts", [{"la_code": "E10000016"}, {"owner": "ann"}, {"school_urn": "990001"}]
)
def test_nobody_loses_a_text_to_one_they_may_not_see(
    reference: psycopg.Connection, facts: dict[str, Any]
) -> None:
    old, new = _add(reference, "a"), _add(reference, "b", **facts)
    with refused(reference, "KB024", "one scope", "decide_documents"):
        _supersede(reference, old, new)


def test_what_cannot_take_over_is_refused(reference: psycopg.Connection) -> None:
    one, other = _add(reference, "a"), _add(reference, "b")
    with refused(reference, "KB024"):
        _supersede(reference, one, one)
    for ids in ((4711, one.document_id), (one.document_id, 4711)):
        with refused(reference, "KB022", "4711"):
            reference.execute("select corpus.supersede(%s, %s)", ids)
    with refused(reference, "KB022"):
        reference.execute("select corpus.supersede(null, %s)", [one.document_id])
    _supersede(reference, one, other)
    for old, new in ((one, other), (other, one)):
        with refused(reference, "KB024", f"{one.document_id} has no published version"):
            _supersede(reference, old, new)


def test_the_admin_may_and_ingest_may_not(reference: psycopg.Connection) -> None:
    old, new = _add(reference, "a"), _add(reference, "b")
    with role(reference, "pgkb_admin"):
        _supersede(reference, old, new)
    assert _live(reference) == ["b"]
    reference.execute("set local role pgkb_ingest")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        _supersede(reference, new, old)
