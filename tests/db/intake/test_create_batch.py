"""intake.create_batch: what is handed in is queued once, and one bad address stops no other."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.intake.batches import create, states, status
from tests.roles import role


def test_each_address_becomes_a_task_anybody_may_take(reference: psycopg.Connection) -> None:
    batch_id = create(reference, "https://a.example/1", "https://a.example/2")
    assert states(reference, batch_id) == ["waiting", "waiting"]
    assert ask_rows(
        reference,
        "select t.kind, p.position from queue.task as t"
        " join intake.page as p on p.page_id = t.subject_id order by p.position",
    ) == [("fetch_page", 1), ("fetch_page", 2)]
    assert ask(reference, "select bool_and(claimed_by is null) from queue.task")


def test_who_handed_it_in_is_kept_and_told_as_of_an_upload(reference: psycopg.Connection) -> None:
    reference.execute("select audit.speak_for('person:kim', null)")
    batch_id = create(reference, "https://a.example/1", "nonsense")
    assert ask_rows(reference, "select handed_in_by from intake.batch") == [("person:kim",)]
    assert ask_rows(
        reference, "select subject, actor, detail from audit.event where kind = 'batch_received'"
    ) == [(f"batch {batch_id}", "person:kim", {"addresses": 2})]


def test_an_address_given_twice_is_fetched_once(reference: psycopg.Connection) -> None:
    batch_id = create(
        reference,
        "https://b.example/x",
        "https://a.example",
        " HTTPS://A.example:443/#top ",
        "https://b.example/x",
    )
    assert [url["url"] for url in status(reference, batch_id)["urls"]] == [
        "https://b.example/x",
        "https://a.example/",
    ]
    assert ask(reference, "select count(*) from queue.task") == 2


def test_two_batches_may_ask_for_the_same_address(reference: psycopg.Connection) -> None:
    create(reference, "https://a.example/")
    create(reference, "https://a.example/")
    assert ask(reference, "select count(*) from queue.task") == 2


def test_a_bad_address_is_refused_for_itself(reference: psycopg.Connection) -> None:
    batch_id = create(reference, "ftp://a.example/", "https://a.example/", "nonsense", None, " ")
    assert states(reference, batch_id) == ["refused", "waiting", "refused"]
    assert "http://" in status(reference, batch_id)["urls"][0]["reason"]
    assert ask(reference, "select count(*) from queue.task") == 1


def test_a_password_is_neither_kept_nor_shown(reference: psycopg.Connection) -> None:
    batch_id = create(reference, "https://kim:s3cret@a.example/x@y")
    assert states(reference, batch_id) == ["refused"]
    assert "s3cret" not in str(status(reference, batch_id))
    assert ask(reference, "select bool_or(p::text like '%%s3cret%%') from intake.page as p") is (
        False
    )


@pytest.mark.parametrize(
    "urls", [[], [""], [None], [f"https://a.example/{i}" for i in range(1001)]]
)
def test_no_address_or_too_many_are_refused(
    reference: psycopg.Connection, urls: list[str | None]
) -> None:
    with refused(reference, "IN002", "1000"):
        create(reference, *urls)
    with refused(reference, "IN002"):
        reference.execute("select intake.create_batch(null)")


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        ("KB002", {"tags": ["no-such-topic"]}),
        ("KB004", {"authority": "nobody"}),
        ("PL001", {"la_code": "E99999999"}),
        ("PL002", {"school_urn": "1"}),
        ("KB006", {"school_urn": "990001", "la_code": "E10000016"}),
        ("KB007", {"principals": ["kim"]}),
    ],
)
def test_what_is_said_of_all_is_checked_before_anything_is_queued(
    reference: psycopg.Connection, code: str, facts: dict[str, Any]
) -> None:
    with refused(reference, code):
        create(reference, "https://a.example/", **facts)
    assert ask(reference, "select count(*) from queue.task") == 0


def test_the_app_hands_in_and_asks_but_reads_no_table(reference: psycopg.Connection) -> None:
    with role(reference, "pgkb_app"):
        batch_id = create(reference, "https://a.example/")
        assert states(reference, batch_id) == ["waiting"]
        with pytest.raises(psycopg.errors.InsufficientPrivilege), reference.transaction():
            reference.execute("select from intake.page")


def test_a_reader_may_not_hand_in(reference: psycopg.Connection) -> None:
    with role(reference, "pgkb_reader"):
        for call in ("create_batch(array['https://a.example/'])", f"batch_status('{uuid4()}')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), reference.transaction():
                reference.execute(f"select intake.{call}".encode())
