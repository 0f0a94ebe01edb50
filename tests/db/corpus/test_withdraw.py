"""corpus.withdraw, move_document: what becomes of a document whose source is gone."""

import psycopg

from tests.corpus import add, stage
from tests.db.corpus_fixtures import ask, ask_rows

SITE = "https://www.kent.example/"
BODY = "The council keeps a local offer of services for children and young people. " * 4


def withdraw(db: psycopg.Connection, document_id: int, successor_id: int | None = None) -> bool:
    withdrawn: bool = ask(db, "select corpus.withdraw(%s, %s, 'gone')", document_id, successor_id)
    return withdrawn


def test_a_withdrawn_document_is_found_no_more_and_its_citation_stays(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, BODY, source=SITE + "a", title="Offer")
    assert withdraw(reference, added.document_id)
    assert ask(reference, "select count(*) from search.text_index") == 0
    assert ask_rows(
        reference,
        "select content is not null, is_current, in_force_to = current_date, superseded_by_document"
        " from resolve_citation(%s)",
        added.chunk_ids[0],
    ) == [(True, False, True, None)]
    assert ask_rows(
        reference, "select kind, detail ->> 'reason' from audit.event where kind = 'superseded'"
    ) == [("superseded", "gone")]
    # twice is harmless
    assert not withdraw(reference, added.document_id)


def test_a_text_that_waits_to_be_published_does_not_bring_it_back(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, BODY, source=SITE + "a", title="Offer")
    stage(reference, BODY + "changed", source=SITE + "a", title="Offer")
    assert withdraw(reference, added.document_id)
    assert ask_rows(reference, "select state from corpus.version") == [("superseded",)]
    assert ask(reference, "select count(*) from queue.task") == 0


def test_the_same_text_at_the_same_address_is_published_again(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, BODY, source=SITE + "a", title="Offer")
    withdraw(reference, added.document_id)
    again = add(reference, BODY, source=SITE + "a", title="Offer")
    assert (again.outcome, again.document_id) == ("staged", added.document_id)
    assert ask(reference, "select count(*) from search.text_index") > 0


def test_a_successor_is_named_unless_the_document_stands_alone(
    reference: psycopg.Connection,
) -> None:
    old, other, new = (
        add(reference, BODY + name, source=SITE + name, title=name).document_id
        for name in ("old", "other", "new")
    )
    reference.execute(
        "update corpus.document set stands_alone = true where document_id = %s", [other]
    )
    assert withdraw(reference, old, new)
    assert withdraw(reference, other, new)
    assert ask_rows(
        reference,
        "select d.source, n.document_id from corpus.version as v"
        " join corpus.document as d using (document_id)"
        " left join corpus.version as n on v.superseded_by = n.version_id"
        " where v.state = 'superseded' order by 1",
    ) == [(SITE + "old", new), (SITE + "other", None)]


def test_a_document_moves_to_an_address_that_is_free(reference: psycopg.Connection) -> None:
    first, second = (
        add(reference, BODY + name, source=SITE + name, title=name).document_id
        for name in ("first", "second")
    )
    move = "select corpus.move_document(%s, %s)"
    assert not ask(reference, move, first, SITE + "second")
    assert ask(reference, move, first, "https://new.example/first")
    assert ask_rows(
        reference, "select source, source_family from corpus.document where document_id = %s", first
    ) == [("https://new.example/first", "new.example")]
    assert ask(reference, "select subject from audit.event where kind = 'moved'") == (
        f"document {first}"
    )
    assert not ask(reference, move, 0, SITE + "third")
    assert second != first
