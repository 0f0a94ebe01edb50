"""embedding.index_statements and missing_indexes: one place says how vectors are indexed."""

import psycopg

from tests.corpus import add
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.embedding.filling import SMALL, add_small, build_indexes, claim, start, store

BODY = "The tribunal hears appeals about the plan."
_MISSING = "select index_name, broken from embedding.missing_indexes(%s)"


def test_the_shipped_sets_have_what_the_statements_would_build(db: psycopg.Connection) -> None:
    for (key,) in ask_rows(db, "select set_id from embedding.set"):
        assert ask_rows(db, _MISSING, key) == []
        rows = ask_rows(db, "select * from embedding.index_statements(%s)", key)
        assert len(rows) == 3
        for name, statement in rows:
            shipped = ask(db, "select pg_get_indexdef(to_regclass(%s))", f"embedding.{name}")
            db.execute(f"drop index embedding.{name}".encode())
            db.execute(statement.replace("concurrently ", "").encode())
            made = ask(db, "select pg_get_indexdef(to_regclass(%s))", f"embedding.{name}")
            assert made == shipped


def test_kind_and_build_settings_are_those_of_the_set(db: psycopg.Connection) -> None:
    db.execute(
        "update embedding.set set index_kind = 'binary', index_m = 8, index_ef_construction = 40 "
        "where set_id = 1"
    )
    for _, statement in ask_rows(db, "select * from embedding.index_statements(%s)", 1):
        assert "bit(384)" in statement
        assert "m = 8, ef_construction = 40" in statement


def test_a_set_without_its_index_is_not_switched_to(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    key = add_small(reference)
    start(reference)
    store(reference, claim(reference))
    name = f"vector_{key}_local_0_idx"
    both = [
        (name, False),
        (f"vector_{key}_local_1_idx", False),
        (f"vector_{key}_national_idx", False),
    ]
    assert ask_rows(reference, _MISSING, key) == both
    with refused(reference, "VE009", name, "missing_indexes"):
        reference.execute("select embedding.activate(%s)", [SMALL])
    build_indexes(reference)
    assert ask_rows(reference, _MISSING, key) == []
    reference.execute(
        "update pg_index set indisvalid = false where indexrelid = %s::regclass",
        [f"embedding.{name}"],
    )
    assert ask_rows(reference, _MISSING, key) == [(name, True)]
    with refused(reference, "VE009", name):
        reference.execute("select embedding.activate(%s)", [SMALL])


def test_a_scope_that_has_grown_large_lacks_an_index_of_its_own(
    reference: psycopg.Connection,
) -> None:
    add(reference, BODY, source="a.txt", la_code="E08000025")
    scope = ask(reference, "select scope_id from corpus.scope where la_code = 'E08000025'")
    assert ask_rows(reference, _MISSING, 1) == []
    reference.execute("select set_config('kb.own_index', '100', true)")
    assert ask_rows(reference, _MISSING, 1) == []
    reference.execute(
        "insert into search.scope_delta (scope_id, chunks, tokens) values (%s, 100, 0)", [scope]
    )
    name = f"vector_1_scope_{scope}_idx"
    assert ask_rows(reference, _MISSING, 1) == [(name, False)]
    planned = "select target, statement from dba.upkeep_plan() where task = 'index'"
    ((target, statement),) = ask_rows(reference, planned)
    assert target == f"embedding.{name}"
    reference.execute(statement.replace("concurrently ", "").encode())
    assert ask_rows(reference, planned) == []


def test_of_bits_a_scope_lacks_one_only_over_what_is_scanned_exactly(
    reference: psycopg.Connection,
) -> None:
    add(reference, BODY, source="a.txt", la_code="E08000025")
    scope = ask(reference, "select scope_id from corpus.scope where la_code = 'E08000025'")
    reference.execute("update embedding.set set index_kind = 'binary' where set_id = 1")
    reference.execute("select set_config('kb.own_index', '100', true)")
    reference.execute(
        "insert into search.scope_delta (scope_id, chunks, tokens) values (%s, 100, 0)", [scope]
    )
    reference.execute("select set_config('kb.exact_limit', '104', true)")
    assert ask_rows(reference, _MISSING, 1) == []
    reference.execute("select set_config('kb.exact_limit', '100', true)")
    assert ask_rows(reference, _MISSING, 1) == [(f"vector_1_scope_{scope}_idx", False)]


def test_an_index_no_search_reads_goes_once_all_that_are_read_are_there(
    reference: psycopg.Connection,
) -> None:
    def dropped() -> list[tuple[str, ...]]:
        return ask_rows(
            reference, "select target, statement from dba.upkeep_plan() where task = 'drop'"
        )

    assert dropped() == []
    column = "((embedding::halfvec(384)) halfvec_cosine_ops)"
    # as an earlier version had it, one of a scope, and one that is somebody else's
    for name, condition in (
        ("vector_1_hnsw_idx", ""),
        ("vector_1_scope_77_idx", "where scope_id = 77"),
        ("vector_1_mine", ""),
    ):
        reference.execute(
            f"create index {name} on embedding.vector_1 using hnsw {column} {condition}".encode()
        )
    old = ["vector_1_hnsw_idx", "vector_1_scope_77_idx"]
    assert dropped() == [
        (f"embedding.{name}", f"drop index concurrently if exists embedding.{name};")
        for name in old
    ]
    reference.execute("drop index embedding.vector_1_local_0_idx")
    assert dropped() == [], "until then the old one is read"
