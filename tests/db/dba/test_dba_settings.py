"""dba.settings: the settings that matter here, and which to look at."""

from typing import Any

import psycopg

from tests.db.corpus_fixtures import ask_rows


def to_look_at(db: psycopg.Connection[Any]) -> set[str]:
    return {row[0] for row in ask_rows(db, "select name from dba.settings where state = 'look'")}


def test_the_embedded_server_has_good_settings(large: psycopg.Connection[Any]) -> None:
    assert to_look_at(large) == set()


def test_settings_that_hurt_are_named(large: psycopg.Connection[Any]) -> None:
    bad = {
        "maintenance_work_mem": "1MB",
        "random_page_cost": "4",
        "jit": "on",
        "work_mem": "64kB",
        "effective_cache_size": "8MB",
    }
    for name, value in bad.items():
        large.execute("select set_config(%s, %s, true)", [name, value])
    assert to_look_at(large) == set(bad)


def test_a_table_that_autovacuum_may_not_touch_is_named(kb: psycopg.Connection[Any]) -> None:
    kb.execute("alter table embedding.vector_1 set (autovacuum_enabled = off)")
    assert to_look_at(kb) == {"autovacuum of embedding.vector_1"}
