"""embedding.add_set and drop_set: sets come and go while the searches stay."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.corpus import add, axis, literal, load_reference, search
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.embedding.filling import SMALL, WIDTH, add_small, fill
from tests.roles import role
from tests.sandbox import notices_of


def test_a_new_set_is_like_the_shipped_ones(reference: psycopg.Connection) -> None:
    key = add_small(reference)
    assert ask(reference, "select name from embedding.active_set()") == "local-minilm"
    shapes = ask_rows(
        reference,
        "select array_agg(array[a.attname, a.attstorage::text] order by a.attnum),"
        " (select array_agg(regexp_replace(pg_get_indexdef(i.indexrelid), 'vector_\\d+\\S*', 'X',"
        " 'g') order by 1) from pg_index as i where i.indrelid = c.oid"
        " and pg_get_indexdef(i.indexrelid) !~ 'hnsw')"
        " from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0"
        " where c.oid in (to_regclass('embedding.vector_1'), to_regclass(%s))"
        " group by c.oid",
        f"embedding.vector_{key}",
    )
    assert len(shapes) == 2
    assert shapes[0] == shapes[1]
    assert (
        ask(
            reference,
            "select pg_get_userbyid(relowner) from pg_class where oid = to_regclass(%s)",
            f"embedding.vector_{key}",
        )
        == "pgkb_owner"
    )


def test_a_new_set_refuses_vectors_of_another_width(reference: psycopg.Connection) -> None:
    key = add_small(reference)
    added = add(reference, "Some text.", source="a.txt")
    with refused(reference, "VE002", "tiny", str(WIDTH)):
        reference.execute(
            "select embedding.store_vectors(%s, %s, %s)",
            [added.chunk_ids, [literal(axis(1))], SMALL],
        )
    with pytest.raises(psycopg.errors.CheckViolation), reference.transaction():
        reference.execute(
            "insert into embedding.vector select %s, chunk_id, scope_id, embedding"
            " from embedding.vector where set_id = 1",
            [key],
        )


def test_floors_not_given_are_the_nearest_sets_and_a_notice_names_it(
    reference: psycopg.Connection,
) -> None:
    with notices_of(reference) as said:
        reference.execute(
            "select embedding.add_set('own', 'local', 'another', 512, vector_weight => 0.9)"
        )
    assert len(said) == 1
    assert "local-minilm" in said[0]
    same = (
        "select s.retrieval_floor = l.retrieval_floor and s.school_floor = l.school_floor,"
        " s.vector_weight from embedding.set as s, embedding.set as l"
        " where s.name = 'own' and l.name = %s"
    )
    assert ask_rows(reference, same, "local-minilm") == [(True, 0.9)]
    with notices_of(reference) as said:
        reference.execute(
            "select embedding.add_set('narrow', 'azure', 'text-embedding-3-large', 256)"
        )
    assert "openai-3-large" in said[0], "the same model counts for more than the provider"


def test_adding_it_again_changes_nothing_and_another_of_its_name_is_refused(
    reference: psycopg.Connection,
) -> None:
    key = add_small(reference)
    assert add_small(reference) == key
    with refused(reference, "VE011", "tiny", "another name"):
        add_small(reference, model="other")


@pytest.mark.parametrize(
    ("name", "provider", "model", "width"),
    [
        ("", "local", "m", 3),
        (None, "local", "m", 3),
        ("x" * 61, "local", "m", 3),
        ("a", "word2vec", "m", 3),
        ("a", None, "m", 3),
        ("a", "local", " ", 3),
        ("a", "local", "m", 0),
        ("a", "local", "m", 4001),
        ("a", "local", "m", None),
    ],
)
def test_what_cannot_be_a_set_is_refused(
    reference: psycopg.Connection, name: str, provider: str, model: str, width: int
) -> None:
    with refused(reference, "VE011"):
        reference.execute(
            "select embedding.add_set(%s, %s, %s, %s)", [name, provider, model, width]
        )


@pytest.mark.parametrize("given", ["relevance_floor => 1.1", "keyword_weight => 'NaN'"])
def test_floors_and_weights_that_cannot_be_are_refused(
    reference: psycopg.Connection, given: str
) -> None:
    with refused(reference, "VE011", "floors"):
        reference.execute(f"select embedding.add_set('a', 'local', 'm', 3, {given})".encode())


def test_an_admin_may_add_and_drop_and_nobody_else(reference: psycopg.Connection) -> None:
    with role(reference, "pgkb_admin"):
        add_small(reference)
        reference.execute("select embedding.drop_set(%s)", [SMALL])
    reference.execute("set local role pgkb_ingest")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        add_small(reference)


def test_a_dropped_set_leaves_nothing_and_its_name_is_free(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    add(reference, "Some newer text.", source="a.txt")
    key = add_small(reference)
    fill(reference)
    assert ask(reference, "select count(*) from embedding.cold_vector where set_id = %s", key) == 1
    reference.execute("select embedding.drop_set(%s)", [SMALL])
    assert ask(reference, "select to_regclass(%s)", f"embedding.vector_{key}") is None
    for table in ("cold_vector", "wanted_vector", "fill_batch", "set"):
        count = f"select count(*) from embedding.{table} where set_id = %s"
        assert reference.execute(count.encode(), [key]).fetchone() == (0,)
    add_small(reference, model="other")


def test_the_active_set_and_an_unknown_one_are_not_dropped(
    reference: psycopg.Connection,
) -> None:
    with refused(reference, "VE012", "local-minilm", "activate"):
        reference.execute("select embedding.drop_set('local-minilm')")
    for name in ("word2vec", None):
        with refused(reference, "VE005"):
            reference.execute("select embedding.drop_set(%s)", [name])


def test_searches_and_publishers_go_on_while_a_set_is_added(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    add(db, "Some text.", source="a.txt", vector=axis(3))
    with psycopg.connect(db_url) as other, ThreadPoolExecutor(1) as pool:
        add_small(other)  # not committed: all its locks are held

        def at_work() -> int:
            db.execute("set lock_timeout = '5s'")
            add(db, "Some more text.", source="b.txt", vector=axis(3))
            return len(search(db, vector=axis(3)))

        assert pool.submit(at_work).result(30) == 2


def test_a_drop_gives_way_to_searches_that_do_not_end(db: psycopg.Connection, db_url: str) -> None:
    load_reference(db)
    add_small(db)
    db.commit()
    with psycopg.connect(db_url) as other:
        other.execute("select count(*) from embedding.vector")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            db.execute("select embedding.drop_set(%s)", [SMALL])
        db.rollback()
        other.rollback()
        db.execute("select embedding.drop_set(%s)", [SMALL])
