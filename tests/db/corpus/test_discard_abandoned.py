"""corpus.discard_abandoned: upkeep removes what nobody will finish."""

import psycopg

from tests.corpus import add, stage
from tests.db.corpus_fixtures import ask, ask_rows


def test_only_old_staged_versions_without_hope_are_removed(
    reference: psycopg.Connection,
) -> None:
    add(reference, "A published text.", source="published.txt")
    versions = {
        name: stage(reference, f"Text {name}.", source=name)
        for name in ("dead", "without task", "waiting", "young and dead")
    }
    reference.execute(
        "update queue.task set dead = true where task_id = any(%s)",
        [[versions["dead"]["task_id"], versions["young and dead"]["task_id"]]],
    )
    reference.execute(
        "delete from queue.task where task_id = %s", [versions["without task"]["task_id"]]
    )
    reference.execute(
        "update corpus.version set staged_at = now() - interval '25 hours' where version_id <> %s",
        [versions["young and dead"]["version_id"]],
    )
    assert ask(reference, "select corpus.discard_abandoned()") == 2
    assert [
        row[0] for row in ask_rows(reference, "select source from corpus.document order by 1")
    ] == ["published.txt", "waiting", "young and dead"]
    assert ask(reference, "select corpus.discard_abandoned()") == 0
    assert ask(reference, "select corpus.discard_abandoned('-1 second')") == 1
