"""intake.receive_upload: the same bytes are taken once, and what is said of them is checked."""

import hashlib
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role

KENT, BIRMINGHAM = "E10000016", "E08000025"


def receive(db: psycopg.Connection, text: str = "text", **facts: Any) -> tuple[UUID, bool]:
    """Hand bytes in; key and whether they were there."""
    given: dict[str, Any] = {
        "kind": "file",
        "la": KENT,
        "authority_name": None,
        "title": None,
        "tags": [],
        "urn": None,
        "bytes": 4,
    } | facts
    ((key, joined),) = ask_rows(
        db,
        "select upload_key, joined from intake.receive_upload(spool_name => %s,"
        " file_name => 'a.txt', sha256 => %s, byte_count => %s, kind => %s, la_code => %s,"
        " local_authority => %s, school_urn => %s, title => %s, tags => %s::text[])",
        uuid4().hex,
        hashlib.sha256(text.encode()).digest(),
        given["bytes"],
        given["kind"],
        given["la"],
        given["authority_name"],
        given["urn"],
        given["title"],
        given["tags"],
    )
    return key, joined


def test_the_same_bytes_are_taken_once_per_area_kind_and_facts(
    reference: psycopg.Connection,
) -> None:
    key, joined = receive(reference)
    assert joined is False
    assert receive(reference) == (key, True)
    for different in (
        {"text": "another"},
        {"la": BIRMINGHAM},
        {"la": None},
        {"urn": "990003"},
        {"kind": "archive"},
        {"title": "A title"},
        {"tags": ["transport"]},
    ):
        assert receive(reference, **different)[1] is False
    assert ask(reference, "select count(*) from queue.task where kind = 'read_upload'") == 8


def test_bytes_whose_task_was_given_up_are_taken_again(reference: psycopg.Connection) -> None:
    key, _ = receive(reference)
    reference.execute("update queue.task set dead = true where kind = 'read_upload'")
    again, joined = receive(reference)
    assert (joined, again != key) == (False, True)


def test_bytes_that_were_refused_are_read_again(reference: psycopg.Connection) -> None:
    receive(reference)
    task = ask_rows(
        reference,
        "select task_id, subject_id, lease_token from queue.claim_tasks(worker => 'w',"
        " batch_size => 1, kinds => '{read_upload}')",
    )[0]
    reference.execute(
        "select intake.refuse_upload_file(%s, %s, %s, 1, 'a.txt', 'not words')",
        [task[1], task[0], task[2]],
    )
    reference.execute("select intake.finish_upload(%s, %s, %s)", [task[1], task[0], task[2]])
    assert receive(reference)[1] is False


def test_an_authority_may_be_given_by_its_name_too(reference: psycopg.Connection) -> None:
    receive(reference, la=None, authority_name="Kent County Council")
    receive(reference, "two", la="886", authority_name=" kent ")
    places = ask_rows(reference, "select la_code from intake.upload order by upload_id")
    assert places == [(KENT,), ("886",)]
    with refused(reference, "UL002"):
        receive(reference, la=BIRMINGHAM, authority_name="Kent")


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"bytes": 0}, "UL001"),
        ({"kind": "archive", "title": "One"}, "UL001"),
        ({"tags": ["nonsense"]}, "KB002"),
        ({"la": "E99999999"}, "PL001"),
        ({"authority_name": "Atlantis"}, "PL001"),
        ({"urn": "990001"}, "KB006"),
    ],
)
def test_what_is_said_of_it_is_checked(
    reference: psycopg.Connection, facts: dict[str, Any], code: str
) -> None:
    with refused(reference, code):
        receive(reference, **facts)


def test_a_curator_may_hand_in_and_the_app_by_itself_may_not(
    reference: psycopg.Connection,
) -> None:
    with role(reference, "pgkb_admin"):
        key, _ = receive(reference)
        assert ask(reference, "select state from intake.upload_status(%s)", key) == "waiting"
    with (
        role(reference, "pgkb_app"),
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        reference.transaction(),
    ):
        receive(reference)
    with refused(reference, "UL003"):
        ask(reference, "select state from intake.upload_status(%s)", uuid4())
