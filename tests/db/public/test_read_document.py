"""read_document: a document as it stands, for whoever may see it, and nothing for anybody else."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.corpus import add
from tests.roles import role
from tests.sandbox import refused


def read(db: psycopg.Connection[Any], document_id: int | None, **asked: Any) -> Any:
    named = "".join(f", {name} => %({name})s" for name in asked)
    row = db.execute(
        f"select to_jsonb(r) from read_document(%(document_id)s{named}) as r",
        {"document_id": document_id, **asked},
    ).fetchone()
    return None if row is None else row[0]


LONG = "\n\n".join(f"Paragraph {n} of the rules. " + "word " * 150 for n in range(6))


def test_passages_come_in_order_with_the_facts_of_the_published_version(
    kb: psycopg.Connection[Any],
) -> None:
    add(kb, "The rules of 2020.", source="rules.pdf", title="Travel rules 2020")
    added = add(
        kb, LONG, source="rules.pdf", title="Travel rules 2024", effective_date=date(2024, 9, 1)
    )
    found = read(kb, added.document_id)
    assert (found["version"], found["title"], found["effective_date"], found["scope"]) == (
        2, "Travel rules 2024", "2024-09-01", "national",
    )  # fmt: skip
    places = [passage["chunk_index"] for passage in found["passages"]]
    assert places == list(range(found["passage_count"]))
    assert found["passage_count"] > 3
    assert found["passages"][0]["content"].startswith("Paragraph 0")


def test_pages_together_are_the_whole_and_a_page_after_the_last_is_empty(
    kb: psycopg.Connection[Any],
) -> None:
    added = add(kb, LONG, source="rules.pdf")
    whole = read(kb, added.document_id)["passages"]
    pages, after = [], -1
    while page := read(kb, added.document_id, after_index=after, page_size=2)["passages"]:
        pages += page
        after = page[-1]["chunk_index"]
    assert pages == whole


@pytest.mark.parametrize(
    ("facts", "may", "may_not"),
    [
        ({}, [{}, {"la": "E10000016"}, {"principals": ["bob"]}], []),
        (
            {"la_code": "E10000016"},
            [
                {"la": "E10000016"},
                {"la": "E08000025", "home_la": "E10000016"},
                {"everywhere": True},
            ],
            [{}, {"la": "E08000025"}, {"urn": "990003"}, {"la": "E08000025", "everywhere": True}],
        ),
        (
            {"school_urn": "990003"},
            [{"urn": "990003"}],
            [{}, {"la": "E10000016"}, {"urn": "990001"}, {"everywhere": True}],
        ),
        (
            {"owner": "ann", "principals": ["bob"]},
            [{"principals": ["ann"]}, {"principals": ["bob", "x"]}],
            [{}, {"principals": ["cid"]}, {"principals": []}, {"everywhere": True}],
        ),
    ],
)
def test_a_document_out_of_scope_is_one_that_is_not_there(
    kb: psycopg.Connection[Any],
    facts: dict[str, Any],
    may: list[dict[str, Any]],
    may_not: list[dict[str, Any]],
) -> None:
    added = add(kb, "The rules.", source="rules.pdf", **facts)
    with role(kb, "pgkb_reader"):
        for asked in may:
            assert read(kb, added.document_id, **asked) is not None, asked
        for asked in may_not:
            assert read(kb, added.document_id, **asked) is None, asked


@pytest.mark.parametrize("status", ["rejected", "flagged"])
def test_a_hidden_passage_is_left_out_and_without_a_passage_there_is_no_document(
    kb: psycopg.Connection[Any], status: str
) -> None:
    added = add(kb, LONG, source="rules.pdf")
    before = read(kb, added.document_id)
    first, *others = [passage["chunk_id"] for passage in before["passages"]]
    kb.execute("select corpus.set_status(array[%s]::bigint[], %s)", [first, status])
    after = read(kb, added.document_id)
    assert after["passage_count"] == before["passage_count"] - 1
    assert after["passages"] == before["passages"][1:]
    kb.execute("select corpus.set_status(%s::bigint[], %s)", [others, status])
    assert read(kb, added.document_id) is None


@pytest.mark.parametrize("document_id", [None, 0, -1, 2**62])
def test_what_is_no_document_has_no_row(
    kb: psycopg.Connection[Any], document_id: int | None
) -> None:
    assert read(kb, document_id) is None


@pytest.mark.parametrize("size", [0, -1, 501, None])
def test_a_page_size_out_of_range_is_refused(kb: psycopg.Connection[Any], size: int | None) -> None:
    with refused(kb, "SE001"):
        read(kb, 1, page_size=size)


def test_a_wrong_place_is_refused_whether_there_is_a_document_or_not(
    kb: psycopg.Connection[Any],
) -> None:
    added = add(kb, "The rules.", source="rules.pdf")
    for document_id in (added.document_id, 2**62):
        with refused(kb, "PL001"):
            read(kb, document_id, la="nowhere")
