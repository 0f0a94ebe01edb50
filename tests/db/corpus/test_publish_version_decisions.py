"""What curators decided, and what a source said before, when the text moves on."""

import psycopg

from tests.corpus import add, load_reference, stage

KEPT = "The panel meets on Tuesdays and decides within ten working days of a request."
WRONG = "Parents must pay a fee of ninety pounds before the panel looks at a request."


def _statuses(db: psycopg.Connection, version_id: int) -> list[str]:
    rows = db.execute(
        "select f.status from corpus.chunk as c join corpus.chunk_fact as f using (chunk_id) "
        "where c.version_id = %s order by c.chunk_index",
        [version_id],
    ).fetchall()
    return [row[0] for row in rows]


def test_a_passage_a_curator_rejected_stays_out_when_the_next_version_repeats_it(
    db: psycopg.Connection,
) -> None:
    load_reference(db)
    filler = "Other things are said here about schools and councils. " * 18
    first = add(db, f"{WRONG} {filler}\n\n{KEPT} {filler}", source="a.txt", la_code="E08000025")
    assert len(first.chunk_ids) > 1
    db.execute("select corpus.set_status(%s, 'rejected')", [first.chunk_ids[:1]])
    second = add(
        db, f"{WRONG} {filler}\n\nNew: {KEPT} {filler}", source="a.txt", la_code="E08000025"
    )
    assert second.version_id != first.version_id
    assert _statuses(db, second.version_id)[0] == "rejected"
    assert set(_statuses(db, second.version_id)[1:]) == {"pending"}


def test_a_source_whose_text_becomes_anothers_retires_what_it_said_before(
    db: psycopg.Connection,
) -> None:
    load_reference(db)
    good = add(db, KEPT, source="a.txt", title="Panel days", la_code="E08000025")
    stale = add(db, WRONG, source="b.txt", title="Panel fees", la_code="E08000025")
    again = stage(db, KEPT, source="b.txt", title="Panel fees", la_code="E08000025")
    assert again["outcome"] == "duplicate"
    assert again["existing_document_id"] == good.document_id
    assert _statuses(db, stale.version_id) == ["superseded"]
    assert _statuses(db, good.version_id) == ["pending"]


def test_a_document_may_be_shared_with_two_hundred_people(db: psycopg.Connection) -> None:
    load_reference(db)
    people = [f"user:{n:036d}" for n in range(200)]
    for _ in range(2):
        add(db, KEPT, source="a.txt", owner="user:me", principals=people)
    assert db.execute("select count(*) from corpus.scope where kind = 'private'").fetchone() == (1,)
