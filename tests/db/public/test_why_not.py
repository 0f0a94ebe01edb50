"""why_not: one question, one verdict, with the numbers."""

import re
from datetime import date
from typing import Any

import psycopg
import pytest

from tests.bulk_corpus import QUESTION, RARE
from tests.corpus import Added, Vector, add, axis, literal, near, search
from tests.db.search.test_retrieve import retrieve
from tests.rows import Row, rows_of, value_of

KENT, BARNSLEY = "E10000016", "E08000038"


def why_not(
    db: psycopg.Connection[Any],
    chunk: int | Added | None,
    words: str | None = None,
    *,
    vector: Vector | None = None,
    **asked: Any,
) -> Row:
    """The only row."""
    named = "".join(f", {name} => %({name})s" for name in asked)
    (row,) = rows_of(
        db,
        f"why_not(%(chunk)s, %(vector)s::vector, terms.build_tsquery(%(words)s){named})",
        {
            "chunk": chunk.chunk_ids[0] if isinstance(chunk, Added) else chunk,
            "vector": vector and literal(vector),
            "words": words,
            **asked,
        },
    )
    return row


def verdict(db: psycopg.Connection[Any], *asked: Any, **more: Any) -> tuple[str, str]:
    row = why_not(db, *asked, **more)
    return row["verdict"], row["reason"]


def texts(db: psycopg.Connection[Any], count: int, *, cosine: float = 0.9) -> list[Added]:
    return [
        add(db, f"Womp text {n}.", source=f"text{n}", title=f"T{n}q", vector=near(3, cosine))
        for n in range(count)
    ]


def test_in_the_answer_it_says_at_which_place(kb: psycopg.Connection[Any]) -> None:
    first, second = texts(kb, 2)
    row = why_not(kb, second, vector=axis(3))
    assert (row["verdict"], row["reason"], row["place"]) == (
        "in_answer",
        "it is at place 2 of 2",
        2,
    )
    assert row["facts"]["similarity"] == pytest.approx(0.9, abs=1e-3)
    assert row["facts"]["chunk_id"] == second.chunk_ids[0]
    assert verdict(kb, first, vector=axis(3))[1] == "it is at place 1 of 2"


# it was not looked at


def test_a_chunk_that_does_not_exist(kb: psycopg.Connection[Any]) -> None:
    told = ("no_such_chunk", "there is no chunk 999999999 in what this call may see (national)")
    assert verdict(kb, 999999999, "womp") == told
    assert why_not(kb, 999999999, "womp")["facts"] == {}
    assert verdict(kb, None, "womp")[0] == "no_such_chunk"


@pytest.mark.parametrize(
    "facts", [{"la_code": KENT}, {"school_urn": "990001"}, {"owner": "ann", "principals": ["bob"]}]
)
@pytest.mark.parametrize("role", ["pgkb_reader", "pgkb_app"])
def test_out_of_scope_is_told_from_not_there_to_nobody_but_an_admin(
    kb: psycopg.Connection[Any], facts: dict[str, Any], role: str
) -> None:
    hidden = add(kb, "Hidden womp.", source="hidden", vector=axis(3), **facts)
    add(kb, "Seen womp.", source="seen", vector=axis(3))
    chunk = hidden.chunk_ids[0]
    tsquery = value_of(kb, "select terms.build_tsquery('womp')::text")

    def told(number: int) -> Row:
        (row,) = rows_of(
            kb,
            "why_not(%s, %s::vector, %s::tsquery, la => %s)",
            [number, literal(axis(3)), tsquery, BARNSLEY],
        )
        return row

    kb.execute(f"set local role {role}".encode())
    there, not_there = told(chunk), told(chunk + 1000)
    assert there["reason"].replace(str(chunk), "") == not_there["reason"].replace(
        str(chunk + 1000), ""
    )
    for row in (there, not_there):
        assert (row["verdict"], row["place"], row["facts"]) == ("no_such_chunk", None, {})
    kb.execute("set local role pgkb_admin")
    row = told(chunk)
    assert row["verdict"] == "out_of_scope"
    kind = "school" if "school_urn" in facts else "private" if "owner" in facts else "la"
    assert row["reason"].startswith(f"it is {kind}")
    assert row["reason"].endswith("this call may see national")
    assert told(chunk + 1000)["verdict"] == "no_such_chunk"


def test_without_an_area_a_local_chunk_is_out_of_scope_until_all_areas_are_searched(
    kb: psycopg.Connection[Any],
) -> None:
    local = add(kb, "Kent womp.", source="kent", la_code=KENT, vector=axis(3))
    assert verdict(kb, local, "womp", vector=axis(3))[0] == "in_answer"
    add(kb, "National womp.", source="national", vector=near(3, 0.5))
    assert verdict(kb, local, "womp", vector=axis(3)) == (
        "out_of_scope",
        "it is la E10000016, this call may see national",
    )


@pytest.mark.parametrize("status", ["rejected", "flagged"])
def test_a_state_that_is_not_shown(kb: psycopg.Connection[Any], status: str) -> None:
    (chunk,) = texts(kb, 1)
    kb.execute("select corpus.set_status(%s, %s)", [chunk.chunk_ids, status])
    assert verdict(kb, chunk, "womp", vector=axis(3)) == (
        "status",
        f"it is {status}, this call shows approved, pending",
    )
    assert verdict(kb, chunk, "womp", as_of=date(2030, 1, 1))[0] == "status"


def test_a_state_the_call_does_not_ask_for(kb: psycopg.Connection[Any]) -> None:
    (chunk,) = texts(kb, 1)
    assert verdict(kb, chunk, "womp", statuses=["approved"]) == (
        "status",
        "it is pending, this call shows approved",
    )


def test_a_superseded_version_names_its_successor(kb: psycopg.Connection[Any]) -> None:
    old = add(kb, "Womp of old.", source="a", title="Womp", vector=axis(3))
    add(kb, "Womp of new.", source="a", title="Womp", vector=axis(3))
    assert verdict(kb, old, "womp") == (
        "superseded",
        "its version 1 gave way to version 2",
    )
    other = add(kb, "Womp of yet another.", source="b", title="Womp", vector=axis(3))
    told = verdict(kb, old.chunk_ids[0] + 1, "womp")
    assert told == (
        "superseded",
        f"its version 2 gave way to version 1 of document {other.document_id}",
    )


def test_a_version_not_in_force_on_the_day(kb: psycopg.Connection[Any]) -> None:
    asked: dict[str, Any] = {"as_of": date(2020, 1, 1)}
    old, new = (
        add(
            kb, f"Womp of {year}.", source="a", vector=axis(3), effective_date=date(year, 1, 1)
        )
        for year in (2019, 2024)
    )  # fmt: skip
    assert verdict(kb, old, "womp", **asked)[0] == "in_answer"
    assert verdict(kb, new, "womp", **asked) == (
        "not_in_force",
        "its version 2 is in force from 2024-01-01, not on 2020-01-01",
    )
    assert verdict(kb, old, "womp", as_of=date(2025, 1, 1)) == (
        "not_in_force",
        "its version 1 is in force from 2019-01-01 to 2024-01-01, not on 2025-01-01",
    )


def test_a_version_that_is_not_published(kb: psycopg.Connection[Any]) -> None:
    kb.execute("select corpus.stage_document('new', 'New', 'Womp of late.', 'txt')")
    chunk = value_of(kb, "select chunk_id from corpus.chunk where content = 'Womp of late.'")
    assert verdict(kb, chunk, "womp") == (
        "not_published",
        "version 1 of its document is not published",
    )


def test_a_chunk_without_the_tags(kb: psycopg.Connection[Any]) -> None:
    plain, tagged, other = (
        add(kb, f"Womp {n}.", source=f"a{n}", title=f"T{n}q", tags=tags, vector=axis(3))
        for n, tags in enumerate(([], ["transport"], ["ehcp"]))
    )
    asked: dict[str, Any] = {"vector": axis(3), "tags": ["transport", "exclusion"]}
    assert verdict(kb, plain, **asked) == (
        "tags",
        "it has none of the tags transport, exclusion, only none",
    )
    assert verdict(kb, other, **asked)[1].endswith("only ehcp")
    assert verdict(kb, tagged, **asked)[0] == "in_answer"
    # tags that left nothing were dropped, so they are no reason
    assert verdict(kb, plain, vector=axis(3), tags=["unheard-of"])[0] == "in_answer"


# it was a candidate


def test_under_the_relevance_floor(kb: psycopg.Connection[Any]) -> None:
    faint = add(kb, "Faint.", source="faint", vector=near(3, 0.25))
    told = ("under_relevance_floor", "similarity 0.250 is under the relevance floor 0.3")
    assert verdict(kb, faint, vector=axis(3)) == told
    name, reason = verdict(kb, faint, "faint dralk jalt krib")
    assert name == "under_relevance_floor"
    assert re.fullmatch(r"matches 0\.\d+ of the question's weight, under 0\.5", reason)


def test_the_same_text_stands_higher(kb: psycopg.Connection[Any]) -> None:
    national = add(kb, "The same womp.", source="a", vector=near(3, 0.9))
    local = add(kb, "The same womp.", source="a", la_code=KENT, vector=near(3, 0.9))
    assert verdict(kb, national, vector=axis(3), la=KENT) == (
        "same_text",
        f"same text as chunk {local.chunk_ids[0]}, which stands higher",
    )


def passages(db: psycopg.Connection[Any], count: int, *, vector: Vector) -> list[int]:
    """The chunks of one document."""
    db.execute("set local kb.chunk_size = 100")
    db.execute("set local kb.chunk_overlap = 0")
    body = "\n\n".join(f"Passage {n} {'speaks at length ' * 5}." for n in range(count))
    return add(db, body, source="long", vector=vector).chunk_ids


def test_its_document_has_its_share(kb: psycopg.Connection[Any]) -> None:
    chunks = passages(kb, 6, vector=near(3, 0.8))
    assert verdict(kb, chunks[5], vector=axis(3)) == (
        "document_full",
        "its document already has the 3 chunks it may have",
    )


def test_the_answer_holds_no_more(kb: psycopg.Connection[Any]) -> None:
    *_, last = texts(kb, 14)
    assert verdict(kb, last, vector=axis(3)) == (
        "beyond_top_k",
        "comes 14th in line, the answer holds 10",
    )


def test_only_beside_a_chunk_of_the_answer(kb: psycopg.Connection[Any]) -> None:
    chunks = passages(kb, 6, vector=near(3, 0.8))
    row = why_not(kb, chunks[3], vector=axis(3))
    assert (row["verdict"], row["reason"]) == (
        "context_only",
        f"only in the context of chunk {chunks[2]} at place 3; by itself: "
        "its document already has the 3 chunks it may have",
    )
    assert row["facts"]["by_itself"] == "document_full"
    content = value_of(kb, "select content from corpus.chunk where chunk_id = %s", [chunks[3]])
    assert content in search(kb, vector=axis(3))[2]["context"]
    kb.execute("select corpus.set_status(%s, 'rejected')", [[chunks[3]]])
    assert verdict(kb, chunks[3], vector=axis(3))[0] == "status"
    kb.execute("set local kb.chunk_expansion_enabled = off")
    assert verdict(kb, chunks[4], vector=axis(3))[0] == "document_full"


# no leg brought it


def test_without_a_vector_in_the_active_set(kb: psycopg.Connection[Any]) -> None:
    chunk, _ = texts(kb, 2)
    kb.execute("delete from embedding.vector where chunk_id = %s", chunk.chunk_ids)
    assert verdict(kb, chunk, "dralk", vector=axis(3)) == (
        "no_vector",
        "it has no vector in the active embedding set; "
        "no word of the question that was looked up is in it",
    )


def test_under_the_retrieval_floor(kb: psycopg.Connection[Any]) -> None:
    far = add(kb, "Far.", source="far", vector=near(3, 0.1))
    row = why_not(kb, far, "dralk", vector=axis(3))
    assert row["verdict"] == "under_retrieval_floor"
    assert row["reason"].startswith("similarity 0.100 is under the retrieval floor 0.2; ")
    assert row["facts"]["similarity"] == pytest.approx(0.1, abs=1e-3)


def test_others_are_nearer(kb: psycopg.Connection[Any]) -> None:
    texts(kb, 4)
    further = add(kb, "Further.", source="further", vector=near(3, 0.8))
    row = why_not(kb, further, vector=axis(3), candidates=4, top_k=2)
    assert row["verdict"] == "others_nearer"
    assert row["reason"].startswith(
        "similarity 0.800 is number 5 of the visible chunks, the vector leg brings 4; "
    )
    assert row["facts"]["true_vector_rank"] == 5


def test_of_equals_the_leg_cuts_off_the_later(kb: psycopg.Connection[Any]) -> None:
    *_, last = texts(kb, 5)
    row = why_not(kb, last, vector=axis(3), candidates=4, top_k=2)
    assert row["verdict"] == "others_nearer"
    assert row["facts"]["true_vector_rank"] == 5


def test_other_texts_have_more_of_the_words(kb: psycopg.Connection[Any]) -> None:
    for n in range(4):
        add(kb, "womp " * (n + 2), source=f"w{n}", title=f"T{n}q")
    less = add(kb, f"One womp {'among many others ' * 5}.", source="less", title="L1q")
    row = why_not(kb, less, "womp", candidates=4, top_k=2)
    assert row["verdict"] == "other_words_better"
    assert row["reason"].startswith("no query vector; BM25 0.")
    assert row["reason"].endswith("is rank 5, the keyword leg brings 4")
    assert row["facts"]["true_bm25_rank"] == 5


def test_no_word_of_the_question_is_in_it(kb: psycopg.Connection[Any]) -> None:
    (chunk,) = texts(kb, 1)
    told = (
        "no_word_matches",
        "no query vector; no word of the question that was looked up is in it",
    )
    assert verdict(kb, chunk, "dralk") == told
    assert verdict(kb, chunk) == told


def test_vector_first_reads_the_words_of_vector_hits_only(kb: psycopg.Connection[Any]) -> None:
    kb.execute("set local kb.keyword_mode = 'vector_first'")
    texts(kb, 2)
    far = add(kb, "Womp far away.", source="far", vector=near(3, 0.1))
    row = why_not(kb, far, "womp", vector=axis(3))
    assert row["verdict"] == "only_vector_hits"
    assert "similarity 0.100 is under the retrieval floor 0.2" in row["reason"]


def test_the_index_passed_it_over(large: psycopg.Connection[Any]) -> None:
    # one that the exact scan ranks first, and that the index cannot reach
    large.execute("set local kb.exact_limit = 0")
    large.execute("set local kb.chunk_expansion_enabled = off")
    best = search(large, vector=QUESTION.tolist())[0]["chunk_id"]
    found = retrieve(large, vector=QUESTION.tolist())
    hits = [h for h in found["hits"] if h["chunk_id"] != best]
    assert found["plans"][0]["plan"] == "index"
    (row,) = large.execute(
        "select e from search.explain_absence(jsonb_populate_record("
        "search.retrieve(search.resolve_request(%s, null)), %s), %s) as e",
        [literal(QUESTION.tolist()), psycopg.types.json.Jsonb({"hits": hits}), best],
    ).fetchall()
    assert "missed_by_index" in str(row)
    assert "number 1 of the visible chunks, and the index, which is approximate" in str(row)


# every chunk has exactly one verdict


def test_every_chunk_gets_exactly_one_verdict_and_those_of_the_answer_their_place(
    large: psycopg.Connection[Any],
) -> None:
    asked: dict[str, Any] = {"vector": QUESTION.tolist(), "la": KENT}
    places = {r["chunk_id"]: n for n, r in enumerate(search(large, words="subject7", **asked), 1)}
    ids = value_of(
        large, "select array_agg(chunk_id) from corpus.chunk where mod(chunk_id, 37) = 0"
    )
    assert len(ids) > RARE
    for chunk in {*ids, *places}:
        row = why_not(large, chunk, "subject7", **asked)
        assert (row["verdict"] == "in_answer") == (chunk in places)
        assert row["place"] == places.get(chunk)
        assert row["reason"]


def test_it_writes_nothing_and_needs_no_path(kb: psycopg.Connection[Any]) -> None:
    (chunk,) = texts(kb, 1)
    kb.execute("set local transaction_read_only = on")
    kb.execute("set local search_path = ''")
    row = kb.execute(
        "select verdict from public.why_not(%s, null, 'dralk')", chunk.chunk_ids
    ).fetchone()
    assert row == ("no_word_matches",)


# who sees what in a corpus with a text of every scope
CALLERS: tuple[tuple[dict[str, Any], set[str]], ...] = (
    ({"la": BARNSLEY}, {"national", "barnsley"}),
    ({"la": "E06000063"}, {"national", "cumbria"}),
    ({"la": KENT, "home_la": BARNSLEY}, {"national", "kent", "barnsley"}),
    ({"urn": "990001"}, {"national", "hollybrook"}),
    ({"la": KENT, "principals": ["bob"]}, {"national", "kent", "ann-bob"}),
    ({"la": KENT, "principals": ["cid"], "tags": ["ehcp"]}, {"national", "kent", "cid"}),
)


@pytest.mark.parametrize(("asked", "seen"), CALLERS)
def test_of_what_is_out_of_scope_neither_explanation_says_anything(
    scoped: psycopg.Connection[Any], asked: dict[str, Any], seen: set[str]
) -> None:
    chunks = dict(
        scoped.execute(
            "select c.chunk_id, d.source from corpus.chunk as c "
            "join corpus.document as d using (document_id)"
        ).fetchall()
    )
    tsquery = value_of(scoped, "select terms.build_tsquery('transport')::text")
    named = "".join(f", {name} => %({name})s" for name in asked)
    values = {"vector": literal(axis(3)), "words": tsquery, **asked}
    scoped.execute("set local role pgkb_reader")
    explained = rows_of(
        scoped, f"explain_search(%(vector)s::vector, %(words)s::tsquery{named})", values
    )
    assert {chunks[r["chunk_id"]] for r in explained if r["chunk_id"]} == seen
    assert {r["title"] for r in explained if r["chunk_id"]} == seen

    def told(number: int) -> Row:
        (row,) = rows_of(
            scoped,
            f"why_not(%(chunk)s, %(vector)s::vector, %(words)s::tsquery{named})",
            values | {"chunk": number},
        )
        return row | {"reason": row["reason"].replace(str(number), "N")}

    nobody = told(10**9)
    for chunk, source in chunks.items():
        assert (told(chunk) == nobody) == (source not in seen), source
