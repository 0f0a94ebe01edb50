"""dba.upkeep_plan: what upkeep would do, in its order."""

from typing import Any

import psycopg

from tests import churned
from tests.db.corpus_fixtures import ask, ask_rows


def test_a_rebuild_comes_before_the_vacuum_of_its_table(db: psycopg.Connection[Any]) -> None:
    churned.fill(db)
    steps = ask_rows(db, "select task, target from dba.upkeep_plan() order by step")
    assert steps[0] == ("fold", "search.scope_delta")
    assert [task for task, _ in steps[1:4]] == ["purge"] * 3
    note, rebuild = ("note", "dba.index_build"), ("rebuild", churned.INDEX)
    halves = [("rebuild", f"embedding.vector_1_local_{half}_idx") for half in (0, 1)]
    assert steps[4:9] == [note, *halves, rebuild, note], "the smaller ones first"
    assert ("vacuum", "embedding.vector_1") in steps[9:]


def test_the_bound_of_churn_is_a_setting(db: psycopg.Connection[Any]) -> None:
    churned.fill(db)
    question = "select count(*) from dba.upkeep_plan() where task = 'rebuild'"
    assert ask(db, question) == 3
    db.execute("set kb.rebuild_after = '0.9'")
    assert ask(db, question) == 0
